// A figure document as options of ECharts: the one place that knows how a figure looks, in the page and on paper.
//
// It also runs under Duktape, inside the weir command, so it keeps to ES5 at run time.
import { Axis, Figure, Series } from './document';
import { plain, scaleFor, withUnit } from './format';
import { Theme, colour, dash, hollow, marker } from './style';

export interface View {
  theme: Theme;
  font: string;
  fontSize: number;
  width: number;
  logX: boolean;
  logY: boolean;
  paper: boolean; // a legend within, nothing to hover or zoom
  selected?: { [name: string]: boolean }; // may change while the figure is shown: whiskers follow
  wheel?: boolean; // the wheel zooms without Ctrl
}

// Options are checked by ECharts; its types know no custom series in general terms.
type Option = { [key: string]: any };

const kManyPoints = 60; // above, a line is drawn without a marker at each point
const kSampled = 4000; // above, ECharts draws the extremes of each pixel
const kFewPlaces = 12; // up to so many values of x are ticks themselves
// How bars share a category; whiskers stand where these put them.
const kBars = { barGap: '8%', barCategoryGap: '28%', barMaxWidth: 64, barMinWidth: 1 };

export function isCategory(figure: Figure): boolean {
  return figure.x.scale === 'category' || figure.kind === 'bars';
}

function categories(figure: Figure): string[] {
  if (figure.x.categories) return figure.x.categories;
  const names: string[] = [];
  places(figure).forEach((x) => names.push(withUnit(x, figure.x.unit)));
  return names;
}

// The distinct x of bars that are not given by category, ascending.
function places(figure: Figure): number[] {
  const all: number[] = [];
  figure.series.forEach((s) => s.x.forEach((x) => { if (all.indexOf(x) < 0) all.push(x); }));
  return all.sort((a, b) => a - b);
}

function largest(figure: Figure, of: 'x' | 'y'): number {
  let result = 0;
  const look = (v: number | null): void => { if (v !== null && Math.abs(v) > result) result = Math.abs(v); };
  const stacked: { [x: string]: number } = {};
  figure.series.forEach((s) => {
    if (of === 'x') s.x.forEach(look);
    else if (figure.kind === 'stack') s.x.forEach((x, i) => { stacked[x] = (stacked[x] || 0) + (s.y[i] || 0); });
    else s.y.forEach(look);
  });
  for (const x in stacked) look(stacked[x]);
  return result;
}

// Of the values that have a place on the axis.
function extent(figure: Figure, of: 'x' | 'y', factor: number, log: boolean): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  const look = (v: number | null): void => {
    if (v === null || (log && v <= 0)) return;
    if (v < low) low = v;
    if (v > high) high = v;
  };
  figure.series.forEach((s) => {
    s[of].forEach(look);
    if (of === 'y') {
      if (s.low) s.low.forEach(look);
      if (s.high) s.high.forEach(look);
    }
  });
  return high >= low ? [low / factor, high / factor] : [1, 10];
}

// Multiples of `step`, or of one that makes about six.
function evenTicks(low: number, high: number, step = niceStep((high - low) / 6)): number[] {
  const ticks: number[] = [];
  if (!(step > 0)) return ticks;
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

// Ticks of a logarithmic axis at 1, 2, 5 or whole decades, whatever leaves about five.
function logTicks(low: number, high: number): number[] {
  const decades = Math.log(high / low) / Math.LN10;
  const heads = decades < 1.3 ? [1, 2, 5] : decades < 2.5 ? [1, 3] : [1];
  const every = Math.max(1, Math.ceil(decades / 7));
  const ticks: number[] = [];
  for (let e = Math.floor(Math.log(low) / Math.LN10) - 1; e <= Math.ceil(Math.log(high) / Math.LN10); e++) {
    if (e % every !== 0) continue;
    heads.forEach((h) => {
      const tick = Number(h + 'e' + e);
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    });
  }
  // too few of them in so short a range: evenly, as on a linear axis
  return decades < 0.5 || ticks.length < 2 ? evenTicks(low, high) : ticks;
}

// The values of x of lines over few of them, each short enough for a label; of other figures none.
function fewPlaces(figure: Figure, x: Place): number[] {
  const few: number[] = [];
  if (figure.kind !== 'lines' || isCategory(figure)) return few;
  for (const s of figure.series)
    for (const given of s.x) {
      const v = given / x.factor;
      if (few.indexOf(v) >= 0 || (x.log && v <= 0)) continue;
      if (few.length === kFewPlaces || Number(v.toPrecision(4)) !== Number(v.toPrecision(12))) return [];
      few.push(v);
    }
  return few.sort((a, b) => a - b);
}

// Where ticks stand on an axis that reaches from `low` to `high`: at the few values of x there are, if their labels have
// room, else at round values. ECharts would put one at either end, whatever value that is.
function chosenTicks(figure: Figure, of: 'x' | 'y', place: Place, view: View, low: number, high: number): number[] {
  const few = of === 'x' ? fewPlaces(figure, place).filter((v) => v >= low && v <= high) : [];
  const at = (v: number): number => (place.log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low)) * (view.width - 70);
  const width = (v: number): number => label(figure[of], place, v).length * view.fontSize * 0.62;
  const room = few.every((v, i) => i === 0 || at(v) - at(few[i - 1]) > (width(v) + width(few[i - 1])) / 2 + view.fontSize / 2);
  return few.length > 0 && room ? few : place.log ? logTicks(low, high) : evenTicks(low, high);
}

