// Who paused whom: PFC's pauses as a tree, from the queue in which it began to the ports that stood still.
import { h } from '../dom';
import { Context, Panel, goTo, heading } from './panel';
import { Pauses, Run, kNone } from './run';
import { bytes, counted, instant, portName, time } from './words';

const kShown = 150; // pauses of a tree

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

export async function pausePanel(context: Context, row: number): Promise<Panel> {
  const { run, store } = context;
  const pauses = await run.pauses();
  const forest = forestOf(run, pauses);
  const first = forest.root[row];
  const ports = new Map<number, number>();
  let left = kShown;
  const origin = pauses.by[first];

  const item = (i: number, depth: number): HTMLElement | null => {
    if (left-- <= 0 || depth > 40) return null;
    ports.set(pauses.port[i], 0.4);
    const lasted = run.pausedUntil(pauses, i) - pauses.from[i];
    const below = (forest.children.get(i) ?? []).map((c) => item(c, depth + 1)).filter((e): e is HTMLElement => e !== null);
    return h('li', { role: 'treeitem', 'data-pause': i, 'aria-current': i === row ? 'true' : null, class: i === row ? 'chosen' : null },
      h('div', {}, h('span', { class: 'glyph', 'aria-hidden': 'true' }, '\u2016'), goTo(context, { kind: 'port', id: pauses.port[i] }, portName(run, pauses.port[i]), pauses.from[i]),
        h('small', {}, ' paused at ', h('button', { type: 'button', class: 'link', onclick: () => context.goTime(pauses.from[i]) }, instant(pauses.from[i], run.interval / 10)), ' for ' + time(lasted) + (isNaN(pauses.until[i]) ? ', until the end' : '')
          + ', class ' + pauses.class[i] + (pauses.bytes[i] > 0 && pauses.by[i] !== kNone ? ' \u00b7 ' + bytes(pauses.bytes[i]) + ' of its packets waited in the queue above' : ''))),
      below.length > 0 ? h('ul', { role: 'group' }, ...below) : null);
  };
  const roots = [first, ...(forest.together.get(first) ?? [])];
  const items = roots.map((i) => item(i, 0)).filter((e): e is HTMLElement => e !== null);
  let longest = 0;
  for (let i = 0; i < pauses.count; i++) if (forest.root[i] === first) longest = Math.max(longest, run.pausedUntil(pauses, i) - pauses.from[i]);
  const tree = h('ul', { class: 'tree', role: 'tree', 'aria-label': 'pauses' }, h('li', { role: 'treeitem', class: 'root' },
    h('div', {}, h('span', { class: 'glyph', 'aria-hidden': 'true' }, '\u25cf'), origin === kNone ? 'a queue that is not known' : goTo(context, { kind: 'port', id: origin }, portName(run, origin), pauses.from[first], 'queue'),
      h('small', {}, ' the root: its queue was the reason, and it was not paused itself')),
    h('ul', { role: 'group' }, ...items)));
  if (origin !== kNone) ports.set(origin, 1);
  const element = h('div', {}, heading('PFC tree', counted(forest.size[first], 'pause') + ' from ' + instant(pauses.from[first], run.interval / 10) + ' \u00b7 the longest lasted ' + time(longest)),
    h('p', { class: 'fine' }, 'Each port below another was paused because packets of its link waited in the queue of that port.'), tree,
    left < 0 ? h('p', { class: 'fine' }, 'Only the first ' + kShown + ' pauses are listed.') : null);
  const update = () => {
    const now = (store.state.bin + 0.5) * run.interval;
    for (const li of Array.from(tree.querySelectorAll<HTMLElement>('[data-pause]'))) {
      const i = Number(li.dataset.pause);
      li.classList.toggle('on', pauses.from[i] <= now && now < run.pausedUntil(pauses, i));
    }
  };
  update();
  return { element, update, highlight: { quiet: 0.3, ports, nodes: origin === kNone ? new Map() : new Map([[run.from[origin], 'root']]) } };
}
