#!/usr/bin/env python3
"""Writes incast.csv: requests of host 4, each to 8 answering flows of hosts 0 to 3, each after all answers of the one
before and a random time, as lab-load's."""
import random
import sys

REQUESTS = 102
CONNECTIONS = 8
SIZE = 2048
ASKER = 4


def main():
    draw = random.Random(1)
    out = sys.stdout
    out.write("id,src,dst,size_bytes,delay,after,tag\n")
    row = 0
    answers = []
    for request in range(REQUESTS):
        # The first begins after a second. The time between requests is half to three halves of 30 ms.
        wait = 1e6 if request == 0 else draw.uniform(15e3, 45e3)
        row += 1
        out.write(f"{row},{ASKER},,,{wait:.0f} us,{';'.join(map(str, answers))},wait\n")
        begin = row
        answers = []
        for connection in range(CONNECTIONS):
            server = connection % ASKER
            out.write(f"{row + 1},{ASKER},{server},8,,{begin},request\n")
            out.write(f"{row + 2},{server},{ASKER},{SIZE},,{row + 1},\n")
            answers.append(row + 2)
            row += 2


if __name__ == "__main__":
    main()
