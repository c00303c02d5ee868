// What each port does at an instant, or at worst within a stretch of time: classes and flags for the picture, values for
// words.
import { Outages, Run, Series } from './run';
import { Frame, kDown, kDropped, kPaused } from './paint';
import { classOf, queueLimits, useClass } from './scale';

export class Frames {
  readonly limits: number[];
  readonly longest: Float64Array; // by bin: the longest queue of any port
  readonly drops: Uint32Array; // by bin: packets dropped or trimmed
  readonly paused: Uint16Array; // by bin: ports paused
  readonly down: Uint32Array; // by bin: links that are down
  readonly frame: Frame;
  readonly queue: Float64Array; // by port, of the frame: bytes
  readonly use: Float64Array; // by port, of the frame: share of the capacity
  private readonly touched: number[] = [];

  constructor(readonly run: Run, readonly series: Series, readonly outages: Outages) {
    const bins = run.bins;
    this.longest = new Float64Array(bins);
    this.drops = new Uint32Array(bins);
    this.paused = new Uint16Array(bins);
    let top = 0;
    for (let i = 0; i < series.rows; i++) {
      const b = series.bin[i];
      if (series.queue[i] > this.longest[b]) this.longest[b] = series.queue[i];
      if (series.queue[i] > top) top = series.queue[i];
      this.drops[b] += series.dropped[i] + series.trimmed[i];
      if (series.paused[i] > 0) this.paused[b]++;
    }
    this.down = new Uint32Array(bins);
    for (let i = 0; i < outages.count; i++) for (let b = run.binAt(outages.from[i]), end = this.endOf(i); b < bins && b * run.interval < end; b++) this.down[b]++;
    this.limits = queueLimits(top);
    this.queue = new Float64Array(run.ports);
    this.use = new Float64Array(run.ports);
    this.frame = { classes: new Uint8Array(run.ports), flags: new Uint8Array(run.ports), down: [], colour: 'queue' };
  }

  // When the link is up again.
  endOf(outage: number): number {
    const { until } = this.outages;
    return isNaN(until[outage]) ? Infinity : until[outage];
  }

  // Ports, both of each link, that are down at some instant of the bins [from, until).
  downPorts(from: number, until: number): number[] {
    const { count, port, from: begin } = this.outages;
    const step = this.run.interval;
    const out: number[] = [];
    for (let i = 0; i < count; i++) if (begin[i] < until * step && this.endOf(i) > from * step) out.push(port[i], port[i] ^ 1);
    return out;
  }

  // Bins [from, until).
  fill(from: number, until: number, colour: 'use' | 'queue'): Frame {
    const { classes, flags } = this.frame;
    const s = this.series;
    for (const p of this.touched) this.queue[p] = this.use[p] = classes[p] = flags[p] = 0;
    this.touched.length = 0;
    for (let i = s.starts[from] ?? 0, end = s.starts[Math.min(until, this.run.bins)] ?? 0; i < end; i++) {
      const p = s.port[i];
      if (this.queue[p] === 0 && this.use[p] === 0 && flags[p] === 0) this.touched.push(p);
      if (s.queue[i] > this.queue[p]) this.queue[p] = s.queue[i];
      const use = this.run.use(p, s.sent[i]);
      if (use > this.use[p]) this.use[p] = use;
      if (s.paused[i] > 0) flags[p] |= kPaused;
      if (s.dropped[i] > 0 || s.trimmed[i] > 0) flags[p] |= kDropped;
    }
    this.frame.down = this.downPorts(from, until);
    for (const p of this.frame.down) {
      if (flags[p] === 0) this.touched.push(p);
      flags[p] |= kDown;
    }
    for (const p of this.touched) classes[p] = colour === 'use' ? useClass(this.use[p]) : classOf(this.limits, this.queue[p]);
    this.frame.colour = colour;
    return this.frame;
  }

  // The row of series of a port in a bin; -1: nothing happened.
  rowOf(port: number, bin: number): number {
    const { start, order } = this.series.byPort;
    let [low, high] = [start[port], start[port + 1]];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.series.bin[order[middle]] < bin) low = middle + 1;
      else high = middle;
    }
    return low < start[port + 1] && this.series.bin[order[low]] === bin ? order[low] : -1;
  }

  // The bin in which the port's queue was longest; null: it was always empty.
  worstOf(port: number, from = 0, until = this.run.bins): number | null {
    const { start, order } = this.series.byPort;
    let best: number | null = null;
    let most = 0;
    for (let k = start[port]; k < start[port + 1]; k++) {
      const i = order[k];
      if (this.series.bin[i] >= from && this.series.bin[i] < until && this.series.queue[i] > most) [best, most] = [this.series.bin[i], this.series.queue[i]];
    }
    return best;
  }
}
