// Lanes above each other on one time axis, drawn by ECharts.
import * as echarts from 'echarts/core';
import { BarChart, LineChart } from 'echarts/charts';
import { AriaComponent, GridComponent, TooltipComponent } from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';
import { h } from '../dom';
import { plain, scaleFor, withUnit } from '../format';
import { colour, dash, mixed } from '../style';
import { font, theme } from '../theme';
import { time } from './words';

echarts.use([BarChart, LineChart, GridComponent, TooltipComponent, AriaComponent, CanvasRenderer]);

export interface Curve {
  name: string;
  // 'step' holds until the next point, 'bins' since the one before, areas of a lane are stacked
  as: 'line' | 'step' | 'bins' | 'bar' | 'area';
  x: number[]; // picoseconds
  y: (number | null)[];
  look: number; // which colour and dash
  quiet?: boolean; // grey: what has no name of its own
}

export interface Lane {
  title: string;
  unit: string;
  share: number; // of the height
  curves: Curve[];
  most?: number; // the upper end of the axis
}

export interface Plan {
  label: string;
  from: number;
  until: number;
  lanes: Lane[];
}

const kTop = 36; // of a lane: its title, and half a label of the lane above
const kLeft = 70;
const kRight = 14;
const kBottom = 26;

export class Plot {
  readonly element: HTMLElement;
  private readonly stage = h('div', { class: 'lanes', role: 'img' });
  private readonly now = h('div', { class: 'nowline' });
  private chart: echarts.ECharts | null = null;
  private plan: Plan | null = null;
  private at = 0;
  private readonly watch = new ResizeObserver(() => this.resize());

  constructor(height: number, readonly pick: (ps: number) => void) {
    this.element = h('div', { class: 'plot' }, this.stage, this.now);
    this.stage.style.height = height + 'px';
    this.watch.observe(this.element);
  }

  dispose(): void {
    this.watch.disconnect();
    this.chart?.dispose();
    this.chart = null;
  }

  show(plan: Plan): void {
    this.plan = plan;
    this.stage.setAttribute('aria-label', plan.label);
    if (this.element.clientWidth > 0) this.draw();
  }

  // The instant that the page shows, as a line through all lanes.
  setNow(ps: number): void {
    this.at = ps;
    const plan = this.plan;
    if (!plan) return;
    const share = (ps - plan.from) / Math.max(1, plan.until - plan.from);
    this.now.hidden = share < 0 || share > 1;
    this.now.style.left = kLeft + share * (this.element.clientWidth - kLeft - kRight) + 'px';
  }

  private resize(): void {
    if (this.element.clientWidth === 0 || !this.plan) return;
    if (!this.chart) this.draw();
    else this.chart.resize();
    this.setNow(this.at);
  }

  private draw(): void {
    const plan = this.plan as Plan;
    if (!this.chart) {
      this.chart = echarts.init(this.stage, null, { renderer: 'canvas' });
      this.chart.getZr().on('click', (event) => {
        const share = (event.offsetX - kLeft) / Math.max(1, this.element.clientWidth - kLeft - kRight);
        const p = this.plan as Plan;
        if (share >= 0 && share <= 1) this.pick(p.from + share * (p.until - p.from));
      });
    }
    this.chart.setOption(this.options(plan), { notMerge: true });
    this.setNow(this.at);
  }

