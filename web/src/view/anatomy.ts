// Why a flow was slow: the parts of its completion time, which add up to it exactly, beside those of the median flow of
// its size.
import { h } from '../dom';
import { mixed } from '../style';
import { isDark } from '../theme';
import { Anatomy, Flows, Run } from './run';
import { bytes, percent, time, times, whole } from './words';

// Parts of a kind have a colour, and patterns tell them apart within it.
const groups: { names: RegExp; colour: [string, string] }[] = [
  { names: /^(alone|telemetry|detour)$/, colour: ['#8a94a0', '#8b97a4'] },
  { names: /^(window|pacing|on_ramp|turn|held)$/, colour: ['#e69f00', '#f2b632'] },
  { names: /^(loss|timeout)$/, colour: ['#d0480a', '#f5793a'] },
  { names: /^pause/, colour: ['#a8357c', '#e39ac6'] },
  { names: /^(host|ack)$/, colour: ['#009e73', '#2ec79b'] },
  { names: /queue/, colour: ['#0072b2', '#4ba6e0'] },
];
const kOther = ['#5b5f66', '#b8bec6'];

export interface Share {
  part: number; // of the document's parts
  ps: number;
}

// The parts of a flow that are not nothing, in their order.
export function sharesOf(run: Run, anatomy: Anatomy, flow: number): Share[] {
  const row = anatomy.row[flow];
  return row < 0 ? [] : run.doc.parts.map((_, part) => ({ part, ps: anatomy.parts[part][row] })).filter((s) => s.ps !== 0);
}

const kSmall = 0.01; // of the completion time: parts below it are folded, if there are several

export interface Median {
  flow: number;
  of: number; // flows
  exact: boolean; // all of the very same size
}

// Of the finished flows of the same size, or, if those are few, of up to double and down to half of it: the one in the
// middle by completion time. It is a flow that was, so its parts add up, too.
export function medianOf(flows: Flows, anatomy: Anatomy, flow: number): Median | null {
  const size = flows.size[flow];
  const within = (low: number, high: number) => {
    const out: number[] = [];
    for (let f = 0; f < flows.count; f++) if (anatomy.row[f] >= 0 && flows.size[f] >= low && flows.size[f] <= high) out.push(f);
    return out;
  };
  const same = within(size, size);
  const exact = same.length >= 20;
  const all = exact ? same : within(size / 2, size * 2);
  if (all.length < 3) return null;
  const took = (f: number) => flows.finish[f] - flows.start[f];
  all.sort((a, b) => took(a) - took(b) || a - b);
  return { flow: all[(all.length - 1) >> 1], of: all.length, exact };
}

// The place of a part among its group, and its colour.
function lookOf(name: string, names: string[]): { colour: string; pattern: number } {
  const group = groups.find((g) => g.names.test(name));
  const members = names.filter((n) => (group ? group.names.test(n) : !groups.some((g) => g.names.test(n))));
  return { colour: (group ? group.colour : kOther)[isDark() ? 1 : 0], pattern: members.indexOf(name) % 6 };
}

export function letter(part: number): string {
  return String.fromCharCode(65 + (part % 26));
}

function paint(element: HTMLElement, run: Run, part: number): void {
  const names = run.doc.parts.map((p) => p.name);
  const look = lookOf(names[part], names);
  const line = mixed(look.colour, isDark() ? '#171c22' : '#ffffff', 0.45);
  const stripes = (angle: number, gap: number) => `repeating-linear-gradient(${angle}deg, transparent 0 ${gap}px, ${line} ${gap}px ${gap + 2}px)`;
  const patterns = ['none', stripes(45, 5), stripes(-45, 5), stripes(90, 6), stripes(0, 5), stripes(45, 10)];
  element.style.backgroundColor = look.colour;
  element.style.backgroundImage = patterns[look.pattern];
}

// One bar on a scale that ends at `longest`.
function bar(run: Run, shares: Share[], total: number, longest: number, name: string): HTMLElement {
  const out = h('div', { class: 'bar-of-parts', role: 'img', 'aria-label': name + ': ' + shares.map((s) => run.doc.parts[s.part].label + ' ' + time(s.ps)).join(', ') });
  out.style.width = (100 * total) / longest + '%';
  for (const s of shares) {
    const p = run.doc.parts[s.part];
    const piece = h('span', { 'data-part': p.name, title: p.label + ': ' + time(s.ps) + ', ' + percent(s.ps / total) });
    piece.style.flexGrow = String(s.ps / total);
    paint(piece, run, s.part);
    // 18 pixels at least for a letter, in a bar of some 560
    if (s.ps / longest > 0.035) piece.append(h('b', {}, letter(s.part)));
    out.append(piece);
  }
  return out;
}


