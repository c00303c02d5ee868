// A radar: a spoke for each category of x, 0 in the middle and 1 at the rim, and a series around them.
//
// ECharts has a radar of its own, which is 12 KB larger and draws a missing value as 0; this one leaves a gap.
//
// It also runs under Duktape, inside the weir command, so it keeps to ES5 at run time.
import { Option, View, broken } from './axes';
import { Figure, Series } from './document';
import { plain, textWidth } from './format';
import { Look, lookOf } from './marks';

const kRings = [0.25, 0.5, 0.75, 1];

export interface Insets {
  top: number;
  bottom: number;
}

interface Ring {
  x: number; // the middle
  y: number;
  r: number;
  names: string[]; // of the spokes, in lines
}

function ringOf(figure: Figure, view: View, insets: Insets, width: number, height: number): Ring {
  const names = (figure.x.categories || []).map((name) => broken(name, width / 4, view.fontSize));
  const lines = (name: string): string[] => name.split('\n');
  const wide = names.reduce((w, name) => Math.max(w, lines(name).reduce((v, l) => Math.max(v, textWidth(l, view.fontSize)), 0)), 0);
  const tall = names.reduce((t, name) => Math.max(t, lines(name).length), 1) * view.fontSize * 1.2 + 12;
  const room = height - insets.top - insets.bottom - 2 * tall;
  return { x: width / 2, y: insets.top + tall + room / 2, r: Math.max(20, Math.min(room, width - 2 * wide - 40) / 2), names: names };
}

function at(ring: Ring, spoke: number, v: number): number[] {
  const angle = 2 * Math.PI * spoke / ring.names.length;
  return [ring.x + ring.r * v * Math.sin(angle), ring.y - ring.r * v * Math.cos(angle)];
}

function segment(from: number[], to: number[], style: Option): Option {
  return { type: 'line', silent: true, shape: { x1: from[0], y1: from[1], x2: to[0], y2: to[1] }, style: { fill: 'none', ...style } };
}

function custom(data: number[][], renderItem: (params: any, api: any) => Option | null, more: Option): Option {
  return { type: 'custom', coordinateSystem: 'none', data: data, renderItem: renderItem, animation: false, ...more };
}

// Rings, spokes and their names.
export function web(figure: Figure, view: View, insets: Insets): Option {
  const scaled = figure.series.some((s) => !!s.values); // then the rings have no numbers, for each spoke has its own
  return custom([[0]], (_, api) => {
    const ring = ringOf(figure, view, insets, api.getWidth(), api.getHeight());
    const spokes = ring.names.map((_name, i) => i);
    const parts: Option[] = kRings.map((v) => ({
      type: 'polygon', shape: { points: spokes.map((i) => at(ring, i, v)) }, style: { fill: 'none', stroke: v === 1 ? view.theme.line : view.theme.grid, lineWidth: 1 },
    }));
    spokes.forEach((i) => {
      parts.push(segment([ring.x, ring.y], at(ring, i, 1), { stroke: view.theme.grid, lineWidth: 1 }));
      const [x, y] = at(ring, i, 1 + 9 / ring.r);
      const aside = Math.round((x - ring.x) / ring.r * 4);
      const above = Math.round((ring.y - y) / ring.r * 4);
      parts.push({
        type: 'text', x: x, y: y,
        style: {
          text: ring.names[i], fill: view.theme.ink, fontSize: view.fontSize, fontFamily: view.font, lineHeight: view.fontSize * 1.2,
          align: aside > 0 ? 'left' : aside < 0 ? 'right' : 'center', verticalAlign: above > 2 ? 'bottom' : above < -2 ? 'top' : 'middle',
        },
      });
    });
    if (!scaled)
      [0.5, 1].forEach((v) => {
        const [x, y] = at(ring, 0, v);
        parts.push({ type: 'text', x: x + 4, y: y + 7, style: { text: plain(v), fill: view.theme.faint, fontSize: view.fontSize - 2, fontFamily: view.font, align: 'left', verticalAlign: 'middle' } });
      });
    return { type: 'group', children: parts };
  }, { silent: true, tooltip: { show: false }, z: 1 });
}

function symbol(look: Look, view: View, x: number, y: number): Option {
  const style = { fill: look.open ? view.theme.surface : look.colour, stroke: look.colour, lineWidth: look.open ? 1.5 : 0 };
  const r = view.paper ? 3 : 3.5;
  if (look.marker === 'circle') return { type: 'circle', shape: { cx: x, cy: y, r: r }, style: style };
  if (look.marker === 'rect') return { type: 'rect', shape: { x: x - r, y: y - r, width: 2 * r, height: 2 * r }, style: style };
  const points = look.marker === 'triangle' ? [[x, y - r], [x + r, y + r], [x - r, y + r]] : [[x, y - r * 1.3], [x + r * 1.3, y], [x, y + r * 1.3], [x - r * 1.3, y]];
  return { type: 'polygon', shape: { points: points }, style: style };
}

// A datum for each spoke: its marker, and the line to the next one, if both have values.
export function around(figure: Figure, s: Series, index: number, view: View, insets: Insets): Option[] {
  const look = lookOf(figure, index, view.theme);
  const n = (figure.x.categories || []).length;
  const data: number[][] = [];
  const value: (number | null)[] = [];
  for (let i = 0; i < n; i++) value.push(null);
  s.x.forEach((spoke, i) => { value[spoke] = s.y[i]; });
  value.forEach((v, spoke) => { if (v !== null && v !== undefined) data.push([spoke, v]); });
  return [custom(data, (_, api) => {
    const ring = ringOf(figure, view, insets, api.getWidth(), api.getHeight());
    const spoke = api.value(0);
    const here = at(ring, spoke, api.value(1));
    const parts: Option[] = [];
    if (data.length === n && spoke === 0 && !s.printed)
      parts.push({ type: 'polygon', silent: true, shape: { points: data.map((d) => at(ring, d[0], d[1])) }, style: { fill: look.colour, opacity: 0.05 } });
    const next = value[(spoke + 1) % n];
    if (next !== null && next !== undefined)
      parts.push(segment(here, at(ring, spoke + 1, next), { stroke: look.colour, lineWidth: 2, lineDash: look.dash === 'solid' ? undefined : look.dash }));
    parts.push({ ...symbol(look, view, here[0], here[1]), z2: 10 });
    // what can be pointed at is larger than what is seen
    if (!view.paper) parts.push({ type: 'circle', z2: 11, shape: { cx: here[0], cy: here[1], r: 9 }, style: { fill: 'transparent' } });
    if (s.few && s.few.some((i) => s.x[i] === spoke))
      parts.push({ type: 'text', silent: true, z2: 12, x: here[0] + 5, y: here[1], style: { text: '*', fill: view.theme.ink, fontSize: view.fontSize + 2, fontFamily: view.font } });
    return { type: 'group', children: parts };
  }, { name: s.name, itemStyle: { color: look.colour }, z: 2 })];
}
