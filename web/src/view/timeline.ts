// The time line: the run in one strip (longest queue, drops, pauses), the slider over it, play, step and zoom.
import { h, svg } from '../dom';
import { scaleFor, withUnit } from '../format';
import { evenTicks, niceStep } from '../axes';
import { font, onTheme, theme } from '../theme';
import { Frames } from './frames';
import { Run } from './run';
import { colours, downColour } from './scale';
import { Store } from './state';
import { bytes, instant, time } from './words';

const kWords = 14; // of the strip, above: the line of the instant keeps clear of it
const speeds = [5, 15, 30, 60, 120]; // bins a second

const icons: { [name: string]: string } = {
  play: '<path d="M4.5 2.8v10.4L13 8z" fill="currentColor"/>',
  stop: '<path d="M4 3h3v10H4zM9 3h3v10H9z" fill="currentColor"/>',
  back: '<path d="M11.5 3v10L5 8zM3.5 3h1.6v10H3.5z" fill="currentColor"/>',
  on: '<path d="M4.5 3v10L11 8zM10.9 3h1.6v10h-1.6z" fill="currentColor"/>',
};
const icon = (name: string) => svg('<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">' + icons[name] + '</svg>');

export class Timeline {
  readonly element: HTMLElement;
  playing = false;
  private readonly canvas = h('canvas', { 'aria-hidden': 'true' });
  private readonly strip = h('div', { class: 'strip', title: 'click: go there; Shift and drag, or the wheel: zoom into time' }, this.canvas);
  private readonly slider = h('input', { type: 'range', min: 0, step: 1, 'aria-label': 'time' });
  private readonly now = h('output', { class: 'now' });
  private readonly seen = h('span', { class: 'seen' });
  private readonly length = h('span', { class: 'step' });
  private readonly button: HTMLButtonElement;
  private readonly speed: HTMLSelectElement;
  private frames: Frames | null = null;
  private life: [number, number] | null = null; // of a selected flow, in bins
  private wanted = 0;
  private drag: [number, number] | null = null;

  constructor(readonly run: Run, readonly store: Store) {
    const small = (name: string, title: string, content: Node | string, act: () => void) =>
      h('button', { type: 'button', class: 'tool', 'data-tool': name, title, 'aria-label': title, onclick: act }, content);
    this.button = small('play', 'play (space)', icon('play'), () => this.play(!this.playing));
    this.speed = h('select', { 'aria-label': 'speed', title: 'simulated time in a second' }, ...speeds.map((s) => h('option', { value: s, selected: s === 30 })));
    this.element = h('section', { class: 'timeline card', 'aria-label': 'time' },
      h('div', { class: 'row' },
        small('back', 'one step back (\u2190)', icon('back'), () => this.step(-1)), this.button, small('on', 'one step on (\u2192)', icon('on'), () => this.step(1)), this.speed,
        this.now, this.length, this.seen,
        h('span', { class: 'zooms' }, small('time-out', 'see more time ( [ )', '\u2212', () => this.zoom(2)), small('time-in', 'see less time ( ] )', '+', () => this.zoom(0.5)),
          small('time-all', 'all of the time ( \\ )', 'all', () => this.store.set({ from: 0, until: run.bins })))),
      this.strip, this.slider);
    this.slider.addEventListener('input', () => this.go(Number(this.slider.value)));
    store.on((changed) => {
      if (changed.has('bin') || changed.has('from') || changed.has('until')) this.show();
    });
    onTheme(() => this.redraw());
    new ResizeObserver(() => this.redraw()).observe(this.strip);
    this.listen();
    this.show();
  }

  setFrames(frames: Frames): void {
    this.frames = frames;
    this.redraw();
  }

  setLife(life: [number, number] | null): void {
    this.life = life;
    this.redraw();
  }

  // To a bin, and the time seen with it.
  go(bin: number): void {
    const s = this.store.state;
    const at = Math.min(this.run.bins - 1, Math.max(0, bin));
    const wide = s.until - s.from;
    if (at >= s.from && at < s.until) this.store.set({ bin: at });
    else {
      const from = Math.max(0, Math.min(this.run.bins - wide, at - Math.floor(wide / 2)));
      this.store.set({ bin: at, from, until: from + wide });
    }
  }

