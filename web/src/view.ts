// The page of weir view.
import { brand } from './brand';
import { h } from './dom';
import { onTheme, themeSwitch } from './theme';
import { ViewDocument, readDocument } from './view_data';
import { balancePanel } from './view/balance';
import { changePanel } from './view/change';
import { Controls } from './view/controls';
import { findPanel } from './view/find';
import { flowPanel, zoomToLife } from './view/flow';
import { Frames } from './view/frames';
import { helpDialog } from './view/help';
import { nodePanel } from './view/node';
import { Live, LiveRun, act } from './view/live';
import { Context, Panel } from './view/panel';
import { pausePanel } from './view/pauses';
import { Picture } from './view/picture';
import { portPanel } from './view/port';
import { firstRanks, ranksPanel } from './view/ranks';
import { Run, pause } from './view/run';
import { Show, State, Store } from './view/state';
import { Timeline } from './view/timeline';
import { worstPanel } from './view/worst';

const doc: ViewDocument = readDocument();
// Milliseconds since the page was asked for.
const marks: { [name: string]: number } = {};

async function build(): Promise<void> {
  document.getElementById('document')!.remove();
  let built = false;
  const goesOn = doc.live === 'running';
  const run = goesOn ? new LiveRun(doc) : new Run(doc);
  await run.start();
  const rows = (table: string) => doc.tables[table]?.rows ?? 0;
  const counts: { [kind in Show['kind']]: () => number } = { worst: () => 1, find: () => 1, ranks: () => doc.drivers?.length ?? 0, balance: () => 1, change: () => (goesOn ? 1 : 0), flow: () => rows('flows'), port: () => run.ports, node: () => run.nodes, pause: () => rows('pauses') };
  const live = run instanceof LiveRun ? new Live(run, told) : null;
  if (live) await live.ask();
  const store = new Store(run.bins, (show) => show.id >= 0 && show.id < counts[show.kind]());
  const picture = new Picture(run, store);
  const timeline = new Timeline(run, store);
  const controls = live && new Controls(live, store);
  let frames: Promise<Frames> | null = null;
  let asked: string | null = null;
  let near: [number, number] | null = null; // the ends of the last port that was shown
  const context: Context = {
    run, store, goTime: (ps) => timeline.go(run.binAt(ps)), zoomTime: (factor, ps) => timeline.zoom(factor, run.binAt(ps)),
    frames: () => (frames = frames ?? framesOf(run)),
    find: (text) => {
      asked = text;
      if (store.state.show.kind === 'find') void open();
      else store.set({ show: { kind: 'find', id: 0 } });
    },
  };

  const dialog = helpDialog(goesOn);
  const tab = (kind: 'worst' | 'find' | 'ranks' | 'balance' | 'change', text: string, key: string) =>
    h('button', { type: 'button', role: 'tab', 'data-tab': kind, title: key, onclick: () => store.set({ show: { kind, id: kind === 'ranks' ? firstRanks(run) : 0 } }) }, text);
  const tabs = [tab('worst', 'Worst', 'w'), tab('find', 'Flows and search', 'f, or / to search'), ...(firstRanks(run) >= 0 ? [tab('ranks', 'Ranks', 'k')] : []), tab('balance', 'Balance', 'b'), ...(goesOn ? [tab('change', 'Change', 'c')] : [])];
  const body = h('div', { class: 'panel-body', role: 'tabpanel', tabindex: -1 });
  const panelElement = h('aside', { class: 'panel card', 'aria-label': 'details' }, h('div', { class: 'tabs', role: 'tablist' }, ...tabs), body);
  const ended = goesOn ? h('span', { class: 'badge' }, 'live') : doc.complete ? h('span', { class: 'badge' }, doc.ended_by) : h('span', { class: 'badge warn', title: doc.reason ?? null }, 'incomplete: ' + doc.ended_by);
  document.getElementById('view')!.append(
    h('div', { class: 'bar' }, h('div', { class: 'within' }, brand(), h('h1', { title: doc.title }, doc.title || doc.result), h('span', { class: 'of' }, doc.title ? doc.result : ''), ended,
      h('span', { class: 'grow' }), doc.live === 'ended' && endButton(), h('button', { type: 'button', class: 'tool', 'data-tool': 'help', title: 'keys (?)', 'aria-label': 'keys', onclick: () => dialog.showModal() }, '?'), themeSwitch())),
    h('main', {}, h('div', { class: 'scene' }, picture.element, controls && controls.element, timeline.element), panelElement), dialog);

  let panel: Panel | null = null;
  let turn = 0;
  let opening = 0;
  // The panel of what is shown; `again`: it is shown already, and there are news.
  async function open(again = false): Promise<void> {
    if (again && opening > 0) return; // what is being opened has the news
    opening++;
    await fill(again).finally(() => opening--);
  }

  async function fill(again: boolean): Promise<void> {
    const mine = ++turn;
    const { kind, id } = store.state.show;
    if (kind === 'port') near = [run.from[id], run.to[id]];
    if (live && live.run.watched !== (kind === 'flow' ? id : -1)) {
      live.run.watched = kind === 'flow' ? id : -1;
      if (kind === 'flow') await live.ask();
    }
    for (const t of tabs) t.setAttribute('aria-selected', String(t.dataset.tab === kind));
    body.setAttribute('aria-busy', 'true');
    const given = asked;
    asked = null;
    const made = await (kind === 'worst' ? worstPanel(context) : kind === 'find' ? findPanel(context, given) : kind === 'ranks' ? ranksPanel(context, id) : kind === 'balance' ? balancePanel(context) : kind === 'change' ? changePanel(live as Live, near) : kind === 'flow' ? flowPanel(context, id)
      : kind === 'port' ? portPanel(context, id) : kind === 'node' ? nodePanel(context, id) : pausePanel(context, id));
    // meanwhile something else may have been chosen
    if (mine !== turn) return made.dispose?.();
    panel?.dispose?.();
    panel = made;
    const top = again ? body.scrollTop : 0;
    body.replaceChildren(made.element);
    body.scrollTop = top;
    body.setAttribute('aria-busy', 'false');
    body.dataset.shows = kind + '-' + id;
    picture.setHighlight(made.highlight ?? null);
    timeline.setLife(made.life ? [run.binAt(made.life[0]), run.binAt(made.life[1])] : null);
    // the camera of an address stays as it is
    const first = made.highlight?.nodes.keys().next();
    if (first && !first.done && marks.panel !== undefined && !again) picture.reveal(first.value);
    made.update?.(new Set());
    if (!again && (given !== null || kind === 'find')) made.focus?.();
    if (marks.panel === undefined) marks.panel = performance.now();
  }

  // What the run has told meanwhile is shown. A panel that has the focus stays as it is until it has lost it.
  let bin = run.interval;
  let isStale = false;
  async function told(): Promise<void> {
    if (!built) return;
    controls?.show();
    if (live?.state === 'gone') return;
    const made = await framesOf(run);
    frames = Promise.resolve(made);
    store.grow(run.bins, bin / run.interval);
    bin = run.interval;
    picture.setFrames(made);
    timeline.setFrames(made);
    timeline.show();
    if (panel?.news) await panel.news();
    else if (body.contains(document.activeElement) && body !== document.activeElement) isStale = true;
    else await open(true);
  }
  body.addEventListener('focusout', () => {
    if (!isStale) return;
    isStale = false;
    void open(true);
  });

  store.on((changed: Set<keyof State>) => {
    if (changed.has('show')) void open();
    else panel?.update?.(changed);
  });
  onTheme(() => panel?.update?.(new Set(['theme'])));
  keys(context, picture, timeline, dialog, () => panel, controls);
  picture.draw();
  marks.picture = performance.now();
  // one frame with the network before the rest is unpacked
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  const made = await context.frames();
  picture.setFrames(made);
  timeline.setFrames(made);
  if (goesOn) controls?.toPresent();
  else if (!/\bat=/.test(location.hash)) store.set({ bin: await tellingBin(run, made, store.state.show) });
  picture.draw();
  marks.colours = performance.now();
  await pause();
  await open();
  built = true;
  controls?.show();
  document.documentElement.dataset.ready = 'true';
  // For the browser's console, and for tests.
  Object.assign(window, { weirView: { run, store, picture, timeline, marks, live, panel: () => panel } });
}

