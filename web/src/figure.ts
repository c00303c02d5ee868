// What the weir command calls under Duktape: the text of a figure document -> the text of its SVG.
import { Figure } from './document';
import { paperOf, toSvg } from './svg';

declare const globalThis: { weirFigure(text: string): string };

globalThis.weirFigure = (text) => {
  const figure: Figure = JSON.parse(text);
  return toSvg(figure, paperOf(figure)) + '\n';
};
