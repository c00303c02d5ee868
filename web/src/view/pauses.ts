// Who paused whom: PFC's pauses as a tree, from the queue in which it began to the ports that stood still.
import { h } from '../dom';
import { Context, Panel, goTo, heading } from './panel';
import { Pauses, Run, kNone } from './run';
import { bytes, counted, instant, portName, rootName, time, times } from './words';

export interface Forest {
  root: Int32Array; // by pause: the first of its tree
  size: Uint32Array; // by first pause: pauses of its tree
  children: Map<number, number[]>; // by pause
  together: Map<number, number[]>; // by first pause: others that began in the same queue while it was paused
}

// Pauses without a parent that name the same port, and overlap or touch, are one tree: the queue at that port is its root.
export function forestOf(run: Run, pauses: Pauses): Forest {
  const n = pauses.count;
  const root = new Int32Array(n);
  const children = new Map<number, number[]>();
  const together = new Map<number, number[]>();
  const latest = new Map<number, { first: number; until: number }>(); // by port in whose queue pauses began
  for (let i = 0; i < n; i++) {
    const parent = pauses.parent[i];
    if (parent !== kNone && parent < n && parent !== i) {
      root[i] = -1 - parent; // settled below: a parent may stand anywhere
      children.set(parent, [...(children.get(parent) ?? []), i]);
      continue;
    }
    const known = pauses.by[i] === kNone ? undefined : latest.get(pauses.by[i]);
    const until = run.pausedUntil(pauses, i);
    if (known && pauses.from[i] <= known.until) {
      root[i] = known.first;
      known.until = Math.max(known.until, until);
      together.set(known.first, [...(together.get(known.first) ?? []), i]);
    } else {
      root[i] = i;
      if (pauses.by[i] !== kNone) latest.set(pauses.by[i], { first: i, until });
    }
  }
  const find = (i: number): number => {
    const way: number[] = [];
    let at = i;
    while (root[at] < 0 && way.length <= n) {
      way.push(at);
      at = -1 - root[at];
    }
    const found = root[at] < 0 ? at : root[at];
    for (const w of way) root[w] = found;
    return found;
  };
  const size = new Uint32Array(n);
  for (let i = 0; i < n; i++) size[find(i)]++;
  return { root, size, children, together };
}

// The pauses of one port in a tree, together.
export interface PortPauses {
  port: number;
  rows: number[]; // pauses, in order
  all: number; // picoseconds, together
  longest: number;
  below: PortPauses[]; // in the order of their first pauses
}

// The ports that are paused in the tree of `first`, each below the one that held the queue of its first pause.
export function portsOf(run: Run, pauses: Pauses, forest: Forest, first: number): PortPauses[] {
  const of = new Map<number, PortPauses>();
  const roots: PortPauses[] = [];
  for (let i = 0; i < pauses.count; i++) {
    if (forest.root[i] !== first) continue;
    const lasted = run.pausedUntil(pauses, i) - pauses.from[i];
    let line = of.get(pauses.port[i]);
    if (!line) {
      line = { port: pauses.port[i], rows: [], all: 0, longest: 0, below: [] };
      const parent = pauses.parent[i];
      const above = parent === kNone || parent >= pauses.count ? undefined : of.get(pauses.port[parent]);
      (above ? above.below : roots).push(line);
      of.set(line.port, line);
    }
    line.rows.push(i);
    line.all += lasted;
    line.longest = Math.max(line.longest, lasted);
  }
  return roots;
}

const kFrame = 64 * 8e12; // a pause frame, in bits and picoseconds

export async function pausePanel(context: Context, row: number): Promise<Panel> {
  const { run, store } = context;
  const pauses = await run.pauses();
  const forest = forestOf(run, pauses);
  const first = forest.root[row];
  const roots = portsOf(run, pauses, forest, first);
  const ports = new Map<number, number>();
  const lines: [HTMLElement, PortPauses][] = [];
  const origin = pauses.by[first];
  const root = rootName(run, origin);
  const slow = root !== null && run.from[origin] < run.doc.hosts;
  const step = run.interval / 10;

  const item = (line: PortPauses): HTMLElement => {
    const [i] = line.rows;
    ports.set(line.port, 0.4);
    const often = line.rows.length;
    const open = isNaN(pauses.until[line.rows[often - 1]]);
    const begin = h('button', { type: 'button', class: 'link', onclick: () => context.goTime(pauses.from[i]) }, instant(pauses.from[i], step));
    // a pause and a resume frame that follow each other at once
    const short = line.longest < kFrame / run.rate[line.port] ? (often > 1 ? ', each' : ',') + ' shorter than a pause frame takes' : '';
    const waited = pauses.bytes[i] > 0 && pauses.by[i] !== kNone ? ' \u00b7 ' + bytes(pauses.bytes[i]) + ' of its packets waited in the queue above' + (often > 1 ? ' then' : '') : '';
    const here = line.rows.includes(row);
    const out = h('li', { role: 'treeitem', 'data-port': line.port, 'aria-current': here ? 'true' : null, class: here ? 'chosen' : null },
      h('div', {}, h('span', { class: 'glyph', 'aria-hidden': 'true' }, '\u2016'), goTo(context, { kind: 'port', id: line.port }, portName(run, line.port), pauses.from[i]),
        h('small', {}, ' paused ' + (often > 1 ? times(often) + ', ' + time(line.all) + ' in all' : 'for ' + time(line.all)) + (open ? ', until the end' : '') + short + (often > 1 ? ', first at ' : ' at '), begin, waited)),
      line.below.length > 0 ? h('ul', { role: 'group' }, ...line.below.map(item)) : null);
    lines.push([out, line]);
    return out;
  };
  const items = roots.map(item);
  const longest = lines.reduce((most, [, line]) => Math.max(most, line.longest), 0);
  const tree = h('ul', { class: 'tree', role: 'tree', 'aria-label': 'paused ports' }, h('li', { role: 'treeitem', class: 'root' },
    h('div', {}, h('span', { class: 'glyph', 'aria-hidden': 'true' }, '\u25cf'), root === null ? 'a queue that is not known' : goTo(context, slow ? { kind: 'node', id: run.from[origin] } : { kind: 'port', id: origin }, root, pauses.from[first], 'queue'),
      h('small', {}, slow ? ' the root: it took data more slowly than the link brought them, and paused its switch' : ' the root: its queue was the reason, and it had not been paused itself since that was empty')),
    h('ul', { role: 'group' }, ...items)));
  if (root !== null && !slow) ports.set(origin, 1);
  const element = h('div', {}, heading('PFC tree', counted(forest.size[first], 'pause') + ' of ' + counted(lines.length, 'port') + ' from ' + instant(pauses.from[first], step) + ' \u00b7 the longest lasted ' + time(longest)),
    h('p', { class: 'fine' }, 'Each port is below the one in whose queue its packets waited when it was first paused. Counts and times are those of this tree alone; the page of a port has all its pauses.'), tree);
  const update = () => {
    const now = (store.state.bin + 0.5) * run.interval;
    for (const [li, line] of lines) li.classList.toggle('on', line.rows.some((i) => pauses.from[i] <= now && now < run.pausedUntil(pauses, i)));
  };
  update();
  return { element, update, highlight: { quiet: 0.3, ports, nodes: origin === kNone ? new Map() : new Map([[run.from[origin], 'root']]) } };
}
