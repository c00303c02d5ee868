// A port: its queue over time, who filled it, what it marked and dropped, when it was paused.
import { h } from '../dom';
import { colour } from '../style';
import { theme } from '../theme';
import { Values } from '../view_data';
import { Context, Panel, goTo, heading } from './panel';
import { Curve, Lane, Plot } from './plot';
import { Occupancy, kNone } from './run';
import { bytes, counted, flowEnds, flowName, instant, nodeName, percent, portName, rate, time } from './words';

const kNamed = 7; // flows with a colour of their own
const kListed = 4; // flows in the queue that are listed at once

interface Shares {
  top: number[]; // flows, by bytes over time
  at: number[]; // instants
  of: Map<number, number[]>; // by flow
  rest: number[];
}

// Who filled the queue within the instants [from, until), the flows with most bytes over time named.
function sharesOf(o: Occupancy, port: number, from: number, until: number, named: number): Shares {
  const total = new Map<number, number>();
  const rows: number[] = [];
  for (let k = o.byPort.start[port]; k < o.byPort.start[port + 1]; k++) {
    const i = o.byPort.order[k];
    if (o.at[i] < from || o.at[i] >= until) continue;
    rows.push(i);
    if (o.flow[i] !== kNone) total.set(o.flow[i], (total.get(o.flow[i]) ?? 0) + o.bytes[i]);
  }
  const top = Array.from(total).sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, named).map(([f]) => f);
  // an instant before and after what is listed, where the queue was empty
  const seen = new Set<number>();
  for (const i of rows) for (const a of [o.at[i] - 1, o.at[i], o.at[i] + 1]) if (a >= 0) seen.add(a);
  const at = Array.from(seen).sort((a, b) => a - b);
  const place = new Map(at.map((a, i): [number, number] => [a, i]));
  const of = new Map(top.map((f): [number, number[]] => [f, at.map(() => 0)]));
  const rest = at.map(() => 0);
  for (const i of rows) (of.get(o.flow[i]) ?? rest)[place.get(o.at[i]) as number] += o.bytes[i];
  return { top, at, of, rest };
}

// Who had most bytes in the port's queue over [from, until) picoseconds, but for one flow: flows with their shares.
export function fillers(context: Context, o: Occupancy, port: number, from: number, until: number, but: number): { flow: number; share: number }[] {
  const step = context.run.doc.occupancy_interval_ps;
  let all = 0;
  const total = new Map<number, number>();
  for (let k = o.byPort.start[port]; k < o.byPort.start[port + 1]; k++) {
    const i = o.byPort.order[k];
    if (o.at[i] * step < from - step || o.at[i] * step > until) continue;
    all += o.bytes[i];
    if (o.flow[i] !== kNone && o.flow[i] !== but) total.set(o.flow[i], (total.get(o.flow[i]) ?? 0) + o.bytes[i]);
  }
  return Array.from(total).sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([flow, b]) => ({ flow, share: b / all }));
}

