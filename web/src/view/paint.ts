// The picture of the network on a canvas: what stays while time goes on (nodes, idle links) is drawn once per camera, what
// changes is drawn per frame, all lines of a class as one path.
import { mixed } from '../style';
import { font, isDark, theme } from '../theme';
import { Camera, Geometry, kAlong, kSign } from './geometry';
import { Layout } from './layout';
import { Run } from './run';
import { colours, downColour, kClasses, widths } from './scale';
import { tierName } from './words';

const kManySigns = 300; // of so many no place is looked for
export const kPaused = 1;
export const kDropped = 2;
export const kDown = 4;

export interface Frame {
  classes: Uint8Array; // by port
  flags: Uint8Array; // by port
  down: number[]; // ports of links that are down
  colour: 'use' | 'queue';
}

// What is selected: ports of a path with the share of the bytes that went there, and nodes.
export interface Highlight {
  quiet: number; // how much is left of all else, 0 to 1
  ports: Map<number, number>;
  nodes: Map<number, string>; // with a label
}

export class Painter extends Geometry {
  private readonly context: CanvasRenderingContext2D;
  private readonly below: CanvasRenderingContext2D;
  private readonly above: CanvasRenderingContext2D;

  constructor(canvas: HTMLCanvasElement, run: Run, layout: Layout) {
    super(run, layout);
    this.context = canvas.getContext('2d')!;
    this.below = document.createElement('canvas').getContext('2d')!;
    this.above = document.createElement('canvas').getContext('2d')!;
  }