// As options of an axis.
function ticksOf(ticks: number[]): Option {
  const values = ticks.length > 0 ? ticks : undefined;
  return { axisTick: { customValues: values }, axisLabel: { customValues: values } };
}

// The same of the part of an axis that is seen.
export function ticksSeen(figure: Figure, of: 'x' | 'y', view: View, low: number, high: number): Option {
  return ticksOf(chosenTicks(figure, of, placeOf(figure, of, view), view, low, high));
}

// A range of a logarithmic axis that holds the values and at least two ticks.
function logRange(range: [number, number]): [number, number] {
  const [low, high] = range;
  const decade = (v: number, up: boolean): number =>
    Math.pow(10, (up ? Math.ceil : Math.floor)(Math.log(v) / Math.LN10 + (up ? -1e-9 : 1e-9)));
  if (high / low < 3) return [Math.min(low / 1.1, decade(low, false)), Math.max(high * 1.1, decade(low, false) * 10)];
  return [low / 1.15, high * 1.15];
}

interface Place {
  factor: number;
  unit: string;
  log: boolean;
}

function placeOf(figure: Figure, of: 'x' | 'y', view: View): Place {
  if (of === 'x' && isCategory(figure)) return { factor: 1, unit: '', log: false };
  const scale = scaleFor(figure[of].unit, largest(figure, of));
  const log = of === 'x' ? view.logX : view.logY && figure.kind !== 'stack';
  return { factor: log ? 1 : scale.factor, unit: scale.unit, log: log };
}

function label(axis: Axis, place: Place, v: number): string {
  return place.log ? withUnit(v * place.factor, axis.unit) : plain(v, 6);
}

// Whether a marker stands at each point.
function marked(figure: Figure): boolean {
  return (figure.kind === 'lines' || figure.kind === 'steps') && figure.series.every((s) => s.x.length <= kManyPoints);
}

// Markers stand beside the frame, and 0 is in the range if it is near. A tick just behind the last value is, too.
function linearRange(figure: Figure, x: Place): [number, number] {
  const [low, high] = extent(figure, 'x', x.factor, false);
  const span = high - low || Math.abs(high) || 1;
  const pad = marked(figure) ? 0.05 * span : 0;
  const zero = low >= 0 && low < 0.2 * high && (low > pad || fewPlaces(figure, x).length === 0);
  const from = zero ? 0 : low - pad;
  if (pad > 0) return [from, high + pad];
  if (high <= from) return [from, from + span];
  const step = niceStep((high - from) / 6);
  const next = step * Math.ceil(high / step - 1e-9);
  return [from, next - high < 0.05 * (high - from) ? next : high];
}

// What a figure says in which nothing is drawn; '' = something is.
function blank(figure: Figure, x: Place, y: Place): string {
  const there = (v: number | null | undefined): boolean => v !== null && v !== undefined;
  const drawn = (s: Series): boolean => s.y.some((v, i) => there(v) && !(y.log && (v as number) <= 0) && !(x.log && s.x[i] <= 0));
  if (figure.series.some(drawn)) return '';
  return figure.series.some((s) => s.y.some(there)) ? 'no values above 0' : 'no data';
}

function axisName(axis: Axis, place: Place): string {
  return place.log || place.unit === '' ? axis.label : axis.label + ' (' + place.unit + ')';
}

