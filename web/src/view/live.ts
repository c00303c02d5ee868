// A run that goes on: the page asks for what is new, and sends what it wishes.
import { PackedTable, Values, ViewDocument, unpackTable } from '../view_data';
import { Run } from './run';

// Columns that get longer.
class Grown {
  rows = 0;
  private readonly columns = new Map<string, Values>();

  // Rows from there on, instead of those that were.
  put(from: number, rows: number, columns: Record<string, Values>): void {
    this.rows = from + rows;
    for (const [name, values] of Object.entries(columns)) {
      let all = this.columns.get(name);
      if (!all || all.length < this.rows) {
        const longer = new (values.constructor as any)(Math.max(64, 2 * this.rows)) as Values;
        if (all) longer.set(all.subarray(0, from));
        this.columns.set(name, (all = longer));
      }
      all.set(values, from);
    }
  }

  get(name: string): Values {
    return this.columns.get(name)?.subarray(0, this.rows) ?? new Float64Array(this.rows);
  }
}

export interface News {
  state: 'running' | 'paused' | 'ended';
  now_ps: number;
  epoch_ps: number;
  until_ps?: number;
  pace_ps: number;
  flows_started: number;
  flows_completed: number;
  packet_hops: number;
  changes: number;
  interval_ps: number;
  occupancy_interval_ps: number;
  closed: number; // rows of series that will not change
  omitted: ViewDocument['omitted'];
  activities_within_ps: number;
  log?: { at_ps: number; text: string }[];
  keys?: { key: string; value: string }[];
  profiles?: string[];
  tables: Record<string, PackedTable & { from: number }>;
}

export class LiveRun extends Run {
  watched = -1; // row of the flow whose course is told
  log: { at_ps: number; text: string }[] = [];
  keys: { key: string; value: string }[] = [];
  profiles: string[] = [];
  private readonly grown = new Map<string, Grown>();
  private closed = 0;
  private changes = -1;

  constructor(doc: ViewDocument) {
    super(doc);
    for (const name of ['flows', 'ends', 'anatomy', 'series', 'occupancy', 'pauses', 'events', 'paths', 'followed', 'course', 'active', 'activities', 'outages']) {
      this.grown.set(name, new Grown());
      doc.tables[name] = { rows: 0, columns: {} };
    }
  }

  private table(name: string): Grown {
    return this.grown.get(name) as Grown;
  }

  protected async column(table: string, name: string): Promise<Values> {
    return this.grown.get(table)?.get(name) ?? super.column(table, name);
  }

  // What the page has, for the next question.
  known(): string {
    const until = this.table('pauses').get('until_ps');
    const open = until.findIndex((t) => isNaN(t));
    const rows = (name: string) => this.table(name).rows;
    const out: Record<string, number> = {
      interval: this.doc.interval_ps, looks: this.doc.occupancy_interval_ps, series: this.closed, occupancy: rows('occupancy'), pauses: open < 0 ? until.length : open,
      events: rows('events'), flows: rows('flows'), ends: rows('ends'), anatomy: rows('anatomy'), activities: rows('activities'), within: this.doc.activities_within_ps ?? 0, watch: this.watched, changes: this.changes,
    };
    return Object.entries(out).map(([name, value]) => name + '=' + value).join('&');
  }

  async take(news: News): Promise<void> {
    for (const [name, table] of Object.entries(news.tables)) {
      const { rows, columns } = await unpackTable(table);
      this.table(name).put(table.from, rows, columns);
      if (name === 'flows') this.table(name).put(table.from, rows, { finish_ps: new Float64Array(rows).fill(NaN), slowdown: new Float64Array(rows).fill(NaN), retransmitted: new Uint32Array(rows) });
      this.doc.tables[name].rows = this.table(name).rows;
    }
    this.end(news.tables.ends?.from ?? 0);
    this.closed = news.closed;
    this.changes = news.changes;
    this.log = news.log ?? this.log;
    this.keys = news.keys ?? this.keys;
    this.profiles = news.profiles ?? this.profiles;
    Object.assign(this.doc, { sim_time_ps: news.now_ps, interval_ps: news.interval_ps, occupancy_interval_ps: news.occupancy_interval_ps, omitted: news.omitted, activities_within_ps: news.activities_within_ps });
    const bin = this.table('series').get('bin');
    this.bins = Math.max(Math.ceil(news.now_ps / this.interval), bin.length > 0 ? bin[bin.length - 1] + 1 : 0);
    this.made.clear();
  }

  // What has been told of flows that were there already.
  private end(from: number): void {
    const flows = this.table('flows');
    const [start, ideal, finish, slowdown, again] = ['start_ps', 'ideal_ps', 'finish_ps', 'slowdown', 'retransmitted'].map((name) => flows.get(name));
    const active = this.table('active');
    const [open, count] = [active.get('flow'), active.get('retransmitted')];
    for (let i = 0; i < active.rows; i++) if (open[i] < flows.rows) again[open[i]] = count[i];
    const ends = this.table('ends');
    const [row, at, sent] = [ends.get('flow'), ends.get('finish_ps'), ends.get('retransmitted')];
    for (let i = from; i < ends.rows; i++) {
      finish[row[i]] = at[i];
      slowdown[row[i]] = (at[i] - start[row[i]]) / ideal[row[i]];
      again[row[i]] = sent[i];
    }
  }

  // How much of an active flow has arrived, by its row: bytes.
  acked(flow: number): number | null {
    const active = this.table('active');
    const at = active.get('flow').indexOf(flow);
    return at < 0 ? null : active.get('acked_bytes')[at];
  }
}

const token = () => new URLSearchParams(location.search).get('token') ?? '';

// Sends a wish. Throws an Error with the reason if it is refused.
export async function act(wish: object): Promise<void> {
  const answer = await fetch('act', { method: 'POST', headers: { 'X-Weir-Token': token(), 'Content-Type': 'application/json' }, body: JSON.stringify(wish) });
  if (answer.ok) return;
  const text = await answer.text();
  let why = text;
  try {
    why = JSON.parse(text).error ?? text;
  } catch { /* it is the text of the server itself */ }
  throw new Error(why);
}

export class Live {
  state: News['state'] | 'gone' = 'running';
  news: News | null = null;
  private timer = 0;
  private asking: Promise<void> | null = null;

  // `told` is called after each answer that was taken.
  constructor(readonly run: LiveRun, readonly told: () => Promise<void>) {}

  // Asks now, and again from time to time.
  ask(): Promise<void> {
    if (this.asking) return this.asking.then(() => this.ask());
    clearTimeout(this.timer);
    this.asking = this.fetch().finally(() => {
      this.asking = null;
      if (this.state === 'running' || this.state === 'paused') this.timer = window.setTimeout(() => void this.ask(), this.state === 'running' ? 500 : 1000);
    });
    return this.asking;
  }

  private async fetch(): Promise<void> {
    let news: News;
    try {
      const answer = await fetch('news?' + this.run.known(), { headers: { 'X-Weir-Token': token() } });
      if (!answer.ok) throw new Error(await answer.text());
      news = (await answer.json()) as News;
    } catch {
      this.state = 'gone';
      return this.told();
    }
    this.state = news.state;
    // the page of the result is at the same address
    if (news.state === 'ended') return location.reload();
    await this.run.take(news);
    this.news = news;
    await this.told();
  }

  async act(wish: object): Promise<void> {
    await act(wish);
    await this.ask();
  }
}