  place(width: number, height: number, camera: Camera): void {
    const ratio = Math.min(2, devicePixelRatio || 1);
    for (const c of [this.context, this.below, this.above]) {
      if (c.canvas.width !== Math.round(width * ratio) || c.canvas.height !== Math.round(height * ratio)) {
        c.canvas.width = Math.round(width * ratio);
        c.canvas.height = Math.round(height * ratio);
      }
      c.setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.aim(width, height, camera);
    this.drawBelow();
    this.drawAbove();
  }

  private drawBelow(): void {
    const c = this.below;
    const look = theme();
    c.clearRect(0, 0, this.width, this.height);
    const tint = colours();
    // trunks to the hosts; each one's own link where those of a server part
    c.strokeStyle = tint[0];
    c.lineWidth = 1;
    c.beginPath();
    for (const b of this.layout.blocks) {
      if (b.node >= 0) {
        const x = this.x(this.layout.x[b.node]);
        c.moveTo(x, this.y(this.layout.y[b.node]));
        c.lineTo(x, this.y(b.y) - 4);
      }
      c.moveTo(this.x(b.x) + 0.5, this.y(b.y));
      c.lineTo(this.x(b.x) + 0.5, this.y(b.y) - 4);
      c.lineTo(this.x(b.x + b.width) - 0.5, this.y(b.y) - 4);
      c.lineTo(this.x(b.x + b.width) - 0.5, this.y(b.y));
    }
    c.stroke();
    if (this.layout.rails) {
      c.globalAlpha = Math.min(1, Math.max(0.2, 100 / this.run.doc.hosts));
      c.beginPath();
      for (let p = 0; p < this.run.ports; p += 2) if (this.isTile[p] !== 0) this.link(c, p);
      c.stroke();
      c.globalAlpha = 1;
    }
    c.fillStyle = mixed(tint[0], look.surface, 0.35);
    c.beginPath();
    for (let p = 0; p < this.run.ports; p++) {
      if (this.isTile[p] === 0) continue;
      const [x, y, w, h] = this.tile(p);
      if (x > -w && x < this.width && y > -h && y < this.height) c.rect(x, y, this.halves ? w - (this.isTile[p] === 1 ? 0.5 : 0) : w, h);
    }
    c.fill();
    c.globalAlpha = Math.min(1, Math.max(0.28, 500 / Math.max(1, this.links)));
    c.strokeStyle = tint[0];
    c.lineWidth = 1;
    c.beginPath();
    for (let p = 0; p < this.run.ports; p += 2) {
      if (this.isTile[p] === 0) this.link(c, p);
    }
    c.stroke();
    c.globalAlpha = 1;
  }

  private link(c: CanvasRenderingContext2D, port: number): void {
    const i = 4 * port;
    c.moveTo(this.lines[i], this.lines[i + 1]);
    c.lineTo(this.lines[i + 2], this.lines[i + 3]);
  }

  private drawTiers(c: CanvasRenderingContext2D): void {
    c.fillStyle = theme().faint;
    c.font = '12px ' + font;
    c.textBaseline = 'middle';
    c.textAlign = 'left';
    c.lineWidth = 5;
    c.lineJoin = 'round';
    c.strokeStyle = theme().surface;
    for (const { tier, y } of this.layout.tiers) {
      if (this.scale * this.layout.width > this.width) c.strokeText(tierName(tier), 12, this.y(y));
      c.fillText(tierName(tier), 12, this.y(y));
    }
  }

  private drawAbove(): void {
    const c = this.above;
    const look = theme();
    c.clearRect(0, 0, this.width, this.height);
    c.textBaseline = 'middle';
    c.textAlign = 'center';
    for (let n = this.run.doc.hosts; n < this.run.nodes; n++) this.drawNode(c, n, look.line, look.surface, look.ink);
    if (this.numbered) this.drawNumbers(c);
    if (this.layout.tiered) this.drawTiers(c);
  }

  private drawNumbers(c: CanvasRenderingContext2D): void {
    const look = theme();
    // what the halves are, and whose they are
    c.font = this.numberSize + 'px ' + font;
    for (let n = 0; n < this.run.doc.hosts; n++) {
      const [x, y] = [this.x(this.layout.x[n]), this.y(this.layout.y[n])];
      if (x < 0 || x > this.width || y < 0 || y > this.height) continue;
      c.lineWidth = 3;
      c.strokeStyle = look.surface;
      c.fillStyle = look.ink;
      c.globalAlpha = 0.9;
      c.strokeText(String(n), x, y);
      c.globalAlpha = 1;
      c.fillText(String(n), x, y);
    }
  }

  private drawNode(c: CanvasRenderingContext2D, node: number, stroke: string, fill: string, ink: string, thick = 1): void {
    const [w, h] = this.nodeSize(node);
    const [x, y] = [this.x(this.layout.x[node]), this.y(this.layout.y[node])];
    if (x < -w || x > this.width + w || y < -h || y > this.height + h) return;
    c.fillStyle = fill;
    c.strokeStyle = stroke;
    c.lineWidth = thick;
    c.beginPath();
    c.roundRect(x - w / 2, y - h / 2, w, h, Math.min(4, h / 3));
    c.fill();
    c.stroke();
    if (w < 25) return;
    c.fillStyle = ink;
    c.font = '10.5px ' + font;
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    c.fillText(String(node), x, y + 0.5);
  }

  draw(frame: Frame, highlight: Highlight | null, selected: number): void {
    const c = this.context;
    const tint = colours();
    const ratio = Math.min(2, devicePixelRatio || 1);
    c.clearRect(0, 0, this.width, this.height);
    const dim = highlight !== null;
    c.globalAlpha = dim ? Math.min(1, 0.3 + highlight.quiet) : 1;
    c.drawImage(this.below.canvas, 0, 0, this.below.canvas.width / ratio, this.below.canvas.height / ratio);
    c.globalAlpha = dim ? highlight.quiet : 1;
    const buckets: number[][] = Array.from({ length: kClasses }, () => []);
    for (let p = 0; p < frame.classes.length; p++) if (frame.classes[p] > 0 && !(dim && highlight.ports.has(p))) buckets[frame.classes[p]].push(p);
    for (let k = this.sparse ? 2 : 1; k < kClasses; k++) this.drawClass(c, buckets[k], k, tint[k], frame);
    c.globalAlpha = 1;
    this.drawDown(c, frame);
    if (highlight) this.drawHighlight(c, highlight, frame, tint);
    this.drawFlags(c, frame, dim && highlight.quiet < 0.5 ? highlight.ports : null);
    c.drawImage(this.above.canvas, 0, 0, this.above.canvas.width / ratio, this.above.canvas.height / ratio);
    this.drawCutOff(c, frame);
    if (highlight) this.drawEnds(c, highlight);
    if (selected >= 0) this.drawNode(c, selected, isDark() ? '#ffffff' : '#000000', theme().surface, theme().ink, 2.5);
  }

  private drawClass(c: CanvasRenderingContext2D, ports: number[], k: number, tint: string, frame: Frame): void {
    if (ports.length === 0) return;
    c.strokeStyle = tint;
    c.fillStyle = tint;
    c.lineWidth = widths[k];
    // many short queues are no news
    const shown = c.globalAlpha;
    if (k === 1) c.globalAlpha = shown * Math.min(1, Math.max(0.45, 80 / ports.length));
    c.beginPath();
    for (const p of ports) {
      if (this.isTile[p] !== 0) continue;
      const [x1, y1, x2, y2] = this.segment(p, widths[k]);
      c.moveTo(x1, y1);
      c.lineTo(x2, y2);
    }
    c.stroke();
    c.globalAlpha = shown;
    c.beginPath();
    for (const p of ports) {
      if (this.isTile[p] === 0) {
        if (k >= 2 && ports.length < 500) this.arrow(c, p, widths[k]);
        if (k >= 3 && frame.colour === 'queue') this.dot(c, p, widths[k]);
        continue;
      }
      // a longer queue, or more use, fills more of the half: it can be read without its colour
      const [x, y, w, h] = this.tile(p);
      const full = k / (kClasses - 1);
      if (h >= 6) c.rect(x, y + h * (1 - full), w - 0.5, h * full);
      else c.rect(x, y, w, h);
    }
    c.fill();
  }

  // Which way: at two thirds of the line.
  private arrow(c: CanvasRenderingContext2D, port: number, width: number): void {
    const [x1, y1, x2, y2] = this.segment(port, width);
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length < 34) return;
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const [px, py] = [x1 + (x2 - x1) * 0.64, y1 + (y2 - y1) * 0.64];
    const size = 3.2 + 1.3 * width;
    c.moveTo(px + dx * size, py + dy * size);
    c.lineTo(px - dx * size * 0.5 - dy * size * 0.62, py - dy * size * 0.5 + dx * size * 0.62);
    c.lineTo(px - dx * size * 0.5 + dy * size * 0.62, py - dy * size * 0.5 - dx * size * 0.62);
    c.closePath();
  }

