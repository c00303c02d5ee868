// The network, drawn: its canvas, camera, pointer and words.
import { h, svg } from '../dom';
import { onTheme } from '../theme';
import { Frames } from './frames';
import { Layout, layoutOf } from './layout';
import { Highlight, Painter, kDown } from './paint';
import { Run } from './run';
import { legend } from './scale';
import { Store } from './state';
import { bytes, instant, nodeName, percent, portName, rate } from './words';

const icon = (path: string) => svg('<svg viewBox="0 0 16 16" width="15" height="15" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" aria-hidden="true">' + path + '</svg>');

export class Picture {
  readonly element: HTMLElement;
  drawn = 0; // frames
  private readonly canvas = h('canvas', { tabindex: 0, role: 'img', 'aria-label': 'the network; n and p go through its ports, the busiest first' });
  private readonly stage = h('div', { class: 'stage' }, this.canvas);
  private readonly tip = h('div', { class: 'hover', role: 'status', hidden: true });
  private readonly key = h('ul', { class: 'key', 'aria-label': 'legend' });
  private readonly note = h('p', { class: 'fine' });
  private readonly choices: HTMLButtonElement[];
  private readonly spanButton: HTMLButtonElement;
  private layout: Layout;
  private painter: Painter;
  private frames: Frames | null = null;
  private highlight: Highlight | null = null;
  private wanted = 0;
  private placed = false;

  constructor(readonly run: Run, readonly store: Store) {
    this.layout = layoutOf(run, 1.5);
    this.painter = new Painter(this.canvas, run, this.layout);
    const choice = (colour: 'use' | 'queue', text: string, title: string) =>
      h('button', { type: 'button', class: 'choice', 'data-colour': colour, title, onclick: () => store.set({ colour }) }, text);
    this.choices = [choice('queue', 'Queue', 'links by the queue of the port (q)'), choice('use', 'Utilisation', 'links by the share of their rate that is used (u)')];
    this.spanButton = h('button', { type: 'button', class: 'choice', 'data-tool': 'span', title: 'the worst of the time seen, instead of the instant (x)', onclick: () => store.set({ span: !store.state.span }) }, 'Worst of time seen');
    const tool = (name: string, title: string, path: string, act: () => void) =>
      h('button', { type: 'button', class: 'tool', 'data-tool': name, title, 'aria-label': title, onclick: act }, icon(path));
    this.element = h('section', { class: 'picture card', 'aria-label': 'network' },
      h('div', { class: 'over' },
        h('div', { class: 'choices', role: 'group', 'aria-label': 'what colours the links' }, ...this.choices), this.spanButton,
        h('div', { class: 'tools' },
          tool('out', 'zoom out (\u2212)', '<path d="M3 8h10"/>', () => this.zoom(1 / 1.5)), tool('in', 'zoom in (+)', '<path d="M3 8h10M8 3v10"/>', () => this.zoom(1.5)),
          tool('fit', 'all of the network (0)', '<path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10"/>', () => this.fit()))),
      this.stage, this.tip, h('div', { class: 'under' }, this.key, this.note));
    store.on((changed) => {
      if (changed.has('camera')) this.placed = false;
      if (['camera', 'bin', 'colour', 'span', 'show', 'from', 'until'].some((k) => changed.has(k as any))) this.redraw();
      if (changed.has('colour') || changed.has('span') || changed.has('camera')) this.tell();
    });
    onTheme(() => {
      this.placed = false;
      this.redraw();
      this.tell();
    });
    new ResizeObserver(() => this.resize()).observe(this.stage);
    this.listen();
    this.tell();
  }

  setFrames(frames: Frames): void {
    this.frames = frames;
    this.tell();
    this.redraw();
  }

  setHighlight(highlight: Highlight | null): void {
    this.highlight = highlight;
    this.redraw();
  }

  private resize(): void {
    const [w, h] = [this.stage.clientWidth, this.stage.clientHeight];
    if (w === 0 || h === 0) return;
    const aspect = (w - 90) / Math.max(80, h - 30);
    const now = this.layout.width / this.layout.height;
    if (Math.abs(Math.log(aspect / now)) > 0.12) this.painter.setLayout((this.layout = layoutOf(this.run, aspect)));
    this.placed = false;
    this.redraw();
  }

  redraw(): void {
    if (this.wanted === 0) this.wanted = requestAnimationFrame(() => this.draw());
  }

  draw(): void {
    this.wanted = 0;
    const [w, h] = [this.stage.clientWidth, this.stage.clientHeight];
    if (w === 0 || h === 0) return;
    const s = this.store.state;
    if (!this.placed) this.painter.place(w, h, s.camera);
    this.placed = true;
    const idle = { classes: new Uint8Array(0), flags: new Uint8Array(0), down: [], colour: s.colour };
    const frame = !this.frames || this.run.bins === 0 ? idle : s.span ? this.frames.fill(s.from, s.until, s.colour) : this.frames.fill(s.bin, s.bin + 1, s.colour);
    this.painter.draw(frame, this.highlight, s.show.kind === 'node' ? s.show.id : -1);
    this.drawn++;
  }

