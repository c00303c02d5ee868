// The list of flows, with search and sort, and ports and nodes by name. Only the rows in sight exist.
import { h } from '../dom';
import { Context, Panel, goTo } from './panel';
import { Flows } from './run';
import { Show } from './state';
import { bytes, instant, nodeName, portName, time, whole } from './words';

const kRow = 30; // pixels

interface Column {
  name: string;
  title?: string;
  value: (flows: Flows, row: number) => number;
  text: (flows: Flows, row: number) => string;
}

const columns: Column[] = [
  { name: 'flow', value: (f, i) => f.id[i], text: (f, i) => whole(f.id[i]) },
  { name: 'hosts', value: (f, i) => f.src[i] * 1e7 + f.dst[i], text: (f, i) => f.src[i] + ' \u2192 ' + f.dst[i] },
  { name: 'size', value: (f, i) => f.size[i], text: (f, i) => bytes(f.size[i]) },
  { name: 'start', value: (f, i) => f.start[i], text: (f, i) => instant(f.start[i], 1e6) },
  { name: 'took', value: (f, i) => f.finish[i] - f.start[i], text: (f, i) => (isNaN(f.finish[i]) ? 'unfinished' : time(f.finish[i] - f.start[i], 3)) },
  { name: 'slowdown', title: 'its completion time over that of the flow alone', value: (f, i) => f.slowdown[i], text: (f, i) => (isNaN(f.slowdown[i]) ? '\u2013' : f.slowdown[i].toFixed(f.slowdown[i] < 100 ? 2 : 0)) },
  { name: 'again', title: 'packets sent again', value: (f, i) => f.again[i], text: (f, i) => whole(f.again[i]) },
];

// All words must fit. "12" is a flow's number; "host 3" either end; "3>4" both; the rest is part of a tag or an algorithm.
export function matcher(context: Context, flows: Flows, text: string): (row: number) => boolean {
  const { doc } = context.run;
  const tests: ((row: number) => boolean)[] = [];
  let rest = text.toLowerCase().trim();
  const take = (pattern: RegExp, make: (m: RegExpExecArray) => (row: number) => boolean) => {
    const m = pattern.exec(rest);
    if (!m) return;
    rest = (rest.slice(0, m.index) + ' ' + rest.slice(m.index + m[0].length)).trim();
    tests.push(make(m));
  };
  take(/\b(\d+)\s*(?:->|>|\u2192)\s*(\d+)\b/, (m) => (i) => flows.src[i] === Number(m[1]) && flows.dst[i] === Number(m[2]));
  take(/\bhost\s*(\d+)\b/, (m) => (i) => flows.src[i] === Number(m[1]) || flows.dst[i] === Number(m[1]));
  take(/\bunfinished\b/, () => (i) => isNaN(flows.finish[i]));
  take(/\bflow\s*(\d+)\b/, (m) => (i) => flows.id[i] === Number(m[1]));
  for (const word of rest.split(/\s+/).filter(Boolean)) {
    const names = (all: string[]) => new Set(all.map((n, k): [string, number] => [n.toLowerCase(), k]).filter(([n]) => n.includes(word)).map(([, k]) => k));
    const [tags, algorithms] = [names(doc.tags), names(doc.algorithms)];
    const number = /^\d+$/.test(word) ? Number(word) : NaN;
    tests.push((i) => flows.id[i] === number || tags.has(flows.tag[i]) || algorithms.has(flows.algorithm[i]));
  }
  return (row) => tests.every((t) => t(row));
}

// Ports and nodes that a search names.
export function places(context: Context, text: string): { show: Show; text: string }[] {
  const { run } = context;
  const out: { show: Show; text: string }[] = [];
  const number = (pattern: RegExp) => pattern.exec(text.toLowerCase().trim());
  const node = (n: number) => n < run.nodes && out.push({ show: { kind: 'node', id: n }, text: nodeName(run, n) });
  const port = (p: number) => p < run.ports && out.push({ show: { kind: 'port', id: p }, text: 'port ' + p + ': ' + portName(run, p) });
  const named = number(/^(?:host|switch|node)\s*(\d+)$/);
  if (named) node(Number(named[1]));
  const byNumber = number(/^port\s*(\d+)$/);
  if (byNumber) port(Number(byNumber[1]));
  const link = number(/^link\s*(\d+)$/);
  if (link) for (const p of [2 * Number(link[1]), 2 * Number(link[1]) + 1]) port(p);
  const between = number(/^(\d+)\s*(?:->|>|\u2192)\s*(\d+)$/);
  if (between) for (let p = 0; p < run.ports && out.length < 8; p++) if (run.from[p] === Number(between[1]) && run.to[p] === Number(between[2])) port(p);
  const bare = number(/^(\d+)$/);
  if (bare) {
    node(Number(bare[1]));
    port(Number(bare[1]));
  }
  return out;
}

let kept = { text: '', by: 5, down: true }; // what was searched last, for the way back