  // A queue waits where its port is.
  private dot(c: CanvasRenderingContext2D, port: number, width: number): void {
    const [x1, y1, x2, y2] = this.segment(port, width);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const away = Math.min(16, length / 4) / length;
    const [x, y] = [x1 + (x2 - x1) * away, y1 + (y2 - y1) * away];
    c.moveTo(x + width * 1.15, y);
    c.arc(x, y, width * 1.15, 0, 2 * Math.PI);
  }

  private drawHighlight(c: CanvasRenderingContext2D, highlight: Highlight, frame: Frame, tint: string[]): void {
    const accent = isDark() ? '#e39ac6' : '#a8357c';
    for (const [port, share] of highlight.ports) {
      const k = frame.classes[port];
      if (this.isTile[port] !== 0) {
        const [x, y, w, h] = this.tile(port);
        c.fillStyle = tint[k];
        c.fillRect(x, y + h * (1 - k / (kClasses - 1)), w, (h * k) / (kClasses - 1));
        c.strokeStyle = accent;
        c.lineWidth = 2;
        c.strokeRect(x - 1, y - 1, w + 2, h + 2);
        if (this.layout.rails) {
          c.beginPath();
          this.link(c, port);
          c.stroke();
        }
        continue;
      }
      const [x1, y1, x2, y2] = this.segment(port, widths[k]);
      c.lineCap = 'round';
      c.strokeStyle = accent;
      c.globalAlpha = 0.55;
      c.lineWidth = widths[k] + 2.5 + 5 * Math.sqrt(share);
      c.beginPath();
      c.moveTo(x1, y1);
      c.lineTo(x2, y2);
      c.stroke();
      c.globalAlpha = 1;
      c.lineCap = 'butt';
      this.drawClass(c, [port], Math.max(1, k), tint[Math.max(1, k)], frame);
      c.fillStyle = theme().ink;
      c.beginPath();
      this.arrow(c, port, widths[Math.max(2, k)]);
      c.fill();
    }
  }

  // Links that are down: dashes, and a host's tile struck through.
  private drawDown(c: CanvasRenderingContext2D, { down }: Frame): void {
    if (down.length === 0) return;
    c.strokeStyle = downColour();
    c.lineWidth = 2.4;
    c.setLineDash([6, 4]);
    c.beginPath();
    for (const p of down) if (p % 2 === 0 && this.isTile[p] === 0) this.link(c, p);
    c.stroke();
    c.setLineDash([]);
    c.lineWidth = this.scale > 16 ? 1.6 : 1;
    c.beginPath();
    for (const p of down) {
      if (p % 2 === 1 || this.isTile[p] === 0) continue;
      const [x, y, w, h] = this.tile(p);
      const [x2, , w2] = this.tile(p + 1);
      const [left, right] = [Math.min(x, x2), Math.max(x + w, x2 + w2)];
      c.rect(left, y, right - left, h);
      c.moveTo(left, y + h);
      c.lineTo(right, y);
    }
    c.stroke();
  }

