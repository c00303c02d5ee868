// The run that the page shows: its tables, unpacked one after the other when they are first asked for, so that the page
// answers in between, and the indices by which they are searched.
import { PackedTable, Values, ViewDocument, unpack } from '../view_data';

export const kNone = 4294967295; // of u32: no port, no flow, no row

// Gives the browser a turn.
export function pause(): Promise<void> {
  return new Promise((done) => setTimeout(done, 0));
}

// Rows of a table by the value of one of its columns: those of value v are order[start[v] .. start[v + 1]), as they stand
// in the table.
export interface Index {
  start: Uint32Array;
  order: Uint32Array;
}

export function indexOf(values: Values, size: number): Index {
  const start = new Uint32Array(size + 1);
  for (let i = 0; i < values.length; i++) if (values[i] < size) start[values[i] + 1]++;
  for (let v = 0; v < size; v++) start[v + 1] += start[v];
  const order = new Uint32Array(start[size]);
  const next = start.slice();
  for (let i = 0; i < values.length; i++) if (values[i] < size) order[next[values[i]]++] = i;
  return { start, order };
}

export interface Series {
  rows: number;
  bin: Values;
  port: Values;
  sent: Values;
  queue: Values;
  marked: Values;
  dropped: Values;
  trimmed: Values;
  paused: Values;
  starts: Uint32Array; // by bin: its first row
  byPort: Index;
}

export interface Occupancy {
  rows: number;
  at: Values;
  port: Values;
  flow: Values;
  bytes: Values;
  byPort: Index;
}

export interface Flows {
  count: number;
  id: Values;
  src: Values;
  dst: Values;
  size: Values;
  start: Values;
  finish: Values;
  ideal: Values;
  slowdown: Values;
  algorithm: Values;
  tag: Values;
  again: Values; // packets sent again
}

export interface Anatomy {
  parts: Values[]; // as the document's parts
  row: Int32Array; // by flow; -1: none
}

export interface Pauses {
  count: number;
  port: Values;
  class: Values;
  from: Values;
  until: Values;
  by: Values;
  bytes: Values;
  parent: Values;
}

export interface Paths {
  port: Values;
  bytes: Values;
  byFlow: Index;
}

// On what hosts spent their time.
export interface Activities {
  count: number;
  driver: Values; // of the document's
  host: Values;
  activity: Values; // of the driver's
  begin: Values;
  end: Values;
  waited: Values; // for which other host; kNone: for none
  parts: Values; // so many are put together
}

// Links that were down.
export interface Outages {
  count: number;
  port: Values; // of the first direction
  from: Values;
  until: Values; // NaN: until the end
}

export interface Course {
  followed: Map<number, number>; // flow to its row of followed
  first: Values;
  count: Values;
  interval: Values;
  rows: { [name: string]: Values };
}

export class Run {
  readonly nodes: number;
  readonly ports: number;
  bins: number; // of series
  tier: Values = new Uint8Array(0);
  from: Values = new Uint32Array(0);
  to: Values = new Uint32Array(0);
  rate: Values = new Float64Array(0);
  delay: Values = new Float64Array(0);
  protected readonly made = new Map<string, Promise<any>>();

  constructor(readonly doc: ViewDocument) {
    this.nodes = doc.hosts + doc.switches;
    this.ports = doc.tables.ports?.rows ?? 0;
    this.bins = Math.ceil(doc.sim_time_ps / this.interval);
  }

  get interval(): number { return this.doc.interval_ps || 1; }

  // Nodes and ports, without which nothing can be said of the others.
  async start(): Promise<void> {
    this.tier = await this.column('nodes', 'tier');
    [this.from, this.to] = [await this.column('ports', 'from'), await this.column('ports', 'to')];
    [this.rate, this.delay] = [await this.column('ports', 'rate_bps'), await this.column('ports', 'delay_ps')];
  }

  protected async column(table: string, name: string): Promise<Values> {
    const of: PackedTable | undefined = this.doc.tables[table];
    const packed = of?.columns[name];
    if (!packed) return new Float64Array(of?.rows ?? 0);
    const out = await unpack(packed);
    packed.data = ''; // megabytes of text that nobody asks for again
    await pause();
    return out;
  }

  private once<T>(name: string, make: () => Promise<T>): Promise<T> {
    let promise = this.made.get(name);
    if (!promise) this.made.set(name, (promise = make()));
    return promise;
  }

  private async columns(table: string, ...names: string[]): Promise<Values[]> {
    const out: Values[] = [];
    for (const name of names) out.push(await this.column(table, name));
    return out;
  }

