// What may be changed in a run that goes on.
import { h } from '../dom';
import { Live } from './live';
import { Panel } from './panel';
import { instant } from './words';

export function changePanel(live: Live, near: [number, number] | null): Panel {
  const { run } = live;
  const said = h('p', { class: 'notice', role: 'status', hidden: true });
  const act = async (wish: object, what: string) => {
    try {
      await live.act(wish);
      said.classList.remove('bad');
      said.textContent = what + ' at ' + instant(live.news?.now_ps ?? 0, live.news?.epoch_ps ?? 1) + '.';
    } catch (error) {
      said.classList.add('bad');
      said.textContent = (error as Error).message;
    }
    said.hidden = false;
  };
  const number = (name: string, value: number | string) => h('input', { type: 'number', min: 0, name, required: true, value, 'aria-label': name });
  const text = (name: string, value: string) => h('input', { type: 'text', name, value, required: true, 'aria-label': name });
  const choice = (name: string, texts: string[]) => h('select', { name, 'aria-label': name }, ...texts.map((t) => h('option', { value: t }, t)));
  const field = (label: string, input: HTMLElement) => h('label', {}, h('span', {}, label), input);
  const form = (kind: string, title: string, why: string, fields: HTMLElement[], submit: (data: (name: string) => string, button: string) => void, ...buttons: string[]) =>
    h('form', {
      class: 'change', 'data-change': kind, onsubmit: (event: SubmitEvent) => {
        event.preventDefault();
        const data = new FormData(event.target as HTMLFormElement);
        submit((name) => String(data.get(name) ?? ''), (event.submitter as HTMLButtonElement)?.value ?? buttons[0]);
      },
    }, h('h3', {}, title), h('p', { class: 'fine' }, why), h('div', { class: 'row' }, ...fields, ...buttons.map((b) => h('button', { type: 'submit', class: 'choice main', value: b }, b))));

  const sent = form('flow', 'Send a flow', 'It starts at the present instant.', [
    field('from host', number('src', 0)), field('to host', number('dst', Math.max(0, run.doc.hosts - 1))), field('size', text('size', '1 MB')),
    ...(run.doc.tags.length > 0 ? [field('tag', choice('tag', run.doc.tags))] : []), ...(run.profiles.length > 1 ? [field('profile', choice('profile', run.profiles))] : []),
  ], (data) => void act({ do: 'send', src: Number(data('src')), dst: Number(data('dst')), size: data('size'), tag: data('tag'), profile: data('profile') }, 'Sent a flow ' + data('src') + ' \u2192 ' + data('dst') + ' of ' + data('size')), 'Send');
  const links = form('link', 'Take a link down, or up again', 'All links between two nodes, in both directions.', [field('node', number('a', near ? near[0] : run.from[run.ports - 1] ?? 0)), field('and', number('b', near ? near[1] : run.to[run.ports - 1] ?? 0))],
    (data, button) => void act({ do: button.toLowerCase(), a: Number(data('a')), b: Number(data('b')) }, 'The link ' + data('a') + '\u2013' + data('b') + ' went ' + button.toLowerCase()), 'Down', 'Up');

  const key = choice('key', []);
  const value = text('value', '');
  const fill = () => { value.value = run.keys.find((k) => k.key === key.value)?.value ?? ''; };
  key.addEventListener('change', fill);
  const set = form('set', 'Change the scenario', 'What can change in a network that is in use, from the present instant on.', [field('key', key), field('value', value)],
    (data) => void act({ do: 'set', set: [data('key') + '=' + data('value')] }, 'Changed ' + data('key')), 'Set');

  const log = h('ol', { class: 'plainlist log' });
  const show = () => {
    if (key.options.length !== run.keys.length) {
      key.replaceChildren(...run.keys.map((k) => h('option', { value: k.key }, k.key)));
      fill();
    }
    log.replaceChildren(...(run.log.length > 0 ? run.log.map((c) => h('li', {}, instant(c.at_ps, live.news?.epoch_ps ?? 1) + ': ' + c.text)) : [h('li', { class: 'none' }, 'nothing yet')]));
  };
  show();
  return {
    element: h('div', {}, h('h2', {}, 'Change the run'), h('p', { class: 'fine' }, 'What is changed is noted in the results, in steering.toml, with which the run can be done again.'), said, sent, links, set, h('h3', {}, 'Changed so far'), log),
    highlight: null, news: show,
  };
}