  step(by: number): void {
    this.play(false);
    this.go(this.store.state.bin + by);
  }

  zoom(factor: number, around = this.store.state.bin): void {
    const s = this.store.state;
    const wide = Math.min(this.run.bins, Math.max(8, Math.round((s.until - s.from) * factor)));
    const share = (around - s.from) / Math.max(1, s.until - s.from);
    const from = Math.max(0, Math.min(this.run.bins - wide, Math.round(around - wide * Math.min(1, Math.max(0, share)))));
    this.store.set({ from, until: from + wide });
  }

  play(on: boolean): void {
    if (on === this.playing) return;
    this.playing = on && this.run.bins > 1;
    this.button.replaceChildren(icon(this.playing ? 'stop' : 'play'));
    this.button.title = this.playing ? 'stop (space)' : 'play (space)';
    this.button.setAttribute('aria-label', this.button.title);
    this.element.dataset.playing = String(this.playing);
    if (!this.playing) return;
    const s = this.store.state;
    if (s.bin >= s.until - 1) this.store.set({ bin: s.from });
    let last = performance.now();
    let part = 0;
    const turn = (t: number) => {
      if (!this.playing) return;
      part += ((t - last) / 1000) * Number(this.speed.value);
      last = t;
      const steps = Math.floor(part);
      part -= steps;
      if (steps > 0) this.store.set({ bin: Math.min(s.until - 1, s.bin + steps) });
      if (s.bin >= s.until - 1) this.play(false);
      else requestAnimationFrame(turn);
    };
    requestAnimationFrame(turn);
  }

  // Also after the run has got longer.
  show(): void {
    const s = this.store.state;
    const step = this.run.interval;
    this.length.textContent = 'a step is ' + time(step);
    for (const option of Array.from(this.speed.options)) option.textContent = time(Number(option.value) * step, 3) + '/s';
    this.slider.min = String(s.from);
    this.slider.max = String(Math.max(s.from, s.until - 1));
    this.slider.value = String(s.bin);
    this.slider.disabled = this.run.bins === 0;
    const text = this.run.bins === 0 ? 'no time was simulated' : instant(s.bin * step, step);
    this.now.textContent = text;
    this.slider.setAttribute('aria-valuetext', text);
    this.seen.textContent = this.run.bins === 0 ? '' : 'seen: ' + this.end(s.from) + ' to ' + this.end(s.until);
    this.redraw();
  }

  // In words, where a bin begins. The last one ends with the run.
  private end(bin: number): string {
    return bin === 0 ? '0' : instant(bin === this.run.bins ? this.run.doc.sim_time_ps : bin * this.run.interval, this.run.interval);
  }

  private redraw(): void {
    if (this.wanted === 0) this.wanted = requestAnimationFrame(() => this.draw());
  }

  private place(bin: number): number {
    const s = this.store.state;
    return ((bin - s.from) / Math.max(1, s.until - s.from)) * this.strip.clientWidth;
  }

  private draw(): void {
    this.wanted = 0;
    const [w, high] = [this.strip.clientWidth, this.strip.clientHeight];
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = Math.round(w * ratio);
    this.canvas.height = Math.round(high * ratio);
    const c = this.canvas.getContext('2d')!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const look = theme();
    const s = this.store.state;
    const base = high - 16;
    if (this.life) {
      c.fillStyle = look.series[3];
      c.globalAlpha = 0.16;
      c.fillRect(this.place(this.life[0]), kWords, Math.max(2, this.place(this.life[1] + 1) - this.place(this.life[0])), base - kWords);
      c.globalAlpha = 1;
    }
    if (this.frames) this.drawRun(c, w, base);
    c.fillStyle = look.faint;
    c.font = '11px ' + font;
    c.textBaseline = 'bottom';
    if (this.run.bins > 0) this.drawTicks(c, w, high);
    if (this.run.bins === 0) return;
    const x = this.place(s.bin + 0.5);
    c.strokeStyle = look.ink;
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(x, kWords);
    c.lineTo(x, base);
    c.stroke();
    if (!this.drag) return;
    c.fillStyle = look.series[0];
    c.globalAlpha = 0.2;
    c.fillRect(Math.min(...this.drag), 0, Math.abs(this.drag[1] - this.drag[0]), base);
    c.globalAlpha = 1;
  }

