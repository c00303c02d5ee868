// A surface: cells whose colours are values, lines between them at round values, and a bar that says which colour is
// which.
//
// Colours are not needed to read it: few cells have their values in them, and many have lines of equal values, which the
// bar has too. The line at the centre is thick, and those below the centre are broken.
//
// It also runs under Duktape, inside the weir command, so it keeps to ES5 at run time.
import { Option, Place, View, evenTicks, logTicks, nameAt, ticksSeen, valueAxis } from './axes';
import { Axis, Figure, Series } from './document';
import { plain, scaleFor, textWidth, withUnit } from './format';
import { Theme, mixed } from './style';

const kFewCells = 100; // up to so many have their values in them, if these have room
const kBarGap = 14; // from the cells to the bar
const kBarWidth = 13;
const kBarSteps = 48;

export function cellsOf(figure: Figure): Series {
  return figure.series.filter((s) => !!s.z)[0];
}

function distinct(values: number[]): number[] {
  const seen: { [v: string]: boolean } = {};
  return values.filter((v) => (seen[v] ? false : (seen[v] = true))).sort((a, b) => a - b);
}

// From where to where the cells of an axis reach: to half way between their middles, as the axis has it.
export function edges(axis: Axis, middles: number[]): number[] {
  const log = axis.scale === 'log';
  const to = (v: number): number => (log ? Math.log(v) : v);
  const from = (v: number): number => (log ? Math.exp(v) : v);
  const n = middles.length;
  const half = (i: number): number => (n > 1 ? (to(middles[i + 1]) - to(middles[i])) / 2 : 0.5);
  const out = [from(to(middles[0]) - half(0))];
  for (let i = 0; i + 1 < n; i++) out.push(from(to(middles[i]) + half(i)));
  out.push(from(to(middles[n - 1]) + half(Math.max(0, n - 2))));
  return out;
}

// An axis that ends with the cells. That of categories has numbers too, 0 for the first.
export function cellAxis(figure: Figure, of: 'x' | 'y', place: Place, view: View): Option {
  const axis = figure[of];
  const out = valueAxis(figure, of, place, view);
  const all = edges(axis, distinct(cellsOf(figure)[of] as number[]));
  out.min = all[0] / place.factor;
  out.max = all[all.length - 1] / place.factor;
  out.splitLine.show = false;
  out.axisLine.onZero = false;
  out.z = 3; // above the cells
  const names = axis.scale === 'category' ? axis.categories || [] : null;
  const ticks = names ? { axisTick: { show: false }, axisLabel: { customValues: names.map((_, i) => i), formatter: (v: number): string => names[v] || '' } }
    : ticksSeen(figure, of, view, out.min, out.max);
  out.axisTick = { ...out.axisTick, ...ticks.axisTick };
  out.axisLabel = { ...out.axisLabel, ...ticks.axisLabel };
  return out;
}

interface Colours {
  low: number;
  high: number;
  log: boolean;
  factor: number;
  unit: string;
  ticks: number[]; // at which lines are drawn, without the centre
  of(value: number): string;
}

function coloursOf(figure: Figure, theme: Theme): Colours {
  const axis = figure.z as Axis;
  const log = axis.scale === 'log';
  const there = (cellsOf(figure).z as (number | null)[]).filter((v) => v !== null && v !== undefined && !(log && v <= 0)) as number[];
  let low = Math.min.apply(null, there);
  let high = Math.max.apply(null, there);
  if (there.length === 0) low = high = 1;
  const to = (v: number): number => (log ? Math.log(v) : v);
  const centre = axis.centre;
  // equal distances from the centre are equally strong
  const reach = centre === undefined ? 0 : Math.max(Math.abs(to(high) - to(centre)), Math.abs(to(low) - to(centre))) || 1;
  const scale = scaleFor(axis.unit, Math.max(Math.abs(low), Math.abs(high)));
  const ticks = high > low ? (log && high / low > 10 ? logTicks : evenTicks)(low / scale.factor, high / scale.factor).map((v) => v * scale.factor) : [low];
  return {
    low: low, high: high, log: log, factor: scale.factor, unit: scale.unit,
    ticks: ticks.filter((v) => centre === undefined || Math.abs(v - centre) > 1e-9 * Math.abs(high - low)),
    of: (v) => {
      if (centre === undefined) return mixed(theme.grid, theme.series[0], high > low ? (to(v) - to(low)) / (to(high) - to(low)) : 0.5);
      const far = (to(v) - to(centre)) / reach;
      return mixed(theme.grid, theme.series[far < 0 ? 0 : 1], Math.min(1, Math.abs(far)));
    },
  };
}

function barTicks(figure: Figure, colours: Colours): { v: number; text: string }[] {
  const axis = figure.z as Axis;
  const all = colours.ticks.concat(axis.centre !== undefined && axis.centre >= colours.low && axis.centre <= colours.high ? [axis.centre] : []);
  return all.map((v) => ({ v: v, text: nameAt(axis, v) || plain(v / colours.factor) }));
}

