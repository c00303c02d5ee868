// The tables of the page: runs, points of a study, claims.
import { Claim, PausedPort, Report, Run, Study } from './document';
import { h } from './dom';
import { counted, plain, scaleFor, withUnit } from './format';

type Value = number | string | null | undefined;

interface Column<Row> {
  name: string;
  title?: string;
  missing?: (row: Row) => string | null; // why there is no value, if that has to be said
  value: (row: Row) => Value; // what it is sorted by, and told to machines
  text?: (row: Row) => string | Node;
  left?: boolean;
  note?: string; // under the name
}

const none = '\u2013';
const kMaxDifferences = 2; // of a run that has them beside it, not in a table of their own
const kGap = 'too few values for this percentile, which would be their maximum';

function differences(all: [string, string][]): HTMLElement {
  return h('span', { class: 'differences' }, ...all.map(([key, value]) => h('small', {}, key + ' = ' + value)));
}

// Runs of one study differ in what their labels say.
function ofOneStudy(runs: Run[]): boolean {
  return runs.every((r) => r.group && r.group === runs[0].group && r.labels);
}

// The keys of effective scenarios that differ between runs, a row each; null if they stand beside the runs, or there are none.
export function differenceTable(runs: Run[]): HTMLElement | null {
  if (ofOneStudy(runs) || runs.every((r) => (r.differences ?? []).length <= kMaxDifferences)) return null;
  const of = runs.map((r) => new Map(r.differences ?? []));
  const keys = Array.from(new Set(of.flatMap((all) => Array.from(all.keys()))));
  return table<string>([
    { name: 'differs in', left: true, title: 'keys of the effective scenario that have not the same value in all runs here', value: (key) => key },
    ...runs.map((r, i): Column<string> => ({ name: shownName(r), left: true, value: (key) => of[i].get(key) })),
  ], keys, 'differences-table', 'differing');
}

// A run of a study is called by its labels.
export function shownName(run: Run): string {
  return run.labels && run.labels.length > 0 ? run.labels.join(' \u00b7 ') : run.name;
}

// A name of a run may be broken behind what joins its labels.
function breakable(name: string): (string | HTMLElement)[] {
  return name.split(/(?<=[+/])/).flatMap((part, i) => (i === 0 ? [part] : [h('wbr'), part]));
}

function cell<Row>(column: Column<Row>, row: Row): HTMLElement {
  const value = column.value(row);
  const missing = value === null || value === undefined || value === '';
  return h('td', { class: (column.left ? 'left' : '') + (missing ? ' none' : ''), 'data-value': missing ? null : String(value), title: missing ? column.missing?.(row) : null },
    missing ? none : column.text ? column.text(row) : typeof value === 'number' ? plain(value) : value);
}

// A click on a column's name sorts by it, another one the other way round.
function table<Row>(columns: Column<Row>[], rows: Row[], id: string, kind = ''): HTMLElement {
  const body = h('tbody');
  let sorted = -1;
  let down = false;
  const order = (a: Row, b: Row) => {
    const [x, y] = [columns[sorted].value(a), columns[sorted].value(b)];
    const [noX, noY] = [x === null || x === undefined || x === '', y === null || y === undefined || y === ''];
    if (noX || noY) return noX === noY ? 0 : noX ? 1 : -1;
    const by = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y), undefined, { numeric: true });
    return down ? -by : by;
  };
  const fill = () => {
    const shown = sorted < 0 ? rows : rows.slice().sort(order);
    body.replaceChildren(...shown.map((row) => h('tr', {}, ...columns.map((c) => cell(c, row)))));
  };
  const heads = columns.map((c, i) => h('th', { scope: 'col', class: c.left ? 'left' : '', title: c.title },
    h('button', {
      type: 'button', onclick: () => {
        down = sorted === i ? !down : false;
        sorted = i;
        heads.forEach((head, k) => head.setAttribute('aria-sort', k === i ? (down ? 'descending' : 'ascending') : 'none'));
        fill();
      },
    }, c.name), c.note ? h('small', {}, c.note) : null));
  fill();
  return h('div', { class: 'scroll' + (rows.length > 30 ? ' tall' : '') }, h('table', { id, class: kind || null }, h('thead', {}, h('tr', {}, ...heads)), body));
}

function at(object: any, ...path: string[]): any {
  let value = object;
  for (const key of path) value = value === null || value === undefined ? undefined : value[key];
  return value;
}

function seconds(value: number): string {
  return value < 1 ? plain(value * 1e3, 3) + '\u00a0ms' : value < 120 ? plain(value, 3) + '\u00a0s'
    : value < 7200 ? plain(value / 60, 3) + '\u00a0min' : plain(value / 3600, 3) + '\u00a0h';
}

