"""Algorithms of the tests, in a module so that the processes of a sweep find them."""

import weir


class Plain(weir.Algorithm):
    """A window that grows by a packet per round trip and is halved when marked."""

    name = "py-plain"
    source = "Chiu and Jain, 1989"
    needs = ("ecn",)
    increase = weir.parameter(1.0, "packets per round trip", least=0, most=100)
    pause = weir.parameter("1 us", "time without a second decrease")
    window = weir.remember(0.0)
    quiet_until = weir.remember(0)
    acks = weir.remember(0)

    def start(self, control):
        self.window = 20.0 * self.flow.payload_bytes
        control.window_bytes = self.window

    def on_ack(self, ack, control):
        self.acks += 1
        if ack.ecn and ack.now_ps >= self.quiet_until:
            self.window = max(self.window / 2, self.flow.payload_bytes)
            self.quiet_until = ack.now_ps + self.pause
        else:
            self.window += self.increase * self.flow.payload_bytes * ack.acked_bytes / self.window
        control.window_bytes = self.window


def setup():
    weir.add_algorithm(Plain)


def digest(result):
    return result.manifest["digest"]


class TwoThings(Exception):
    """An error that pickle writes and cannot read."""

    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


def raise_two_things(result=None):
    raise TwoThings("one", "two")
