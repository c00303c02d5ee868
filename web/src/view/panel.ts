// What all panels beside the picture share.
import { h } from '../dom';
import { Frames } from './frames';
import { Highlight } from './paint';
import { Run } from './run';
import { Show, State, Store, hasId } from './state';

export interface Context {
  run: Run;
  store: Store;
  frames: () => Promise<Frames>;
  goTime: (ps: number) => void;
  zoomTime: (factor: number, around: number) => void; // around an instant
  find: (text: string) => void; // opens the list with this search
}

export interface Panel {
  element: HTMLElement;
  update?: (changed: Set<keyof State | 'theme'>) => void; // the page shows another instant, other colours
  highlight?: Highlight | null;
  life?: [number, number]; // in picoseconds: what the time line marks
  focus?: () => void;
  news?: () => void | Promise<void>; // of a run that goes on: it shows them itself; without it, it is made anew
  ranks?: { hosts: number[]; placeOf: (host: number, ps: number) => [number, number] }; // those with a row, and where they are drawn, for tests
  dispose?: () => void;
}

// A link within the page: it can be opened in another window, and it can be sent.
export function goTo(context: Context, show: Show, text: string | Node, at?: number, colour?: 'use' | 'queue'): HTMLElement {
  const link = h('a', {
    href: '#show=' + show.kind + (hasId(show.kind) ? '-' + show.id : ''), 'data-show': show.kind + '-' + show.id,
    onclick: (event: MouseEvent) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      context.store.set({ show, ...(colour && { colour }) });
      if (at !== undefined) context.goTime(at);
    },
  }, text);
  return link;
}

export function heading(title: string, under: Node | string | null, aside?: Node | null): HTMLElement {
  return h('header', { class: 'panel-head' }, h('div', {}, h('h2', {}, title), under ? h('p', {}, under) : null), aside ?? null);
}
