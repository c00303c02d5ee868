// What a series looks like in the legends of the page and of paper: the elements of an SVG of 26 by 12.
//
// It also runs under Duktape, inside the weir command, so it keeps to ES5 at run time.
import { Figure } from './document';
import { kindOf } from './kinds';
import { lookOf } from './marks';
import { Theme } from './style';

export const kSwatchWidth = 26;
export const kSwatchHeight = 12;

const shapes: { [name: string]: string } = {
  circle: '<circle cx="13" cy="6" r="3.4"',
  rect: '<rect x="9.8" y="2.8" width="6.4" height="6.4"',
  triangle: '<path d="M13 2 17 9.4H9z"',
  diamond: '<path d="M13 1.6 17.2 6 13 10.4 8.8 6z"',
};

export function swatch(figure: Figure, index: number, of: Theme): string {
  const look = lookOf(figure, index, of);
  const tint = look.colour;
  const sample = kindOf(figure).sample;
  if (sample === 'area')
    return '<rect x="4" y="1" width="18" height="10" rx="2" ' + (figure.series[index].printed
      ? 'fill="none" stroke="' + tint + '" stroke-width="1.5" stroke-dasharray="3 2"/>' : 'fill="' + tint + '"/>');
  const stroke = sample === 'dot' ? '' : '<path d="M0 6h26" fill="none" stroke="' + tint + '" stroke-width="2"' +
    (look.dash === 'solid' ? '' : ' stroke-dasharray="' + (look.dash as number[]).join(' ') + '"') + '/>';
  if (figure.series[index].z) return '<rect x="1" y="1" width="12" height="10" fill="' + of.series[0] + '"/><rect x="13" y="1" width="12" height="10" fill="' + of.series[figure.z && figure.z.centre !== undefined ? 1 : 0] + '"/>';
  if (look.marker === 'none') return stroke;
  return stroke + shapes[look.marker] + ' fill="' + (look.open ? of.surface : tint) + '" stroke="' + tint + '" stroke-width="1.4"/>';
}