// What the bar needs at the right of the cells.
export function barRoom(figure: Figure, view: View): number {
  const wide = barTicks(figure, coloursOf(figure, view.theme)).reduce((w, t) => Math.max(w, textWidth(t.text, view.fontSize)), 0);
  return kBarGap + kBarWidth + 6 + wide + view.fontSize * 1.9;
}

function isDark(colour: string): boolean {
  const part = (i: number): number => parseInt(colour.substr(i, 2), 16);
  return 0.3 * part(1) + 0.59 * part(3) + 0.11 * part(5) < 130;
}

// How the line at a value is drawn.
function lineAt(figure: Figure, v: number): { lineWidth: number; lineDash?: number[] } {
  const centre = (figure.z as Axis).centre;
  return { lineWidth: v === centre ? 1.8 : 0.7, lineDash: centre !== undefined && v < centre ? [4, 3] : undefined };
}

// The lines of equal values through the middles of cells, as a path of SVG. A line crosses the sides of the squares
// between four middles; `at` tells where on screen a value of x and y is.
function lineThrough(x: number[], y: number[], z: (number | null)[][], level: number, at: (x: number, y: number) => number[]): string {
  const crossed: { [side: string]: { at: number[]; next: string[] } } = {};
  const sides: string[] = [];
  for (let i = 0; i + 1 < x.length; i++)
    for (let j = 0; j + 1 < y.length; j++) {
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
      if (corners.some(([p, q]) => z[p][q] === null)) continue;
      const met: string[] = [];
      // a side has one name, from whichever square it is seen
      [[0, 1], [1, 2], [3, 2], [0, 3]].forEach(([a, b]) => {
        const [p, q] = [corners[a], corners[b]];
        const [u, v] = [z[p[0]][p[1]] as number, z[q[0]][q[1]] as number];
        if ((u < level) === (v < level)) return;
        const side = p.concat(q).join();
        if (!crossed[side]) {
          const [from, to] = [at(x[p[0]], y[p[1]]), at(x[q[0]], y[q[1]])];
          const share = (level - u) / (v - u);
          crossed[side] = { at: [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])], next: [] };
          sides.push(side);
        }
        met.push(side);
      });
      for (let k = 0; k + 1 < met.length; k += 2) {
        crossed[met[k]].next.push(met[k + 1]);
        crossed[met[k + 1]].next.push(met[k]);
      }
    }
  let path = '';
  const follow = (side: string): void => {
    for (let head = 'M'; ; head = 'L') {
      const here = crossed[side];
      path += head + here.at.map((v) => v.toFixed(1)).join(' ');
      const next = here.next.pop();
      if (next === undefined) return;
      const back = crossed[next].next;
      back.splice(back.indexOf(side), 1);
      side = next;
    }
  };
  // those that have ends first, then those that are closed
  sides.forEach((side) => { if (crossed[side].next.length === 1) follow(side); });
  sides.forEach((side) => { if (crossed[side].next.length > 0) follow(side); });
  return path;
}

