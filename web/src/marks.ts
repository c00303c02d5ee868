// The marks of a figure: bars, lines, dots, and whiskers on them.
//
// It also runs under Duktape, inside the weir command, so it keeps to ES5 at run time.
import { Option, Place, View, isMarked, kManyPoints, places, whiskerLimits } from './axes';
import { Figure, Series } from './document';
import { kindOf } from './kinds';
import { Theme, colour, dash, hollow, marker } from './style';

export const kSampled = 4000; // above, ECharts draws the extremes of each pixel
// How bars share a category; whiskers stand where these put them.
const kBars = { barGap: '8%', barCategoryGap: '28%', barMaxWidth: 64, barMinWidth: 1 };

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

// By how much whiskers of several series at one x stand beside it, in pixels, so that each is seen.
function dodge(figure: Figure, index: number, view: View): number {
  const has = (s: Series): boolean => !!s.low && (!view.selected || view.selected[s.name] !== false);
  const all = figure.series.filter(has).length;
  if (all < 2 || figure.kind === 'bars') return 0;
  const step = Math.min(4, 12 / (all - 1));
  return step * (figure.series.slice(0, index).filter(has).length - (all - 1) / 2);
}

// A whisker that goes on beyond what is seen of the axis ends there, in an arrow.
function whiskers(figure: Figure, s: Series, index: number, x: Place, y: Place, view: View): Option {
  const least = whiskerLimits(figure, y.log)[0] / 10; // out of sight; for ends without a logarithm
  const at = figure.kind === 'bars' && figure.x.scale !== 'category' ? places(figure) : null;
  const data: number[][] = [];
  for (let i = 0; i < s.x.length; i++) {
    const low = s.low ? s.low[i] : null;
    const high = s.high ? s.high[i] : null;
    if (low === null || high === null || low === undefined || high === undefined || (y.log && high <= 0) || (x.log && s.x[i] <= 0)) continue;
    data.push([at ? at.indexOf(s.x[i]) : s.x[i] / x.factor, (y.log ? Math.max(low, least) : low) / y.factor, high / y.factor]);
  }
  const bars = figure.kind === 'bars';
  // hidden bars take no room
  const shown = (of: Series[]): number => of.filter((o) => !view.selected || view.selected[o.name] !== false).length;
  const tint = lookOf(figure, index, view.theme).colour;
  const stroke = bars ? view.theme.ink : tint;
  return {
    type: 'custom', name: s.name, data: data, z: 5, silent: true, clip: false,
    tooltip: { show: false }, encode: { x: 0, y: [1, 2] }, itemStyle: { color: tint },
    renderItem: (params: any, api: any): Option | null => {
      const high = api.coord([api.value(0), api.value(2)]);
      const low = api.coord([api.value(0), api.value(1)]);
      const top = params.coordSys.y;
      const bottom = top + params.coordSys.height;
      if (high[1] > bottom || low[1] < top) return null;
      // Whiskers of the first and the last x reach beyond the axis sideways; those of points that are out of sight do not.
      const left = params.coordSys.x;
      if (high[0] < left - 1 || high[0] > left + params.coordSys.width + 1) return null;
      let shift = dodge(figure, index, view);
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
      const from = Math.min(low[1], bottom);
      const to = Math.max(high[1], top);
      // `edge` is -1 at the upper end of the axis and 1 at the lower one
      const end = (at: number, clipped: boolean, edge: number): Option => (clipped ? {
        type: 'polygon', shape: { points: [[cx, at], [cx - 3.5, at - 6 * edge], [cx + 3.5, at - 6 * edge]] }, style: { fill: stroke, stroke: 'none' },
      } : part(cx - half, at, cx + half, at));
      return { type: 'group', children: [part(cx, to, cx, from), end(to, high[1] < top - 0.5, -1), end(from, low[1] > bottom + 0.5, 1)] };
    },
  };
}

export interface Look {
  colour: string;
  marker: string; // 'none' = it has no markers
  dash: 'solid' | number[];
  open: boolean; // drawn as an outline
}

// How a series looks. What authors printed of one has its colour and marker, hollow and dashed, and where there is such,
// only that is.
export function lookOf(figure: Figure, index: number, theme: Theme): Look {
  const twins = figure.series.map((s) => (s.printed ? indexOf(figure, s.name.replace(/(, printed)+$/, ''), false) : -1));
  const at = twins[index] < 0 ? index : twins[index];
  // lines over cells, which have the colours
  if (kindOf(figure).on === 'cells') return { colour: theme.ink, marker: 'none', dash: dash(index), open: false };
  const slot = twins.slice(0, at).filter((twin) => twin < 0).length;
  const printed = figure.series.some((s) => !!s.printed);
  const theirs = !!figure.series[index].printed;
  const points = figure.kind !== 'bars' && figure.kind !== 'stack';
  const long = figure.series[index].x.length > kManyPoints && figure.kind !== 'steps';
  const line = figure.kind === 'lines' || figure.kind === 'steps';
  const outlines = figure.kind === 'scatter' && figure.series.length > 1 && !isCloud(figure);
  return {
    colour: colour(theme, slot), marker: line && !isMarked(figure, figure.series[index]) ? 'none' : marker(slot),
    dash: theirs ? [3, 3] : printed || long ? 'solid' : dash(slot),
    open: theirs || (outlines && !printed) || (points && !printed && hollow(slot)),
  };
}