function valueAxis(figure: Figure, of: 'x' | 'y', place: Place, view: View): Option {
  const axis = figure[of];
  const out: Option = {
    type: place.log ? 'log' : 'value',
    name: axisName(axis, place),
    nameLocation: 'middle',
    nameGap: of === 'x' ? view.fontSize * 2.3 : undefined,
    nameTextStyle: { color: view.theme.ink, fontSize: view.fontSize, fontFamily: view.font },
    axisLine: { show: true, lineStyle: { color: view.theme.line } },
    axisTick: { show: true, lineStyle: { color: view.theme.line } },
    axisLabel: {
      color: view.theme.faint, fontSize: view.fontSize, fontFamily: view.font, hideOverlap: true,
      formatter: (v: number): string => label(axis, place, v),
    },
    splitLine: { show: true, lineStyle: { color: view.theme.grid, width: 1 } },
  };
  const limit = (low: number, high: number, ticks: number[]): void => {
    out.min = low;
    out.max = high;
    const chosen = ticksOf(ticks);
    out.axisTick.customValues = chosen.axisTick.customValues;
    out.axisLabel.customValues = chosen.axisLabel.customValues;
  };
  if (place.log) {
    const range = logRange(extent(figure, of, place.factor, true));
    limit(range[0], range[1], chosenTicks(figure, of, place, view, range[0], range[1]));
  } else {
    out.splitNumber = 5;
    if (of === 'x' && figure.kind !== 'scatter') {
      const range = linearRange(figure, place);
      limit(range[0], range[1], chosenTicks(figure, of, place, view, range[0], range[1]));
    }
    if (of === 'y' && figure.kind !== 'scatter' && figure.kind !== 'stack') {
      out.scale = figure.kind !== 'bars' && narrow(figure);
      const share = shareRange(figure, out.scale);
      if (share) limit(share.low, share.high, share.ticks);
    }
  }
  return out;
}

// Of shares that come near the whole: it is the last tick, also if a value or a whisker is a little larger.
function shareRange(figure: Figure, scale: boolean): { low: number; high: number; ticks: number[] } | null {
  const whole = figure.y.unit === '1' ? 1 : figure.y.unit === '%' ? 100 : 0;
  const [low, high] = extent(figure, 'y', 1, false);
  if (low < 0 || low > whole || high < 0.95 * whole || high > (low < 0.95 * whole ? 1.1 : 1) * whole) return null;
  const near = scale && low < whole;
  const step = near ? niceStep((whole - low) / 4) : whole / 5;
  const from = near ? Math.max(0, whole - step * Math.ceil((whole - low) / step + 1e-9)) : 0;
  return { low: from, high: high > whole ? high * 1.005 : whole, ticks: evenTicks(from, whole, step) };
}

// The next of 1, 2, 2.5 and 5 times a power of ten.
function niceStep(least: number): number {
  const unit = Math.pow(10, Math.floor(Math.log(least) / Math.LN10));
  for (const head of [1, 2, 2.5, 5]) if (head * unit >= least * 0.9999) return head * unit;
  return 10 * unit;
}

// Values that lie in a narrow band far from 0 are shown by themselves.
function narrow(figure: Figure): boolean {
  const range = extent(figure, 'y', 1, false);
  return range[0] > 0 && range[0] > 0.7 * range[1];
}

function categoryAxis(figure: Figure, view: View): Option {
  let names = categories(figure);
  const room = (view.width - 70) / Math.max(1, names.length);
  const width = (lines: string[]): number => lines.reduce((w, line) => Math.max(w, line.length), 0) * view.fontSize * 0.62;
  const tight = width(names) > room * 0.95;
  // ranges in two lines
  if (tight) names = names.map((n) => n.replace(' \u2013 ', ' \u2013\n'));
  const broken = names.some((n) => n.indexOf('\n') >= 0);
  const widest = width(names.join('\n').split('\n'));
  return {
    type: 'category',
    data: names,
    boundaryGap: true,
    name: figure.x.label,
    nameLocation: 'middle',
    nameGap: widest > room * 0.95 ? undefined : view.fontSize * (broken ? 3.5 : 2.3),
    nameTextStyle: { color: view.theme.ink, fontSize: view.fontSize, fontFamily: view.font },
    axisLine: { lineStyle: { color: view.theme.line } },
    axisTick: { show: false },
    axisLabel: {
      color: view.theme.faint, fontSize: view.fontSize, fontFamily: view.font,
      interval: names.length > 40 ? 'auto' : 0, rotate: widest > room * 0.95 ? 35 : 0,
    },
    splitLine: { show: false },
  };
}