  series(): Promise<Series> {
    return this.once('series', async () => {
      const [bin, port, sent, queue, marked, dropped, trimmed, paused] = await this.columns('series', 'bin', 'port', 'sent_bytes', 'queue_bytes', 'marked', 'dropped', 'trimmed', 'paused_ps');
      const starts = new Uint32Array(this.bins + 1);
      for (let i = 0, b = 0; b <= this.bins; b++) {
        while (i < bin.length && bin[i] < b) i++;
        starts[b] = i;
      }
      await pause();
      return { rows: bin.length, bin, port, sent, queue, marked, dropped, trimmed, paused, starts, byPort: indexOf(port, this.ports) };
    });
  }

  occupancy(): Promise<Occupancy> {
    return this.once('occupancy', async () => {
      const [at, port, flow, bytes] = await this.columns('occupancy', 'at', 'port', 'flow', 'bytes');
      return { rows: at.length, at, port, flow, bytes, byPort: indexOf(port, this.ports) };
    });
  }

  flows(): Promise<Flows> {
    return this.once('flows', async () => {
      const [id, src, dst, size, start, finish, ideal, slowdown, algorithm, tag, again] = await this.columns('flows', 'flow_id', 'src', 'dst', 'size_bytes', 'start_ps', 'finish_ps', 'ideal_ps', 'slowdown', 'algorithm', 'tag', 'retransmitted');
      return { count: id.length, id, src, dst, size, start, finish, ideal, slowdown, algorithm, tag, again };
    });
  }

  anatomy(): Promise<Anatomy> {
    return this.once('anatomy', async () => {
      const [flow, ...parts] = await this.columns('anatomy', 'flow', ...this.doc.parts.map((p) => p.name));
      const row = new Int32Array(this.doc.tables.flows?.rows ?? 0).fill(-1);
      for (let i = 0; i < flow.length; i++) row[flow[i]] = i;
      return { parts, row };
    });
  }

  pauses(): Promise<Pauses> {
    return this.once('pauses', async () => {
      const [port, kind, from, until, by, bytes, parent] = await this.columns('pauses', 'port', 'class', 'from_ps', 'until_ps', 'by', 'by_bytes', 'parent');
      return { count: port.length, port, class: kind, from, until, by, bytes, parent };
    });
  }

  paths(): Promise<Paths> {
    return this.once('paths', async () => {
      const [flow, port, bytes] = await this.columns('paths', 'flow', 'port', 'bytes');
      return { port, bytes, byFlow: indexOf(flow, this.doc.tables.flows?.rows ?? 0) };
    });
  }

  events(): Promise<{ time: Values; kind: Values; port: Values; flow: Values; seq: Values }> {
    return this.once('events', async () => {
      const [time, kind, port, flow, seq] = await this.columns('events', 'time_ps', 'kind', 'port', 'flow', 'seq');
      return { time, kind, port, flow, seq };
    });
  }

  activities(): Promise<Activities> {
    return this.once('activities', async () => {
      const [driver, host, activity, begin, end, waited, parts] = await this.columns('activities', 'driver', 'host', 'activity', 'begin_ps', 'end_ps', 'waited_for', 'parts');
      return { count: host.length, driver, host, activity, begin, end, waited, parts };
    });
  }

  outages(): Promise<Outages> {
    return this.once('outages', async () => {
      const [port, from, until] = await this.columns('outages', 'port', 'from_ps', 'until_ps');
      return { count: port.length, port, from, until };
    });
  }

  course(): Promise<Course> {
    return this.once('course', async () => {
      const [flow, first, count, interval] = await this.columns('followed', 'flow', 'first', 'count', 'interval_ps');
      const names = ['time_ps', 'window_bytes', 'rate_bps', 'rtt_ps', 'sent_bytes', 'again_bytes', 'acked_bytes', 'lost_bytes', 'timeouts'];
      const rows: { [name: string]: Values } = {};
      for (const name of names) rows[name] = await this.column('course', name);
      return { followed: new Map(Array.from(flow, (f, i): [number, number] => [f, i])), first, count, interval, rows };
    });
  }

  // The part of a bin's capacity that was used.
  use(port: number, bytes: number): number {
    return (8e12 * bytes) / (this.rate[port] * this.interval);
  }

  pausedUntil(pauses: Pauses, row: number): number {
    return isNaN(pauses.until[row]) ? Math.max(pauses.from[row], this.doc.sim_time_ps) : pauses.until[row];
  }

  // The place of an instant among the bins.
  binAt(time: number): number {
    return Math.min(this.bins - 1, Math.max(0, Math.floor(time / this.interval)));
  }
}
