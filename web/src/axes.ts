// The axes of a figure: their ranges, ticks and labels.
//
// It also runs under Duktape, inside the weir command, so it keeps to ES5 at run time.
import { Axis, Figure, Series } from './document';
import { plain, scaleFor, textWidth, withUnit } from './format';
import { Theme } from './style';

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
export type Option = { [key: string]: any };

export const kManyPoints = 60; // above, a line is drawn without a marker at each point
const kAxisHeight = 200; // of y, at least
const kBeside = 130; // left and right of the axis of x, with the labels and the name of y, at most
const kFewPlaces = 12; // up to so many values of x are ticks themselves

export function isCategory(figure: Figure): boolean {
  return figure.x.scale === 'category' || figure.kind === 'bars';
}

export function categories(figure: Figure): string[] {
  if (figure.x.categories) return figure.x.categories;
  const names: string[] = [];
  places(figure).forEach((x) => names.push(withUnit(x, figure.x.unit)));
  return names;
}

// The distinct x of bars that are not given by category, ascending.
export function places(figure: Figure): number[] {
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
export function extent(figure: Figure, of: 'x' | 'y', factor: number, log: boolean): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  const look = (v: number | null): void => {
    if (v === null || (log && v <= 0)) return;
    if (v < low) low = v;
    if (v > high) high = v;
  };
  figure.series.forEach((s) => s[of].forEach(look));
  if (of === 'y' && high >= low) {
    const [least, most] = whiskerLimits(figure, log);
    const within = (v: number | null): void => look(v === null ? null : Math.min(Math.max(v, least), most));
    figure.series.forEach((s) => {
      if (s.low) s.low.forEach(within);
      if (s.high) s.high.forEach(within);
    });
  }
  return high >= low ? [low / factor, high / factor] : [1, 10];
}

// How far whiskers widen the axis of y: by a decade beyond the values if it is logarithmic, else by as much again as the
// values take up from 0. What is longer is clipped, for the values are what the figure is of.
export function whiskerLimits(figure: Figure, log: boolean): [number, number] {
  let low = log ? Infinity : 0;
  let high = log ? 0 : 0;
  figure.series.forEach((s) => s.y.forEach((v) => {
    if (v === null || v === undefined || (log && v <= 0)) return;
    if (v < low) low = v;
    if (v > high) high = v;
  }));
  return log ? [low / 10, high * 10] : [low - (high - low), high + (high - low)];
}

// Whether a whisker of a drawn point ends beyond the axis.
export function isClipped(figure: Figure, y: Place): boolean {
  const [least, most] = whiskerLimits(figure, y.log);
  return figure.series.some((s) => s.y.some((v, i) => {
    const low = s.low ? s.low[i] : null;
    const high = s.high ? s.high[i] : null;
    if (v === null || v === undefined || (y.log && v <= 0) || low === null || high === null || low === undefined || high === undefined) return false;
    return low < least || high > most;
  }));
}

// Multiples of `step`, or of one that makes about six.
export function evenTicks(low: number, high: number, step = niceStep((high - low) / 6)): number[] {
  const ticks: number[] = [];
  if (!(step > 0)) return ticks;
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

// Ticks of a logarithmic axis at 1, 2, 5 or whole decades, whatever leaves about five.
export function logTicks(low: number, high: number): number[] {
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
  if ((figure.kind !== 'lines' && figure.kind !== 'surface') || isCategory(figure)) return few;
  for (const s of figure.series)
    for (const given of s.x) {
      const v = given / x.factor;
      if (few.indexOf(v) >= 0 || (x.log && v <= 0)) continue;
      if (few.length === kFewPlaces || (nameAt(figure.x, given) === null && Number(v.toPrecision(4)) !== Number(v.toPrecision(12)))) return [];
      few.push(v);
    }
  return few.sort((a, b) => a - b);
}

// Where ticks stand on an axis that reaches from `low` to `high`: at the few values of x there are, if their labels have
// room, else at round values. ECharts would put one at either end, whatever value that is.
function chosenTicks(figure: Figure, of: 'x' | 'y', place: Place, view: View, low: number, high: number): number[] {
  const few = of === 'x' ? fewPlaces(figure, place).filter((v) => v >= low && v <= high) : [];
  const at = (v: number): number => (place.log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low)) * (view.width - kBeside);
  const width = (v: number): number => textWidth(label(figure[of], place, v), view.fontSize);
  const room = few.every((v, i) => i === 0 || at(v) - at(few[i - 1]) > (width(v) + width(few[i - 1])) / 2 + view.fontSize / 2);
  if (few.length > 0 && room) return few;
  const round = place.log ? logTicks(low, high) : evenTicks(low, high);
  // what has a name of its own is told all the same
  const named = of === 'x' ? (figure.x.named || []).map((n) => n.at / place.factor).filter((v) => v >= low && v <= high) : [];
  const free = (v: number): boolean => named.every((n) => Math.abs(at(v) - at(n)) > (width(v) + width(n)) / 2 + view.fontSize / 2);
  return round.filter(free).concat(named);
}