// The colour of a bar. Bars of a single series have the colours that series of their names have, unless the names are in
// an order, as numbers are.
export function colourOf(figure: Figure, index: number, at: number, theme: Theme): string {
  const names = figure.x.categories || [];
  const apart = figure.kind === 'bars' && figure.series.length === 1 && names.length > 1 && !names.every((n) => /^[\u2264<>~]?\s*[-+.\d]/.test(n));
  return apart ? colour(theme, at) : lookOf(figure, index, theme).colour;
}

function line(figure: Figure, s: Series, index: number, x: Place, y: Place, view: View): Option[] {
  const data = pairs(figure, s, x, y);
  const many = data.length > kManyPoints;
  const look = lookOf(figure, index, view.theme);
  const out: Option = {
    type: 'line', name: s.name, data: data, color: look.colour, connectNulls: false,
    step: figure.kind === 'steps' ? 'end' : false,
    showSymbol: isMarked(figure, s), symbol: look.marker === 'none' && !view.paper ? 'circle' : look.marker, symbolSize: view.paper ? 6 : 7,
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
  return [out];
}

function pointStyle(look: Look, view: View): Option {
  return look.open ? { color: view.theme.surface, borderColor: look.colour, borderWidth: 1.5 } : { color: look.colour };
}

// Dots of several series so that none hides another: if they are few, all are outlines, those of earlier series larger; in
// a cloud each series comes in kTurns parts, and these lie upon each other in turn.
const kTurns = 16;
const kCloud = 500; // dots of a series
const kCrowd = 50; // above, they are smaller

function isCloud(figure: Figure): boolean {
  return figure.series.some((s) => s.x.length > kCloud);
}

function dots(figure: Figure, s: Series, index: number, x: Place, y: Place, view: View): Option[] {
  const data = pairs(figure, s, x, y);
  const look = lookOf(figure, index, view.theme);
  const several = figure.series.length > 1;
  const many = isCloud(figure);
  const later = several && !many ? figure.series.length - 1 - index : 0;
  const turns = several && many ? kTurns : 1;
  const size = many ? 4 : data.length > kCrowd ? 5 : 7;
  const out: Option[] = [];
  for (let turn = 0; turn < turns; turn++)
    out.push({
      type: 'scatter', name: s.name, data: data.filter((_, i) => i % turns === turn), color: look.colour, symbol: look.marker,
      symbolSize: size + 3 * Math.min(later, 4), z: 2 + turn / turns, large: data.length > 6000, animation: false,
      emphasis: { disabled: true },
      itemStyle: look.open ? { color: 'transparent', borderColor: look.colour, borderWidth: many ? 1 : 1.5 } : { color: look.colour, opacity: many ? 0.75 : 0.9 },
    });
  return out;
}

// A "*" at the percentiles that stand on few values.
function stars(figure: Figure, s: Series, x: Place, y: Place, view: View): Option | null {
  const few = s.few || [];
  const at = pairs(figure, { name: s.name, x: few.map((i) => s.x[i]), y: few.map((i) => s.y[i]) }, x, y);
  if (at.length === 0) return null;
  return {
    type: 'scatter', name: s.name, data: at, symbol: 'circle', symbolSize: 1, silent: true, tooltip: { show: false },
    animation: false, z: 6, itemStyle: { color: 'transparent' },
    label: { show: true, formatter: '*', position: 'right', distance: 4, color: view.theme.ink, fontSize: view.fontSize + 2, fontFamily: view.font },
  };
}

export function drawn(figure: Figure, s: Series, index: number, x: Place, y: Place, view: View): Option[] {
  const look = lookOf(figure, index, view.theme);
  const tint = look.colour;
  let parts: Option[];
  if (figure.kind === 'bars') {
    parts = [{
      type: 'bar', name: s.name, data: pairs(figure, s, x, y), color: tint, ...kBars,
      itemStyle: s.printed
        ? { color: view.theme.surface, borderColor: tint, borderWidth: 1.5, borderType: 'dashed' }
        : { color: (p: { value: number[] }): string => colourOf(figure, index, p.value[0], view.theme), borderRadius: [2, 2, 0, 0] },
      // A bar of no height says that it is there.
      label: {
        show: !!s.few || s.y.some((v) => v === 0), position: 'insideBottom', color: view.theme.surface, fontSize: view.fontSize + 4,
        fontFamily: view.font, rich: { zero: { color: view.theme.ink, fontSize: view.fontSize } },
        formatter: (p: { dataIndex: number; value: number[] }): string =>
          p.value[1] === 0 ? '{zero|0}' : s.few && s.few.indexOf(p.dataIndex) >= 0 ? '*' : '',
      },
      emphasis: { disabled: true }, animation: false,
    }];
  } else if (figure.kind === 'scatter') {
    parts = dots(figure, s, index, x, y, view);
  } else {
    parts = line(figure, s, index, x, y, view);
  }
  if (s.low && s.high) parts.push(whiskers(figure, s, index, x, y, view));
  const few = figure.kind === 'bars' ? null : stars(figure, s, x, y, view);
  if (few) parts.push(few);
  return parts;
}

export function indexOf(figure: Figure, name: string, printed?: boolean): number {
  for (let i = 0; i < figure.series.length; i++)
    if (figure.series[i].name === name && (printed === undefined || printed === !!figure.series[i].printed)) return i;
  return -1;
}
