// What ranks did, drawn: a row for each rank, or for as many as there is room for, over the time that is seen.
import { evenTicks, niceStep } from '../axes';
import { h } from '../dom';
import { scaleFor, withUnit } from '../format';
import { colour } from '../style';
import { font, isDark, theme } from '../theme';
import { Context } from './panel';
import { Piece, Rank, Ranks, kComputation, thinned } from './rank_rows';
import { Activities, kNone } from './run';
import { instant, nodeName, time } from './words';

const kLeft = 124; // of the rows: names
const kRight = 8;
const kTop = 8; // a name may be taller than its row
const kBottom = 20; // ticks
const kLeast = 4; // pixels of a row
const kMost = 20;
const kNamed = 11; // of a row that has a name
const kHigh = 440; // of the rows, at most
const kShort = 0.55; // of a row: the height of what is no computation, so that it is told apart without colours

export function tintOf(names: string[], activity: number): string {
  const computes = names.indexOf(kComputation);
  return colour(theme(), activity === computes ? 0 : computes >= 0 && activity < computes ? activity + 1 : Math.max(1, activity));
}

export const pathColour = () => (isDark() ? '#ffffff' : '#000000');

export class RankPicture {
  readonly element: HTMLElement;
  private readonly canvas = h('canvas', { role: 'img' });
  private readonly tip = h('div', { class: 'hover', role: 'status', hidden: true });
  private readonly now = h('div', { class: 'nowline' });
  private readonly watch = new ResizeObserver(() => this.draw());
  private shown: Rank[] = [];
  private high = kMost;

  // `marks`: what stands beside the names of ranks, by host.
  constructor(readonly context: Context, readonly a: Activities, readonly ranks: Ranks, readonly path: Piece[] | null, readonly marks: Map<number, string>) {
    this.element = h('div', { class: 'ranks' }, this.canvas, this.now, this.tip);
    const rows = Math.min(ranks.list.length, Math.floor(kHigh / kLeast));
    this.high = Math.max(kLeast, Math.min(kMost, Math.floor(kHigh / Math.max(1, rows))));
    this.canvas.style.height = kTop + rows * this.high + kBottom + 'px';
    const onPath = new Map<number, number>();
    for (const p of path ?? []) onPath.set(p.host, (onPath.get(p.host) ?? 0) + p.until - p.from);
    const longest = Array.from(onPath).sort((x, y) => y[1] - x[1]).slice(0, rows >> 1).map(([host]) => host);
    this.shown = thinned(ranks.list, rows, new Set([...marks.keys(), ...longest]));
    this.canvas.setAttribute('aria-label', 'what ranks did over time; the table below says it in numbers');
    this.watch.observe(this.element);
    this.listen();
  }

  // The ranks that have a row.
  get hosts(): number[] { return this.shown.map((r) => r.host); }

  dispose(): void { this.watch.disconnect(); }

  private get wide(): number { return Math.max(1, this.element.clientWidth - kLeft - kRight); }
  private get from(): number { return this.context.store.state.from * this.context.run.interval; }
  private get until(): number { return Math.max(this.from + 1, this.context.store.state.until * this.context.run.interval); }
  private x(ps: number): number { return kLeft + ((ps - this.from) / (this.until - this.from)) * this.wide; }
  private y(row: number): number { return kTop + row * this.high; }