function status(run: Run): Node | null {
  if (run.manifest.complete !== false) return null;
  return h('span', { class: 'badge warn', title: (run.manifest.reason ?? 'the run was interrupted') + '; its results are incomplete' }, 'incomplete');
}

function slowdown(value: number): string {
  return value < 1000 ? value.toFixed(2) : plain(value);
}

// Where and when a queue was longest.
function peakPlace(peak: any): string {
  return peak.from + '\u00a0\u2192\u00a0' + peak.to + ' at\u00a0' + withUnit(peak.time_ps, 'ps');
}

// The flows in a run's longest queue, of which so many are named: "flow 3 (0 → 8) 12 KB, 5 more"; '' if it is not known.
function flowsIn(peak: any, named: number): string {
  const top: any[] = (peak.top ?? []).slice(0, named);
  const flows = top.map((f) => 'flow\u00a0' + f.flow_id + ' (' + f.src + '\u00a0\u2192\u00a0' + f.dst + ') ' + withUnit(f.bytes, 'B', 3));
  if (peak.flows > top.length) flows.push(plain(peak.flows - top.length, 12) + '\u00a0more');
  return flows.join(', ');
}

// The longest queue of a run in words, with the flows in it; null if there was none, or it is not known.
export function longestQueue(run: Run): string | null {
  const peak = at(run.summary, 'queues', 'peak');
  if (!peak) return null;
  const flows = flowsIn(peak, 4);
  return withUnit(peak.queue_bytes, 'B', 4) + ', port ' + peak.port + ' (' + peakPlace(peak) + ')' + (flows ? '; of ' + flows : '');
}

// The ports that PFC has paused, the longest paused first; null if there are none, or it is not known.
export function pauseTable(run: Run): HTMLElement | null {
  const ports = run.paused ?? [];
  if (ports.length === 0) return null;
  const all = run.paused_ports ?? ports.length;
  return table<PausedPort>([
    { name: 'ports paused by PFC', left: true, note: all > ports.length ? 'the first ' + ports.length + ' of ' + plain(all, 12) : '', value: (p) => p.from + '\u00a0\u2192\u00a0' + p.to },
    { name: 'port', value: (p) => p.port, text: (p) => String(p.port) },
    { name: 'pauses', value: (p) => p.pauses, text: (p) => plain(p.pauses, 12) },
    { name: 'paused', title: 'for how long', value: (p) => p.paused_ps, text: (p) => withUnit(p.paused_ps, 'ps') },
    { name: 'of the run', value: (p) => p.share, text: (p) => plain(100 * p.share, 3) + '\u202f%' },
  ], ports, 'paused-' + run.name.replace(/[^\w.-]/g, '_'));
}

interface Slowdowns {
  name: string;
  values: { [key: string]: number | null };
}

// Slowdown of a run's flows: all, by tag, and by size, with the number of flows behind each row. Null if none finished.
export function slowdownTable(run: Run): HTMLElement | null {
  const of = run.summary.slowdown;
  if (!at(of, 'all', 'count')) return null;
  const rows: Slowdowns[] = [{ name: 'all', values: of.all }];
  const tags = Object.entries(of.by_tag ?? {});
  if (tags.length > 1) tags.forEach(([name, values]) => rows.push({ name, values: values as any }));
  for (const bucket of of.by_size ?? [])
    if (bucket.count > 0)
      rows.push({ name: bucket.up_to_bytes === null ? '> ' + withUnit(bucket.above_bytes, 'B') : '\u2264 ' + withUnit(bucket.up_to_bytes, 'B'), values: bucket });
  const number = (name: string, key: string): Column<Slowdowns> => ({ name, value: (r) => r.values[key], text: (r) => slowdown(r.values[key] as number), missing: () => kGap });
  return table<Slowdowns>([
    { name: 'slowdown of flows', left: true, value: (r) => r.name },
    { name: 'n', title: 'finished flows', value: (r) => r.values.count, text: (r) => plain(r.values.count as number, 12) },
    number('mean', 'mean'), number('p50', 'p50'), number('p95', 'p95'), number('p99', 'p99'), number('p99.9', 'p999'), number('max', 'max'),
  ], rows, 'slowdowns-' + run.name.replace(/[^\w.-]/g, '_'));
}

