// Where nodes, ports and tiles are on the screen, and what is at a point of it.
import { Layout } from './layout';
import { Run } from './run';

const kMargin = { left: 66, right: 18, top: 14, bottom: 14 };
const kSmall = 2.6; // pixels of a tile below which its halves cannot be told apart
export const kAlong = [0.36, 0.28, 0.44, 0.2]; // places of a sign on a line, the first one that is free is taken
export const kSign = 13; // pixels of a port's sign, if there is room
const kMany = 1200; // links between switches above which lightly used ones are left out of the whole picture

export interface Camera {
  x: number; // the middle, as shares of the layout
  y: number;
  zoom: number; // 1 = all of it
}

export class Geometry {
  width = 1;
  height = 1;
  scale = 1; // pixels of a tile
  protected readonly isTile: Uint8Array; // by port: 1 = a host sends, 2 = a host receives, 0 = between switches
  private readonly row: Uint8Array; // by port: of a host with several ports, the row of its tile
  private readonly rows: Uint8Array; // by node: rows of a host's tile
  protected readonly lines: Float32Array; // by port: x1, y1, x2, y2 on the screen
  protected readonly links: number; // between switches
  protected layout: Layout;
  private originX = 0;
  private originY = 0;
  private readonly gap = new Map<number, number>(); // by tier: how far its switches stand apart

  constructor(readonly run: Run, layout: Layout) {
    this.isTile = new Uint8Array(run.ports);
    this.lines = new Float32Array(4 * run.ports);
    this.row = new Uint8Array(run.ports);
    this.rows = new Uint8Array(run.nodes);
    let links = 0;
    for (let p = 0; p < run.ports; p++) {
      this.isTile[p] = run.from[p] < run.doc.hosts ? 1 : run.to[p] < run.doc.hosts ? 2 : 0;
      if (this.isTile[p] === 0) links += 0.5;
      else if (p % 2 === 0) this.row[p] = this.row[p + 1] = this.rows[Math.min(run.from[p], run.to[p])]++;
    }
    this.links = links;
    this.layout = layout;
    this.setLayout(layout);
  }

  setLayout(layout: Layout): void {
    this.layout = layout;
    this.gap.clear();
    const byTier = new Map<number, number[]>();
    for (let n = this.run.doc.hosts; n < this.run.nodes; n++) {
      const tier = layout.tiered ? this.run.tier[n] : 1;
      byTier.set(tier, [...(byTier.get(tier) ?? []), layout.x[n]]);
    }
    for (const [tier, all] of byTier) {
      all.sort((a, b) => a - b);
      let least = layout.width;
      for (let i = 1; i < all.length; i++) least = Math.min(least, all[i] - all[i - 1]);
      this.gap.set(tier, layout.tiered ? Math.min(least, 14) : 3);
    }
  }

  protected aim(width: number, height: number, camera: Camera): void {
    this.width = width;
    this.height = height;
    const [w, h] = [width - kMargin.left - kMargin.right, height - kMargin.top - kMargin.bottom];
    this.scale = Math.max(0.01, Math.min(w / this.layout.width, h / this.layout.height)) * camera.zoom;
    this.originX = kMargin.left + w / 2 - camera.x * this.layout.width * this.scale;
    this.originY = kMargin.top + h / 2 - camera.y * this.layout.height * this.scale;
    for (let p = 0; p < this.run.ports; p++) {
      const [a, b] = [this.run.from[p], this.run.to[p]];
      const i = 4 * p;
      this.lines[i] = this.x(this.layout.x[a]);
      this.lines[i + 1] = this.y(this.layout.y[a]);
      this.lines[i + 2] = this.x(this.layout.x[b]);
      this.lines[i + 3] = this.y(this.layout.y[b]);
    }
  }

  x(worldX: number): number { return this.originX + worldX * this.scale; }
  y(worldY: number): number { return this.originY + worldY * this.scale; }

  // The point of the screen as shares of the layout.
  shares(x: number, y: number): [number, number] {
    return [(x - this.originX) / this.scale / this.layout.width, (y - this.originY) / this.scale / this.layout.height];
  }

