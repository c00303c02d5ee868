// What the ranks of a driver did: their sums, who was late, and the critical path.
import { Activities, kNone } from './run';

export const kComputation = 'computation'; // all other activities are communication, waits among them

export interface Rank {
  host: number;
  rows: number[]; // of the table, in order of time
  begin: number;
  end: number;
  computed: number;
  waited: number; // not spent on computation, up to the end of all
  awaited: number; // how long others have waited for it
}

export interface Ranks {
  list: Rank[]; // by host
  of: Map<number, Rank>; // by host
  names: string[]; // of activities
  begin: number;
  end: number;
  middle: number; // when half of the ranks were done
  computes: boolean; // some activity is computation
  total: number[]; // by activity
  last: Rank;
  idle: Rank; // which waited longest
  awaited: Rank | null; // for which others waited longest; null: it is not known for whom they did
}

// The one with the largest value, the first of equals.
function most(ranks: Rank[], value: (rank: Rank) => number): Rank {
  return ranks.reduce((best, rank) => (value(rank) > value(best) ? rank : best));
}

export function ranksOf(a: Activities, driver: number, names: string[]): Ranks | null {
  const of = new Map<number, Rank>();
  const total = names.map(() => 0);
  const computation = names.indexOf(kComputation);
  for (let i = 0; i < a.count; i++) {
    if (a.driver[i] !== driver) continue;
    let rank = of.get(a.host[i]);
    if (!rank) of.set(a.host[i], (rank = { host: a.host[i], rows: [], begin: a.begin[i], end: a.end[i], computed: 0, waited: 0, awaited: 0 }));
    rank.rows.push(i);
    rank.begin = Math.min(rank.begin, a.begin[i]);
    rank.end = Math.max(rank.end, a.end[i]);
    total[a.activity[i]] += a.end[i] - a.begin[i];
    if (a.activity[i] === computation) rank.computed += a.end[i] - a.begin[i];
  }
  const list = Array.from(of.values()).sort((x, y) => x.host - y.host);
  if (list.length === 0) return null;
  for (let i = 0; i < a.count; i++) if (a.driver[i] === driver && a.waited[i] !== kNone) {
    const rank = of.get(a.waited[i]);
    if (rank) rank.awaited += a.end[i] - a.begin[i];
  }
  const begin = list.reduce((t, r) => Math.min(t, r.begin), Infinity);
  const end = list.reduce((t, r) => Math.max(t, r.end), 0);
  // without computations only what comes after the rank's end is known to be a wait
  for (const r of list) r.waited = computation >= 0 ? end - begin - r.computed : end - r.end;
  const ends = list.map((r) => r.end).sort((x, y) => x - y);
  const awaited = most(list, (r) => r.awaited);
  return {
    list, of, names, begin, end, middle: ends[(ends.length - 1) >> 1], computes: computation >= 0, total,
    last: most(list, (r) => r.end), idle: most(list, (r) => r.waited), awaited: awaited.awaited > 0 ? awaited : null,
  };
}

// A piece of the critical path. Communication counts at the host that waited, from when `by` began it.
export interface Piece {
  host: number;
  from: number;
  until: number;
  activity: number;
  by: number; // kNone: the host itself
}

// The rank's last row that begins before `t`, of an activity or of any (-1); -1 = there is none.
function rowBefore(a: Activities, rank: Rank, t: number, activity = -1): number {
  let [low, high] = [0, rank.rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (a.begin[rank.rows[middle]] < t) low = middle + 1;
    else high = middle;
  }
  for (let k = low - 1; k >= 0; k--) if (activity < 0 || a.activity[rank.rows[k]] === activity) return rank.rows[k];
  return -1;
}

// What the end of all hung on, from the end back to the beginning: what the last rank did last; if it waited for another
// one, what that one did before; and so on. Null if it is not known who waited for whom, or what was done within spans of
// time is put together.
export function criticalPath(a: Activities, ranks: Ranks, isExact: boolean): Piece[] | null {
  if (!isExact || !ranks.awaited) return null;
  const out: Piece[] = [];
  let rank = ranks.last;
  for (let t = rank.end; ;) {
    const row = rowBefore(a, rank, t);
    if (row < 0) return out;
    t = Math.min(t, a.end[row]);
    const other = a.end[row] <= t && a.waited[row] !== kNone ? ranks.of.get(a.waited[row]) : undefined;
    const begun = other ? rowBefore(a, other, t, a.activity[row]) : -1;
    const from = begun < 0 ? a.begin[row] : a.begin[begun];
    out.push({ host: rank.host, from, until: t, activity: a.activity[row], by: begun < 0 ? kNone : (other as Rank).host });
    if (begun >= 0) rank = other as Rank;
    t = from;
  }
}

// At most `room` ranks: those that are to be kept, and others at even distances.
export function thinned(list: Rank[], room: number, keep: Set<number>): Rank[] {
  if (list.length <= room) return list;
  const kept = list.filter((r) => keep.has(r.host)).slice(0, room);
  const others = list.filter((r) => !keep.has(r.host));
  const free = room - kept.length;
  const chosen = new Set(kept);
  for (let k = 0; k < free; k++) chosen.add(others[Math.floor((k * others.length) / free)]);
  return list.filter((r) => chosen.has(r));
}
