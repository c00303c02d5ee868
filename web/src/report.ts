// The page of weir report.
import { brand } from './brand';
import { Chart } from './chart';
import { Capture, Figure, Report, Run, Training } from './document';
import { h } from './dom';
import { counted, plain, withUnit } from './format';
import { kFew } from './options';
import { claimSection, differenceTable, hasFew, longestQueue, pauseTable, pointTable, runTable, shownName, slowdownTable } from './tables';
import { themeSwitch } from './theme';

const report: Report = JSON.parse(document.getElementById('document')!.textContent!);
const charts: Chart[] = [];

function section(id: string, title: string, ...content: (Node | null)[]): HTMLElement {
  return h('section', { id }, h('h2', {}, title), ...content);
}

// Figures under the headings of their groups.
function figureSection(figures: Figure[]): HTMLElement {
  const groups = new Map<string, Figure[]>();
  for (const figure of figures) groups.set(figure.group ?? '', [...(groups.get(figure.group ?? '') ?? []), figure]);
  const content: Node[] = [];
  for (const [name, list] of groups) {
    if (groups.size > 1) content.push(h('h3', { class: 'group' }, name || 'Runs'));
    const made = list.map((figure) => new Chart(figure));
    charts.push(...made);
    content.push(h('div', { class: 'grid' + (list.length === 1 ? ' single' : '') }, ...made.map((c) => c.card)));
  }
  if (figures.length === 0)
    content.push(h('div', { class: 'card empty' }, h('p', {}, 'No figures.'), h('p', {}, report.no_figures)));
  return section('figures', 'Figures',
    figures.length > 0 ? h('p', { class: 'hint' }, 'Drag to zoom into a part; Ctrl and the wheel, or the wheel after a click, zoom; Shift and drag move; double click shows all again. A click in a legend hides a series.') : null,
    ...content);
}

// What of a manifest is told in words.
const told: [string, string, (m: { [key: string]: any }) => string | null][] = [
  ['seed', 'seed', (m) => String(m.seed ?? '')],
  ['sim_time_ps', 'simulated time', (m) => (m.sim_time_ps === undefined ? null : withUnit(m.sim_time_ps, 'ps'))],
  ['wall_s', 'wall time', (m) => (m.wall_s === undefined ? null : plain(m.wall_s, 3) + ' s')],
  ['cpu_s', 'processor time', (m) => (m.cpu_s === undefined ? null : plain(m.cpu_s, 3) + ' s')],
  ['packets_dropped', 'packets dropped by switches', (m) => (m.packets_dropped === undefined ? null : plain(m.packets_dropped, 12))],
  ['packets_lost', 'packets lost on links', (m) => (m.packets_lost === undefined ? null : plain(m.packets_lost, 12))],
  ['packets_marked', 'data packets that arrived marked', (m) => (m.packets_marked === undefined ? null : plain(m.packets_marked, 12))],
  ['max_rss_bytes', 'memory', (m) => (m.max_rss_bytes === undefined ? null : withUnit(m.max_rss_bytes, 'B', 3))],
];

// A value of a manifest: those of an object by their names.
function inWords(value: any): string {
  if (typeof value === 'number') return plain(value, 15);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(inWords).join('; ');
  if (value && typeof value === 'object') return Object.entries(value).map(([key, v]) => key.replace(/_/g, ' ') + ' ' + (Array.isArray(v) ? '(' + inWords(v) + ')' : inWords(v))).join(', ');
  return String(value);
}

const kLong = 60; // letters of a value that has two columns

function manifest(run: Run): HTMLElement {
  const m = run.manifest;
  // the list of files says nothing to people
  const known = new Set(told.map(([key]) => key).concat(['title', 'files', 'checksum']));
  const rows: [string, string][] = [];
  for (const [, name, text] of told) {
    const value = text(m);
    if (value) rows.push([name, value]);
  }
  const longest = longestQueue(run);
  if (longest) rows.push(['longest queue', longest]);
  for (const [key, value] of Object.entries(m))
    if (!known.has(key)) rows.push([key.replace(/_/g, ' '), inWords(value)]);
  return facts(rows);
}