function pairs(figure: Figure, s: Series, x: Place, y: Place): (number | null)[][] {
  const at = figure.kind === 'bars' && figure.x.scale !== 'category' ? places(figure) : null;
  const out: (number | null)[][] = [];
  for (let i = 0; i < s.x.length; i++) {
    const v = s.y[i];
    if (x.log && s.x[i] <= 0) continue;
    // a logarithmic axis has no place for 0
    const shown = v === null || v === undefined || (y.log && v <= 0) ? null : v / y.factor;
    out.push([at ? at.indexOf(s.x[i]) : s.x[i] / x.factor, shown]);
  }
  return out;
}

// A few points of a long line, at which its marker stands.
function landmarks(data: (number | null)[][], index: number, of: number, log: boolean): (number | null)[][] {
  const valid = data.filter((d) => d[1] !== null && d[0] !== null);
  if (valid.length === 0) return [];
  const measure = (d: (number | null)[]): number => (log ? Math.log(d[0] as number) : (d[0] as number));
  const from = measure(valid[0]);
  const span = measure(valid[valid.length - 1]) - from;
  const out: (number | null)[][] = [];
  let next = 0;
  const wanted = 7;
  valid.forEach((d) => {
    if (next < wanted && measure(d) >= from + (span * (next + (index + 0.5) / of)) / wanted) {
      out.push(d);
      while (next < wanted && measure(d) >= from + (span * (next + (index + 0.5) / of)) / wanted) next++;
    }
  });
  return out;
}

function whiskers(figure: Figure, s: Series, index: number, x: Place, y: Place, view: View): Option {
  const at = figure.kind === 'bars' && figure.x.scale !== 'category' ? places(figure) : null;
  const data: number[][] = [];
  for (let i = 0; i < s.x.length; i++) {
    const low = s.low ? s.low[i] : null;
    const high = s.high ? s.high[i] : null;
    if (low === null || high === null || low === undefined || high === undefined || (y.log && low <= 0) || (x.log && s.x[i] <= 0)) continue;
    data.push([at ? at.indexOf(s.x[i]) : s.x[i] / x.factor, low / y.factor, high / y.factor]);
  }
  const bars = figure.kind === 'bars';
  // hidden bars take no room
  const shown = (of: Series[]): number => of.filter((o) => !view.selected || view.selected[o.name] !== false).length;
  const tint = lookOf(figure, index, view.theme).colour;
  const stroke = bars ? view.theme.ink : tint;
  return {
    type: 'custom', name: s.name, data: data, z: 5, silent: true, clip: true,
    tooltip: { show: false }, encode: { x: 0, y: [1, 2] }, itemStyle: { color: tint },
    renderItem: (_: unknown, api: any): Option => {
      const high = api.coord([api.value(0), api.value(2)]);
      const low = api.coord([api.value(0), api.value(1)]);
      let shift = 0;
      let half = 3;
      if (bars) {
        const layout = api.barLayout({ ...kBars, count: shown(figure.series) })[shown(figure.series.slice(0, index))];
        shift = layout.offsetCenter;
        half = Math.min(5, layout.width / 3);
      }
      const cx = high[0] + shift;
      const part = (x1: number, y1: number, x2: number, y2: number): Option => ({
        type: 'line', shape: { x1: x1, y1: y1, x2: x2, y2: y2 }, style: { stroke: stroke, lineWidth: 1.2, fill: 'none' },
      });
      return { type: 'group', children: [
        part(cx, high[1], cx, low[1]), part(cx - half, high[1], cx + half, high[1]), part(cx - half, low[1], cx + half, low[1]),
      ] };
    },
  };
}

export interface Look {
  colour: string;
  marker: string;
  dash: 'solid' | number[];
  open: boolean; // drawn as an outline
}

// How a series looks. What authors printed of one has its colour and marker, hollow and dashed, and where there is such,
// only that is.
export function lookOf(figure: Figure, index: number, theme: Theme): Look {
  const twins = figure.series.map((s) => (s.printed ? indexOf(figure, s.name.replace(/(, printed)+$/, ''), false) : -1));
  const at = twins[index] < 0 ? index : twins[index];
  const slot = twins.slice(0, at).filter((twin) => twin < 0).length;
  const printed = figure.series.some((s) => !!s.printed);
  const theirs = !!figure.series[index].printed;
  const points = figure.kind !== 'bars' && figure.kind !== 'stack';
  const long = figure.series[index].x.length > kManyPoints && figure.kind !== 'steps';
  return {
    colour: colour(theme, slot), marker: marker(slot), dash: theirs ? [3, 3] : printed || long ? 'solid' : dash(slot),
    open: theirs || (points && !printed && hollow(slot)),
  };
}

