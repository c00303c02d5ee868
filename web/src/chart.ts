// A figure on the page: its card, and the chart once it comes near the view.
import * as echarts from 'echarts/core';
import { DataZoomComponent, ToolboxComponent, TooltipComponent } from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';
import { Axis, Figure } from './document';
import { h, save, svg } from './dom';
import { View, isCategory, ticksSeen } from './axes';
import { kindOf } from './kinds';
import { noteOf, options, shownName } from './options';
import { swatch } from './swatch';
import { paperOf, toSvg } from './svg';
import { font, onTheme, theme } from './theme';

echarts.use([DataZoomComponent, ToolboxComponent, TooltipComponent, CanvasRenderer]);

export class Chart {
  readonly card: HTMLElement;
  chart: echarts.ECharts | null = null;
  logX: boolean;
  logY: boolean;
  private readonly selected: { [name: string]: boolean } = {}; // by name: false = hidden
  private readonly stage = h('div', { class: 'stage', role: 'img', tabindex: 0 });
  private readonly paper = h('div', { class: 'paper' });
  private readonly legend = h('div', { class: 'legend', role: 'group', 'aria-label': 'series' });
  private readonly note = h('p', { class: 'caption note' });
  private active = false;
  private width = 0; // for which it was drawn

  constructor(readonly figure: Figure) {
    this.logX = figure.x.scale === 'log' && !isCategory(figure);
    this.logY = figure.y.scale === 'log' && figure.kind !== 'stack';
    for (const s of figure.series) this.selected[s.name] = true;
    this.stage.setAttribute('aria-label', figure.title + ': ' + figure.series.map((s) => s.name).join(', '));
    this.card = h('article', { class: 'card figure', id: 'figure-' + figure.id, 'data-figure': figure.id },
      h('header', {}, h('h3', {}, figure.title), this.tools()),
      figure.setting ? h('p', { class: 'setting' }, figure.setting) : null,
      figure.series.length > 1 ? this.legend : null, this.stage, this.paper,
      figure.caption ? h('p', { class: 'caption' }, figure.caption) : null, this.note);
    this.showLegend();
    this.tell();
    onTheme(() => {
      this.showLegend();
      this.draw();
    });
    new ResizeObserver(() => this.resize()).observe(this.stage);
    const near = new IntersectionObserver((entries) => {
      if (!entries.some((e) => e.isIntersecting)) return;
      near.disconnect();
      this.start();
    }, { rootMargin: '600px' });
    near.observe(this.card);
    // the wheel scrolls the page, unless the chart was clicked
    document.addEventListener('pointerdown', (event) => {
      const active = this.stage.contains(event.target as Node);
      if (active === this.active) return;
      this.active = active;
      if (kindOf(figure).on !== 'spokes') this.chart?.setOption({ dataZoom: [{ zoomOnMouseWheel: active || 'ctrl' }, { zoomOnMouseWheel: active || 'ctrl' }] });
    });
  }

  start(): void {
    if (this.chart) return;
    const begin = performance.now();
    this.chart = echarts.init(this.stage, null, { renderer: 'canvas' });
    this.chart.getZr().on('dblclick', () => this.draw());
    this.chart.on('datazoom', () => this.tick());
    this.draw();
    this.card.dataset.ms = String(Math.round(performance.now() - begin));
  }

  // Labels are broken and ticks chosen for a width.
  private resize(): void {
    if (!this.chart || this.stage.clientWidth === 0) return;
    this.chart.resize();
    if (Math.abs(this.stage.clientWidth - this.width) > 0.05 * this.width) this.draw();
  }

  // From scratch: the whole range is seen again.
  draw(): void {
    if (!this.chart) return;
    this.width = this.stage.clientWidth;
    this.chart.setOption(options(this.figure, this.view()), { notMerge: true });
    if (kindOf(this.figure).on !== 'spokes') this.chart.dispatchAction({ type: 'takeGlobalCursor', key: 'dataZoomSelect', dataZoomSelectActive: true });
    this.tell();
  }

  private view(): View {
    return {
      theme: theme(), font, fontSize: 12.5, width: this.stage.clientWidth, logX: this.logX, logY: this.logY, paper: false,
      selected: this.selected, wheel: this.active,
    };
  }

  // Axes get the ticks of what is seen of them.
  private tick(): void {
    const visible = (of: 'x' | 'y'): object => {
      // no public interface tells it
      const [low, high] = (this.chart as any).getModel().getComponent(of + 'Axis').axis.scale.getExtent();
      return ticksSeen(this.figure, of, this.view(), low, high);
    };
    this.chart?.setOption({ ...(!isCategory(this.figure) && { xAxis: visible('x') }), ...(this.figure.y.scale !== 'category' && { yAxis: visible('y') }) });
  }

  private tell(): void {
    this.card.dataset.logX = String(this.logX);
    this.card.dataset.logY = String(this.logY);
    this.note.textContent = noteOf(this.figure, this.view());
    this.note.hidden = this.note.textContent === '';
    this.card.dataset.drawn = String(this.chart !== null);
  }

