// Weir's mark and name, at the top of its pages.
import { h, svg } from './dom';

const logo = '<svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true"><rect width="32" height="32" rx="7" fill="var(--accent)"/>' +
  '<path d="M5 12c4 0 4 4 8 4s4-4 7-4 4 4 7 4M5 20c4 0 4 4 8 4s4-4 7-4 4 4 7 4" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/></svg>';

export function brand(): HTMLElement {
  return h('a', { class: 'brand', href: '#' }, svg(logo), 'Weir');
}
