// A figure document as options of ECharts: the one place that knows how a figure looks, in the page and on paper.
//
// It also runs under Duktape, inside the weir command, so it keeps to ES5 at run time.
import { Option, Place, View, categories, categoryAxis, isCategory, isClipped, nameAt, placeOf, places, valueAxis } from './axes';
import { Axis, Figure, Series } from './document';
import { escaped, plain, textWidth, withUnit } from './format';
import { kindOf } from './kinds';
import { colourOf, drawn, indexOf, kSampled, lookOf } from './marks';
import { Insets, around, web } from './radar';
import { barRoom, cellAxis, cellTold, cells, cellsOf } from './surface';
import { kSwatchWidth } from './swatch';

export const kSwatchGap = 5; // between a series' looks and its name, in the legend on paper

// What a figure says in which nothing is drawn; '' = something is.
function blank(figure: Figure, x: Place, y: Place): string {
  const there = (v: number | null | undefined): boolean => v !== null && v !== undefined;
  const drawn = (s: Series): boolean => (s.z || s.y).some((v, i) => there(v) && !(y.log && (s.y[i] as number) <= 0) && !(x.log && s.x[i] <= 0));
  if (figure.series.some(drawn)) return '';
  return figure.series.some((s) => (s.z || s.y).some(there)) ? 'no values above 0' : 'no data';
}

// What a "*" means, in figures and tables.
export const kFew = '*: too few values in some run: there this percentile is their maximum.';
const kNoteSize = 10; // of the text below a figure on paper

// A series' name as it is read: "load 0.3" of 0.3.
export function shownName(figure: Figure, name: string): string {
  return figure.legend ? figure.legend + ' ' + name : name;
}

// What has to be said below a figure, on paper too: of its marks, and of what is missing; '' = nothing.
export function noteOf(figure: Figure, view: View): string {
  const few = figure.series.some((s) => !!s.few && s.few.length > 0);
  return [figure.left_out || '', whiskerNote(figure, view), few ? kFew : ''].filter((text) => text !== '').join(' ');
}

// What has to be said of whiskers; '' = there are none, or it is not known what they are.
function whiskerNote(figure: Figure, view: View): string {
  const has = figure.series.some((s) => !!s.low && !!s.high && s.low.some((v) => v !== null && v !== undefined));
  if (!has) return '';
  const what = figure.whiskers ? 'Whiskers: ' + figure.whiskers + '.' : '';
  const clipped = isClipped(figure, placeOf(figure, 'y', view)) ? 'An arrow marks a whisker that goes on beyond the axis.' : '';
  return what + (what && clipped ? ' ' : '') + clipped;
}

// In lines as wide as the figure.
function noteLines(note: string, view: View): string[] {
  const lines: string[] = [];
  note.split(' ').forEach((word) => {
    const last = lines.length - 1;
    if (last >= 0 && textWidth(lines[last] + ' ' + word, kNoteSize) <= view.width - 20) lines[last] += ' ' + word;
    else if (word !== '') lines.push(word);
  });
  return lines;
}

// How much higher a figure on paper is for its note.
export function noteHeight(figure: Figure, view: View): number {
  return noteLines(noteOf(figure, view), view).length * kNoteSize * 1.3;
}

// Places in the legend on paper.
export interface Entry {
  index: number; // of the series
  x: number;
  y: number; // of its middle
}

// The legend on paper, in rows that stand in the middle; series that are not shown have no entry.
export function legendEntries(figure: Figure, view: View): Entry[] {
  if (!view.paper || figure.series.length < 2) return [];
  const gap = 12;
  const rows: { entries: Entry[]; width: number }[] = [];
  figure.series.forEach((s, index) => {
    if (view.selected && view.selected[s.name] === false) return;
    const width = kSwatchWidth + kSwatchGap + textWidth(shownName(figure, s.name), view.fontSize);
    let row = rows[rows.length - 1];
    if (!row || row.width + gap + width > view.width - 16) {
      row = { entries: [], width: 0 };
      rows.push(row);
    }
    const x = row.entries.length === 0 ? 0 : row.width + gap;
    row.entries.push({ index: index, x: x, y: 10 + (rows.length - 1) * legendRowHeight(view) });
    row.width = x + width;
  });
  const out: Entry[] = [];
  rows.forEach((row) => row.entries.forEach((e) => out.push({ index: e.index, x: e.x + Math.max(4, (view.width - row.width) / 2), y: e.y })));
  return out;
}

function legendRowHeight(view: View): number {
  return view.fontSize * 1.55;
}