  // Switches of which all links are down.
  private drawCutOff(c: CanvasRenderingContext2D, frame: Frame): void {
    if (frame.down.length === 0) return;
    const up = new Uint8Array(this.run.nodes);
    for (let p = 0; p < frame.flags.length; p++) if ((frame.flags[p] & kDown) === 0) up[this.run.from[p]] = 1;
    c.setLineDash([4, 3]);
    for (let n = this.run.doc.hosts; n < this.run.nodes; n++) if (up[n] === 0) this.drawNode(c, n, downColour(), theme().surface, downColour(), 2.4);
    c.setLineDash([]);
  }

  private drawFlags(c: CanvasRenderingContext2D, frame: Frame, only: Map<number, number> | null): void {
    const look = theme();
    const taken: [number, number][] = [];
    for (let p = 0; p < frame.flags.length; p++) {
      if ((frame.flags[p] & (kPaused | kDropped)) === 0 || (only && !only.has(p))) continue;
      const { x, y, size } = this.freeSign(p, taken);
      if (size < 0.4) continue;
      c.save();
      c.translate(x, y);
      c.scale(size, size);
      if (frame.flags[p] & kPaused) {
        c.fillStyle = look.surface;
        c.strokeStyle = look.ink;
        c.lineWidth = 1;
        c.beginPath();
        c.arc(0, 0, 6, 0, 2 * Math.PI);
        c.fill();
        c.stroke();
        c.fillStyle = look.ink;
        c.fillRect(-2.6, -3, 1.8, 6);
        c.fillRect(0.8, -3, 1.8, 6);
      }
      if (frame.flags[p] & kDropped) {
        c.strokeStyle = look.surface;
        c.lineWidth = 4.5;
        for (let turn = 0; turn < 2; turn++) {
          c.beginPath();
          c.moveTo(-4.5, -4.5);
          c.lineTo(4.5, 4.5);
          c.moveTo(4.5, -4.5);
          c.lineTo(-4.5, 4.5);
          c.stroke();
          c.strokeStyle = look.ink;
          c.lineWidth = 2;
        }
      }
      c.restore();
    }
  }

  // A sign on a line goes where it covers none of those that are `taken`, if there is such a place.
  private freeSign(port: number, taken: [number, number][]): { x: number; y: number; size: number } {
    if (this.isTile[port] !== 0 || taken.length > kManySigns) return this.sign(port);
    const places = kAlong.map((along) => this.sign(port, along));
    const free = places.find(({ x, y, size }) => taken.every(([u, v]) => Math.hypot(x - u, y - v) >= kSign * size)) ?? places[0];
    taken.push([free.x, free.y]);
    return free;
  }

  // The ends of a flow, or what else has a name there.
  private drawEnds(c: CanvasRenderingContext2D, highlight: Highlight): void {
    const look = theme();
    c.font = '600 12px ' + font;
    c.textBaseline = 'middle';
    const taken: [number, number, number][] = []; // left, right, top
    for (const [node, label] of highlight.nodes) {
      const [x, y] = [this.x(this.layout.x[node]), this.y(this.layout.y[node])];
      if (node >= this.run.doc.hosts) this.drawNode(c, node, look.ink, look.surface, look.ink, 1.6);
      if (label === '') continue;
      const wide = c.measureText(label).width + 12;
      // beside a host's tile, the first on the left; above a switch
      const host = node < this.run.doc.hosts;
      const beside = taken.length === 0 ? x - this.scale / 2 - 7 - wide : x + this.scale / 2 + 7;
      const left = Math.min(this.width - wide - 4, Math.max(4, host ? beside : x - wide / 2));
      let top = host ? y - 9 : y - 30;
      while (taken.some(([l, r, t]) => left < r && left + wide > l && Math.abs(top - t) < 20)) top -= 21;
      taken.push([left, left + wide, top]);
      c.fillStyle = look.ink;
      c.beginPath();
      c.roundRect(left, top, wide, 19, 5);
      c.fill();
      c.fillStyle = look.surface;
      c.textAlign = 'center';
      c.fillText(label, left + wide / 2, top + 10);
    }
  }
}