  private tell(): void {
    const s = this.store.state;
    for (const b of this.choices) b.setAttribute('aria-pressed', String(b.dataset.colour === s.colour));
    this.spanButton.setAttribute('aria-pressed', String(s.span));
    this.key.replaceChildren(h('li', { class: 'what' }, s.colour === 'use' ? 'sent, of the link\u2019s rate' : 'waiting in the port'),
      ...legend(s.colour, this.frames?.limits ?? [1, 1e4, 3e4, 1e5, 3e5]), h('li', {}, h('b', { class: 'sign' }, '\u2016'), 'paused'), h('li', {}, h('b', {}, '\u00d7'), 'dropped or trimmed'),
      ...(this.frames && this.frames.outages.count > 0 ? [h('li', {}, h('i', { class: 'dashes' }), 'down')] : []));
    const parts = ['A link\u2019s two directions run side by side, each on its right-hand side.'];
    if (this.run.doc.hosts > 0) parts.push(this.painter.halves ? 'A host\u2019s tile: its left half is what it sends, its right half what it is sent; fuller means more.' : 'A host\u2019s tile is the fuller of its two directions; zoom in to see both.');
    if (this.painter.sparse) parts.push('The lightest class between switches is left out until you zoom in.');
    this.note.textContent = parts.join(' ');
  }

  zoom(factor: number, x = this.painter.width / 2, y = this.painter.height / 2): void {
    const c = this.store.state.camera;
    const zoom = Math.min(64, Math.max(0.5, c.zoom * factor));
    const [sx, sy] = this.painter.shares(x, y);
    const f = c.zoom / zoom;
    this.store.set({ camera: { x: sx + (c.x - sx) * f, y: sy + (c.y - sy) * f, zoom } });
  }

  fit(): void {
    this.store.set({ camera: { x: 0.5, y: 0.5, zoom: 1 } });
  }

  // The camera so that a node is seen, if it was not.
  reveal(node: number): void {
    if (this.store.state.camera.zoom <= 1) return;
    const [x, y] = [this.painter.x(this.layout.x[node]), this.painter.y(this.layout.y[node])];
    if (x > 40 && x < this.painter.width - 40 && y > 30 && y < this.painter.height - 30) return;
    this.store.set({ camera: { ...this.store.state.camera, x: this.layout.x[node] / this.layout.width, y: this.layout.y[node] / this.layout.height } });
  }

  // Where a port is drawn, for tests and for those who explain.
  placeOf(port: number): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const { x, y } = this.painter.sign(port);
    return [box.left + x, box.top + y];
  }

  // The ports with the most of what colours them, from the largest.
  ranked(): number[] {
    const f = this.frames;
    if (!f) return [];
    const values = this.store.state.colour === 'use' ? f.use : f.queue;
    return Array.from(values.keys()).filter((p) => values[p] > 0).sort((a, b) => values[b] - values[a] || a - b);
  }

  private words(port: number): string {
    const f = this.frames;
    const s = this.store.state;
    const out = ['port ' + port + ': ' + portName(this.run, port), percent(f?.use[port] ?? 0) + ' of ' + rate(this.run.rate[port]), 'queue ' + bytes(f?.queue[port] ?? 0)];
    if (f && f.frame.flags[port] & kDown) out.push('down');
    return out.join(' \u00b7 ') + (s.span ? ' at worst' : ' at ' + instant(s.bin * this.run.interval, this.run.interval));
  }

  private listen(): void {
    let down: { x: number; y: number; camera: { x: number; y: number; zoom: number }; moved: boolean } | null = null;
    const at = (event: MouseEvent): [number, number] => {
      const box = this.canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    this.canvas.addEventListener('pointerdown', (event) => {
      const [x, y] = at(event);
      down = { x, y, camera: this.store.state.camera, moved: false };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener('pointermove', (event) => {
      const [x, y] = at(event);
      if (down) {
        if (!down.moved && Math.hypot(x - down.x, y - down.y) < 5) return;
        down.moved = true;
        const tile = this.painter.scale;
        this.store.set({ camera: { ...down.camera, x: down.camera.x - (x - down.x) / tile / this.layout.width, y: down.camera.y - (y - down.y) / tile / this.layout.height } });
        return;
      }
      const hit = this.painter.hit(x, y);
      this.canvas.style.cursor = hit ? 'pointer' : 'grab';
      this.tip.hidden = hit === null;
      if (!hit) return;
      this.tip.textContent = hit.node >= 0 ? nodeName(this.run, hit.node) : this.words(hit.port);
      const wide = this.stage.clientWidth;
      this.tip.style.left = Math.min(Math.max(8, x + 14), Math.max(8, wide - this.tip.offsetWidth - 8)) + 'px';
      this.tip.style.top = this.stage.offsetTop + y + 18 + 'px';
    });
    this.canvas.addEventListener('pointerup', (event) => {
      const moved = down?.moved;
      down = null;
      if (moved) return;
      const hit = this.painter.hit(...at(event));
      if (hit) this.store.set({ show: hit.node >= 0 ? { kind: 'node', id: hit.node } : { kind: 'port', id: hit.port } });
    });
    this.canvas.addEventListener('pointerleave', () => { this.tip.hidden = true; });
    this.canvas.addEventListener('dblclick', () => this.fit());
    this.canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0016)), ...at(event));
    }, { passive: false });
  }
}
