"""Long flows and requests between the hosts of a lab, by one thread of this process: its sockets are in the namespaces.

Each h has a server. r asks: for a flow without end, or for an answer of so many bytes. A request asks for answers on all
of its connections at once and is complete when all have come (an incast).
"""

import random
import selectors
import socket
import struct
import time

PORT = 5_000
_ASK = struct.Struct("!q")  # bytes of the answer; -1: a flow without end
_CHUNK = bytes(1 << 16)


class Broken(Exception):
    """A connection has ended that should not have."""


class _Server:
    """The end of a connection that sends."""

    def __init__(self, traffic, connection):
        self.traffic, self.connection = traffic, connection
        self.left, self.endless, self.asked = 0, False, b""
        traffic.watch(connection, selectors.EVENT_READ, self.ready)

    def ready(self, events):
        if events & selectors.EVENT_READ:
            data = self.connection.recv(4_096)
            if not data:
                self.traffic.forget(self.connection)
                return
            self.asked += data
            while len(self.asked) >= _ASK.size:
                size, = _ASK.unpack(self.asked[:_ASK.size])
                self.asked = self.asked[_ASK.size:]
                self.endless, self.left = self.endless or size < 0, self.left + max(size, 0)
        try:
            while self.endless or self.left > 0:
                self.left -= self.connection.send(_CHUNK if self.endless else _CHUNK[:self.left])
        except BlockingIOError:
            pass
        more = selectors.EVENT_WRITE if self.endless or self.left > 0 else 0
        self.traffic.watch(self.connection, selectors.EVENT_READ | more, self.ready)


class LongFlow:
    """r's end of a flow without end."""

    def __init__(self, traffic, host):
        self.traffic, self.host = traffic, host
        self.received, self.last, self.longest_gap = 0, None, 0.0
        self.gaps = []  # (begin, length) of silences above 50 ms
        self.connection = traffic.connect(host)
        self.connection.send(_ASK.pack(-1))
        traffic.watch(self.connection, selectors.EVENT_READ, self.ready)

    def ready(self, _):
        size = self.connection.recv_into(self.traffic.buffer)
        if size == 0:
            raise Broken(f"the flow from {self.host} has ended")
        now = time.monotonic()
        if self.last is not None:
            gap = now - self.last
            self.longest_gap = max(self.longest_gap, gap)
            if gap > 0.05:
                self.gaps.append((self.last, gap))
        self.last = now
        self.received += size

    def begin(self):
        self.received, self.longest_gap, self.last, self.gaps = 0, 0.0, time.monotonic(), []


class Requests:
    """Requests for `size` bytes on each of the connections, dealt to the hosts in turn, one request after another."""

    def __init__(self, traffic, hosts, connections, size, gap, seed):
        self.traffic, self.size, self.gap = traffic, size, gap
        self.random = random.Random(seed)
        self.times = []
        self.connections = {}
        self.open = 0
        self.began = None
        for i in range(connections):
            connection = traffic.connect(hosts[i % len(hosts)])
            self.connections[connection] = 0
            traffic.watch(connection, selectors.EVENT_READ, lambda _, c=connection: self.ready(c))
        self.traffic.later(self.pause(), self.ask)

    def pause(self):
        return self.gap * self.random.uniform(0.5, 1.5)

    def ask(self):
        self.began = time.monotonic()
        self.open = len(self.connections)
        for connection in self.connections:
            self.connections[connection] = self.size
            connection.send(_ASK.pack(self.size))

    def ready(self, connection):
        size = connection.recv_into(self.traffic.buffer)
        if size == 0:
            raise Broken("a connection of requests has ended")
        self.connections[connection] -= size
        if self.connections[connection] > 0:
            return
        self.open -= 1
        if self.open == 0:
            self.times.append(time.monotonic() - self.began)
            self.traffic.later(self.pause(), self.ask)

    def begin(self):
        self.times = []


class Traffic:
    def __init__(self, lab):
        self.lab = lab
        self.selector = selectors.DefaultSelector()
        self.buffer = bytearray(1 << 18)
        self.timers = []
        self.sockets = set()
        self.longest_turn = 0.0  # in which this process did not come to its work, s
        for host in lab.senders:
            listener = lab.socket(host)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((lab.address(host), PORT))
            listener.listen(128)
            self.watch(listener, selectors.EVENT_READ, lambda _, of=listener: self.accept(of))

    def accept(self, listener):
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _Server(self, connection)

    def connect(self, host):
        connection = self.lab.socket("r")
        connection.settimeout(5)
        connection.connect((self.lab.address(host), PORT))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def watch(self, of, events, ready):
        of.setblocking(False)
        if of in self.sockets:
            self.selector.modify(of, events, ready)
        else:
            self.sockets.add(of)
            self.selector.register(of, events, ready)

    def forget(self, of):
        self.selector.unregister(of)
        self.sockets.discard(of)
        of.close()

    def later(self, seconds, do):
        self.timers.append((time.monotonic() + seconds, do))

    def run(self, seconds, each_turn=lambda: None):
        """Traffic for so long. A connection that ends raises Broken, or the socket's error."""
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            each_turn()
            for timer in [t for t in self.timers if t[0] <= now]:
                self.timers.remove(timer)
                timer[1]()
            wait = min([end] + [t[0] for t in self.timers]) - time.monotonic()
            before = time.monotonic()
            ready = self.selector.select(max(0, min(wait, 0.02)))
            began = time.monotonic()
            self.longest_turn = max(self.longest_turn, began - before - 0.02)
            for key, events in ready:
                if key.fileobj in self.sockets:
                    key.data(events)
            self.longest_turn = max(self.longest_turn, time.monotonic() - began)

    def close(self):
        for of in list(self.sockets):
            self.forget(of)
        self.selector.close()