// The bars, and a row per part. `where` tells the place of a part that has one.
export function anatomyTable(run: Run, anatomy: Anatomy, flows: Flows, flow: number, median: Median | null, medianLink: Node | null, where: (part: number) => Node | null): HTMLElement {
  const shares = sharesOf(run, anatomy, flow);
  const took = flows.finish[flow] - flows.start[flow];
  const other = median && median.flow !== flow ? sharesOf(run, anatomy, median.flow) : null;
  const otherTook = median ? flows.finish[median.flow] - flows.start[median.flow] : 0;
  const longest = Math.max(took, other ? otherTook : 0);
  const of = (list: Share[] | null, part: number) => list?.find((s) => s.part === part)?.ps ?? 0;
  const parts = run.doc.parts.map((_, i) => i).filter((i) => of(shares, i) !== 0 || of(other, i) > 0.05 * otherTook);
  // the largest first, but for the time alone
  parts.sort((a, b) => Number(run.doc.parts[b].name === 'alone') - Number(run.doc.parts[a].name === 'alone') || of(shares, b) - of(shares, a) || a - b);
  const sum = shares.reduce((total, s) => total + s.ps, 0);
  const rows: HTMLElement[] = parts.map((i) => {
    const p = run.doc.parts[i];
    const mark = h('i', { class: 'patch' }, h('b', {}, letter(i)));
    paint(mark, run, i);
    const mine = of(shares, i);
    return h('tr', { 'data-part': p.name, 'data-ps': mine }, h('td', { class: 'left' }, h('div', { class: 'name' }, mark, h('div', {}, h('b', {}, p.label), where(i), h('small', {}, p.meaning)))), h('td', { title: whole(mine) + ' ps' }, time(mine)), h('td', {}, percent(mine / took)),
      other ? h('td', { class: 'quiet', title: whole(of(other, i)) + ' ps' }, of(other, i) ? time(of(other, i)) : '0') : null);
  });
  const small = parts.map((i, k) => ({ row: rows[k], ps: of(shares, i), theirs: of(other, i) })).filter((e) => e.row.dataset.part !== 'alone' && e.ps < kSmall * took && e.theirs < 0.05 * otherTook);
  if (small.length > 2) {
    for (const { row } of small) row.hidden = true;
    const together = small.reduce((total, e) => total + e.ps, 0);
    const fold: HTMLElement = h('tr', {}, h('td', { class: 'left' }, h('button', {
      type: 'button', class: 'link', onclick: () => {
        for (const { row } of small) row.hidden = false;
        fold.remove();
      },
    }, small.length + ' smaller parts')), h('td', {}, time(together)), h('td', {}, percent(together / took)), other ? h('td', { class: 'quiet' }, time(small.reduce((total, e) => total + e.theirs, 0))) : null);
    rows.push(fold);
  }
  const line = (name: Node | string, element: HTMLElement, text: string) => h('div', { class: 'bar-line' }, h('span', {}, name), h('div', {}, element), h('output', {}, text));
  return h('div', { class: 'anatomy' },
    line('this flow', bar(run, shares, took, longest, 'this flow'), time(took)),
    other && median ? line(h('span', {}, 'median ', medianLink), bar(run, other, otherTook, longest, 'the median flow'), time(otherTook)) : null,
    h('div', { class: 'scroll' }, h('table', { class: 'dense parts' },
      h('thead', {}, h('tr', {}, h('th', { class: 'left' }, 'part'), h('th', {}, 'time'), h('th', { title: 'of the completion time' }, 'share'), other ? h('th', {}, 'median') : null)),
      h('tbody', {}, ...rows),
      h('tfoot', {}, h('tr', { 'data-sum': sum, 'data-took': took }, h('td', { class: 'left' }, h('div', { class: 'total' }, h('b', {}, sum === took ? 'completion time, exactly' : 'sum of the parts'), h('small', {}, sum === took ? whole(sum) + ' ps' : 'the flow took ' + whole(took) + ' ps, the parts are ' + whole(sum) + ' ps: a fault of this file'))), h('td', { title: whole(sum) + ' ps' }, h('b', {}, time(sum))), h('td', {}, percent(sum / took)),
        other ? h('td', { class: 'quiet' }, time(otherTook)) : null)))));
}

// The answer in one or two sentences.
export function verdict(run: Run, anatomy: Anatomy, flows: Flows, flow: number, median: Median | null, place: (part: number) => string): string {
  const shares = sharesOf(run, anatomy, flow);
  const took = flows.finish[flow] - flows.start[flow];
  const alone = run.doc.parts.findIndex((p) => p.name === 'alone');
  const least = shares.find((s) => s.part === alone)?.ps ?? flows.ideal[flow];
  const rest = shares.filter((s) => s.part !== alone).sort((a, b) => b.ps - a.ps);
  if (rest.length === 0 || took - least < 0.02 * least) return 'It was not slow: it took what it would have taken alone in the network.';
  const quoted = (part: number) => '\u201c' + run.doc.parts[part].label + '\u201d';
  const name = (s: Share) => quoted(s.part) + place(s.part);
  const out = ['It took ' + times(took / least) + ' what it would have taken alone. Of its time, ' + percent(rest[0].ps / took) + ' is ' + name(rest[0])
    + (rest[1] && rest[1].ps > 0.1 * (took - least) ? ', ' + percent(rest[1].ps / took) + ' ' + name(rest[1]) : '') + '.'];
  if (median && median.flow !== flow) {
    const theirs = sharesOf(run, anatomy, median.flow);
    const differs = run.doc.parts.map((_, part) => ({ part, ps: (shares.find((s) => s.part === part)?.ps ?? 0) - (theirs.find((s) => s.part === part)?.ps ?? 0) })).sort((a, b) => b.ps - a.ps)[0];
    const by = took - (flows.finish[median.flow] - flows.start[median.flow]);
    const which = 'the median of ' + whole(median.of) + ' flows of ' + (median.exact ? 'its size' : bytes(flows.size[flow] / 2) + ' to ' + bytes(flows.size[flow] * 2));
    out.push(by > 0 ? 'That is ' + time(by, 3) + ' more than ' + which + (differs.ps > 0 ? '; the largest difference is ' + quoted(differs.part) + ' (+' + time(differs.ps, 3) + ').' : '.') : 'That is no more than ' + which + '.');
  }
  return out.join(' ');
}

