#!/usr/bin/env python3
"""Writes incast.csv: requests of host 4 for 8 answers of hosts 0 to 3, at random times as lab-load's, and none before all
answers to the one before are there."""
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
    clock = None  # the row that ends when a request is due
    answers = []
    for request in range(REQUESTS):
        wait = 1e6 if request == 0 else draw.uniform(80e3, 120e3)
        row += 1
        out.write(f"{row},{ASKER},,,{wait:.0f} us,{clock or ''},wait\n")
        clock = row
        begin = ";".join(map(str, [clock, *answers]))
        answers = []
        for connection in range(CONNECTIONS):
            server = connection % ASKER
            out.write(f"{row + 1},{ASKER},{server},8,,{begin},request\n")
            out.write(f"{row + 2},{server},{ASKER},{SIZE},,{row + 1},\n")
            answers.append(row + 2)
            row += 2


if __name__ == "__main__":
    main()
