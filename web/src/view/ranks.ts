// Ranks: what each host of a collective or a training step did over time, who was late, and what the end hung on.
import { h } from '../dom';
import { Context, Panel, goTo, heading } from './panel';
import { Piece, Rank, Ranks, criticalPath, ranksOf } from './rank_rows';
import { RankPicture, tintOf } from './rank_picture';
import { Activities, Run, kNone } from './run';
import { counted, instant, nodeName, percent, time } from './words';

const kHosts = 5; // of the critical path that are listed

// The ranks that stand out, in words, by host.
function marksOf(ranks: Ranks): Map<number, string> {
  const out = new Map<number, string>();
  const add = (rank: Rank | null, word: string) => {
    if (rank) out.set(rank.host, out.has(rank.host) ? out.get(rank.host) + ', ' + word : word);
  };
  if (ranks.list.length < 2) return out;
  add(ranks.last, 'last');
  add(ranks.awaited, 'awaited');
  if (ranks.idle.waited > 0) add(ranks.idle, 'waits');
  return out;
}

function verdict(context: Context, ranks: Ranks): HTMLElement {
  const { run } = context;
  const host = (rank: Rank) => goTo(context, { kind: 'node', id: rank.host }, nodeName(run, rank.host));
  const all = ranks.end - ranks.begin;
  const after = ranks.last.end - ranks.middle;
  const out: (Node | string)[] = [h('b', {}, 'Last came ', host(ranks.last)), ', at ' + instant(ranks.last.end, run.interval) + (after > 0 ? ', ' + time(after) + ' after the median rank. ' : ', with at least half of the ranks. ')];
  const own = ranks.awaited?.host === ranks.last.host;
  if (ranks.awaited) out.push(own ? 'It is also the one for which ' : 'That is who was held up most; the cause is rather ', ...(own ? [] : [host(ranks.awaited), ', for which ']), 'others waited longest: ' + time(ranks.awaited.awaited) + ' of all ranks together. ');
  else if (ranks.list.length > 1) out.push('Who is done last need not be the cause: nobody has said here for whom ranks wait. ');
  if (ranks.idle.waited > 0)
    out.push(host(ranks.idle), (ranks.computes ? ' waited and communicated longest: ' : ' was done first, and waited longest for the others: ') + time(ranks.idle.waited) + ' of ' + time(all) + '.');
  return h('p', { class: 'verdict', 'data-last': ranks.last.host, 'data-awaited': ranks.awaited?.host, 'data-idle': ranks.idle.host }, ...out);
}

function sumsTable(ranks: Ranks, path: Piece[] | null): HTMLElement {
  const length = path ? path.reduce((sum, p) => sum + p.until - p.from, 0) : 0;
  const rows = ranks.names.map((name, activity) => {
    if (ranks.total[activity] === 0) return null;
    const swatch = h('i', { class: 'swatch' });
    swatch.style.background = tintOf(ranks.names, activity);
    const on = path ? path.reduce((sum, p) => sum + (p.activity === activity ? p.until - p.from : 0), 0) : 0;
    return h('tr', { 'data-activity': name, 'data-ps': path && on }, h('td', { class: 'left' }, swatch, name), h('td', {}, time(ranks.total[activity] / ranks.list.length)),
      h('td', {}, percent(ranks.total[activity] / ranks.list.length / Math.max(1, ranks.end - ranks.begin))), path && h('td', {}, time(on)), path && h('td', {}, percent(on / Math.max(1, length))));
  });
  return h('table', { class: 'dense' }, h('thead', {}, h('tr', {}, h('th', { class: 'left' }, 'activity'), h('th', {}, 'mean of all ranks'), h('th', {}, 'share'), path && h('th', {}, 'on the critical path'), path && h('th', {}, 'share'))), h('tbody', {}, ...rows));
}

