// Imbalance: links between the same tiers, and NICs with the same place, should carry the same. How much more the
// busiest one does, and which are down.
import { h, svg } from '../dom';
import { theme } from '../theme';
import { Frames } from './frames';
import { Context, Panel, goTo, heading } from './panel';
import { Run } from './run';
import { counted, instant, percent, portName, tierName, times } from './words';

export interface Group {
  name: string;
  ports: number[];
}

// Ports by the tiers of their two ends, from the hosts upwards and back; and those of hosts by which of several they are.
export function groupsOf(run: Run): Group[] {
  const tiers = new Map<string, Group & { order: number }>();
  const nics = new Map<string, Group & { order: number }>();
  const put = (into: typeof tiers, name: string, order: number, port: number) => {
    if (!into.has(name)) into.set(name, { name, order, ports: [] });
    (into.get(name) as Group).ports.push(port);
  };
  const each = run.doc.hosts_per_server ?? 1;
  const links = new Uint32Array(run.nodes); // of a host, so far
  const several = new Set<number>();
  for (let p = 0; p < run.ports; p += 2) {
    const host = Math.min(run.from[p], run.to[p]);
    if (host < run.doc.hosts && ++links[host] > 1) several.add(host);
  }
  links.fill(0);
  for (let p = 0; p < run.ports; p += 2) {
    const [a, b] = [run.tier[run.from[p]], run.tier[run.to[p]]];
    for (const port of [p, p + 1]) {
      const [from, to] = port === p ? [a, b] : [b, a];
      put(tiers, tierName(from) + ' \u2192 ' + tierName(to), 2 * Math.min(from, to) + (from > to ? 1 : 0), port);
    }
    const host = Math.min(run.from[p], run.to[p]);
    if (host >= run.doc.hosts) continue;
    const place = several.size > 0 ? links[host]++ : host % each;
    if (several.size === 0 && each === 1) continue;
    const [sends, gets] = run.from[p] === host ? [p, p + 1] : [p + 1, p];
    const name = several.size > 0 ? 'port ' + place + ' of hosts' : 'NIC ' + place + ' of servers';
    put(nics, name + ', sent', 2 * place, sends);
    put(nics, name + ', received', 2 * place + 1, gets);
  }
  const sorted = (of: typeof tiers) => Array.from(of.values()).sort((x, y) => x.order - y.order);
  return [...sorted(tiers), ...sorted(nics)];
}

export interface Balance {
  group: Group;
  use: number[]; // by place in the group: share of the rate
  mean: number;
  busiest: number; // place
  ratio: number; // 0: nothing was sent
}

// Over the bins [from, until).
export function balanceOf(frames: Frames, groups: Group[], from: number, until: number): Balance[] {
  const { run, series } = frames;
  const sent = new Float64Array(run.ports);
  for (let i = series.starts[from] ?? 0, end = series.starts[Math.min(until, run.bins)] ?? 0; i < end; i++) sent[series.port[i]] += series.sent[i];
  const span = Math.max(1, until - from);
  return groups.map((group) => {
    const use = group.ports.map((p) => run.use(p, sent[p]) / span);
    const mean = use.reduce((a, b) => a + b, 0) / Math.max(1, use.length);
    const busiest = use.reduce((best, u, i) => (u > use[best] ? i : best), 0);
    return { group, use, mean, busiest, ratio: mean > 0 ? use[busiest] / mean : 0 };
  });
}

// All ports of the group from the busiest on, and the mean as a line.
function profile(b: Balance): Element {
  const [w, high] = [44, 20];
  const sorted = b.use.slice().sort((x, y) => y - x);
  const top = Math.max(1e-12, sorted[0] ?? 0);
  const count = Math.min(sorted.length, w);
  let path = `M0 ${high}`;
  for (let k = 0; k < count; k++) {
    const y = (high - (high - 1) * (sorted[Math.floor((k * sorted.length) / count)] / top)).toFixed(1);
    path += `L${((k * w) / count).toFixed(1)} ${y}L${(((k + 1) * w) / count).toFixed(1)} ${y}`;
  }
  const mean = (high - (high - 1) * (b.mean / top)).toFixed(1);
  const look = theme();
  return svg(`<svg width="${w}" height="${high}" viewBox="0 0 ${w} ${high}" aria-hidden="true"><path d="${path}L${w} ${high}Z" fill="${look.series[0]}" opacity=".75"/>`
    + `<path d="M0 ${mean}H${w}" stroke="${look.ink}" stroke-dasharray="3 2"/></svg>`);
}

export async function balancePanel(context: Context): Promise<Panel> {
  const { run, store } = context;
  const frames = await context.frames();
  const groups = groupsOf(run);
  const body = h('tbody');
  const when = h('p', { class: 'fine' });
  const tell = () => {
    const s = store.state;
    const down = new Set(frames.downPorts(s.from, s.until));
    when.textContent = run.bins === 0 ? 'No time was simulated.'
      : 'Of the time seen, ' + instant(s.from * run.interval, run.interval) + ' to ' + instant(Math.min(s.until * run.interval, run.doc.sim_time_ps), run.interval) + '. The curve has all of the group, from the busiest on; the line is the mean.';
    body.replaceChildren(...balanceOf(frames, groups, s.from, s.until).map((b) => {
      const gone = b.group.ports.filter((p) => down.has(p)).length;
      const port = b.group.ports[b.busiest];
      return h('tr', { 'data-group': b.group.name, 'data-ratio': b.ratio, 'data-down': gone }, h('td', { class: 'left' }, b.group.name, h('small', {}, counted(b.group.ports.length, 'port'), gone > 0 && h('b', { class: 'down' }, ', ' + gone + ' down'))),
        h('td', {}, percent(b.mean)), h('td', {}, b.ratio > 0 ? percent(b.use[b.busiest]) : '\u2013', b.ratio > 0 && h('small', {}, goTo(context, { kind: 'port', id: port }, portName(run, port)))),
        h('td', {}, b.ratio > 0 ? h('b', {}, times(b.ratio)) : '\u2013'), h('td', {}, profile(b)));
    }));
  };
  tell();
  return {
    element: h('div', {}, heading('Balance', 'how evenly links and NICs are used'), when,
      h('div', { class: 'scroll' }, h('table', { class: 'dense balance' }, h('thead', {}, h('tr', {}, h('th', { class: 'left' }, 'links'), h('th', {}, 'mean'), h('th', {}, 'busiest'), h('th', {}, 'of the mean'), h('th', {}, 'all'))), body))),
    update: (changed) => {
      if (changed.has('from') || changed.has('until') || changed.has('theme')) tell();
    },
    highlight: null,
  };
}
