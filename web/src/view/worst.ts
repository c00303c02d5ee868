// Where to look first: the worst of each kind, a click away.
import { h } from '../dom';
import { balanceOf, groupsOf } from './balance';
import { Context, Panel, goTo } from './panel';
import { forestOf } from './pauses';
import { Show } from './state';
import { bytes, counted, flowEnds, flowName, instant, percent, portName, rootName, time, times, whole } from './words';

const kListed = 3; // of each kind; more on demand
const kMost = 12;

interface Entry {
  show: Show;
  at: number; // picoseconds
  what: string;
  value: string;
  colour?: 'use' | 'queue';
}

interface Kind {
  id: string;
  title: string;
  none: string;
  entries: Entry[];
}

// The places of the largest values above 0, the first of equals first.
function largest(values: ArrayLike<number>, count: number): number[] {
  const top: number[] = [];
  for (let i = 0; i < values.length; i++) {
    if (!(values[i] > 0) || (top.length === count && values[i] <= values[top[count - 1]])) continue;
    let k = top.length;
    while (k > 0 && values[top[k - 1]] < values[i]) k--;
    top.splice(k, 0, i);
    if (top.length > count) top.pop();
  }
  return top;
}

export async function worstKinds(context: Context): Promise<Kind[]> {
  const { run } = context;
  const frames = await context.frames();
  const s = frames.series;
  const step = run.interval;
  const sums = { queue: new Float64Array(run.ports), marked: new Float64Array(run.ports), dropped: new Float64Array(run.ports), sent: new Float64Array(run.ports) };
  const when = { queue: new Float64Array(run.ports), marked: new Float64Array(run.ports), dropped: new Float64Array(run.ports) };
  const most = { marked: new Float64Array(run.ports), dropped: new Float64Array(run.ports) };
  for (let i = 0; i < s.rows; i++) {
    const p = s.port[i];
    if (s.queue[i] > sums.queue[p]) [sums.queue[p], when.queue[p]] = [s.queue[i], s.bin[i]];
    const drops = s.dropped[i] + s.trimmed[i];
    sums.marked[p] += s.marked[i];
    sums.dropped[p] += drops;
    sums.sent[p] += s.sent[i];
    if (s.marked[i] > most.marked[p]) [most.marked[p], when.marked[p]] = [s.marked[i], s.bin[i]];
    if (drops > most.dropped[p]) [most.dropped[p], when.dropped[p]] = [drops, s.bin[i]];
  }
  const port = (p: number, bin: number, value: string): Entry => ({ show: { kind: 'port', id: p }, at: bin * step, what: portName(run, p), value, colour: 'queue' });
  const out: Kind[] = [{
    id: 'queue', title: 'Longest queues', none: 'No packet ever waited.',
    entries: largest(sums.queue, kMost).map((p) => port(p, when.queue[p], bytes(sums.queue[p]) + ' at ' + instant(when.queue[p] * step, step))),
  }];
  const flows = await run.flows();
  out.push({
    id: 'slow', title: 'Slowest flows', none: 'No flow finished.',
    entries: largest(flows.slowdown, kMost).map((f) => ({
      show: { kind: 'flow', id: f }, at: flows.start[f] + 0.5 * (flows.finish[f] - flows.start[f]), what: flowName(flows, f) + ' (' + flowEnds(flows, f) + ', ' + bytes(flows.size[f]) + ')',
      value: times(flows.slowdown[f]) + ' its time alone, ' + time(flows.finish[f] - flows.start[f]),
    })),
  });
  const open: number[] = [];
  for (let f = 0; f < flows.count; f++) if (isNaN(flows.finish[f])) open.push(f);
  if (open.length > 0) {
    const late = open.map((f) => (run.doc.sim_time_ps - flows.start[f]) / Math.max(1, flows.ideal[f]));
    out.push({
      id: 'open', title: 'Unfinished, longest overdue', none: '',
      entries: largest(late, kMost).map((k) => ({ show: { kind: 'flow', id: open[k] }, at: flows.start[open[k]], what: flowName(flows, open[k]) + ' (' + flowEnds(flows, open[k]) + ', ' + bytes(flows.size[open[k]]) + ')', value: 'open for ' + times(late[k]) + ' its time alone' })),
    });
  }
  const pauses = await run.pauses();
  const lasted = new Float64Array(pauses.count);
  for (let i = 0; i < pauses.count; i++) lasted[i] = run.pausedUntil(pauses, i) - pauses.from[i];
  out.push({
    id: 'pause', title: 'Longest pauses', none: 'PFC paused no port.',
    entries: largest(lasted, kMost).map((i) => ({ show: { kind: 'pause', id: i }, at: pauses.from[i], what: portName(run, pauses.port[i]), value: time(lasted[i]) + ' from ' + instant(pauses.from[i], step) })),
  });
  if (pauses.count > 0) {
    const forest = forestOf(run, pauses);
    out.push({
      id: 'tree', title: 'Largest PFC trees', none: '',
      entries: largest(forest.size, kMost).map((i) => ({ show: { kind: 'pause', id: i }, at: pauses.from[i], what: 'from ' + (rootName(run, pauses.by[i]) ?? 'a queue that is not known'), value: counted(forest.size[i], 'pause') + ' from ' + instant(pauses.from[i], step) })),
    });
  }
  out.push({
    id: 'marked', title: 'Most marked', none: 'No packet was marked.',
    entries: largest(sums.marked, kMost).map((p) => port(p, when.marked[p], counted(sums.marked[p], 'packet') + ', most at ' + instant(when.marked[p] * step, step))),
  });
  const events = await run.events();
  const lost = new Float64Array(run.ports);
  const firstLoss = new Float64Array(run.ports).fill(-1);
  for (let i = 0; i < events.time.length; i++) {
    if (events.kind[i] !== 2) continue;
    const p = events.port[i];
    lost[p]++;
    if (firstLoss[p] < 0) firstLoss[p] = events.time[i];
  }
  const gone = sums.dropped.map((d, p) => d + lost[p]);
  out.push({
    id: 'lost', title: 'Most packets lost', none: 'No packet was dropped, trimmed or lost.',
    entries: largest(gone, kMost).map((p) => ({
      ...port(p, sums.dropped[p] > 0 ? when.dropped[p] : firstLoss[p] / step, [sums.dropped[p] > 0 ? counted(sums.dropped[p], 'packet') + ' dropped or trimmed' : '', lost[p] > 0 ? counted(lost[p], 'packet') + ' lost on the link' : ''].filter(Boolean).join(', ')),
    })),
  });
  out.push({
    id: 'busy', title: 'Most used', none: 'Nothing was sent.',
    entries: largest(sums.sent.map((b, p) => (run.bins > 0 ? (8e12 * b) / (run.rate[p] * run.bins * step) : 0)), kMost).map((p) => ({ ...port(p, context.store.state.bin, percent((8e12 * sums.sent[p]) / (run.rate[p] * run.bins * step)) + ' of its rate over the run'), colour: 'use' as const })),
  });
  const { outages } = frames;
  if (outages.count > 0) {
    const gone = Array.from({ length: outages.count }, (_, i) => Math.min(frames.endOf(i), run.doc.sim_time_ps) - outages.from[i]);
    out.push({
      id: 'down', title: 'Links down', none: '',
      entries: largest(gone, kMost).map((i) => ({ ...port(outages.port[i], 0, (isNaN(outages.until[i]) ? 'until the end' : 'for ' + time(gone[i])) + ' from ' + instant(outages.from[i], step)), at: outages.from[i] })),
    });
  }
  const balance = balanceOf(frames, groupsOf(run), 0, run.bins);
  out.push({
    id: 'balance', title: 'Least balanced', none: 'Nothing was sent.',
    entries: largest(balance.map((b) => b.ratio), kMost).map((i) => ({ show: { kind: 'balance', id: 0 }, at: context.store.state.bin * step, what: balance[i].group.name, value: 'the busiest carries ' + times(balance[i].ratio) + ' the mean' })),
  });
  return out;
}