export async function portPanel(context: Context, port: number): Promise<Panel> {
  const { run, store } = context;
  const frames = await context.frames();
  const series = frames.series;
  const occupancy = await run.occupancy();
  const flows = await run.flows();
  const pauses = await run.pauses();
  const plot = new Plot(450, (ps) => context.goTime(ps));
  const step = run.interval;
  const now = h('div', { class: 'now-facts' });
  const who = h('div', { class: 'who' });
  const facts = h('dl', { class: 'numbers' });
  let shares: Shares | null = null;
  let everyone = false; // flows in the queue are listed

  const sums = { sent: 0, marked: 0, dropped: 0, trimmed: 0, paused: 0, longest: 0, when: 0 };
  for (let k = series.byPort.start[port]; k < series.byPort.start[port + 1]; k++) {
    const i = series.byPort.order[k];
    sums.sent += series.sent[i];
    sums.marked += series.marked[i];
    sums.dropped += series.dropped[i];
    sums.trimmed += series.trimmed[i];
    sums.paused += series.paused[i];
    if (series.queue[i] > sums.longest) [sums.longest, sums.when] = [series.queue[i], series.bin[i]];
  }
  const fact = (name: string, value: string | Node) => h('div', {}, h('dt', {}, name), h('dd', {}, value));
  facts.append(
    fact('longest queue', sums.longest > 0 ? h('button', { type: 'button', class: 'link', title: 'go there', onclick: () => context.goTime(sums.when * step) }, bytes(sums.longest) + ' at ' + instant(sums.when * step, step)) : 'always empty'),
    fact('used over the run', run.bins > 0 ? percent(sums.sent * 8e12 / (run.rate[port] * run.bins * step)) + ' of ' + rate(run.rate[port]) : '\u2013'),
    fact('marked', counted(sums.marked, 'packet')), fact('dropped', counted(sums.dropped, 'packet') + (sums.trimmed > 0 ? ', ' + counted(sums.trimmed, 'packet') + ' trimmed' : '')),
    fact('paused over the run', sums.paused > 0 ? time(sums.paused) + ', ' + percent(sums.paused / (run.bins * step)) + ' of it' : 'never'), fact('delay of the link', time(run.delay[port])));
  const { outages } = frames;
  for (let i = 0; i < outages.count; i++) if (outages.port[i] >> 1 === port >> 1)
    facts.append(fact('the link was down', 'from ' + instant(outages.from[i], step) + (isNaN(outages.until[i]) ? ' to the end' : ' to ' + instant(outages.until[i], step))));
  const own = [];
  for (let i = 0; i < pauses.count; i++) if (pauses.port[i] === port) own.push(i);

  const draw = () => {
    const s = store.state;
    const [from, until] = [s.from * step, s.until * step];
    const x: number[] = []; // middles of the steps
    const ends: number[] = [];
    const lanes: { [name: string]: number[] } = { queue: [], use: [], marked: [], dropped: [], trimmed: [], paused: [] };
    for (let b = s.from; b < s.until; b++) {
      const row = frames.rowOf(port, b);
      const value = (of: Values) => (row < 0 ? 0 : of[row]);
      x.push((b + 0.5) * step);
      ends.push((b + 1) * step);
      lanes.queue.push(value(series.queue));
      lanes.use.push(100 * run.use(port, value(series.sent)));
      lanes.marked.push(value(series.marked));
      lanes.dropped.push(value(series.dropped));
      lanes.trimmed.push(value(series.trimmed));
      lanes.paused.push((100 * value(series.paused)) / step);
    }
    const every = run.doc.occupancy_interval_ps || step;
    shares = sharesOf(occupancy, port, Math.floor(from / every), Math.ceil(until / every), kNamed);
    const at = shares.at.map((a) => a * every);
    const stack: Curve[] = shares.top.map((f, i) => ({ name: flowName(flows, f), as: 'area', x: at, y: (shares as Shares).of.get(f) as number[], look: i }));
    if (shares.rest.some((v) => v > 0)) stack.push({ name: 'all others', as: 'area', x: at, y: shares.rest, look: 0, quiet: true });
    const out: Lane[] = [{ title: 'longest queue in each step', unit: 'B', share: 1.2, curves: [{ name: 'queue', as: 'line', x, y: lanes.queue, look: 0 }] }];
    out.push({ title: 'who filled it (bytes waiting, by flow)', unit: 'B', share: 1.6, curves: stack });
    out.push({ title: 'utilisation', unit: '%', share: 0.7, most: 100, curves: [{ name: 'utilisation', as: 'bins', x: ends, y: lanes.use.map((v) => Math.min(100, v)), look: 0 }] });
    const any = (name: string) => lanes[name].some((v) => v > 0);
    const bar = (name: string, look: number): Curve[] => (any(name) ? [{ name, as: 'bar', x, y: lanes[name], look }] : []);
    if (any('marked')) out.push({ title: 'packets marked in each step', unit: '1', share: 0.5, curves: bar('marked', 4) });
    if (any('dropped') || any('trimmed')) out.push({ title: 'packets dropped or trimmed', unit: '1', share: 0.5, curves: [...bar('dropped', 1), ...bar('trimmed', 3)] });
    if (any('paused')) out.push({ title: 'paused, of each step', unit: '%', share: 0.4, most: 100, curves: [{ name: 'paused', as: 'bins', x: ends, y: lanes.paused, look: 3 }] });
    plot.show({ label: 'port ' + port + ' over time: ' + out.map((l) => l.title).join(', '), from, until, lanes: out });
  };

  const tell = () => {
    const s = store.state;
    plot.setNow((s.bin + 0.5) * step);
    const row = frames.rowOf(port, s.bin);
    const value = (of: Values) => (row < 0 ? 0 : of[row]);
    now.replaceChildren(h('b', {}, 'At ' + instant(s.bin * step, step) + ': '), 'queue ' + bytes(value(series.queue)) + ', ' + percent(run.use(port, value(series.sent))) + ' used'
      + (value(series.marked) ? ', ' + counted(value(series.marked), 'packet') + ' marked' : '') + (value(series.dropped) ? ', ' + counted(value(series.dropped), 'packet') + ' dropped' : '')
      + (value(series.paused) ? ', paused for ' + time(value(series.paused)) : ''));
    who.replaceChildren(...whoAt());
  };

  // The flows in the queue at the instant before the one shown.
  const whoAt = (): Node[] => {
    const every = run.doc.occupancy_interval_ps || step;
    const at = Math.floor(((store.state.bin + 0.999) * step) / every);
    const found: [number, number][] = [];
    for (let k = occupancy.byPort.start[port]; k < occupancy.byPort.start[port + 1]; k++) {
      const i = occupancy.byPort.order[k];
      if (occupancy.at[i] === at) found.push([occupancy.flow[i], occupancy.bytes[i]]);
    }
    const head = h('h3', {}, 'In the queue at ' + instant(at * every, step));
    if (found.length === 0) return [head, h('p', { class: 'fine' }, 'Nothing waited.')];
    const all = found.reduce((sum, [, b]) => sum + b, 0);
    const rows = found.map(([flow, b], i) => {
      const look = shares?.top.indexOf(flow) ?? -1;
      const bar = h('i', { class: 'meter' });
      bar.style.width = (100 * b) / all + '%';
      bar.style.background = look >= 0 ? colour(theme(), look) : theme().line;
      return h('tr', { hidden: i >= kListed && !everyone }, h('td', { class: 'left' }, flow === kNone ? 'all others' : goTo(context, { kind: 'flow', id: flow }, flowName(flows, flow))),
        h('td', { class: 'left' }, flow === kNone ? '' : flowEnds(flows, flow)), h('td', {}, bytes(b)), h('td', {}, percent(b / all)), h('td', { class: 'wide' }, bar));
    });
    return [head, h('table', { class: 'dense' }, h('thead', {}, h('tr', {}, h('th', { class: 'left' }, 'flow'), h('th', { class: 'left' }, 'hosts'), h('th', {}, 'bytes'), h('th', {}, 'share'), h('th'))), h('tbody', {}, ...rows)),
      everyone || rows.length <= kListed ? h('span') : h('button', {
        type: 'button', class: 'link more', onclick: () => {
          everyone = true;
          tell();
        },
      }, (rows.length - kListed) + ' more')];
  };

  const [from, to] = [run.from[port], run.to[port]];
  const node = (n: number) => goTo(context, { kind: 'node', id: n }, nodeName(run, n));
  const reason = (i: number) => {
    const by = pauses.by[i];
    if (by === kNone) return [];
    const host = run.from[by];
    return host < run.doc.hosts ? [' by ', node(host), ', which took data more slowly than the link brought them'] : [', because of the queue of ', goTo(context, { kind: 'port', id: by }, portName(run, by))];
  };
  const pausedBy = own.length === 0 ? null : h('div', {}, h('h3', {}, 'Paused by PFC'), h('ul', { class: 'plainlist' }, ...own.slice(0, 30).map((i) =>
    h('li', {}, goTo(context, { kind: 'pause', id: i }, 'at ' + instant(pauses.from[i], step) + ' for ' + time(run.pausedUntil(pauses, i) - pauses.from[i])),
      ...reason(i)))),
  own.length > 30 ? h('p', { class: 'fine' }, 'and ' + (own.length - 30) + ' more') : null);

  const element = h('div', {},
    heading('Port ' + port, h('span', {}, node(from), ' \u2192 ', node(to), ' \u00b7 link ' + (port >> 1) + ' \u00b7 ' + rate(run.rate[port])), goTo(context, { kind: 'port', id: port ^ 1 }, 'other direction')),
    facts, now, who, plot.element, pausedBy);
  draw();
  tell();
  return {
    element, update: (changed) => {
      if (changed.has('from') || changed.has('until') || changed.has('theme')) draw();
      tell();
    },
    highlight: { quiet: 0.6, ports: new Map([[port, 1]]), nodes: new Map([[from, nodeName(run, from)], [to, nodeName(run, to)]]) }, dispose: () => plot.dispose(),
  };
}
