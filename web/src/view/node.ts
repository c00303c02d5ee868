// A switch or a host: its ports at the instant.
import { h } from '../dom';
import { Context, Panel, goTo, heading } from './panel';
import { bytes, instant, nodeName, percent, rate, tierName } from './words';

export async function nodePanel(context: Context, node: number): Promise<Panel> {
  const { run, store } = context;
  const frames = await context.frames();
  const flows = await run.flows();
  const out: number[] = [];
  const into: number[] = [];
  for (let p = 0; p < run.ports; p++) {
    if (run.from[p] === node) out.push(p);
    if (run.to[p] === node) into.push(p);
  }
  const host = node < run.doc.hosts;
  const body = h('tbody');
  const caption = h('h3', {});
  const tell = () => {
    const s = store.state;
    caption.textContent = 'Its ports ' + (s.span ? 'at worst of the time seen' : 'at ' + instant(s.bin * run.interval, run.interval));
    if (s.span) frames.fill(s.from, s.until, s.colour);
    else if (run.bins > 0) frames.fill(s.bin, s.bin + 1, s.colour);
    const by = s.colour === 'use' ? frames.use : frames.queue;
    // a host's one link in both directions
    const list = (host ? [...out, ...into] : out).slice().sort((a, b) => by[b] - by[a] || a - b);
    body.replaceChildren(...list.map((p) => h('tr', {}, h('td', { class: 'left' }, goTo(context, { kind: 'port', id: p }, nodeName(run, run.from[p]) + ' \u2192 ' + nodeName(run, run.to[p]))), h('td', {}, p), h('td', {}, rate(run.rate[p])),
      h('td', {}, percent(frames.use[p])), h('td', {}, bytes(frames.queue[p])))));
  };
  tell();
  const ends: Node[] = [];
  if (host) {
    const mine: number[] = [];
    for (let f = 0; f < flows.count; f++) if (flows.src[f] === node || flows.dst[f] === node) mine.push(f);
    ends.push(h('p', { class: 'fine' }, mine.length + (mine.length === 1 ? ' flow starts' : ' flows start') + ' or ends here: '), h('button', { type: 'button', class: 'link', onclick: () => context.find('host ' + node) }, 'list them'));
  }
  return {
    element: h('div', {}, heading(nodeName(run, node).replace(/^./, (c) => c.toUpperCase()), tierName(run.tier[node])), ...ends, caption,
      h('table', { class: 'dense' }, h('thead', {}, h('tr', {}, h('th', { class: 'left' }, 'port'), h('th', {}, 'number'), h('th', {}, 'rate'), h('th', {}, 'used'), h('th', {}, 'longest queue'))), body)),
    update: tell, highlight: host ? { quiet: 0.6, ports: new Map([...out, ...into].map((p): [number, number] => [p, 1])), nodes: new Map([[node, nodeName(run, node)]]) } : null,
  };
}