  private options(plan: Plan): echarts.EChartsCoreOption {
    const look = theme();
    const high = this.stage.clientHeight;
    const total = plan.lanes.reduce((sum, l) => sum + l.share, 0);
    const room = high - kBottom - plan.lanes.length * kTop;
    const scale = scaleFor('ps', plan.until);
    let top = 0;
    const grids: object[] = [];
    const titles: object[] = [];
    const xs: object[] = [];
    const ys: object[] = [];
    const series: object[] = [];
    plan.lanes.forEach((lane, i) => {
      const tall = (room * lane.share) / total;
      const last = i === plan.lanes.length - 1;
      grids.push({ left: kLeft, right: kRight, top: top + kTop, height: tall, outerBoundsMode: 'none' });
      top += kTop + tall;
      xs.push({
        type: 'value', gridIndex: i, min: plan.from, max: plan.until, splitNumber: 5, axisLine: { lineStyle: { color: look.line } }, axisTick: { show: last },
        splitLine: { show: true, lineStyle: { color: look.grid } },
        axisLabel: { show: last, color: look.faint, hideOverlap: true, showMaxLabel: false, showMinLabel: false, formatter: (v: number) => plain(v / scale.factor, 6) + '\u00a0' + scale.unit },
        axisPointer: { show: true, label: { show: last, formatter: (p: any) => time(p.value, 6) } },
      });
      const highest = lane.most ?? Math.max(0, ...lane.curves.map((c) => c.y.reduce((a: number, v) => Math.max(a, v ?? 0), 0)));
      const unit = scaleFor(lane.unit, lane.curves.some((c) => c.as === 'area') ? highest * 2 : highest);
      ys.push({
        type: 'value', gridIndex: i, min: 0, max: lane.most, name: lane.title, nameLocation: 'end', nameGap: 13, splitNumber: tall > 70 ? 4 : 2, minInterval: lane.unit === '1' ? 1 : undefined,
        nameTextStyle: { color: look.ink, fontWeight: 600, align: 'left', padding: [0, 0, 0, -kLeft + 14], fontSize: 12 },
        axisLine: { show: false }, axisTick: { show: false }, splitLine: { lineStyle: { color: look.grid } },
        axisLabel: { color: look.faint, formatter: (v: number) => plain(v / unit.factor, 3) + (unit.unit ? (unit.unit === '%' ? '' : '\u00a0') + unit.unit : '') },
      });
      for (const c of lane.curves) {
        const tint = c.quiet ? mixed(look.faint, look.surface, 0.45) : colour(look, c.look);
        series.push({
          name: c.name, type: c.as === 'bar' ? 'bar' : 'line', xAxisIndex: i, yAxisIndex: i, data: c.x.map((x, k) => [x, c.y[k]]), animation: false,
          // a few points may make no line
          symbol: c.as !== 'area' && c.x.length <= 12 ? 'circle' : 'none', symbolSize: 5,
          step: c.as === 'step' ? 'end' : c.as === 'bins' ? 'start' : false, connectNulls: c.as !== 'area', stack: c.as === 'area' ? 'lane' + i : undefined, barMaxWidth: 5, barMinWidth: 1.5, large: false,
          itemStyle: { color: tint, decal: c.as === 'area' && !c.quiet ? decal(c.look, look.surface) : undefined }, lineStyle: { color: tint, width: c.as === 'area' ? 0.6 : 1.7, type: c.as === 'area' || lane.curves.length === 1 ? 'solid' : dash(c.look) },
          areaStyle: c.as === 'area' ? { color: tint, opacity: 0.9 } : undefined,
        });
      }
    });
    return {
      animation: false, textStyle: { fontFamily: font, fontSize: 12, color: look.ink }, grid: grids, xAxis: xs, yAxis: ys, series, title: titles,
      axisPointer: { link: [{ xAxisIndex: 'all' }], lineStyle: { color: look.line } },
      tooltip: {
        trigger: 'axis', confine: true, backgroundColor: look.surface, borderColor: look.grid, textStyle: { color: look.ink, fontSize: 12.5 }, axisPointer: { animation: false },
        formatter: (items: any) => this.tip(Array.isArray(items) ? items : [items]),
      },
    };
  }

  // An element, so that names are texts.
  private tip(items: any[]): HTMLElement {
    const plan = this.plan as Plan;
    const rows = items.filter((i) => i.value[1] !== null && i.value[1] !== undefined && !(i.value[1] === 0 && items.length > 6)).slice(0, 14).map((i) => {
      const dot = h('i');
      dot.style.background = i.color;
      const unit = plan.lanes[i.axisIndex]?.unit ?? '1';
      return h('tr', {}, h('td', {}, dot, i.seriesName), h('td', {}, withUnit(i.value[1], unit)));
    });
    return h('div', { class: 'tip' }, h('b', {}, time(items[0]?.value[0] ?? 0, 6)), h('table', {}, h('tbody', {}, ...rows)));
  }
}

// Patterns by which stacked areas differ without colour.
function decal(look: number, ground: string): object {
  const kinds = [
    { dashArrayX: [1, 0], dashArrayY: [2, 6], rotation: -Math.PI / 4 },
    { symbol: 'circle', dashArrayX: [[8, 8], [0, 8, 8, 0]], dashArrayY: [6, 0], symbolSize: 0.6 },
    { dashArrayX: [1, 0], dashArrayY: [2, 6], rotation: Math.PI / 4 },
    { dashArrayX: [1, 0], dashArrayY: [2, 8], rotation: 0 },
    { symbol: 'rect', dashArrayX: [[6, 6], [0, 6, 6, 0]], dashArrayY: [6, 0], symbolSize: 0.7 },
    { dashArrayX: [1, 0], dashArrayY: [2, 8], rotation: Math.PI / 2 },
    { symbol: 'triangle', dashArrayX: [[9, 9], [0, 9, 9, 0]], dashArrayY: [7, 2], symbolSize: 0.75 },
  ];
  return look % 8 === 0 ? { symbol: 'none' } : { ...kinds[(look - 1) % 7], color: ground === '#ffffff' ? 'rgba(255,255,255,.5)' : 'rgba(0,0,0,.45)' };
}