function facts(rows: [string, string][]): HTMLElement {
  return h('dl', { class: 'manifest' }, ...rows.map(([name, value]) => h('div', { class: value.length > kLong ? 'long' : null }, h('dt', {}, name), h('dd', {}, value))));
}

// TOML, with its comments in the background.
function toml(text: string): HTMLElement {
  const out = h('pre', { class: 'toml', tabindex: 0 });
  for (const line of text.replace(/\s+$/, '').split('\n')) {
    const comment = /^((?:[^"#]|"(?:[^"\\]|\\.)*")*?)(\s*#.*)?$/.exec(line);
    const code = comment ? comment[1] : line;
    const key = /^([\w.-]+)(\s*=)/.exec(code);
    if (/^\s*\[/.test(code)) out.append(h('b', {}, code));
    else if (key) out.append(h('span', { class: 'key' }, key[1]), code.slice(key[1].length));
    else out.append(code);
    if (comment && comment[2]) out.append(h('i', {}, comment[2]));
    out.append('\n');
  }
  return out;
}

// Filled when it is opened: hundreds of runs have megabytes of scenarios.
function runDetails(run: Run, index: number): HTMLElement {
  const body = h('div', { class: 'body' });
  const out = h('details', {
    class: 'card run', id: 'run-' + index, 'data-run': run.name, open: report.runs.length === 1,
    ontoggle: () => {
      if (!out.open || body.childNodes.length > 0) return;
      const tables = [slowdownTable(run), pauseTable(run)].filter((t): t is HTMLElement => t !== null);
      const events = (run.events ?? []).map((text) => h('li', {}, text));
      body.append(manifest(run), ...(events.length > 0 ? [h('ul', { class: 'events' }, ...events)] : []), ...tables, h('details', { class: 'scenario' }, h('summary', {}, 'effective scenario'), toml(run.scenario)));
    },
  }, h('summary', {}, h('b', {}, shownName(run)), h('span', {}, [run.group ? '' : run.manifest.title, run.algorithms.join(', ')].filter(Boolean).join(' · '))), body);
  return out;
}

function policyCard(training: Training): HTMLElement {
  return h('details', { class: 'card run', 'data-training': training.name, open: report.trainings.length === 1 },
    h('summary', {}, h('b', {}, training.name), h('span', {}, [training.title, training.updates > 0 ? counted(training.updates, 'update') : ''].filter(Boolean).join(' \u00b7 '))),
    h('div', { class: 'body' }, facts(training.facts),
      training.curriculum ? h('details', { class: 'scenario' }, h('summary', {}, 'curriculum'), toml(training.curriculum)) : null));
}

function captureCard(capture: Capture): HTMLElement {
  return h('details', { class: 'card run', 'data-capture': capture.name, open: report.captures.length === 1 },
    h('summary', {}, h('b', {}, capture.name), h('span', {}, 'measured on a host')), h('div', { class: 'body' }, facts(capture.facts)));
}

function notices(): Node[] {
  const out: Node[] = report.notices.map((text) => h('p', { class: 'notice' }, text));
  for (const study of report.studies) {
    if (study.done + study.failed.length < study.runs)
      out.push(h('p', { class: 'notice' }, study.name + ': ' + study.done + ' of ' + counted(study.runs, 'run') + ' are done'));
    if (study.failed.length > 0)
      out.push(h('details', { class: 'notice bad' },
        h('summary', {}, study.name + ': ' + study.failed.length + ' of ' + counted(study.runs, 'run') + ' failed'),
        h('ul', {}, ...study.failed.map((f) => h('li', {}, h('b', {}, f.run), ' ' + f.message)))));
  }
  return out;
}

function overview(): HTMLElement {
  const out: [string, string][] = [];
  const flows = report.runs.reduce((n, r) => n + (r.summary.flows?.finished ?? 0), 0);
  if (report.runs.length > 0) {
    out.push([plain(report.runs.length, 12), report.runs.length === 1 ? 'run' : 'runs']);
    out.push([plain(flows, 12), 'flows finished']);
    const hops = report.runs.reduce((n, r) => n + (r.manifest.packet_hops ?? 0), 0);
    if (hops > 0) out.push([hops >= 1e9 ? plain(hops / 1e9, 3) + ' G' : hops >= 1e6 ? plain(hops / 1e6, 3) + ' M' : plain(hops, 12), 'packet-hops']);
  }
  if (report.trainings.length > 0) out.push([plain(report.trainings.length, 12), report.trainings.length === 1 ? 'policy' : 'policies']);
  if (report.captures.length > 0) out.push([plain(report.captures.length, 12), report.captures.length === 1 ? 'host' : 'hosts']);
  if (report.figures.length > 0) out.push([String(report.figures.length), report.figures.length === 1 ? 'figure' : 'figures']);
  if (report.claims.length > 0) out.push([report.claims.filter((c) => c.verdict === 'holds').length + ' / ' + report.claims.length, 'claims hold']);
  return h('dl', { class: 'facts' }, ...out.map(([value, name]) => h('div', {}, h('dd', {}, value), h('dt', {}, name))));
}

let printing = false;
const opened: HTMLDetailsElement[] = [];

// Everything open, figures as on paper. Details fill themselves when they open, which the browser tells them too late.
function beforePrint(): void {
  if (printing) return;
  printing = true;
  for (const chart of charts) chart.print();
  for (let found = true; found;) {
    found = false;
    for (const details of Array.from(document.querySelectorAll<HTMLDetailsElement>('details:not([open])'))) {
      details.open = true;
      details.dispatchEvent(new Event('toggle'));
      opened.push(details);
      found = true;
    }
  }
}

function afterPrint(): void {
  printing = false;
  for (const details of opened.splice(0)) details.open = false;
  for (const chart of charts) chart.unprint();
}

function build(): void {
  const sections: HTMLElement[] = [];
  const studies = report.studies.filter((s) => s.points.length > 0);
  const differing = report.runs.length > 0 ? differenceTable(report.runs) : null;
  const runs = report.runs.length === 0 ? null : h('div', {}, h('div', { class: 'card flush runs' }, runTable(report)), differing ? h('div', { class: 'card flush runs' }, differing) : null);
  // what a study was made for comes first
  const summary = runs && studies.length === 0 ? section('summary', 'Summary', runs) : null;
  if (summary) sections.push(summary);
  if (report.trainings.length > 0) sections.push(section('policies', 'Policies', ...report.trainings.map(policyCard)));
  if (report.captures.length > 0) sections.push(section('hosts', 'Hosts', ...report.captures.map(captureCard)));
  const claims = report.claims.length > 0 ? section('claims', 'Claims', claimSection(report.claims)) : null;
  if (claims && report.runs.length === 0) sections.push(claims);
  if (report.runs.length > 0 || report.figures.length > 0) sections.push(figureSection(report.figures));
  if (claims && report.runs.length > 0) sections.push(claims);
  if (studies.length > 0)
    sections.push(section('points', 'Points', h('p', { class: 'hint' }, 'Means over seeds; where there are several, with the 95\u202f% confidence interval.' + (studies.some(hasFew) ? ' ' + kFew : '')),
      ...studies.map((s, i) => h('div', {}, studies.length > 1 ? h('h3', { class: 'group' }, s.name) : null, h('div', { class: 'card flush' }, pointTable(s, 'points-' + i))))));
  if (report.runs.length > 0) sections.push(section('runs', 'Runs', summary ? null : runs, ...report.runs.map(runDetails)));
  const nav = h('nav', {}, ...sections.map((s) => h('a', { href: '#' + s.id }, s.querySelector('h2')!.textContent)));
  document.getElementById('report')!.append(
    h('div', { class: 'bar' }, h('div', { class: 'within' }, brand(), nav, themeSwitch())),
    h('main', { class: 'within' }, h('header', { class: 'top' }, h('h1', {}, report.title.replace(/(\d) %/g, '$1\u00a0%')), overview(), ...notices()), ...sections),
    h('footer', { class: 'within' }, 'weir ' + report.version));
  // a link to a run opens it
  const follow = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target instanceof HTMLDetailsElement) {
      target.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener('hashchange', follow);
  addEventListener('beforeprint', beforePrint);
  addEventListener('afterprint', afterPrint);
  follow();
  document.documentElement.dataset.ready = 'true';
}

build();
// For the browser's console, and for tests.
Object.assign(window, { weirReport: { report, charts } });