export function runTable(report: Report): HTMLElement {
  // runs of a study have its scenario's title, whatever the study makes of that
  const titles = new Set(report.runs.filter((r) => !r.group).map((r) => r.manifest.title));
  const oneStudy = ofOneStudy(report.runs);
  const apart = oneStudy || differenceTable(report.runs) !== null;
  const columns: Column<Run>[] = [
    {
      name: 'run', left: true, value: shownName,
      text: (r) => h('div', { class: 'run-name' }, h('a', { href: '#run-' + report.runs.indexOf(r) }, ...breakable(shownName(r))), status(r),
        titles.size > 1 && !r.group && r.manifest.title ? h('small', {}, r.manifest.title) : null),
    },
    { name: 'algorithm', left: true, value: (r) => r.algorithms.join(', ') },
    {
      name: 'differs in', left: true, title: 'keys of the effective scenario that have other values in other runs here',
      value: (r) => (apart ? '' : (r.differences ?? []).map((d) => d.join(' = ')).join(', ')),
      text: (r) => differences(r.differences ?? []),
    },
    {
      name: 'flows', title: 'finished; unfinished are told apart', value: (r) => at(r.summary, 'flows', 'finished'),
      text: (r) => plain(r.summary.flows.finished, 12) + (r.summary.flows.unfinished ? ' + ' + plain(r.summary.flows.unfinished, 12) + ' unfinished' : ''),
    },
    ...(['p50', 'p95', 'p99'] as const).map((p): Column<Run> => ({
      name: p, title: 'FCT slowdown of the flows of all tags: completion time over that of the flow alone', value: (r) => at(r.summary, 'slowdown', 'all', p),
      missing: (r) => (at(r.summary, 'slowdown', 'all', 'count') > 0 ? kGap : null), text: (r) => slowdown(r.summary.slowdown.all[p]),
    })),
    {
      name: 'busiest queue p99', title: 'over time, of the port with the longest queue on average', value: (r) => at(r.summary, 'queues', 'busiest', 'p99'),
      missing: (r) => (at(r.summary, 'queues', 'busiest', 'count') > 0 ? kGap : null), text: (r) => withUnit(r.summary.queues.busiest.p99, 'B', 3),
    },
    {
      name: 'longest queue', title: 'of all samples, with its port by node numbers and its time', value: (r) => at(r.summary, 'queues', 'peak', 'queue_bytes'),
      // of a study's runs, place and flows stand with each run below
      text: (r) => (r.group ? h('span', { title: longestQueue(r) }, withUnit(r.summary.queues.peak.queue_bytes, 'B', 3))
        : h('div', { class: 'peak' }, withUnit(r.summary.queues.peak.queue_bytes, 'B', 3), h('small', {}, peakPlace(r.summary.queues.peak)), h('small', { class: 'who' }, flowsIn(r.summary.queues.peak, report.runs.length > 1 ? 1 : 2)))),
    },
    { name: 'dropped by switches', title: 'packets for which the buffers of switches had no room', value: (r) => r.manifest.packets_dropped },
    ...(report.runs.some((r) => r.manifest.packets_lost > 0) ? [{ name: 'lost on links', title: 'packets of all kinds, at random or because the link was down', value: (r: Run) => r.manifest.packets_lost }] : []),
    {
      name: 'PFC', title: 'pause frames sent, and the share of the capacity of all ports that was lost to pauses', value: (r) => r.manifest.pfc_pauses,
      text: (r) => h('div', {}, plain(r.manifest.pfc_pauses, 12),
        r.manifest.pfc_pauses && at(r.summary, 'pfc', 'all', 'capacity_share') ? h('small', {}, plain(100 * r.summary.pfc.all.capacity_share, 2) + '\u202f% of\u00a0capacity') : null),
    },
    { name: 'simulated', value: (r) => r.manifest.sim_time_ps, text: (r) => withUnit(r.manifest.sim_time_ps, 'ps') },
    { name: 'wall time', value: (r) => r.manifest.wall_s, text: (r) => seconds(r.manifest.wall_s) },
  ];
  if (report.studies.length > 0 && !oneStudy) columns.splice(1, 0, { name: 'study', left: true, value: (r) => r.group });
  const told = (c: Column<Run>, r: Run): boolean => { const v = c.value(r); return (v !== null && v !== undefined && v !== '') || !!c.missing?.(r); };
  const used = columns.filter((c) => report.runs.some((r) => told(c, r)));
  const out = table(used, report.runs, 'runs-table');
  // the percentiles have a name together
  const first = used.findIndex((c) => c.name === 'p50');
  if (first >= 0) {
    const over = h('tr', { class: 'over' }, h('th', { colspan: first }), h('th', { colspan: 3 }, 'slowdown, all tags'), h('th', { colspan: used.length - first - 3 }));
    out.querySelector('thead')?.prepend(over);
  }
  return out;
}

// Whether a percentile of the points stands on few values in some run.
export function hasFew(study: Study): boolean {
  return (study.counts ?? []).some((column) => column.some((n) => n !== null && n.few));
}

// An interval that does not tell the order of magnitude of the mean says nothing (is_informative() of weir/study/statistics.h).
function isInformative(mean: number, low: number, high: number): boolean {
  return high - mean <= 100 * (mean - low) && mean - low <= 100 * (high - mean);
}