export function options(figure: Figure, view: View): Option {
  const on = kindOf(figure).on;
  const x = placeOf(figure, 'x', view);
  const y = placeOf(figure, 'y', view);

  const note = view.paper ? noteLines(noteOf(figure, view), view).join('\n') : '';
  const legend = legendEntries(figure, view);
  const legendFoot = legend.length === 0 ? 14 : legend[legend.length - 1].y + legendRowHeight(view);
  const insets = { top: legendFoot, bottom: 8 + (view.paper ? noteHeight(figure, view) : 0) };
  const said = blank(figure, x, y);
  const series: Option[] = on === 'spokes' ? [web(figure, view, insets)] : [];
  figure.series.forEach((s, i) => {
    const parts = on === 'spokes' ? around(figure, s, i, view, insets) : s.z ? (said === '' ? cells(figure, s, x, y, view) : []) : drawn(figure, s, i, x, y, view);
    parts.forEach((o) => series.push(o));
  });
  const out: Option = {
    animation: false,
    backgroundColor: view.paper ? view.theme.surface : 'transparent',
    textStyle: { fontFamily: view.font, fontSize: view.fontSize, color: view.theme.ink },
    // what is hidden; page and paper draw legends of their own
    legend: { show: false, selected: view.selected, data: figure.series.map((s) => s.name) },
    title: [{
      show: said !== '', text: said, left: 'center', top: 'middle',
      textStyle: { color: view.theme.faint, fontSize: view.fontSize, fontFamily: view.font, fontWeight: 'normal' },
    }, {
      show: note !== '', text: note, left: 10, bottom: 4, padding: 0,
      textStyle: { color: view.theme.faint, fontSize: kNoteSize, lineHeight: kNoteSize * 1.3, fontFamily: view.font, fontWeight: 'normal' },
    }],
    series: series,
  };
  if (on !== 'spokes') addAxes(out, figure, x, y, insets, said !== '', view);
  if (view.paper) return out;
  out.tooltip = {
    trigger: kindOf(figure).pointer,
    confine: true, transitionDuration: 0,
    backgroundColor: view.theme.surface, borderColor: view.theme.grid, padding: [8, 12],
    textStyle: { color: view.theme.ink, fontSize: 12.5, fontFamily: view.font },
    axisPointer: { type: figure.kind === 'bars' ? 'shadow' : 'line', lineStyle: { color: view.theme.line }, animation: false },
    formatter: (of: any): string => tooltip(figure, of, x, y, view),
  };
  if (on === 'spokes') return out;
  const dense = figure.series.some((s) => s.x.length > kSampled);
  out.dataZoom = [
    { type: 'inside', xAxisIndex: 0, filterMode: dense ? 'filter' : 'none', zoomOnMouseWheel: view.wheel || 'ctrl', moveOnMouseMove: 'shift' },
    { type: 'inside', yAxisIndex: 0, filterMode: 'none', zoomOnMouseWheel: view.wheel || 'ctrl', moveOnMouseMove: 'shift' },
  ];
  // out of sight: it is there for dragging a rectangle
  out.toolbox = {
    itemSize: 0, top: -40,
    feature: { dataZoom: { filterMode: dense ? 'filter' : 'none', brushStyle: { color: view.theme.series[0], opacity: 0.15 } } },
  };
  return out;
}

// The axes of ECharts, and where they stand.
function addAxes(out: Option, figure: Figure, x: Place, y: Place, insets: Insets, isBlank: boolean, view: View): void {
  const surface = kindOf(figure).on === 'cells' && !isBlank;
  out.xAxis = surface ? cellAxis(figure, 'x', x, view) : isCategory(figure) ? categoryAxis(figure, view) : valueAxis(figure, 'x', x, view);
  out.yAxis = surface ? cellAxis(figure, 'y', y, view) : valueAxis(figure, 'y', y, view);
  out.yAxis.axisLine.onZero = false;
  if (isBlank)
    [out.xAxis, out.yAxis].forEach((axis) => {
      if (axis.type === 'category') return;
      axis.axisLabel.show = axis.axisTick.show = axis.splitLine.show = false;
    });
  out.grid = {
    left: 10, right: surface ? barRoom(figure, view) : 20, bottom: insets.bottom, top: insets.top,
    outerBoundsMode: 'same', outerBoundsContain: 'all',
  };
}

