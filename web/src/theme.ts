// Light or dark: as the system has it, unless chosen.
import { h, svg } from './dom';
import { Theme, dark, light } from './style';

type Choice = 'auto' | 'light' | 'dark';

// The pages' font, for canvases.
export const font = getComputedStyle(document.documentElement).getPropertyValue('--font').trim() || 'system-ui, sans-serif';

const system = matchMedia('(prefers-color-scheme: dark)');
const listeners: (() => void)[] = [];
let choice: Choice = stored();

// Pages opened from disk may have no storage.
function stored(): Choice {
  try {
    const value = localStorage.getItem('weir-theme');
    return value === 'light' || value === 'dark' ? value : 'auto';
  } catch {
    return 'auto';
  }
}

export function isDark(): boolean {
  return choice === 'dark' || (choice === 'auto' && system.matches);
}

export function theme(): Theme {
  return isDark() ? dark : light;
}

export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

function apply(): void {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

const icons: { [name in Choice]: string } = {
  auto: '<circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" stroke-width="1.4"/><path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor"/>',
  light: '<circle cx="8" cy="8" r="3" fill="currentColor"/><g stroke="currentColor" stroke-width="1.4" stroke-linecap="round"><path d="M8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6M3.2 3.2l1.1 1.1M11.7 11.7l1.1 1.1M12.8 3.2l-1.1 1.1M4.3 11.7l-1.1 1.1"/></g>',
  dark: '<path d="M13.2 9.8A5.6 5.6 0 0 1 6.2 2.8a5.6 5.6 0 1 0 7 7z" fill="currentColor"/>',
};

export function themeSwitch(): HTMLElement {
  const buttons = (['auto', 'light', 'dark'] as Choice[]).map((name) =>
    h('button', {
      type: 'button', 'data-choice': name, title: name === 'auto' ? 'as the system' : name, 'aria-label': 'colours: ' + name,
      onclick: () => {
        choice = name;
        try {
          localStorage.setItem('weir-theme', name);
        } catch { /* chosen for this view only */ }
        show();
        apply();
      },
    }, svg('<svg viewBox="0 0 16 16" width="15" height="15" aria-hidden="true">' + icons[name] + '</svg>')));
  const show = () => buttons.forEach((b) => b.setAttribute('aria-pressed', String(b.dataset.choice === choice)));
  show();
  system.addEventListener('change', apply);
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  return h('div', { class: 'switch', role: 'group', 'aria-label': 'colours' }, ...buttons);
}
