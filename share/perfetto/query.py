#!/usr/bin/env python3
"""Asks a Perfetto trace in SQL: query.py FILE.pftrace QUERY... (a query of "-" is read from standard input).

It loads the trace into SQLite, in tables that have the names and columns of Perfetto's trace processor, so that the
same queries work there and on the page Query (SQL) of https://ui.perfetto.dev. Its message classes are those of the
package `perfetto` (PyPI). Of the trace processor's tables it has what traces of `weir run --trace` fill:

  track          id, name, parent_id; of counters also type = 'counter', unit
  counter_track  the same of counters alone
  slice          id, ts, dur, track_id, name, arg_set_id; an instant has dur 0, what never ends has dur -1
  counter        id, ts, track_id, value
  args           arg_set_id, key, flat_key, int_value, string_value, real_value, value_type, display_value
  extract_arg(arg_set_id, key)

Times are in nanoseconds. What the run itself took is on the trace processor's time line as well, from 0 on.
"""

import sqlite3
import sys

try:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as messages
except ImportError as error:
    sys.exit(f"query.py: {error}; pip install perfetto")

BOOT_TIME = messages.BUILTIN_CLOCK_BOOTTIME


class TraceError(Exception):
    """The trace says something that the trace processor does not take."""


class Sequence:
    """What the packets of one sequence leave out."""

    def __init__(self):
        self.valid = False
        self.clock = BOOT_TIME
        self.clocks = {}  # id -> [nanoseconds of boot time where it is 0, the last timestamp if it tells differences]
        self.names = {}
        self.fact_names = {}


def packets(path):
    """The packets of a trace, one at a time. What is cut off at the end is an error."""
    with open(path, "rb") as file:
        data = memoryview(file.read())
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            if at >= len(data):
                raise TraceError("the file ends within a packet")
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    while at < len(data):
        if varint() != 10:  # Trace.packet
            raise TraceError("what follows a packet is no packet")
        length = varint()
        if at + length > len(data):
            raise TraceError("the file ends within a packet")
        packet = messages.TracePacket()
        packet.ParseFromString(bytes(data[at : at + length]))
        at += length
        yield packet


