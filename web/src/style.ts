// How series are told apart: by colour (Okabe and Ito's, safe for the colour-blind, then eight as far from those and from
// each other as there are) and by marker and dash.

export interface Theme {
  ink: string;
  faint: string; // axis labels
  line: string; // axes
  grid: string;
  surface: string;
  series: string[];
}

export const light: Theme = {
  ink: '#1a1f26',
  faint: '#59636e',
  line: '#8b949e',
  grid: '#e6e9ed',
  surface: '#ffffff',
  series: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#5b5f66', '#8c6d1f',
    '#2a1a96', '#5f1206', '#9e57f9', '#8ae48a', '#c0bdd8', '#1d4d32', '#7a1a6b', '#26202f'],
};

// The same hues, light enough for a dark ground.
export const dark: Theme = {
  ink: '#e8ebef',
  faint: '#9aa5b1',
  line: '#66717d',
  grid: '#2a313a',
  surface: '#171c22',
  series: ['#4ba6e0', '#f08c45', '#2ec79b', '#e39ac6', '#f2b632', '#8fd0f7', '#b8bec6', '#cdb05a',
    '#4a4acb', '#94432f', '#9e57f9', '#a4ffa3', '#6d6c80', '#639374', '#932c80', '#f1edfa'],
};

const markers = ['circle', 'rect', 'triangle', 'diamond'];
const dashes: ('solid' | number[])[] = ['solid', [7, 3], [2, 2.5], [8, 3, 2, 3], [12, 4], [4, 2], [1, 3], [10, 3, 2, 3, 2, 3]];

// Each further round of colours is paler.
export function colour(theme: Theme, index: number): string {
  const base = theme.series[index % theme.series.length];
  const round = Math.floor(index / theme.series.length);
  return round === 0 ? base : mixed(base, theme.surface, Math.min(0.7, 0.35 * round));
}

export function marker(index: number): string {
  return markers[index % markers.length];
}

// The second four markers are drawn as outlines.
export function hollow(index: number): boolean {
  return index % (2 * markers.length) >= markers.length;
}

export function dash(index: number): 'solid' | number[] {
  return dashes[index % dashes.length];
}

export function mixed(a: string, b: string, share: number): string {
  let out = '#';
  for (let i = 1; i < 7; i += 2) {
    const v = Math.round(parseInt(a.substr(i, 2), 16) * (1 - share) + parseInt(b.substr(i, 2), 16) * share);
    out += (v < 16 ? '0' : '') + v.toString(16);
  }
  return out;
}
