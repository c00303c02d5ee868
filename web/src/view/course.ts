// The course of a flow: rate, window, round-trip time and losses on one time axis.
import { Curve, Lane, Plan } from './plot';
import { Course, Run } from './run';

// Null: it was not recorded.
export function coursePlan(run: Run, course: Course, flow: number, from: number, until: number, name: string): Plan | null {
  const row = course.followed.get(flow);
  if (row === undefined) return null;
  const step = course.interval[row];
  const rows = course.rows;
  const x: number[] = []; // ends of bins that have a row
  const pick: { [name: string]: (number | null)[] } = { window_bytes: [], rate_bps: [], rtt_ps: [], lost_bytes: [], timeouts: [], sent: [], again: [] };
  let before = -1; // where the last bin with a row ended
  const idle: { x: number[]; y: number[] } = { x: [], y: [] }; // sent, with zeros in between
  for (let i = course.first[row], end = i + course.count[row]; i < end; i++) {
    const at = rows.time_ps[i] + step;
    if (rows.time_ps[i] > before) {
      idle.x.push(rows.time_ps[i]);
      idle.y.push(0);
    }
    before = at;
    x.push(at);
    for (const key of ['window_bytes', 'rate_bps', 'rtt_ps']) pick[key].push(isNaN(rows[key][i]) ? null : rows[key][i]);
    for (const key of ['lost_bytes', 'timeouts']) pick[key].push(rows[key][i]);
    idle.x.push(at);
    idle.y.push((8e12 * (rows.sent_bytes[i] + rows.again_bytes[i])) / step);
    pick.again.push(rows.again_bytes[i]);
  }
  // window and rate hold until the flow's next row
  const any = (key: string) => pick[key].some((v) => v !== null && v > 0);
  const curve = (label: string, as: Curve['as'], key: string, look: number): Curve => ({ name: label, as, x, y: pick[key], look });
  const lanes: Lane[] = [{
    title: 'rate', unit: 'bit/s', share: 1.1,
    curves: [{ name: 'sent', as: 'bins', x: idle.x, y: idle.y, look: 0 }, ...(any('rate_bps') ? [curve('pacing', 'step', 'rate_bps', 1)] : [])],
  }];
  if (any('window_bytes')) lanes.push({ title: 'window', unit: 'B', share: 0.9, curves: [curve('window', 'step', 'window_bytes', 2)] });
  lanes.push({ title: 'round-trip time, longest of each step', unit: 'ps', share: 0.9, curves: [curve('round-trip time', 'line', 'rtt_ps', 3)] });
  const hurt = any('lost_bytes') || any('again') || any('timeouts');
  if (hurt)
    lanes.push({ title: 'losses told to the algorithm, and bytes sent again', unit: 'B', share: 0.6, curves: [curve('lost', 'bar', 'lost_bytes', 1), curve('sent again', 'bar', 'again', 4)] });
  if (any('timeouts')) lanes.push({ title: 'timeouts', unit: '1', share: 0.4, curves: [curve('timeouts', 'bar', 'timeouts', 1)] });
  return { label: name + ' over time: ' + lanes.map((l) => l.title).join(', ') + (hurt ? '' : '; no losses'), from: Math.max(0, from), until: Math.min(Math.max(until, from + step), run.doc.sim_time_ps || until), lanes };
}