class Reader:
    def __init__(self, database):
        self.db = database
        self.sequences = {}
        self.tracks = {}  # uuid -> (id, factor of a counter or None)
        self.events = []  # (time, number in the file, ...)
        self.db.executescript(
            """
            create table track(id integer primary key, name, parent_id, type, unit);
            create view counter_track as select * from track where type = 'counter';
            create table slice(id integer primary key, ts, dur, track_id, name, arg_set_id);
            create table counter(id integer primary key, ts, track_id, value);
            create table args(arg_set_id, key, flat_key, int_value, string_value, real_value, value_type,
                              display_value);
            """
        )

    def read(self, path):
        for packet in packets(path):
            self.take(packet)
        # The trace processor sorts all events; those of one instant stay as they are in the file.
        self.events.sort(key=lambda event: event[0])
        self.build()
        self.db.executescript(
            """
            create index slice_track on slice(track_id);
            create index counter_of on counter(track_id, ts);
            create index args_of on args(arg_set_id, key);
            """
        )
        self.db.create_function("extract_arg", 2, self.extract_arg, deterministic=True)

    def take(self, packet):
        sequence = self.sequences.setdefault(packet.trusted_packet_sequence_id, Sequence())
        if packet.sequence_flags & packet.SEQ_INCREMENTAL_STATE_CLEARED:
            self.sequences[packet.trusted_packet_sequence_id] = sequence = Sequence()
            sequence.valid = True
        if packet.sequence_flags & packet.SEQ_NEEDS_INCREMENTAL_STATE and not sequence.valid:
            raise TraceError("a packet needs what its sequence has not said")
        for entry in packet.interned_data.event_names:
            sequence.names[entry.iid] = entry.name
        for entry in packet.interned_data.debug_annotation_names:
            sequence.fact_names[entry.iid] = entry.name
        if packet.HasField("trace_packet_defaults"):
            sequence.clock = packet.trace_packet_defaults.timestamp_clock_id or BOOT_TIME
        if packet.HasField("clock_snapshot"):
            self.take_snapshot(sequence, packet.clock_snapshot)
        if packet.HasField("track_descriptor"):
            self.take_track(packet.track_descriptor)
        if packet.HasField("track_event"):
            self.events.append((self.time_of(sequence, packet), packet.track_event, sequence))

    def take_snapshot(self, sequence, snapshot):
        at = {clock.clock_id: clock for clock in snapshot.clocks}
        boot = at[BOOT_TIME].timestamp
        for number, clock in at.items():
            if 64 <= number < 128:
                sequence.clocks[number] = [boot - clock.timestamp, clock.timestamp if clock.is_incremental else None]

    @staticmethod
    def time_of(sequence, packet):
        if not packet.HasField("timestamp"):
            raise TraceError("an event has no time")
        clock = packet.timestamp_clock_id or sequence.clock
        if clock == BOOT_TIME:
            return packet.timestamp
        if clock not in sequence.clocks:
            raise TraceError(f"nothing is known of clock {clock}")
        of = sequence.clocks[clock]
        if of[1] is None:
            return of[0] + packet.timestamp
        of[1] += packet.timestamp
        return of[0] + of[1]

    def take_track(self, it):
        if it.uuid in self.tracks:
            raise TraceError(f"track {it.uuid} is described twice")
        parent = None
        if it.parent_uuid:
            parent = self.tracks[it.parent_uuid][0]
        number = len(self.tracks) + 1
        is_counter = it.HasField("counter")
        unit = it.counter.unit_name or {1: "ns", 2: "count", 3: "bytes"}.get(it.counter.unit)
        factor = (it.counter.unit_multiplier or 1) if is_counter else None
        self.tracks[it.uuid] = (number, factor)
        self.db.execute(
            "insert into track values(?,?,?,?,?)",
            (number, it.name, parent, "counter" if is_counter else "slice", unit if is_counter else None),
        )

    def build(self):
        open_slices = {}  # by track: [id, begin]
        counts = []
        slices = {}
        arguments = []
        for time, event, sequence in self.events:
            # The trace processor takes eight further counts of an event, and those behind the first 0 for 0.
            extra = list(zip(event.extra_counter_track_uuids, event.extra_counter_values, strict=True))
            if len(extra) > 8:
                raise TraceError("an event has more than eight further counts")
            seen_zero = False
            for track, value in extra:
                if seen_zero and value != 0:
                    raise TraceError("a count follows a 0")
                seen_zero = seen_zero or value == 0
                counts.append((time, *self.count(track, value)))
            if event.type == event.TYPE_COUNTER:
                counts.append((time, *self.count(event.track_uuid, event.counter_value)))
                continue
            track, factor = self.tracks[event.track_uuid]
            if factor is not None:
                raise TraceError("a slice is on a counter's track")
            of_track = open_slices.setdefault(track, [])
            if event.type == event.TYPE_SLICE_END:
                if not of_track:
                    raise TraceError("a slice ends that has not begun")
                number = of_track.pop()
                slices[number][1] = time - slices[number][0]
            else:
                number = len(slices) + 1
                name = event.name or sequence.names[event.name_iid]
                is_instant = event.type == event.TYPE_INSTANT
                slices[number] = [time, 0 if is_instant else -1, track, name, number]
                if not is_instant:
                    of_track.append(number)
            for fact in event.debug_annotations:
                arguments.append((number, *self.argument(sequence, fact)))
        self.db.executemany("insert into counter(ts,track_id,value) values(?,?,?)", counts)
        self.db.executemany("insert into slice values(?,?,?,?,?,?)", ((n, *row) for n, row in slices.items()))
        self.db.executemany("insert into args values(?,?,?,?,?,?,?,?)", arguments)

    def count(self, uuid, value):
        track, factor = self.tracks[uuid]
        if factor is None:
            raise TraceError("a count is on a track that is no counter's")
        return track, value * factor

    @staticmethod
    def argument(sequence, fact):
        key = "debug." + (fact.name or sequence.fact_names[fact.name_iid])
        kind = fact.WhichOneof("value")
        value = getattr(fact, kind)
        texts = {"uint_value": ("uint", value, None, None), "int_value": ("int", value, None, None)}
        texts["bool_value"] = ("bool", int(bool(value)) if kind == "bool_value" else None, None, None)
        texts["double_value"] = ("real", None, None, value)
        texts["string_value"] = ("string", None, value, None)
        kind, whole, text, real = texts[kind]
        shown = ("false", "true")[whole] if kind == "bool" else str(value)
        return key, key, whole, text, real, kind, shown

    def extract_arg(self, arg_set_id, key):
        row = self.db.execute(
            "select coalesce(int_value, string_value, real_value) from args where arg_set_id = ? and key = ?",
            (arg_set_id, key),
        ).fetchone()
        return row and row[0]


def load(path):
    """A connection of sqlite3 to what the trace holds."""
    database = sqlite3.connect(":memory:")
    Reader(database).read(path)
    return database


def show(cursor):
    rows = [[("" if value is None else str(value)) for value in row] for row in cursor]
    columns = [column[0] for column in cursor.description]
    widths = [max(map(len, column)) for column in zip(columns, *rows)]
    for row in [columns, ["-" * width for width in widths], *rows]:
        print("  ".join(value.ljust(width) for value, width in zip(row, widths)).rstrip())


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    try:
        database = load(arguments[0])
        for number, query in enumerate(arguments[1:]):
            if number > 0:
                print()
            show(database.execute(sys.stdin.read() if query == "-" else query))
    except (OSError, TraceError, sqlite3.Error) as error:
        sys.exit(f"query.py: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
