// What the kinds of figures have in common, and in what they differ. A new kind has a row here, and its marks in marks.ts.
//
// It also runs under Duktape, inside the weir command, so it keeps to ES5 at run time.
import { Figure } from './document';

export interface Kind {
  on: 'axes' | 'cells' | 'spokes'; // what its series lie on; spokes are no axes of ECharts, and cannot be zoomed
  pointer: 'axis' | 'item'; // what is told of on hovering: all at one x, or one mark
  flips: string; // axes that may be switched between linear and logarithmic
  sample: 'line' | 'dot' | 'area'; // what of a series the legend shows
  height: number; // on paper, without a long legend and notes
}

const kinds: { [kind: string]: Kind } = {
  lines: { on: 'axes', pointer: 'axis', flips: 'xy', sample: 'line', height: 270 },
  steps: { on: 'axes', pointer: 'axis', flips: 'xy', sample: 'line', height: 270 },
  bars: { on: 'axes', pointer: 'axis', flips: 'xy', sample: 'area', height: 270 },
  scatter: { on: 'axes', pointer: 'item', flips: 'xy', sample: 'dot', height: 270 },
  stack: { on: 'axes', pointer: 'axis', flips: 'x', sample: 'area', height: 270 },
  radar: { on: 'spokes', pointer: 'item', flips: '', sample: 'line', height: 330 },
  surface: { on: 'cells', pointer: 'item', flips: '', sample: 'line', height: 300 },
};

export function kindOf(figure: Figure): Kind {
  return kinds[figure.kind];
}
