// What drives a run that goes on: run, pause, step, stop.
import { h } from '../dom';
import { Live } from './live';
import { Store } from './state';
import { instant, whole } from './words';

export class Controls {
  readonly element: HTMLElement;
  private readonly button = h('button', { type: 'button', class: 'choice main', 'data-tool': 'go', title: 'run or pause (r)', onclick: () => this.go() }, 'Run');
  private readonly span = h('input', { type: 'text', class: 'short', 'aria-label': 'length of a step', title: 'whole epochs, like 10 us', value: '10 us' });
  private readonly until = h('input', { type: 'text', class: 'short', 'aria-label': 'run until', placeholder: 'like 2 ms' });
  private readonly pace = h('select', { 'aria-label': 'pace', title: 'simulated time in a second', onchange: () => this.live.news?.state === 'running' && void this.wish(this.runWish()) },
    ...[['', 'as fast as it can'], ['1 ms', '1 ms/s'], ['100 us', '100 \u00b5s/s'], ['10 us', '10 \u00b5s/s'], ['1 us', '1 \u00b5s/s']].map(([value, text]) => h('option', { value }, text)));
  private readonly follow = h('button', { type: 'button', class: 'choice', 'data-tool': 'present', title: 'to the present, and on with it (.)', onclick: () => this.toPresent() }, 'Follow');
  private readonly text = h('output', { class: 'state', role: 'status' });
  private readonly error = h('p', { class: 'notice bad', role: 'alert', hidden: true });

  constructor(readonly live: Live, readonly store: Store) {
    const button = (tool: string, text: string, title: string, act: () => void) => h('button', { type: 'button', class: 'choice', 'data-tool': tool, title, onclick: act }, text);
    const onEnter = (act: () => void) => (event: KeyboardEvent) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      act();
    };
    this.span.addEventListener('keydown', onEnter(() => this.step()));
    this.until.addEventListener('keydown', onEnter(() => this.runUntil()));
    this.element = h('section', { class: 'live card', 'aria-label': 'the run' },
      h('div', { class: 'row' }, this.button, button('step-run', 'Step', 'run for so long, then pause (s)', () => this.step()), this.span,
        button('until', 'Run until', 'run until then, then pause', () => this.runUntil()), this.until, this.pace, this.follow,
        h('span', { class: 'grow' }), button('stop', 'Stop', 'end the run here and keep its results', () => void this.wish({ do: 'stop' }))),
      h('div', { class: 'row' }, this.text), this.error);
    store.on((changed) => changed.has('bin') && this.show());
  }

  get follows(): boolean {
    return this.store.state.bin >= this.store.bins - 1;
  }

  toPresent(): void {
    const s = this.store.state;
    const wide = s.until - s.from;
    this.store.set({ bin: this.store.bins - 1, until: this.store.bins, from: s.from === 0 ? 0 : this.store.bins - wide });
  }

  go(): void {
    void this.wish(this.live.state === 'running' ? { do: 'pause' } : this.runWish());
  }

  step(): void {
    void this.wish({ do: 'step', span: this.span.value });
  }

  private runUntil(): void {
    void this.wish({ ...this.runWish(), until: this.until.value });
  }

  private runWish(): object {
    return { do: 'run', pace: this.pace.value };
  }

  private async wish(wish: object): Promise<void> {
    try {
      await this.live.act(wish);
      this.error.hidden = true;
    } catch (error) {
      this.error.textContent = (error as Error).message;
      this.error.hidden = false;
    }
  }

  show(): void {
    const { state, news } = this.live;
    this.element.dataset.state = state;
    this.button.textContent = state === 'running' ? 'Pause' : 'Run';
    this.follow.setAttribute('aria-pressed', String(this.follows));
    for (const one of Array.from(this.element.querySelectorAll('button, input, select'))) one.toggleAttribute('disabled', state === 'gone' || state === 'ended');
    if (state === 'gone') this.text.textContent = 'weir is not there any more: the run was ended, or failed; its terminal says more. What was seen so far stays on this page.';
    if (!news || state === 'gone') return;
    this.element.dataset.now = String(news.now_ps);
    this.text.textContent = [(state === 'running' ? 'running, ' : 'paused at ') + instant(news.now_ps, news.epoch_ps) + (news.until_ps ? ', until ' + instant(news.until_ps, news.epoch_ps) : ''),
      whole(news.flows_started - news.flows_completed) + ' flows active', whole(news.flows_completed) + ' finished', 'an epoch is ' + instant(news.epoch_ps, news.epoch_ps),
      ...(news.changes > 0 ? ['changed ' + (news.changes === 1 ? 'once' : news.changes + ' times')] : [])].join(' \u00b7 ');
  }
}