// The cells, the lines or values on them, and the bar.
export function cells(figure: Figure, s: Series, x: Place, y: Place, view: View): Option[] {
  const theme = view.theme;
  const colours = coloursOf(figure, theme);
  const xs = distinct(s.x);
  const ys = distinct(s.y as number[]);
  const xEdges = edges(figure.x, xs);
  const yEdges = edges(figure.y, ys);
  const grid: (number | null)[][] = xs.map(() => ys.map(() => null as number | null));
  const data: (number | null)[][] = [];
  s.x.forEach((v, i) => {
    const z = (s.z as (number | null)[])[i];
    const shown = z === null || z === undefined || (colours.log && z <= 0) ? null : z;
    const column = xs.indexOf(v);
    const row = ys.indexOf(s.y[i] as number);
    grid[column][row] = shown;
    data.push([v / x.factor, (s.y[i] as number) / y.factor, shown, column, row]);
  });
  const text = (z: number): string => plain(z / colours.factor, 3);
  let widest = 0;
  grid.forEach((column) => column.forEach((z) => { if (z !== null) widest = Math.max(widest, textWidth(text(z), view.fontSize - 1)); }));
  const few = data.length <= kFewCells && widest < (view.width - 90 - barRoom(figure, view)) / xs.length;
  const common: Option = { type: 'custom', name: s.name, animation: false, encode: { x: 0, y: 1 } };
  const parts: Option[] = [{
    ...common, data: data, clip: true, z: 1, itemStyle: { color: theme.series[0] },
    renderItem: (_: any, api: any): Option => {
      const i = api.value(3);
      const j = api.value(4);
      const low = api.coord([xEdges[i] / x.factor, yEdges[j] / y.factor]).map(Math.round);
      const high = api.coord([xEdges[i + 1] / x.factor, yEdges[j + 1] / y.factor]).map(Math.round);
      const z = grid[i][j];
      const shape = { x: low[0], y: high[1], width: high[0] - low[0], height: low[1] - high[1] };
      if (z === null) // crossed out
        return { type: 'group', children: [
          { type: 'rect', shape: shape, style: { fill: theme.surface } },
          { type: 'line', shape: { x1: low[0], y1: low[1], x2: high[0], y2: high[1] }, style: { stroke: theme.line, lineWidth: 0.7, fill: 'none' } },
        ] };
      const fill = colours.of(z);
      const rect = { type: 'rect', shape: shape, style: { fill: fill } };
      if (!few) return rect;
      return { type: 'group', children: [rect, {
        type: 'text', silent: true, x: (low[0] + high[0]) / 2, y: (low[1] + high[1]) / 2,
        style: { text: text(z), fill: isDark(fill) ? '#ffffff' : '#1a1f26', fontSize: view.fontSize - 1, fontFamily: view.font, align: 'center', verticalAlign: 'middle' },
      }] };
    },
  }];
  const levels = barTicks(figure, colours);
  const still: Option = { ...common, data: [[xs[0] / x.factor, ys[0] / y.factor]], silent: true, tooltip: { show: false } };
  if (!few)
    parts.push({
      ...still, clip: true, z: 2,
      renderItem: (_: any, api: any): Option => ({
        type: 'group', children: levels.map((t) => {
          const at = (u: number, v: number): number[] => api.coord([u / x.factor, v / y.factor]);
          return { type: 'path', shape: { pathData: lineThrough(xs, ys, grid, t.v, at) || 'M0 0' }, style: { fill: 'none', stroke: theme.ink, ...lineAt(figure, t.v) } };
        }),
      }),
    });
  parts.push({ ...still, clip: false, z: 2, renderItem: (params: any): Option => bar(figure, colours, view, params.coordSys) });
  return parts;
}

function bar(figure: Figure, colours: Colours, view: View, beside: { x: number; y: number; width: number; height: number }): Option {
  const theme = view.theme;
  const axis = figure.z as Axis;
  const left = beside.x + beside.width + kBarGap;
  const to = (v: number): number => (colours.log ? Math.log(v) : v);
  const from = (v: number): number => (colours.log ? Math.exp(v) : v);
  const span = to(colours.high) - to(colours.low);
  const up = (share: number): number => beside.y + beside.height * (1 - share);
  const parts: Option[] = [];
  const label = (x: number, y: number, text: string, more: Option): Option => ({
    type: 'text', x: x, y: y, ...(more.rotation ? { rotation: more.rotation } : {}),
    style: { text: text, fill: more.fill, fontSize: view.fontSize, fontFamily: view.font, align: more.align, verticalAlign: 'middle' },
  });
  for (let k = 0; k < kBarSteps; k++) {
    const top = Math.round(up((k + 1) / kBarSteps));
    parts.push({ type: 'rect', shape: { x: left, y: top, width: kBarWidth, height: Math.round(up(k / kBarSteps)) - top }, style: { fill: colours.of(from(to(colours.low) + span * (k + 0.5) / kBarSteps)) } });
  }
  let wide = 0;
  barTicks(figure, colours).forEach((t) => {
    const y = up(span > 0 ? (to(t.v) - to(colours.low)) / span : 0.5);
    parts.push({ type: 'line', shape: { x1: left, y1: y, x2: left + kBarWidth, y2: y }, style: { stroke: theme.ink, fill: 'none', ...lineAt(figure, t.v) } });
    parts.push(label(left + kBarWidth + 5, y, t.text, { fill: theme.faint, align: 'left' }));
    wide = Math.max(wide, textWidth(t.text, view.fontSize));
  });
  const name = colours.unit === '' ? axis.label : axis.label + ' (' + colours.unit + ')';
  parts.push(label(left + kBarWidth + 6 + wide + view.fontSize * 0.9, beside.y + beside.height / 2, name, { fill: theme.ink, align: 'center', rotation: Math.PI / 2 }));
  return { type: 'group', children: parts };
}

// What is told of a cell: its place, and its value.
export function cellTold(figure: Figure, value: (number | null)[], x: Place, y: Place): [string, string][] {
  const told = (axis: Axis, v: number, place: Place): string => (axis.scale === 'category' ? (axis.categories || [])[v] : withUnit(v * place.factor, axis.unit, 4));
  const z = value[2];
  return [
    [figure.x.label, told(figure.x, value[0] as number, x)], [figure.y.label, told(figure.y, value[1] as number, y)],
    [(figure.z as Axis).label, z === null || z === undefined || z !== z ? '\u2013' : withUnit(z, (figure.z as Axis).unit, 4)],
  ];
}
