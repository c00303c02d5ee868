// What the page shows: the instant, what is selected, the part of time and of the picture. All of it stands in the
// address behind '#', so that a view can be sent and the browser's Back leads to the one before.

export type Kind = 'worst' | 'find' | 'ranks' | 'balance' | 'change' | 'flow' | 'port' | 'node' | 'pause';

export interface Show {
  kind: Kind;
  id: number; // row of flows, port, node, row of pauses or driver; 0 for the others
}

export interface State {
  bin: number; // the instant
  from: number; // bins seen on the time line: [from, until)
  until: number;
  show: Show;
  colour: 'use' | 'queue';
  span: boolean; // the links show their worst of the time seen, not the instant
  camera: { x: number; y: number; zoom: number }; // the middle as shares of the picture; 1 = all of it
}

const kinds: Kind[] = ['worst', 'find', 'ranks', 'balance', 'change', 'flow', 'port', 'node', 'pause'];

type Listener = (changed: Set<keyof State>) => void;

export class Store {
  readonly state: State;
  private readonly listeners: Listener[] = [];
  private timer = 0;

  constructor(public bins: number, readonly valid: (show: Show) => boolean) {
    this.state = this.parsed(location.hash);
    addEventListener('popstate', () => this.set(this.parsed(location.hash), true));
  }

  on(listener: Listener): void {
    this.listeners.push(listener);
  }

  set(wanted: Partial<State>, fromAddress = false): void {
    const changed = new Set<keyof State>();
    const next = this.bounded({ ...this.state, ...wanted });
    for (const key of Object.keys(next) as (keyof State)[])
      if (JSON.stringify(next[key]) !== JSON.stringify(this.state[key])) changed.add(key);
    if (changed.size === 0) return;
    Object.assign(this.state, next);
    for (const listener of this.listeners) listener(changed);
    if (fromAddress) return;
    // browsers allow few changes of the address in a second
    if (changed.has('show')) this.write(true);
    else {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.write(false), 250);
    }
  }

  // The run has got longer; `factor` is how many new bins an old one is. Who looks at the present goes on with it.
  grow(bins: number, factor: number): void {
    const s = this.state;
    const follows = s.bin >= this.bins - 1;
    const all = s.from === 0 && s.until >= this.bins;
    const wide = Math.round((s.until - s.from) * factor);
    this.bins = bins;
    const until = all || follows ? bins : Math.round(s.until * factor);
    this.set({ bin: follows ? bins - 1 : Math.floor(s.bin * factor), until, from: all ? 0 : until - wide }, true);
  }

  private bounded(s: State): State {
    const last = Math.max(0, this.bins - 1);
    const whole = (v: number, low: number, high: number) => Math.min(high, Math.max(low, Math.round(v) || 0));
    const until = whole(s.until, Math.min(2, this.bins), this.bins);
    return {
      ...s, bin: whole(s.bin, 0, last), until, from: whole(s.from, 0, Math.max(0, until - 2)),
      camera: { ...s.camera, zoom: Math.min(64, Math.max(0.5, s.camera.zoom || 1)) },
    };
  }

  private write(push: boolean): void {
    clearTimeout(this.timer);
    const hash = this.hash();
    try {
      if (push) history.pushState(null, '', hash);
      else history.replaceState(null, '', hash);
    } catch { /* a page within a frame may have no address of its own */ }
  }

  hash(): string {
    const s = this.state;
    const out = ['at=' + s.bin, 'show=' + s.show.kind + (hasId(s.show.kind) ? '-' + s.show.id : ''), 'colour=' + s.colour];
    if (s.from > 0 || s.until < this.bins) out.push('time=' + s.from + '-' + s.until);
    if (s.span) out.push('span=1');
    const c = s.camera;
    if (c.zoom !== 1 || c.x !== 0.5 || c.y !== 0.5) out.push('camera=' + [c.x, c.y, c.zoom].map((v) => v.toFixed(3)).join(','));
    return '#' + out.join('&');
  }

  // What an address leaves out, or has wrong, is as at the beginning.
  private parsed(hash: string): State {
    const given = new Map(hash.replace(/^#/, '').split('&').map((p): [string, string] => [p.split('=')[0], p.slice(p.indexOf('=') + 1)]));
    const [kind, id] = (given.get('show') ?? '').split('-');
    const show: Show = { kind: (kinds as string[]).includes(kind) ? (kind as Kind) : 'worst', id: Number(id) || 0 };
    const time = /^(\d+)-(\d+)$/.exec(given.get('time') ?? '');
    const camera = (given.get('camera') ?? '').split(',').map(Number);
    const seen = camera.length === 3 && camera.every((v) => isFinite(v));
    return this.bounded({
      bin: Number(given.get('at')) || 0, from: time ? Number(time[1]) : 0, until: time ? Number(time[2]) : this.bins,
      show: this.valid(show) ? show : { kind: 'worst', id: 0 }, colour: given.get('colour') === 'use' ? 'use' : 'queue', span: given.get('span') === '1',
      camera: seen ? { x: camera[0], y: camera[1], zoom: camera[2] } : { x: 0.5, y: 0.5, zoom: 1 },
    });
  }
}

export function hasId(kind: Kind): boolean {
  return kind !== 'worst' && kind !== 'find' && kind !== 'balance' && kind !== 'change';
}