function line(figure: Figure, s: Series, index: number, x: Place, y: Place, view: View): Option[] {
  const data = pairs(figure, s, x, y);
  const many = data.length > kManyPoints;
  const look = lookOf(figure, index, view.theme);
  const out: Option = {
    type: 'line', name: s.name, data: data, color: look.colour, connectNulls: false,
    step: figure.kind === 'steps' ? 'end' : false,
    showSymbol: !many, symbol: look.marker, symbolSize: view.paper ? 6 : 7,
    lineStyle: {
      color: look.colour, width: many ? 1.6 : 2, cap: 'butt', join: 'round', type: look.dash,
    },
    itemStyle: pointStyle(look, view),
    emphasis: { disabled: true },
    animation: false,
  };
  if (!x.log && data.length > kSampled) out.sampling = 'minmax';
  if (figure.kind === 'stack') {
    out.stack = 'all';
    out.showSymbol = false;
    out.symbol = 'none';
    out.areaStyle = { color: look.colour, opacity: 0.85 };
    out.lineStyle = { color: view.theme.surface, width: data.length > 400 ? 0 : 0.7 };
    out.sampling = undefined;
    return [out];
  }
  if (!many || figure.series.length < 2) return [out];
  return [out, {
    type: 'scatter', name: s.name, data: landmarks(data, index, figure.series.length, x.log), symbol: look.marker,
    symbolSize: view.paper ? 6 : 8, silent: true, tooltip: { show: false }, animation: false, z: 4,
    itemStyle: pointStyle(look, view),
  }];
}

function pointStyle(look: Look, view: View): Option {
  return look.open ? { color: view.theme.surface, borderColor: look.colour, borderWidth: 1.5 } : { color: look.colour };
}

function drawn(figure: Figure, s: Series, index: number, x: Place, y: Place, view: View): Option[] {
  const look = lookOf(figure, index, view.theme);
  const tint = look.colour;
  let parts: Option[];
  if (figure.kind === 'bars') {
    parts = [{
      type: 'bar', name: s.name, data: pairs(figure, s, x, y), color: tint, ...kBars,
      itemStyle: s.printed
        ? { color: view.theme.surface, borderColor: tint, borderWidth: 1.5, borderType: 'dashed' }
        : { color: tint, borderRadius: [2, 2, 0, 0] },
      emphasis: { disabled: true }, animation: false,
    }];
  } else if (figure.kind === 'scatter') {
    const data = pairs(figure, s, x, y);
    parts = [{
      type: 'scatter', name: s.name, data: data, color: tint, symbol: look.marker,
      symbolSize: data.length > 500 ? 4 : 7, large: data.length > 6000, animation: false, emphasis: { disabled: true },
      itemStyle: look.open ? { color: 'transparent', borderColor: tint, borderWidth: 1.5 } : { color: tint, opacity: data.length > 500 ? 0.65 : 0.9 },
    }];
  } else {
    parts = line(figure, s, index, x, y, view);
  }
  if (s.low && s.high) parts.push(whiskers(figure, s, index, x, y, view));
  return parts;
}

// A series' name as it is read: "load 0.3" of 0.3.
export function shownName(figure: Figure, name: string): string {
  return figure.legend ? figure.legend + ' ' + name : name;
}

// How many lines the legend takes on paper.
function legendRows(figure: Figure, view: View): number {
  let rows = 1;
  let used = 0;
  figure.series.forEach((s) => {
    const width = 26 + 15 + shownName(figure, s.name).length * view.fontSize * 0.55;
    if (used > 0 && used + width > view.width - 24) {
      rows++;
      used = 0;
    }
    used += width;
  });
  return rows;
}

