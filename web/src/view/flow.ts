// A flow: why it was slow, its path or its spray over paths, and its course.
import { h } from '../dom';
import { anatomyTable, medianOf, sharesOf, verdict } from './anatomy';
import { coursePlan } from './course';
import { Context, Panel, goTo, heading } from './panel';
import { Plot } from './plot';
import { fillers } from './port';
import { Flows, Paths } from './run';
import { bytes, counted, flowName, instant, nodeName, percent, portName, rate, time, times } from './words';

// The ports of a flow's data with their bytes, in the order of first use.
function portsOf(paths: Paths, flow: number): { port: number; bytes: number }[] {
  const out = [];
  for (let k = paths.byFlow.start[flow]; k < paths.byFlow.start[flow + 1]; k++) out.push({ port: paths.port[paths.byFlow.order[k]], bytes: paths.bytes[paths.byFlow.order[k]] });
  return out;
}

// The ports of a single path from end to end; null if there are several paths, or it is not known.
function singlePath(context: Context, flows: Flows, flow: number, ports: { port: number }[]): number[] | null {
  const { run } = context;
  const byOwner = new Map<number, number>();
  for (const { port } of ports) {
    if (byOwner.has(run.from[port])) return null;
    byOwner.set(run.from[port], port);
  }
  const out: number[] = [];
  for (let at = flows.src[flow]; at !== flows.dst[flow] && out.length <= ports.length;) {
    const port = byOwner.get(at);
    if (port === undefined) return null;
    out.push(port);
    at = run.to[port];
  }
  return out.length === ports.length ? out : null;
}