// How the run ended, and what the file leaves out.
function notices(context: Context): Node[] {
  const { doc } = context.run;
  const out: Node[] = [];
  if (!doc.complete || doc.reason)
    out.push(h('p', { class: 'notice' + (doc.complete ? '' : ' bad') }, (doc.complete ? 'The run ended: ' : 'The run is incomplete: it was ended by ') + doc.ended_by + (doc.reason ? ' (' + doc.reason + ')' : '') + '.'));
  if (doc.changes) out.push(h('p', { class: 'notice', 'data-changes': doc.changes }, 'The run was changed ' + (doc.changes === 1 ? 'once' : doc.changes + ' times') + ' while it went on; steering.toml in its directory has what and when.'));
  const o = doc.omitted ?? {};
  const left: string[] = [];
  if (o.events > 0) left.push(o.events + ' of the drops and losses');
  if (o.pauses > 0) left.push(counted(o.pauses, 'pause'));
  if ((o.activities ?? 0) > 0) left.push(counted(o.activities as number, 'activity of hosts').replace(/s$/, ''));
  for (const [name, value] of Object.entries(o)) if (value > 0 && !['events', 'pauses', 'activities'].includes(name)) left.push(name.replace(/_/g, ' ') + ': ' + value);
  if (left.length > 0) out.push(h('p', { class: 'notice', 'data-omitted': true }, 'Not in this file, because of its bounds: ' + left.join('; ') + '.'));
  return out;
}

export async function worstPanel(context: Context): Promise<Panel> {
  const { run } = context;
  const kinds = await worstKinds(context);
  const flows = await run.flows();
  let finished = 0;
  for (let f = 0; f < flows.count; f++) if (!isNaN(flows.finish[f])) finished++;
  const list = (kind: Kind): HTMLElement => {
    const items = kind.entries.map((e, i) => h('li', { hidden: i >= kListed }, goTo(context, e.show, h('span', {}, h('b', {}, e.what), h('small', {}, e.value)), e.at, e.colour)));
    const more: HTMLElement | null = items.length <= kListed ? null : h('button', {
      type: 'button', class: 'link more', onclick: () => {
        items.forEach((li) => { li.hidden = false; });
        more?.remove();
      },
    }, (items.length - kListed) + ' more');
    return h('section', { class: 'kind', 'data-kind': kind.id }, h('h3', {}, kind.title), items.length > 0 ? h('ol', {}, ...items) : h('p', { class: 'fine' }, kind.none), more);
  };
  const fact = (value: string, name: string) => h('div', {}, h('dd', {}, value), h('dt', {}, name));
  return {
    element: h('div', {}, ...notices(context),
      h('dl', { class: 'facts small' }, fact(whole(run.doc.hosts), run.doc.hosts === 1 ? 'host' : 'hosts'), fact(whole(run.doc.switches), run.doc.switches === 1 ? 'switch' : 'switches'), fact(time(run.doc.sim_time_ps), 'simulated'),
        fact(whole(finished) + ' of ' + whole(flows.count), 'flows finished'), run.doc.live !== 'running' && fact(run.doc.complete ? run.doc.ended_by : 'incomplete', 'how it ended')),
      h('h2', {}, 'The worst'), h('div', { class: 'kinds' }, ...kinds.map(list))),
    highlight: null,
  };
}