export function options(figure: Figure, view: View): Option {
  const x = placeOf(figure, 'x', view);
  const y = placeOf(figure, 'y', view);
  const series: Option[] = [];
  figure.series.forEach((s, i) => drawn(figure, s, i, x, y, view).forEach((o) => series.push(o)));

  const legend = view.paper && figure.series.length > 1;
  const rowHeight = view.fontSize * 1.55;
  const dense = figure.series.some((s) => s.x.length > kSampled);
  const xAxis = isCategory(figure) ? categoryAxis(figure, view) : valueAxis(figure, 'x', x, view);
  const yAxis = valueAxis(figure, 'y', y, view);
  yAxis.axisLine.onZero = false;
  const said = blank(figure, x, y);
  if (said !== '')
    [xAxis, yAxis].forEach((axis) => {
      if (axis.type === 'category') return;
      axis.axisLabel.show = axis.axisTick.show = axis.splitLine.show = false;
    });
  const out: Option = {
    animation: false,
    backgroundColor: view.paper ? view.theme.surface : 'transparent',
    textStyle: { fontFamily: view.font, fontSize: view.fontSize, color: view.theme.ink },
    grid: {
      left: 10, right: 20, bottom: 8, top: legend ? 10 + rowHeight * legendRows(figure, view) : 14,
      outerBoundsMode: 'same', outerBoundsContain: 'all',
    },
    legend: {
      show: legend, top: 2, left: 'center', itemWidth: 26, itemHeight: 9, itemGap: 10, padding: [2, 8], selected: view.selected,
      textStyle: { color: view.theme.ink, fontSize: view.fontSize, fontFamily: view.font }, lineStyle: { width: 2 },
      formatter: (name: string): string => shownName(figure, name),
      data: figure.series.map((s) => (figure.kind === 'stack' ? { name: s.name, icon: 'roundRect' } : { name: s.name })),
    },
    title: {
      show: said !== '', text: said, left: 'center', top: 'middle',
      textStyle: { color: view.theme.faint, fontSize: view.fontSize, fontFamily: view.font, fontWeight: 'normal' },
    },
    xAxis: xAxis,
    yAxis: yAxis,
    series: series,
  };
  if (view.paper) return out;
  out.tooltip = {
    trigger: figure.kind === 'scatter' ? 'item' : 'axis',
    confine: true, transitionDuration: 0,
    backgroundColor: view.theme.surface, borderColor: view.theme.grid, padding: [8, 12],
    textStyle: { color: view.theme.ink, fontSize: 12.5, fontFamily: view.font },
    axisPointer: { type: figure.kind === 'bars' ? 'shadow' : 'line', lineStyle: { color: view.theme.line }, animation: false },
    formatter: (of: any): string => tooltip(figure, of, x, y, view),
  };
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

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
}

function tooltip(figure: Figure, of: any, x: Place, y: Place, view: View): string {
  const list: any[] = of instanceof Array ? of : [of];
  if (list.length === 0) return '';
  const first = list[0].value[0];
  const exact = (axis: Axis, v: number): string => withUnit(v, axis.unit, 5);
  const head = isCategory(figure) ? categories(figure)[first] : figure.x.label + ' ' + exact(figure.x, first * x.factor);
  // with many series, those with the largest values
  const rows = list.filter((p) => p.value[1] !== null && p.value[1] !== undefined);
  const shown = rows.length > 12 ? rows.slice().sort((a, b) => b.value[1] - a.value[1]).slice(0, 12) : rows;
  let html = '<div class="tip"><b>' + escaped(head) + '</b><table>';
  shown.forEach((p) => {
    const index = indexOf(figure, p.seriesName);
    const look = lookOf(figure, index, view.theme);
    html += '<tr><td><i style="' + (look.open ? 'border:2px solid ' : 'background:') + look.colour + '"></i>' + escaped(shownName(figure, p.seriesName)) + '</td><td>' +
      exact(figure.y, p.value[1] * y.factor) + range(figure, p, x) + '</td></tr>';
  });
  if (rows.length > shown.length) html += '<tr><td>and ' + (rows.length - shown.length) + ' smaller ones</td><td></td></tr>';
  return html + '</table></div>';
}

function indexOf(figure: Figure, name: string, printed?: boolean): number {
  for (let i = 0; i < figure.series.length; i++)
    if (figure.series[i].name === name && (printed === undefined || printed === !!figure.series[i].printed)) return i;
  return -1;
}

// The whisker of a point, if it has one.
function range(figure: Figure, point: any, x: Place): string {
  const s = figure.series[indexOf(figure, point.seriesName)];
  if (!s.low || !s.high) return '';
  const given = figure.kind === 'bars' && figure.x.scale !== 'category' ? places(figure)[point.value[0]] : point.value[0] * x.factor;
  for (let k = 0; k < s.x.length; k++) {
    const low = s.low[k];
    const high = s.high[k];
    if (Math.abs(s.x[k] - given) <= Math.abs(given) * 1e-9 && low !== null && high !== null && low !== undefined && high !== undefined)
      return ' <small>' + withUnit(low, figure.y.unit) + ' \u2013 ' + withUnit(high, figure.y.unit) + '</small>';
  }
  return '';
}