  get halves(): boolean { return this.scale >= kSmall; }
  get sparse(): boolean { return this.links > kMany && this.scale < 9; }

  protected nodeSize(node: number): [number, number] {
    const gap = (this.gap.get(this.layout.tiered ? this.run.tier[node] : 1) ?? 4) * this.scale;
    const wide = Math.min(46, Math.max(4, 0.68 * gap));
    return [wide, Math.min(19, Math.max(6, 0.55 * wide))];
  }

  // The line of a port, moved to its right-hand side by so much that the two directions do not touch.
  protected segment(port: number, width: number): [number, number, number, number] {
    const i = 4 * port;
    const [x1, y1, x2, y2] = [this.lines[i], this.lines[i + 1], this.lines[i + 2], this.lines[i + 3]];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const off = (0.9 + width / 2) / length;
    const [ox, oy] = [-(y2 - y1) * off, (x2 - x1) * off];
    return [x1 + ox, y1 + oy, x2 + ox, y2 + oy];
  }

  // The part of a host's tile that stands for the port: the left half for what the host sends, a row for each link.
  protected tile(port: number): [number, number, number, number] {
    const sends = this.isTile[port] === 1;
    const host = sends ? this.run.from[port] : this.run.to[port];
    const s = this.scale;
    const inset = s > 8 ? 0.8 : s > 4 ? 0.4 : 0.1;
    const [left, top] = [this.x(this.layout.x[host] - 0.5) + inset, this.y(this.layout.y[host] - 0.5 * this.layout.tall) + inset];
    const [side, high] = [s - 2 * inset, (s * this.layout.tall - 2 * inset) / this.rows[host]];
    const upper = top + this.row[port] * high;
    return this.halves ? [left + (sends ? 0 : side / 2), upper, side / 2, high] : [left, upper, side, high];
  }

  get numbered(): boolean { return this.scale >= 15; }

  // Of the numbers of hosts, in the middle of their tiles.
  protected get numberSize(): number { return Math.min(12, this.scale * 0.36); }

  // Where a port has its signs, and how large they are: below the number of a host, if it is there, or so far along its line.
  sign(port: number, along = kAlong[0]): { x: number; y: number; size: number } {
    if (this.isTile[port] !== 0) {
      const [x, y, w, h] = this.tile(port);
      const below = this.numbered ? (h - this.numberSize) / 2 : h;
      return { x: x + w / 2, y: y + h - below / 2, size: Math.min(1, this.scale / 14, below / kSign) };
    }
    const [x1, y1, x2, y2] = this.segment(port, 3);
    return { x: x1 + (x2 - x1) * along, y: y1 + (y2 - y1) * along, size: this.sparse ? 0.62 : Math.min(1, Math.max(0.7, this.width / 600)) };
  }

  // What is there: a port, or a switch.
  hit(x: number, y: number): { port: number; node: number } | null {
    for (let n = this.run.doc.hosts; n < this.run.nodes; n++) {
      const [w, h] = this.nodeSize(n);
      if (Math.abs(x - this.x(this.layout.x[n])) <= w / 2 + 1 && Math.abs(y - this.y(this.layout.y[n])) <= h / 2 + 1) return { port: -1, node: n };
    }
    let best = 7;
    let found = -1;
    for (let p = 0; p < this.run.ports; p++) {
      if (this.isTile[p] !== 0) {
        const [tx, ty, w, h] = this.tile(p);
        if (x >= tx && x <= tx + w && y >= ty && y <= ty + h) return { port: p, node: -1 };
        continue;
      }
      const [x1, y1, x2, y2] = this.segment(p, 2);
      const [dx, dy] = [x2 - x1, y2 - y1];
      const at = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
      const far = Math.hypot(x - x1 - at * dx, y - y1 - at * dy);
      if (far < best) [best, found] = [far, p];
    }
    return found < 0 ? null : { port: found, node: -1 };
  }
}