  // Where a rank is drawn at an instant.
  placeOf(host: number, ps: number): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    return [box.left + this.x(ps), box.top + this.y(this.shown.findIndex((r) => r.host === host)) + this.high / 2];
  }

  setNow(ps: number): void {
    this.now.hidden = ps < this.from || ps > this.until;
    this.now.style.left = this.x(ps) + 'px';
  }

  draw(): void {
    const [w, high] = [this.element.clientWidth, this.canvas.clientHeight];
    if (w === 0) return;
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = Math.round(w * ratio);
    this.canvas.height = Math.round(high * ratio);
    const c = this.canvas.getContext('2d')!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.font = '11px ' + font;
    this.drawTicks(c, high);
    this.shown.forEach((rank, row) => this.drawRow(c, rank, row));
    if (this.path) this.drawPath(c, this.path);
    this.drawNames(c);
  }

  private drawTicks(c: CanvasRenderingContext2D, high: number): void {
    const look = theme();
    const unit = scaleFor('ps', this.until).factor;
    c.textBaseline = 'bottom';
    c.fillStyle = look.faint;
    c.strokeStyle = look.grid;
    c.beginPath();
    for (const tick of evenTicks(this.from / unit, this.until / unit, niceStep((this.until - this.from) / unit / Math.max(2, this.wide / 80)))) {
      const x = this.x(tick * unit);
      const text = tick === 0 ? '0' : withUnit(tick * unit, 'ps', 9);
      const half = c.measureText(text).width / 2;
      c.textAlign = x + half > kLeft + this.wide + kRight ? 'right' : 'center';
      c.fillText(text, c.textAlign === 'right' ? kLeft + this.wide + kRight : x, high);
      c.moveTo(Math.round(x) + 0.5, 0);
      c.lineTo(Math.round(x) + 0.5, high - kBottom + 4);
    }
    c.stroke();
  }

  // Of what is shorter than a pixel, the pixel has the activity that lasts longest.
  private drawRow(c: CanvasRenderingContext2D, rank: Rank, row: number): void {
    const { a, ranks } = this;
    const computes = ranks.names.indexOf(kComputation);
    const room = this.high > 6 ? this.high - 2 : this.high - 1;
    const bar = (x: number, until: number, activity: number) => {
      const tall = activity === computes || !ranks.computes ? room : Math.max(1.5, room * kShort);
      c.fillStyle = tintOf(ranks.names, activity);
      c.fillRect(x, this.y(row) + room - tall + 1, until - x, tall);
    };
    const right = kLeft + this.wide;
    let column = -1;
    const within = ranks.names.map(() => 0);
    const flush = () => {
      const best = within.indexOf(Math.max(...within));
      if (column >= 0 && within[best] > 0) bar(column, column + 1, best);
      within.fill(0);
    };
    for (const i of rank.rows) {
      if (a.end[i] <= this.from || a.begin[i] >= this.until) continue;
      const [x, end] = [Math.max(kLeft, this.x(a.begin[i])), Math.min(right, this.x(a.end[i]))];
      if (end - x >= 1) {
        bar(x, end, a.activity[i]);
        continue;
      }
      if (Math.floor(x) !== column) flush();
      column = Math.floor(x);
      within[a.activity[i]] += end - x;
    }
    flush();
  }

  // A line below the bars of the path, and from rank to rank where one waited for the other.
  private drawPath(c: CanvasRenderingContext2D, path: Piece[]): void {
    const rowOf = new Map(this.shown.map((r, i): [number, number] => [r.host, i]));
    c.strokeStyle = pathColour();
    c.lineWidth = this.high > 8 ? 2 : 1.2;
    c.beginPath();
    for (const p of path) {
      if (p.until <= this.from || p.from >= this.until) continue;
      const row = rowOf.get(p.host);
      const [x, end] = [Math.max(kLeft, this.x(p.from)), Math.min(kLeft + this.wide, this.x(p.until))];
      if (row === undefined) continue;
      const y = this.y(row) + this.high - 1;
      c.moveTo(x, y);
      c.lineTo(end, y);
      const other = p.by === kNone ? undefined : rowOf.get(p.by);
      if (other === undefined || this.x(p.from) < kLeft) continue;
      c.moveTo(x, y);
      c.lineTo(x, this.y(other) + this.high - 1);
    }
    c.stroke();
  }

  // Of thin rows only those with a mark have names, if these do not lie on each other.
  private drawNames(c: CanvasRenderingContext2D): void {
    const look = theme();
    c.textBaseline = 'middle';
    c.textAlign = 'right';
    let free = -Infinity;
    this.shown.forEach((rank, row) => {
      const mark = this.marks.get(rank.host);
      const y = this.y(row) + this.high / 2;
      if ((this.high < kNamed && mark === undefined) || y - 6 < free) return;
      free = y + 6;
      c.font = (mark === undefined ? '' : '600 ') + '11px ' + font;
      c.fillStyle = mark === undefined ? look.faint : look.ink;
      c.fillText('host ' + rank.host + (mark === undefined ? '' : ' ' + mark), kLeft - 6, y, kLeft - 8);
    });
  }

  // What a rank did at an instant; -1: that is not known.
  private rowAt(rank: Rank, ps: number): number {
    const { a } = this;
    return rank.rows.find((i) => a.begin[i] <= ps && ps < a.end[i]) ?? -1;
  }

  private words(rank: Rank, ps: number): string {
    const { a, ranks } = this;
    const { run } = this.context;
    const name = nodeName(run, rank.host);
    const i = this.rowAt(rank, ps);
    if (i < 0) return name + ' \u00b7 ' + (ps >= rank.end ? 'done since ' + instant(rank.end, run.interval) : 'nothing yet');
    return [
      name, ranks.names[a.activity[i]] + ' for ' + time(a.end[i] - a.begin[i]) + ' from ' + instant(a.begin[i], run.interval),
      a.waited[i] === kNone ? '' : 'host ' + a.waited[i] + ' was last to begin', a.parts[i] > 1 ? a.parts[i] + ' put together' : '',
    ].filter(Boolean).join(' \u00b7 ');
  }

  private listen(): void {
    const { store, run } = this.context;
    const at = (event: MouseEvent): [Rank | undefined, number] => {
      const box = this.canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - kLeft) / this.wide;
      return [this.shown[Math.floor((event.clientY - box.top - kTop) / this.high)], this.from + share * (this.until - this.from)];
    };
    this.canvas.addEventListener('pointermove', (event) => {
      const [rank, ps] = at(event);
      this.tip.hidden = rank === undefined;
      if (!rank) return;
      const box = this.element.getBoundingClientRect();
      this.tip.textContent = ps < this.from ? nodeName(run, rank.host) + ' \u00b7 done at ' + instant(rank.end, run.interval) : this.words(rank, ps);
      this.tip.style.left = Math.max(0, Math.min(event.clientX - box.left + 12, this.element.clientWidth - this.tip.offsetWidth)) + 'px';
      this.tip.style.top = event.clientY - box.top + 18 + 'px';
    });
    this.canvas.addEventListener('pointerleave', () => { this.tip.hidden = true; });
    this.canvas.addEventListener('click', (event) => {
      const [rank, ps] = at(event);
      if (rank && ps < this.from) store.set({ show: { kind: 'node', id: rank.host } });
      else if (ps >= this.from && ps <= this.until) this.context.goTime(ps);
    });
    this.canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      const [, ps] = at(event);
      this.context.zoomTime(Math.exp(event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0016)), ps);
    }, { passive: false });
  }
}