// The hosts that the critical path goes through, the longest first.
function pathHosts(context: Context, path: Piece[]): HTMLElement {
  const of = new Map<number, { all: number; first: number }>();
  for (const p of path) {
    const entry = of.get(p.host) ?? { all: 0, first: p.from };
    of.set(p.host, { all: entry.all + p.until - p.from, first: Math.min(entry.first, p.from) });
  }
  const list = Array.from(of).sort((x, y) => y[1].all - x[1].all || x[0] - y[0]);
  return h('p', { class: 'fine', 'data-path': path.length }, 'The critical path goes through ' + counted(list.length, 'rank') + (list.length > kHosts ? ', for the longest time through ' : ': '),
    ...list.slice(0, kHosts).flatMap(([host, { all, first }], i) => [i > 0 ? ', ' : '', goTo(context, { kind: 'node', id: host }, nodeName(context.run, host), first), ' (' + time(all) + ')']), '.');
}

function pathWords(context: Context, a: Activities, driver: number, path: Piece[] | null): HTMLElement {
  if (path) return h('span', {}, 'The line below bars is the critical path: each piece of it made the next one as late as it was.');
  const within = context.run.doc.activities_within_ps ?? 0;
  const tells = a.waited.some((host, i) => host !== kNone && a.driver[i] === driver);
  return h('span', { 'data-nopath': true }, !tells ? 'For whom each rank waited is not known of this kind of traffic, so there is no critical path.'
    : 'What a rank did within ' + time(within) + ' is put together, one activity behind the other, so there is no critical path.');
}

// The first traffic whose ranks say what they do; -1 = there is none.
export function firstRanks(run: Run): number {
  return (run.doc.drivers ?? []).findIndex((d) => d.activities.length > 0);
}

export async function ranksPanel(context: Context, driver: number): Promise<Panel> {
  const { run, store } = context;
  const a = await run.activities();
  const drivers = run.doc.drivers ?? [];
  const { tag, activities } = drivers[driver];
  const ranks = ranksOf(a, driver, activities);
  if (!ranks) return { element: h('div', {}, heading('Ranks', tag), h('p', { class: 'fine' }, 'No rank has done anything yet.')) };
  const path = criticalPath(a, ranks, (run.doc.activities_within_ps ?? 0) === 0);
  const marks = marksOf(ranks);
  const picture = new RankPicture(context, a, ranks, path, marks);
  const choose = drivers.filter((d) => d.activities.length > 0).length < 2 ? null : h('select', { 'aria-label': 'which traffic', onchange: (event: Event) => store.set({ show: { kind: 'ranks', id: Number((event.target as HTMLSelectElement).value) } }) },
    ...drivers.map((d, i) => d.activities.length > 0 && h('option', { value: i, selected: i === driver }, d.tag || 'traffic ' + i)));
  const key = h('ul', { class: 'key' });
  const legend = () => key.replaceChildren(...activities.flatMap((name, i) => {
    if (ranks.total[i] === 0) return [];
    const sample = h('i', { class: 'swatch' });
    sample.style.background = tintOf(activities, i);
    return [h('li', {}, sample, name)];
  }));
  const sums = h('div', {});
  const all = ranks.list.length;
  const draw = () => {
    legend();
    sums.replaceChildren(sumsTable(ranks, path));
    picture.draw();
  };
  const tell = () => picture.setNow((store.state.bin + 0.5) * run.interval);
  draw();
  tell();
  return {
    element: h('div', {}, heading('Ranks', (tag ? tag + ' \u00b7 ' : '') + counted(all, 'rank') + ' \u00b7 ' + instant(ranks.begin, run.interval) + ' to ' + instant(ranks.end, run.interval), choose),
      verdict(context, ranks), key, picture.element,
      h('p', { class: 'fine', 'data-rows': picture.hosts.length }, picture.hosts.length < all ? counted(picture.hosts.length, 'rank') + ' of ' + counted(all, 'rank') + ' have a row, those that stand out among them. ' : '',
        ranks.computes ? 'Lower bars are communication, with its waits. ' : '', pathWords(context, a, driver, path)),
      h('h3', {}, 'What they spent their time on'), sums, path && pathHosts(context, path)),
    update: (changed) => {
      if (changed.has('from') || changed.has('until') || changed.has('theme')) draw();
      tell();
    },
    highlight: { quiet: 1, ports: new Map(), nodes: new Map(Array.from(marks, ([host, words]): [number, string] => [host, 'host ' + host + ': ' + words])) },
    life: [ranks.begin, ranks.end], ranks: picture, dispose: () => picture.dispose(),
  };
}