async function framesOf(run: Run): Promise<Frames> {
  return new Frames(run, await run.series(), await run.outages());
}

// Of a result that is served by its run, which waits for this.
function endButton(): HTMLElement {
  const button: HTMLButtonElement = h('button', {
    type: 'button', class: 'choice', 'data-tool': 'end', title: 'weir ends; this page stays until it is closed', onclick: () => void act({ do: 'end' }).catch(() => undefined).then(() => {
      button.textContent = 'weir has ended';
      button.disabled = true;
    }),
  }, 'End');
  return button;
}

// The instant of an address that names none: the longest queue, of the port if one is shown, or the middle of a flow.
async function tellingBin(run: Run, frames: Frames, show: Show): Promise<number> {
  if (show.kind === 'flow') {
    const { start, finish } = await run.flows();
    return run.binAt(isNaN(finish[show.id]) ? start[show.id] : (start[show.id] + finish[show.id]) / 2);
  }
  if (show.kind === 'pause') return run.binAt((await run.pauses()).from[show.id]);
  let best = 0;
  for (let b = 1; b < run.bins; b++) if (frames.longest[b] > frames.longest[best]) best = b;
  return show.kind === 'port' ? frames.worstOf(show.id) ?? best : best;
}

function keys(context: Context, picture: Picture, timeline: Timeline, dialog: HTMLDialogElement, panel: () => Panel | null, controls: Controls | null): void {
  const { store, run } = context;
  const next = (by: number) => {
    const list = picture.ranked();
    if (list.length === 0) return;
    const { kind, id } = store.state.show;
    const at = kind === 'port' ? list.indexOf(id) : -1;
    store.set({ show: { kind: 'port', id: list[at < 0 ? (by > 0 ? 0 : list.length - 1) : (at + by + list.length) % list.length] } });
  };
  const acts: { [key: string]: (event: KeyboardEvent) => unknown } = {
    ' ': () => timeline.play(!timeline.playing),
    ArrowLeft: (e) => timeline.step(e.shiftKey ? -10 : -1),
    ArrowRight: (e) => timeline.step(e.shiftKey ? 10 : 1),
    Home: () => timeline.go(store.state.from),
    End: () => timeline.go(store.state.until - 1),
    '[': () => timeline.zoom(2),
    ']': () => timeline.zoom(0.5),
    '\\': () => store.set({ from: 0, until: run.bins }),
    z: () => {
      const life = panel()?.life;
      if (life) zoomToLife(context, life[0], life[1]);
    },
    q: () => store.set({ colour: 'queue' }),
    u: () => store.set({ colour: 'use' }),
    x: () => store.set({ span: !store.state.span }),
    n: () => next(1),
    p: () => next(-1),
    '+': () => picture.zoom(1.5),
    '=': () => picture.zoom(1.5),
    '-': () => picture.zoom(1 / 1.5),
    '0': () => picture.fit(),
    '/': () => (store.state.show.kind === 'find' ? panel()?.focus?.() : store.set({ show: { kind: 'find', id: 0 } })),
    w: () => store.set({ show: { kind: 'worst', id: 0 } }),
    f: () => store.set({ show: { kind: 'find', id: 0 } }),
    k: () => firstRanks(run) >= 0 && store.set({ show: { kind: 'ranks', id: firstRanks(run) } }),
    b: () => store.set({ show: { kind: 'balance', id: 0 } }),
    Escape: () => store.set({ show: { kind: 'worst', id: 0 } }),
    '?': () => dialog.showModal(),
    ...(controls && { r: () => controls.go(), s: () => controls.step(), '.': () => controls.toPresent(), c: () => store.set({ show: { kind: 'change', id: 0 } }) }),
  };
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    const at = event.target as HTMLElement;
    const typing = at instanceof HTMLInputElement && ['search', 'text', 'number'].includes(at.type);
    const own = at instanceof HTMLSelectElement || (at instanceof HTMLInputElement && !typing);
    if (typing && event.key !== 'Escape') return;
    // what has the focus answers to its own keys
    if (event.key === ' ' && (at instanceof HTMLButtonElement || own)) return;
    if (own && /^(Arrow|Home|End)/.test(event.key)) return;
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    if (event.key === 'Escape') at.blur();
    act(event);
  });
}

void build();