// Columns M, M_low and M_high become one, in a unit in which its largest value is short.
export function pointTable(study: Study, id: string): HTMLElement {
  const index = (name: string) => study.columns.indexOf(name);
  const shown = study.columns.filter((c) => !/_(low|high)$/.test(c) || index(c.replace(/_(low|high)$/, '')) < 0);
  const number = (text: string): Value => (text === '' ? null : isNaN(Number(text)) ? text : Number(text));
  const place = new Map(study.points.map((row, i) => [row, i]));
  const columns = shown.map((name): Column<string[]> => {
    const at = index(name);
    // of how many values a percentile is, and whether these are few
    const basis = (row: string[]) => study.counts?.[at]?.[place.get(row) as number] ?? null;
    const numbers = study.points.map((row) => { const v = number(row[at]); return typeof v === 'number' ? v : null; });
    const scale = scaleFor(study.units[at], numbers.reduce((most: number, v) => Math.max(most, Math.abs(v ?? 0)), 0));
    const shown = (v: number, digits = 4) => plain(v / scale.factor, digits);
    const best = study.best[at];
    const [low, high] = [index(name + '_low'), index(name + '_high')];
    const value = (row: string[]) => number(row[at]);
    return {
      name: name.replace(/_(ps|bytes|bps)$/, '').replace(/_/g, ' ') + (scale.unit ? ' (' + scale.unit + ')' : ''), value, note: study.words[at],
      left: study.points.every((row) => typeof value(row) !== 'number'),
      text: (row) => {
        const v = value(row);
        // labels are as the study has them, whatever number they look like
        if (study.units[at] === '' || typeof v !== 'number') return row[at];
        const n = basis(row);
        const told = n ? 'of ' + plain(n.fewest, 12) + (n.most > n.fewest ? ' to ' + plain(n.most, 12) : '') + ' values in each run' : null;
        const spread = low >= 0 && high >= 0 && row[low] !== row[high];
        const [from, to] = [Number(row[low]), Number(row[high])];
        const interval = !spread ? null : isInformative(v, from, to) ? shown(from) + '\u00a0\u2026\u00a0' + shown(to) : 'n/a (' + counted(Number(row[index('seeds')]), 'seed') + ')';
        return h('span', { title: told }, best.includes(place.get(row) as number) ? h('span', { class: 'badge best', title: 'the ' + (study.better[at] === 'lower' ? 'lowest' : 'highest') + ' of all points with this traffic and topology, by more than the intervals' }, 'best') : null,
          shown(v) + (n?.few ? '\u00a0*' : ''), interval ? ' ' : null, interval ? h('small', {}, interval) : null);
      },
    };
  });
  return table(columns, study.points, id, 'points');
}

export function claimSection(claims: Claim[]): HTMLElement {
  const kinds = ['holds', 'fails', 'undecided', 'not run'] as const;
  const shown = new Set<string>(kinds);
  const rows = claims.map((c) => h('tr', { 'data-verdict': c.verdict, 'data-claim': c.id },
    h('td', { class: 'left' }, h('b', {}, c.id), h('small', {}, [c.paper, c.figure && 'fig. ' + c.figure].filter(Boolean).join(', '))),
    h('td', { class: 'left' }, c.expected ?? none, c.rule ? h('small', {}, 'counts if: ' + c.rule) : null),
    h('td', { class: 'left' }, c.measured || none, c.reason ? h('small', { class: 'reason' }, c.reason) : null),
    h('td', { class: 'left' }, h('span', { class: 'badge ' + c.verdict.replace(' ', '-') }, c.verdict), c.firmness ? h('small', {}, c.firmness) : null)));
  const empty = h('p', { class: 'empty', hidden: true }, 'No claim has the chosen verdict.');
  const buttons = kinds.filter((k) => claims.some((c) => c.verdict === k)).map((kind) =>
    h('button', {
      type: 'button', class: 'chip ' + kind.replace(' ', '-'), 'data-filter': kind, 'aria-pressed': 'true',
      onclick: (event: MouseEvent) => {
        if (!shown.delete(kind)) shown.add(kind);
        (event.currentTarget as HTMLElement).setAttribute('aria-pressed', String(shown.has(kind)));
        rows.forEach((row) => { row.hidden = !shown.has(row.dataset.verdict as string); });
        empty.hidden = rows.some((row) => !row.hidden);
      },
    }, kind, h('b', {}, claims.filter((c) => c.verdict === kind).length)));
  return h('div', {}, h('div', { class: 'chips', role: 'group', 'aria-label': 'verdicts shown' }, ...buttons),
    h('div', { class: 'card flush' }, h('div', { class: 'scroll' }, h('table', { class: 'claims', id: 'claims-table' },
      h('thead', {}, h('tr', {}, ...['claim', 'the paper says', 'measured', 'verdict'].map((t) => h('th', { class: 'left', scope: 'col' }, t)))),
      h('tbody', {}, ...rows))), empty));
}
