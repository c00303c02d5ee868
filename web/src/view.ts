// The page of weir view.
import { brand } from './brand';
import { h } from './dom';
import { onTheme, themeSwitch } from './theme';
import { ViewDocument, readDocument } from './view_data';
import { findPanel } from './view/find';
import { flowPanel, zoomToLife } from './view/flow';
import { Frames } from './view/frames';
import { helpDialog } from './view/help';
import { nodePanel } from './view/node';
import { Context, Panel } from './view/panel';
import { pausePanel } from './view/pauses';
import { Picture } from './view/picture';
import { portPanel } from './view/port';
import { Run, pause } from './view/run';
import { Show, State, Store } from './view/state';
import { Timeline } from './view/timeline';
import { worstPanel } from './view/worst';

const doc: ViewDocument = readDocument();
// Milliseconds since the page was asked for.
const marks: { [name: string]: number } = {};

async function build(): Promise<void> {
  document.getElementById('document')!.remove();
  const run = new Run(doc);
  await run.start();
  const rows = (table: string) => doc.tables[table]?.rows ?? 0;
  const counts: { [kind in Show['kind']]: number } = { worst: 1, find: 1, flow: rows('flows'), port: run.ports, node: run.nodes, pause: rows('pauses') };
  const store = new Store(run.bins, (show) => show.id >= 0 && show.id < counts[show.kind]);
  const picture = new Picture(run, store);
  const timeline = new Timeline(run, store);
  let frames: Promise<Frames> | null = null;
  let asked: string | null = null;
  const context: Context = {
    run, store, goTime: (ps) => timeline.go(run.binAt(ps)),
    frames: () => (frames = frames ?? run.series().then((series) => new Frames(run, series))),
    find: (text) => {
      asked = text;
      if (store.state.show.kind === 'find') void open();
      else store.set({ show: { kind: 'find', id: 0 } });
    },
  };

  const dialog = helpDialog();
  const tab = (kind: 'worst' | 'find', text: string, key: string) =>
    h('button', { type: 'button', role: 'tab', 'data-tab': kind, title: key, onclick: () => store.set({ show: { kind, id: 0 } }) }, text);
  const tabs = [tab('worst', 'Worst', 'w'), tab('find', 'Flows and search', 'f, or / to search')];
  const body = h('div', { class: 'panel-body', role: 'tabpanel', tabindex: -1 });
  const panelElement = h('aside', { class: 'panel card', 'aria-label': 'details' }, h('div', { class: 'tabs', role: 'tablist' }, ...tabs), body);
  const ended = doc.complete ? h('span', { class: 'badge' }, doc.ended_by) : h('span', { class: 'badge warn', title: doc.reason ?? null }, 'incomplete: ' + doc.ended_by);
  document.getElementById('view')!.append(
    h('div', { class: 'bar' }, h('div', { class: 'within' }, brand(), h('h1', { title: doc.title }, doc.title || doc.result), h('span', { class: 'of' }, doc.title ? doc.result : ''), ended,
      h('span', { class: 'grow' }), h('button', { type: 'button', class: 'tool', 'data-tool': 'help', title: 'keys (?)', 'aria-label': 'keys', onclick: () => dialog.showModal() }, '?'), themeSwitch())),
    h('main', {}, h('div', { class: 'scene' }, picture.element, timeline.element), panelElement), dialog);

  let panel: Panel | null = null;
  let turn = 0;
  async function open(): Promise<void> {
    const mine = ++turn;
    const { kind, id } = store.state.show;
    for (const t of tabs) t.setAttribute('aria-selected', String(t.dataset.tab === kind));
    body.setAttribute('aria-busy', 'true');
    const given = asked;
    asked = null;
    const made = await (kind === 'worst' ? worstPanel(context) : kind === 'find' ? findPanel(context, given) : kind === 'flow' ? flowPanel(context, id)
      : kind === 'port' ? portPanel(context, id) : kind === 'node' ? nodePanel(context, id) : pausePanel(context, id));
    // meanwhile something else may have been chosen
    if (mine !== turn) return made.dispose?.();
    panel?.dispose?.();
    panel = made;
    body.replaceChildren(made.element);
    body.scrollTop = 0;
    body.setAttribute('aria-busy', 'false');
    body.dataset.shows = kind + '-' + id;
    picture.setHighlight(made.highlight ?? null);
    timeline.setLife(made.life ? [run.binAt(made.life[0]), run.binAt(made.life[1])] : null);
    // the camera of an address stays as it is
    const first = made.highlight?.nodes.keys().next();
    if (first && !first.done && marks.panel !== undefined) picture.reveal(first.value);
    made.update?.(new Set());
    if (given !== null || kind === 'find') made.focus?.();
    if (marks.panel === undefined) marks.panel = performance.now();
  }

  store.on((changed: Set<keyof State>) => {
    if (changed.has('show')) void open();
    else panel?.update?.(changed);
  });
  onTheme(() => panel?.update?.(new Set(['theme'])));
  keys(context, picture, timeline, dialog, () => panel);
  picture.draw();
  marks.picture = performance.now();
  // one frame with the network before the rest is unpacked
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  const made = await context.frames();
  picture.setFrames(made);
  timeline.setFrames(made);
  if (!/\bat=/.test(location.hash)) store.set({ bin: await tellingBin(run, made, store.state.show) });
  picture.draw();
  marks.colours = performance.now();
  await pause();
  await open();
  document.documentElement.dataset.ready = 'true';
  // For the browser's console, and for tests.
  Object.assign(window, { weirView: { run, store, picture, timeline, marks } });
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

function keys(context: Context, picture: Picture, timeline: Timeline, dialog: HTMLDialogElement, panel: () => Panel | null): void {
  const { store, run } = context;
  const next = (by: number) => {
    const list = picture.ranked();
    if (list.length === 0) return;
    const { kind, id } = store.state.show;
    const at = kind === 'port' ? list.indexOf(id) : -1;
    store.set({ show: { kind: 'port', id: list[at < 0 ? (by > 0 ? 0 : list.length - 1) : (at + by + list.length) % list.length] } });
  };
  const acts: { [key: string]: (event: KeyboardEvent) => void } = {
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
    Escape: () => store.set({ show: { kind: 'worst', id: 0 } }),
    '?': () => dialog.showModal(),
  };
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    const at = event.target as HTMLElement;
    const typing = at instanceof HTMLInputElement && at.type === 'search';
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