  // Round instants, as many as have room.
  private drawTicks(c: CanvasRenderingContext2D, w: number, high: number): void {
    const s = this.store.state;
    const [from, until] = [s.from * this.run.interval, s.until * this.run.interval];
    const unit = scaleFor('ps', until).factor;
    for (const tick of evenTicks(from / unit, until / unit, niceStep((until - from) / unit / Math.max(2, w / 70)))) {
      const x = this.place((tick * unit) / this.run.interval);
      const text = tick === 0 ? '0' : withUnit(tick * unit, 'ps', 9);
      const half = c.measureText(text).width / 2;
      c.textAlign = x < half ? 'left' : x > w - half ? 'right' : 'center';
      c.fillText(text, x < half ? 0 : x > w - half ? w : x, high);
    }
  }

  // One column of pixels is the worst of its bins.
  private drawRun(c: CanvasRenderingContext2D, w: number, base: number): void {
    const f = this.frames as Frames;
    const s = this.store.state;
    const look = theme();
    let top = 1;
    for (const q of f.longest) top = Math.max(top, q);
    const tint = colours();
    c.beginPath();
    c.moveTo(0, base);
    const drops: number[] = [];
    const paused: number[] = [];
    const down: number[] = [];
    for (let x = 0; x < w; x++) {
      const first = Math.floor(s.from + ((s.until - s.from) * x) / w);
      const end = Math.max(first + 1, Math.floor(s.from + ((s.until - s.from) * (x + 1)) / w));
      let q = 0;
      let dropped = false;
      let stopped = false;
      let cut = false;
      for (let b = first; b < end && b < this.run.bins; b++) {
        q = Math.max(q, f.longest[b]);
        dropped = dropped || f.drops[b] > 0;
        stopped = stopped || f.paused[b] > 0;
        cut = cut || f.down[b] > 0;
      }
      c.lineTo(x, base - (q / top) * (base - 20));
      if (dropped) drops.push(x);
      if (stopped) paused.push(x);
      if (cut) down.push(x);
    }
    c.lineTo(w, base);
    c.closePath();
    c.fillStyle = tint[2];
    c.globalAlpha = 0.75;
    c.fill();
    c.globalAlpha = 1;
    c.fillStyle = look.ink;
    for (const x of paused) c.fillRect(x, base - 3, 1, 3);
    c.fillStyle = tint[4];
    for (const x of drops) c.fillRect(x, 15, 1, 5);
    c.fillStyle = downColour();
    for (const x of down) c.fillRect(x, base - 6, 1, 3);
    c.fillStyle = look.faint;
    c.font = '11px ' + font;
    c.textAlign = 'left';
    c.textBaseline = 'top';
    c.fillText('longest queue, up to ' + bytes(top > 1 ? top : 0) + (paused.length > 0 ? ' \u00b7 below: some port is paused' : '') + (drops.length > 0 ? ' \u00b7 ticks above: drops' : '') + (down.length > 0 ? ' \u00b7 line below: some link is down' : ''), 2, 0);
  }

  private listen(): void {
    const at = (event: MouseEvent) => event.clientX - this.strip.getBoundingClientRect().left;
    const bin = (x: number) => Math.floor(this.store.state.from + ((this.store.state.until - this.store.state.from) * x) / Math.max(1, this.strip.clientWidth));
    this.strip.addEventListener('pointerdown', (event) => {
      this.strip.setPointerCapture(event.pointerId);
      if (event.shiftKey) this.drag = [at(event), at(event)];
      else this.go(bin(at(event)));
    });
    this.strip.addEventListener('pointermove', (event) => {
      if (event.buttons === 0) return;
      if (this.drag) {
        this.drag[1] = at(event);
        this.redraw();
      } else this.store.set({ bin: Math.min(this.store.state.until - 1, Math.max(this.store.state.from, bin(at(event)))) });
    });
    this.strip.addEventListener('pointerup', () => {
      if (!this.drag) return;
      const [a, b] = [bin(Math.min(...this.drag)), bin(Math.max(...this.drag)) + 1];
      this.drag = null;
      if (b - a >= 4) this.store.set({ from: Math.max(0, a), until: b });
      this.redraw();
    });
    this.strip.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0016)), bin(at(event)));
    }, { passive: false });
  }
}