  private tools(): HTMLElement {
    const f = this.figure;
    const flip = (axis: 'logX' | 'logY', label: string) =>
      h('button', {
        type: 'button', class: 'tool', 'data-tool': axis, 'aria-pressed': String(this[axis]), title: 'logarithmic ' + label + ' axis',
        onclick: (event: MouseEvent) => {
          this[axis] = !this[axis];
          (event.currentTarget as HTMLElement).setAttribute('aria-pressed', String(this[axis]));
          this.draw();
        },
      }, 'log ' + label);
    const tool = (name: string, title: string, icon: string, act: () => void) =>
      h('button', { type: 'button', class: 'tool icon', 'data-tool': name, title, 'aria-label': title, onclick: act },
        svg('<svg viewBox="0 0 16 16" width="15" height="15" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">' + icon + '</svg>'));
    return h('div', { class: 'tools' },
      isCategory(f) || kindOf(f).flips.indexOf('x') < 0 ? null : flip('logX', 'x'),
      kindOf(f).flips.indexOf('y') < 0 ? null : flip('logY', 'y'),
      tool('reset', 'show all again (double click)', '<path d="M2.5 8a5.5 5.5 0 1 0 1.8-4.1M2.5 2.5v3h3"/>', () => this.draw()),
      tool('wide', 'wider or narrower', '<path d="M10 2.5h3.5V6M6 13.5H2.5V10M13.5 2.5 9.5 6.5M2.5 13.5l4-4"/>', () => {
        this.card.classList.toggle('wide');
        this.resize();
      }),
      h('button', { type: 'button', class: 'tool', 'data-tool': 'svg', title: 'save the figure for a paper', onclick: () => save(f.id + '.svg', 'image/svg+xml', this.svg()) }, 'SVG'),
      h('button', { type: 'button', class: 'tool', 'data-tool': 'csv', title: 'save its data', onclick: () => save(f.id + '.csv', 'text/csv', this.csv()) }, 'CSV'));
  }

  private svg(): string {
    return toSvg(this.figure, { ...paperOf(this.figure), logX: this.logX, logY: this.logY, selected: this.selected });
  }

  private csv(): string {
    const quoted = (text: string) => (/[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text);
    const unit = (axis: { label: string; unit: string }) => quoted(axis.label + (axis.unit === '1' ? '' : ' [' + axis.unit + ']'));
    const f = this.figure;
    const ranges = f.series.some((s) => s.low && s.high);
    const counts = f.series.some((s) => s.count);
    // of a radar what was measured, of a surface the value of a cell
    const more = f.series.some((s) => s.values) ? 'measured' : f.z ? unit(f.z) : '';
    const name = (axis: Axis, v: number | null) => (axis.categories && v !== null ? quoted(axis.categories[v]) : v ?? '');
    const lines = ['series,' + unit(f.x) + ',' + unit(f.y) + (more && ',' + more) + (ranges ? ',low,high' : '') + (counts ? ',n' : '')];
    for (const s of f.series)
      s.x.forEach((x, i) => lines.push([
        quoted(s.name), name(f.x, x), name(f.y, s.y[i]), ...(more ? [(s.values ?? s.z)?.[i] ?? ''] : []), ...(ranges ? [s.low?.[i] ?? '', s.high?.[i] ?? ''] : []), ...(counts ? [s.count?.[i] ?? ''] : []),
      ].join(',')));
    return lines.join('\n') + '\n';
  }

  private showLegend(): void {
    this.legend.replaceChildren(...this.figure.series.map((s, i) =>
      h('button', {
        type: 'button', 'data-series': s.name, 'aria-pressed': String(this.selected[s.name]), title: 'click: hide or show; double click: this one alone',
        onclick: () => this.toggle(s.name), ondblclick: () => this.isolate(s.name),
      }, svg('<svg viewBox="0 0 26 12" width="26" height="12" aria-hidden="true">' + swatch(this.figure, i, theme()) + '</svg>'), h('span', {}, shownName(this.figure, s.name)))));
  }

  private toggle(name: string): void {
    this.selected[name] = !this.selected[name];
    this.select();
  }

  private isolate(name: string): void {
    const others = this.figure.series.filter((s) => s.name !== name);
    const alone = others.every((s) => !this.selected[s.name]);
    for (const s of others) this.selected[s.name] = alone;
    this.selected[name] = true;
    this.select();
  }

  private select(): void {
    this.chart?.setOption({ legend: { selected: this.selected } });
    for (const button of Array.from(this.legend.children) as HTMLElement[])
      button.setAttribute('aria-pressed', String(this.selected[button.dataset.series as string]));
  }

  // On paper the figure is the one that is saved.
  print(): void {
    this.paper.innerHTML = this.svg();
  }

  unprint(): void {
    this.paper.replaceChildren();
  }
}