export async function findPanel(context: Context, asked: string | null): Promise<Panel> {
  let flows = await context.run.flows();
  if (asked !== null) kept = { ...kept, text: asked };
  const input = h('input', { type: 'search', placeholder: 'flow 12, host 3, 3 > 4, a tag, unfinished, port 7, switch 321', 'aria-label': 'search flows, ports, hosts and switches', value: kept.text, spellcheck: 'false' });
  const found = h('ul', { class: 'found', 'aria-label': 'ports and nodes' });
  const count = h('p', { class: 'fine', role: 'status' });
  const filler = h('div', { class: 'filler' });
  const view = h('div', { class: 'virtual', tabindex: 0, role: 'grid', 'aria-label': 'flows; arrows move, Enter opens' }, filler);
  let rows: number[] = [];
  let chosen = 0;
  const heads = columns.map((c, k) => h('button', {
    type: 'button', title: c.title ?? null, 'data-column': c.name, onclick: () => {
      kept = { ...kept, by: k, down: kept.by === k ? !kept.down : k > 3 };
      sort();
    },
  }, c.name));
  const open = (row: number) => {
    const [start, end] = [flows.start[row], isNaN(flows.finish[row]) ? context.run.doc.sim_time_ps : flows.finish[row]];
    const now = context.store.state.bin * context.run.interval;
    context.store.set({ show: { kind: 'flow', id: row } });
    if (now < start || now > end) context.goTime(start + 0.5 * (end - start));
  };
  const draw = () => {
    filler.style.height = rows.length * kRow + 'px';
    const first = Math.max(0, Math.floor(view.scrollTop / kRow) - 4);
    const last = Math.min(rows.length, first + Math.ceil((view.clientHeight || 600) / kRow) + 8);
    const out: HTMLElement[] = [];
    for (let i = first; i < last; i++) {
      const line = h('div', { class: 'line' + (i === chosen ? ' chosen' : ''), role: 'row', 'aria-rowindex': i + 1, 'data-flow': rows[i], onclick: () => open(rows[i]) }, ...columns.map((c) => h('span', { role: 'gridcell' }, c.text(flows, rows[i]))));
      line.style.top = i * kRow + 'px';
      out.push(line);
    }
    filler.replaceChildren(...out);
  };
  const sort = (keep = false) => {
    const c = columns[kept.by];
    const sign = kept.down ? -1 : 1;
    const none = kept.down ? -Infinity : Infinity; // what has no value is last
    const value = (i: number) => { const v = c.value(flows, i); return isNaN(v) ? none : v; };
    const key = new Map(rows.map((i): [number, number] => [i, value(i)]));
    rows.sort((a, b) => { const [x, y] = [key.get(a) as number, key.get(b) as number]; return x === y ? a - b : x < y ? -sign : sign; });
    heads.forEach((head, k) => {
      if (k === kept.by) head.setAttribute('aria-sort', kept.down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
    if (!keep) chosen = view.scrollTop = 0;
    draw();
  };
  const search = (keep = false) => {
    kept = { ...kept, text: input.value };
    const fits = matcher(context, flows, input.value);
    rows = [];
    for (let i = 0; i < flows.count; i++) if (fits(i)) rows.push(i);
    count.textContent = rows.length === flows.count ? whole(flows.count) + ' flows' : whole(rows.length) + ' of ' + whole(flows.count) + ' flows';
    found.replaceChildren(...places(context, input.value).slice(0, 8).map((p) => h('li', {}, goTo(context, p.show, p.text))));
    sort(keep);
  };
  input.addEventListener('input', () => search());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') view.focus();
    else if (event.key === 'Enter') {
      const place = found.querySelector('a');
      if (place && (rows.length === 0 || !/^\d+$/.test(input.value.trim()))) place.click();
      else if (rows.length > 0) open(rows[chosen]);
    } else return;
    event.preventDefault();
  });
  view.addEventListener('keydown', (event) => {
    const by: { [key: string]: number } = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -1e9, End: 1e9 };
    if (event.key === 'Enter' && rows.length > 0) open(rows[chosen]);
    else if (by[event.key] !== undefined) {
      chosen = Math.max(0, Math.min(rows.length - 1, chosen + by[event.key]));
      if (chosen * kRow < view.scrollTop) view.scrollTop = chosen * kRow;
      if ((chosen + 1) * kRow > view.scrollTop + view.clientHeight) view.scrollTop = (chosen + 1) * kRow - view.clientHeight;
      draw();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  view.addEventListener('scroll', draw);
  const watch = new ResizeObserver(draw);
  watch.observe(view);
  search();
  return {
    element: h('div', { class: 'find' }, input, found, count, h('div', { class: 'line heads' }, ...heads), view),
    highlight: null, focus: () => input.select(),
    news: async () => {
      flows = await context.run.flows();
      search(true);
    },
    dispose: () => watch.disconnect(),
  };
}
