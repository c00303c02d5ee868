// Names of nodes, ports and flows in words. Titles and tags are texts of people: they never become markup.
import { plain, withUnit } from '../format';
import { Flows, Run } from './run';

export function tierName(tier: number): string {
  return tier === 0 ? 'hosts' : tier === 1 ? 'edge' : 'tier ' + tier;
}

// "host 11", and where servers have several hosts "host 11 (1.3)": the fourth one of the second server.
export function nodeName(run: Run, node: number): string {
  if (node >= run.doc.hosts) return 'switch ' + node;
  const each = run.doc.hosts_per_server ?? 1;
  return 'host ' + node + (each > 1 ? ` (${Math.floor(node / each)}.${node % each})` : '');
}

export function portName(run: Run, port: number): string {
  return nodeName(run, run.from[port]) + ' \u2192 ' + nodeName(run, run.to[port]);
}

// Where a PFC tree begins: the port with the queue, or the host that takes data slowly; null = not known.
export function rootName(run: Run, by: number): string | null {
  if (by >= run.ports) return null;
  return run.from[by] < run.doc.hosts ? nodeName(run, run.from[by]) : portName(run, by);
}

export function flowName(flows: Flows, row: number): string {
  return 'flow ' + whole(flows.id[row]);
}

export function flowEnds(flows: Flows, row: number): string {
  return flows.src[row] + ' \u2192 ' + flows.dst[row];
}

export function time(ps: number, significant = 4): string {
  return withUnit(ps, 'ps', significant);
}

// An instant: with as many digits as tell one bin from the next.
export function instant(ps: number, step: number): string {
  const digits = Math.max(4, Math.ceil(Math.log10(Math.max(10, ps / Math.max(1, step)))) + 1);
  return withUnit(ps, 'ps', digits);
}

export function bytes(count: number): string {
  return withUnit(count, 'B', 3);
}

export function rate(bps: number): string {
  return withUnit(bps, 'bit/s', 3);
}

export function percent(share: number): string {
  const value = 100 * share;
  return (share > 0 && value < 0.1 ? '< 0.1' : plain(value, value < 10 ? 2 : 3)) + '\u202f%';
}

// All digits, in groups of three.
export function whole(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

export function counted(n: number, noun: string): string {
  return plain(n, 15) + '\u00a0' + noun + (n === 1 ? '' : 's');
}

// 2.41 is "2.4 times".
export function times(factor: number): string {
  return plain(factor, factor < 10 ? 2 : 3) + '\u00a0times';
}
