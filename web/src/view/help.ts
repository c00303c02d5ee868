// The keys, on the page itself.
import { h } from '../dom';

const keys: [string, string][] = [
  ['space', 'play, stop'],
  ['\u2190 \u2192', 'one step back, on; with Shift ten'],
  ['Home End', 'beginning, end of the time seen'],
  ['[ ] \\', 'see more time, less time, all of it'],
  ['z', 'see the life of the flow that is shown'],
  ['q u', 'links by queue, by utilisation'],
  ['x', 'links by the worst of the time seen, or by the instant'],
  ['n p', 'next, previous port, the busiest first'],
  ['+ \u2212 0', 'zoom the picture in, out, all of it'],
  ['/', 'search flows, ports, hosts, switches'],
  ['w f', 'the worst; the list of flows'],
  ['k b', 'ranks, if there are any; balance'],
  ['Esc', 'close, or back to the worst'],
  ['Tab', 'reaches everything; Enter opens'],
  ['?', 'this list'],
];

const pointer: [string, string][] = [
  ['picture', 'click a link, a half of a host\u2019s tile or a switch; drag to move; wheel to zoom; double click to see all'],
  ['time line', 'click to go there; Shift and drag, or the wheel, to zoom'],
  ['curves', 'click to go to that instant'],
  ['ranks', 'click to go to that instant, on a name to its host; wheel to zoom'],
  ['address', 'holds what you see: copy it to send a view'],
];

const ofRun: [string, string][] = [
  ['r', 'run, pause'],
  ['s', 'run for one step'],
  ['.', 'to the present, and on with it'],
  ['c', 'change the run'],
];

export function helpDialog(isLive: boolean): HTMLDialogElement {
  const list = (rows: [string, string][]) => h('table', { class: 'dense keys' }, h('tbody', {}, ...rows.map(([k, text]) => h('tr', {}, h('td', { class: 'left' }, ...(rows !== pointer ? k.split(' ').map((one) => h('kbd', {}, one)) : [k])), h('td', { class: 'left' }, text)))));
  const close = h('button', { type: 'button', class: 'tool', onclick: () => dialog.close() }, 'close');
  const dialog = h('dialog', { class: 'card', 'aria-label': 'keys' }, h('header', { class: 'panel-head' }, h('h2', {}, 'Keys'), close), list(keys), ...(isLive ? [h('h3', {}, 'The run'), list(ofRun)] : []), h('h3', {}, 'Pointer'), list(pointer));
  dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
  return dialog;
}
