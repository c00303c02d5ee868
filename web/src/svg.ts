// A figure as SVG, for paper: in the command under Duktape, and in the page for printing and saving.
import * as echarts from 'echarts/core';
import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';
import { Figure } from './document';
import { escaped } from './format';
import { View } from './axes';
import { kindOf } from './kinds';
import { kSwatchGap, legendEntries, noteHeight, options, shownName } from './options';
import { light } from './style';
import { kSwatchHeight, kSwatchWidth, swatch } from './swatch';

echarts.use([BarChart, CustomChart, LineChart, ScatterChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

export interface Paper {
  width: number;
  height: number;
  logX: boolean;
  logY: boolean;
  selected?: { [name: string]: boolean };
}

// The width of a column, at which 12 px come out as 7 to 8 points.
export function paperOf(figure: Figure): Paper {
  const tall = figure.series.length > 6 ? 16 * Math.ceil((figure.series.length - 6) / 3) : 0;
  return { width: 420, height: kindOf(figure).height + tall, logX: figure.x.scale === 'log', logY: figure.y.scale === 'log' };
}

export function toSvg(figure: Figure, paper: Paper): string {
  const view: View = {
    theme: light, font: 'Helvetica, Arial, sans-serif', fontSize: 12, width: paper.width, logX: paper.logX, logY: paper.logY,
    paper: true, selected: paper.selected,
  };
  const height = paper.height + noteHeight(figure, view);
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: paper.width, height: height });
  chart.setOption(options(figure, view));
  const svg = chart.renderToSVGString();
  chart.dispose();
  return plainSvg(svg, figure).replace(/<\/svg>\s*$/, legend(figure, view) + '</svg>');
}

// The legend, as the page has it.
function legend(figure: Figure, view: View): string {
  return legendEntries(figure, view).map((e) => '<g transform="translate(' + e.x.toFixed(1) + ' ' + (e.y - kSwatchHeight / 2).toFixed(1) + ')">' +
    swatch(figure, e.index, view.theme) + '<text dy="' + kMiddle + '" x="' + (kSwatchWidth + kSwatchGap) + '" y="' + kSwatchHeight / 2 + '" fill="' + view.theme.ink +
    '" font-family="' + view.font + '" font-size="' + view.fontSize + 'px">' + escaped(shownName(figure, figure.series[e.index].name)) + '</text></g>').join('');
}

// How far below the middle of a line its letters stand, of their size: half the height of capitals, as in Helvetica.
const kMiddle = '0.35em';

// Without what only a browser in which ECharts runs has a use for: styles on hovering, marks of elements. Names are of
// the figure, so that it is the same whenever it is drawn, and several can stand in one page. Lines of text are shifted
// by a length, for not every renderer knows the baselines that ECharts names.
function plainSvg(svg: string, figure: Figure): string {
  return svg
    .replace(/<style[^]*?<\/style>\n?/, '')
    .replace(/ (class|ecmeta_\w+|pointer-events)="[^"]*"/g, '')
    .replace(/ dominant-baseline="central"/g, ' dy="' + kMiddle + '"')
    .replace(/\bzr\d+-c(\d+)/g, figure.id + '-c$1')
    .replace(/^(<svg[^>]*>)/, (head) => head + '<title>' + escaped(figure.title) + '</title>');
}