function tooltip(figure: Figure, of: any, x: Place, y: Place, view: View): string {
  const kind = kindOf(figure);
  const list: any[] = kind.on === 'spokes' ? allAt(figure, of.value[0], view) : of instanceof Array ? of : [of];
  if (list.length === 0) return '';
  if (kind.on === 'cells' && list[0].seriesName === cellsOf(figure).name)
    return '<div class="tip"><table>' + cellTold(figure, list[0].value, x, y).map((row) => '<tr><td>' + escaped(row[0]) + '</td><td>' + escaped(row[1]) + '</td></tr>').join('') + '</table></div>';
  const first = list[0].value[0];
  const exact = (axis: Axis, v: number): string => withUnit(v, axis.unit, 5);
  const head = isCategory(figure) ? categories(figure)[first]
    : nameAt(figure.x, first * x.factor) || figure.x.label + ' ' + exact(figure.x, first * x.factor);
  // with many series, those with the largest values; a percentile of too few values has none, but tells of how many
  const has = (p: any): boolean => p.value[1] !== null && p.value[1] !== undefined;
  const rows = list.filter((p) => has(p) || countOf(figure, p, x) !== '');
  const shown = rows.length > 12 ? rows.slice().sort((a, b) => b.value[1] - a.value[1]).slice(0, 12) : rows;
  let html = '<div class="tip"><b>' + escaped(head) + '</b><table>';
  shown.forEach((p) => {
    const index = indexOf(figure, p.seriesName);
    const look = lookOf(figure, index, view.theme);
    const tint = colourOf(figure, index, p.value[0], view.theme);
    html += '<tr><td><i style="' + (look.open ? 'border:2px solid ' : 'background:') + tint + '"></i>' + escaped(shownName(figure, p.seriesName)) + '</td><td>' +
      (has(p) ? measuredOf(figure, p) + exact(figure.y, p.value[1] * y.factor) + range(figure, p, x) : '\u2013') + countOf(figure, p, x) + '</td></tr>';
  });
  if (rows.length > shown.length) html += '<tr><td>and ' + (rows.length - shown.length) + ' smaller ones</td><td></td></tr>';
  return html + '</table></div>';
}

// All series that are shown at a spoke, as ECharts tells of one.
function allAt(figure: Figure, spoke: number, view: View): any[] {
  const out: any[] = [];
  figure.series.forEach((s) => {
    const k = s.x.indexOf(spoke);
    if (k >= 0 && !(view.selected && view.selected[s.name] === false)) out.push({ seriesName: s.name, value: [spoke, s.y[k]] });
  });
  return out;
}

// What was measured, in its own unit, where y is its place between the worst and the best.
function measuredOf(figure: Figure, point: any): string {
  const s = figure.series[indexOf(figure, point.seriesName)];
  const k = s.values ? s.x.indexOf(point.value[0]) : -1;
  const v = k >= 0 && s.values ? s.values[k] : null;
  return v === null || v === undefined ? '' : withUnit(v, (figure.x.units || [])[point.value[0]] || '1', 5) + ', at ';
}

// Which point of its series is pointed at; -1 = none.
function placeIn(figure: Figure, point: any, x: Place): number {
  const s = figure.series[indexOf(figure, point.seriesName)];
  const given = figure.kind === 'bars' && figure.x.scale !== 'category' ? places(figure)[point.value[0]] : point.value[0] * x.factor;
  for (let k = 0; k < s.x.length; k++) if (Math.abs(s.x[k] - given) <= Math.abs(given) * 1e-9) return k;
  return -1;
}

// The whisker of a point, if it has one.
function range(figure: Figure, point: any, x: Place): string {
  const s = figure.series[indexOf(figure, point.seriesName)];
  if (!s.low || !s.high) return '';
  const k = placeIn(figure, point, x);
  const low = s.low[k];
  const high = s.high[k];
  if (low === null || high === null || low === undefined || high === undefined) return '';
  return ' <small>' + withUnit(low, figure.y.unit) + ' \u2013 ' + withUnit(high, figure.y.unit) + '</small>';
}

// Of how many values a point is, if it is known; of several runs at least.
function countOf(figure: Figure, point: any, x: Place): string {
  const s = figure.series[indexOf(figure, point.seriesName)];
  if (!s.count) return '';
  const k = placeIn(figure, point, x);
  const n = s.count[k];
  if (n === null || n === undefined || n === 0) return '';
  const few = s.few && s.few.indexOf(k) >= 0;
  return ' <small>' + (few ? '* ' : '') + 'n ' + (s.low ? '\u2265' : '=') + ' ' + plain(n, 12) + '</small>';
}