export async function flowPanel(context: Context, flow: number): Promise<Panel> {
  const { run, store } = context;
  const flows = await run.flows();
  const [anatomy, paths, occupancy] = [await run.anatomy(), await run.paths(), await run.occupancy()];
  const course = await run.course();
  const step = run.interval;
  const finished = !isNaN(flows.finish[flow]);
  const [start, end] = [flows.start[flow], finished ? flows.finish[flow] : Math.max(run.doc.sim_time_ps, flows.start[flow])];
  const ports = portsOf(paths, flow);
  const single = singlePath(context, flows, flow, ports);
  const median = medianOf(flows, anatomy, flow);

  // the port of a part: of an unsprayed flow, queue_n is port n of its path, the last with all beyond it
  const portOf = (part: number): number => {
    const n = /^queue_(\d+)$/.exec(run.doc.parts[part].name);
    return n && single && single.length > Number(n[1]) ? single[Number(n[1])] : -1;
  };
  const place = (part: number) => (portOf(part) < 0 ? '' : ' (' + portName(run, portOf(part)) + ')');
  // when, in its life, the flow's port had the longest queue
  const frames = await context.frames();
  const worstAt = (port: number) => (frames.worstOf(port, run.binAt(start), run.binAt(end) + 1) ?? run.binAt(start)) * step;
  const where = (part: number) => (portOf(part) < 0 ? null : goTo(context, { kind: 'port', id: portOf(part) }, portName(run, portOf(part)), worstAt(portOf(part)), 'queue'));

  const facts = [run.doc.algorithms[flows.algorithm[flow]], run.doc.tags[flows.tag[flow]] && 'tag ' + run.doc.tags[flows.tag[flow]], bytes(flows.size[flow]), 'starts at ' + instant(start, 1e5)].filter(Boolean);
  const node = (n: number) => goTo(context, { kind: 'node', id: n }, nodeName(run, n));
  const head = heading(flowName(flows, flow).replace('flow', 'Flow'), h('span', {}, node(flows.src[flow]), ' \u2192 ', node(flows.dst[flow]), ' \u00b7 ' + facts.join(' \u00b7 ')), h('button', {
    type: 'button', class: 'link', 'data-tool': 'life', title: 'the time line shows this flow\u2019s life (z)', onclick: () => zoomToLife(context, start, end),
  }, 'zoom to its life'));

  const why = h('section', { class: 'why' }, h('h3', {}, 'Why was this flow slow?'));
  if (finished && anatomy.row[flow] >= 0) {
    const medianLink = median && median.flow !== flow ? goTo(context, { kind: 'flow', id: median.flow }, flowName(flows, median.flow)) : null;
    why.append(h('p', { class: 'verdict' }, verdict(run, anatomy, flows, flow, median, place)), ...others(), anatomyTable(run, anatomy, flows, flow, median, medianLink, where));
    if (!median) why.append(h('p', { class: 'fine' }, 'Too few flows of its size finished to compare it with.'));
  } else why.append(h('p', { class: 'verdict' }, finished ? 'Of this flow there is no anatomy.' : (run.doc.live === 'running' ? 'It has not finished, ' : 'It had not finished when the run ended, ') + time(end - start) + ' after its start' + (flows.ideal[flow] > 0 ? ', ' + times((end - start) / flows.ideal[flow]) + ' what it needs alone' : '') + '. Only finished flows have an anatomy.'));

  // who was in the way where it waited longest
  function others(): Node[] {
    const worst = sharesOf(run, anatomy, flow).filter((s) => portOf(s.part) >= 0).sort((a, b) => b.ps - a.ps)[0];
    if (!worst || worst.ps < 0.1 * (end - start)) return [];
    const list = fillers(context, occupancy, portOf(worst.part), start, end, flow);
    if (list.length === 0) return [];
    const out = h('p', { class: 'fine' }, 'In the way at ' + portName(run, portOf(worst.part)) + ' during its life, of the bytes waiting: ');
    list.slice(0, 4).forEach((f, i) => out.append(i > 0 ? ', ' : '', goTo(context, { kind: 'flow', id: f.flow }, flowName(flows, f.flow)), ' (' + percent(f.share) + ')'));
    if (list.length > 4) out.append(', and ' + (list.length - 4) + ' more');
    return [out];
  }

  const plot = new Plot(330, (ps) => context.goTime(ps));
  const draw = () => {
    const margin = 0.03 * (end - start) + step;
    const plan = coursePlan(run, course, flow, start - margin, end + margin, flowName(flows, flow));
    if (plan) plot.show(plan);
    return plan !== null;
  };
  const drawn = draw();
  const pathList = h('section', {}, h('h3', {}, single ? 'Its path' : ports.length > 0 ? 'Its spray over paths' : 'Its path'),
    ports.length === 0 ? h('p', { class: 'fine' }, 'It is not known: either no packet of it left, or it took more than 32 ports and was not followed.')
      : h('ol', { class: 'path' + (single ? '' : ' many') }, ...(single ?? ports.map((p) => p.port)).map((port) => h('li', {}, goTo(context, { kind: 'port', id: port }, portName(run, port), worstAt(port)),
        ' ', h('small', {}, rate(run.rate[port]) + (single ? '' : ', ' + bytes(ports.find((p) => p.port === port)?.bytes ?? 0)))))));
  const again = flows.again[flow] > 0 ? counted(flows.again[flow], 'packet') + ' sent again' : 'nothing sent again';
  const element = h('div', {}, head, why, h('section', {}, h('h3', {}, 'Its course ', h('small', {}, again)), drawn ? plot.element : h('p', { class: 'fine' }, 'The course of this flow was not recorded; those of ' + counted(course.followed.size, 'flow') + ' were.')), pathList);

  const most = ports.reduce((m, p) => Math.max(m, p.bytes), 1);
  const ends = new Map([[flows.src[flow], 'from host ' + flows.src[flow]], [flows.dst[flow], 'to host ' + flows.dst[flow]]]);
  for (const { port } of ports) for (const n of [run.from[port], run.to[port]]) if (!ends.has(n)) ends.set(n, '');
  const update = () => plot.setNow((store.state.bin + 0.5) * step);
  update();
  return {
    element, highlight: { quiet: 0.22, ports: new Map(ports.map((p): [number, number] => [p.port, p.bytes / most])), nodes: ends }, life: [start, end], dispose: () => plot.dispose(),
    update: (changed) => {
      if (changed.has('theme')) draw();
      update();
    },
  };
}

// The time line from a little before the flow's start to a little after its end.
export function zoomToLife(context: Context, start: number, end: number): void {
  const { run, store } = context;
  const margin = Math.max(4, Math.round((0.15 * (end - start)) / run.interval));
  store.set({ from: Math.max(0, run.binAt(start) - margin), until: Math.min(run.bins, run.binAt(end) + margin + 1), bin: Math.min(run.binAt(end), Math.max(run.binAt(start), store.state.bin)) });
}