// As options of an axis. Chosen ticks have room: none of them is hidden.
function ticksOf(ticks: number[]): Option {
  const values = ticks.length > 0 ? ticks : undefined;
  return { axisTick: { customValues: values }, axisLabel: { customValues: values, hideOverlap: values === undefined } };
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

export interface Place {
  factor: number;
  unit: string;
  log: boolean;
}

export function placeOf(figure: Figure, of: 'x' | 'y', view: View): Place {
  if (of === 'x' && isCategory(figure)) return { factor: 1, unit: '', log: false };
  const scale = scaleFor(figure[of].unit, largest(figure, of));
  const log = of === 'x' ? view.logX : view.logY && figure.kind !== 'stack';
  return { factor: log ? 1 : scale.factor, unit: scale.unit, log: log };
}

// What the tick at a value says instead of it; null = that value.
export function nameAt(axis: Axis, value: number): string | null {
  for (const name of axis.named || []) if (Math.abs(name.at - value) <= 1e-9 * Math.abs(value)) return name.text;
  return null;
}

function label(axis: Axis, place: Place, v: number): string {
  const name = nameAt(axis, v * place.factor);
  if (name !== null) return name;
  return place.log ? withUnit(v * place.factor, axis.unit) : plain(v, 6);
}

// Whether a marker stands at each point of a line: not where there are so many that they would cover it, not along 0, and
// on steps only at values that others printed, or at one alone, which has no line.
export function isMarked(figure: Figure, s: Series): boolean {
  if (figure.kind !== 'lines' && figure.kind !== 'steps') return false;
  const values = s.y.filter((v) => v !== null && v !== undefined);
  if (values.length > kManyPoints) return false;
  if (s.printed || values.length === 1) return true;
  return figure.kind === 'lines' && values.some((v) => v !== 0);
}

function marked(figure: Figure): boolean {
  return figure.series.some((s) => isMarked(figure, s));
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

// In as many lines as it takes to be no longer than the axis.
function axisName(axis: Axis, place: Place, view: View, room: number): string {
  return broken(place.log || place.unit === '' ? axis.label : axis.label + ' (' + place.unit + ')', room, view.fontSize);
}

export function valueAxis(figure: Figure, of: 'x' | 'y', place: Place, view: View): Option {
  const axis = figure[of];
  const out: Option = {
    type: place.log ? 'log' : 'value',
    name: axisName(axis, place, view, of === 'x' ? view.width - 70 : kAxisHeight),
    nameLocation: 'middle',
    nameGap: of === 'x' ? view.fontSize * 2.3 : undefined,
    nameTextStyle: { color: view.theme.ink, fontSize: view.fontSize, fontFamily: view.font, lineHeight: view.fontSize * 1.25 },
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
    out.axisLabel.hideOverlap = chosen.axisLabel.hideOverlap;
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
      else if (isClipped(figure, place)) {
        const range = extent(figure, 'y', place.factor, false);
        const low = Math.min(0, range[0]);
        limit(low, range[1], evenTicks(low, range[1]));
      }
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
export function niceStep(least: number): number {
  const unit = Math.pow(10, Math.floor(Math.log(least) / Math.LN10));
  for (const head of [1, 2, 2.5, 5]) if (head * unit >= least * 0.9999) return head * unit;
  return 10 * unit;
}

// Values that lie in a narrow band far from 0 are shown by themselves.
function narrow(figure: Figure): boolean {
  const range = extent(figure, 'y', 1, false);
  return range[0] > 0 && range[0] > 0.7 * range[1];
}

// A name in as many lines as it needs to be no wider than `room`, broken behind a dash or between words.
export function broken(name: string, room: number, fontSize: number): string {
  const lines: string[] = [];
  let line = '';
  name.replace(/ \u2013 /g, ' \u2013\n').split('\n').forEach((part) => {
    part.split(' ').forEach((word) => {
      const longer = line === '' ? word : line + ' ' + word;
      if (line !== '' && (textWidth(longer, fontSize) > room || line.charAt(line.length - 1) === '\u2013')) {
        lines.push(line);
        line = word;
      } else {
        line = longer;
      }
    });
  });
  lines.push(line);
  return lines.join('\n');
}

export function categoryAxis(figure: Figure, view: View): Option {
  const given = categories(figure);
  const room = 0.94 * (view.width - 70) / Math.max(1, given.length);
  const width = (lines: string[]): number => lines.reduce((w, line) => Math.max(w, textWidth(line, view.fontSize)), 0);
  // all in one line, in several, or turned
  let names = given;
  if (width(names) > room) names = given.map((n) => broken(n, room, view.fontSize));
  const turned = width(names.join('\n').split('\n')) > room;
  if (turned) names = given;
  const rows = names.reduce((n, name) => Math.max(n, name.split('\n').length), 1);
  return {
    type: 'category',
    data: names,
    boundaryGap: true,
    name: figure.x.label,
    nameLocation: 'middle',
    nameGap: turned ? undefined : view.fontSize * (1.1 + 1.2 * rows),
    nameTextStyle: { color: view.theme.ink, fontSize: view.fontSize, fontFamily: view.font },
    axisLine: { lineStyle: { color: view.theme.line } },
    axisTick: { show: false },
    axisLabel: {
      color: view.theme.faint, fontSize: view.fontSize, fontFamily: view.font,
      interval: names.length > 40 ? 'auto' : 0, rotate: turned ? 35 : 0, lineHeight: view.fontSize * 1.2,
    },
    splitLine: { show: false },
  };
}

