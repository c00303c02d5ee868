// Where nodes stand in the picture: by tier if nearly all links lead from one tier to the next, else as a graph whose
// switches stand as far from each other as their paths are long. Hosts are tiles in a block below their edge switch, the
// first one if they have several; or, where the hosts of a server are on different edge switches (rails), in a block for
// each server, with lines to the edge switches above them all. A tile is 1 wide and high.
import { Run } from './run';

export interface Layout {
  width: number;
  height: number;
  tall: number; // how high a tile is
  x: Float32Array; // middle, by node
  y: Float32Array;
  tiered: boolean;
  tiers: { tier: number; y: number }[]; // their heights, if there are tiers
  rails: boolean; // blocks are servers
  blocks: { node: number; x: number; y: number; width: number; height: number }[]; // hosts of an edge switch, or of a server (node -1)
}

interface Graph {
  hostsOf: number[][]; // by switch, counted from the first switch
  neighbours: number[][]; // by switch: switches
}

function graphOf(run: Run): Graph {
  const hosts = run.doc.hosts;
  const out: Graph = { hostsOf: [], neighbours: [] };
  for (let s = 0; s < run.doc.switches; s++) {
    out.hostsOf.push([]);
    out.neighbours.push([]);
  }
  const placed = new Set<number>();
  for (let p = 0; p < run.ports; p += 2) {
    const [a, b] = [run.from[p], run.to[p]];
    if (a >= hosts && b >= hosts) {
      out.neighbours[a - hosts].push(b - hosts);
      out.neighbours[b - hosts].push(a - hosts);
      continue;
    }
    const [host, node] = [Math.min(a, b), Math.max(a, b)];
    if (node < hosts || placed.has(host)) continue;
    placed.add(host);
    out.hostsOf[node - hosts].push(host);
  }
  return out;
}

export function layoutOf(run: Run, aspect: number): Layout {
  const graph = graphOf(run);
  const hosts = run.doc.hosts;
  let across = 0;
  let links = 0;
  for (let p = 0; p < run.ports; p += 2) {
    if (run.from[p] < hosts || run.to[p] < hosts) continue;
    links++;
    if (Math.abs(run.tier[run.from[p]] - run.tier[run.to[p]]) !== 1) across++;
  }
  return across <= 2 || across < 0.1 * links ? tiered(run, graph, aspect) : spread(run, graph, aspect);
}

// Sets of switches of the first two tiers that are linked to each other: the pods. A number per switch.
function podsOf(run: Run, graph: Graph): Int32Array {
  const hosts = run.doc.hosts;
  const pod = new Int32Array(run.doc.switches).fill(-1);
  let count = 0;
  for (let s = 0; s < pod.length; s++) {
    if (pod[s] >= 0 || run.tier[hosts + s] !== 1) continue;
    const open = [s];
    pod[s] = count;
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const n of graph.neighbours[at])
        if (pod[n] < 0 && run.tier[hosts + n] <= 2) {
          pod[n] = count;
          open.push(n);
        }
    count++;
  }
  return pod;
}

// Hosts that stand together: those of an edge switch, or of a server if it is on several.
interface Group {
  node: number; // the edge switch; -1 of a server
  pod: number;
  hosts: number[];
}

function groupsOf(run: Run, graph: Graph): Group[] {
  const hosts = run.doc.hosts;
  const pod = podsOf(run, graph);
  const each = run.doc.hosts_per_server ?? 1;
  const edge = new Int32Array(hosts);
  graph.hostsOf.forEach((list, s) => list.forEach((h) => (edge[h] = s)));
  if (edge.every((s, h) => s === edge[h - (h % each)]))
    return graph.hostsOf.map((list, s) => ({ node: hosts + s, pod: pod[s], hosts: list }))
      .filter((g) => run.tier[g.node] === 1).sort((a, b) => a.pod - b.pod || a.node - b.node);
  // servers of the same first edge switch are a segment
  return Array.from({ length: hosts / each }, (_, s) => ({ node: -1, pod: edge[s * each], hosts: Array.from({ length: each }, (_, g) => s * each + g) }));
}

function placeBlock(out: Layout, node: number, hosts: number[], columns: number, centre: number, top: number): void {
  const tall = out.tall;
  if (hosts.length === 0) return;
  const wide = Math.min(columns, hosts.length);
  const left = centre - wide / 2;
  hosts.forEach((h, i) => {
    out.x[h] = left + (i % columns) + 0.5;
    out.y[h] = top + (Math.floor(i / columns) + 0.5) * tall;
  });
  out.blocks.push({ node, x: left, y: top, width: wide, height: Math.ceil(hosts.length / columns) * tall });
}

function tiered(run: Run, graph: Graph, aspect: number): Layout {
  let top = 1;
  for (const t of run.tier) top = Math.max(top, t);
  const groups = groupsOf(run, graph);
  const rails = groups[0].node < 0;
  const most = groups.reduce((n, g) => Math.max(n, g.hosts.length), 1);
  // as few columns of hosts as leave room for the tiers above
  let columns = 1;
  let width = 0;
  let gap = 0.5;
  const least = (g: Group) => Math.max(columns > 1 ? 1.6 : 1.1, Math.min(columns, g.hosts.length));
  for (; columns <= most; columns++) {
    gap = columns > 1 ? 0.9 : 0.5;
    width = groups.reduce((sum, g, i) => sum + least(g) + gap + (i > 0 && g.pod !== groups[i - 1].pod ? 1.2 : 0), 0);
    if (Math.ceil(most / columns) <= ((top > 1 ? 0.3 : 0.6) * width) / aspect) break;
  }
  columns = Math.min(columns, most);
  width = Math.max(width, 4);
  const height = Math.max(width / aspect, Math.ceil(most / columns) * 2);
  // many edge switches leave little width and much height
  const tall = Math.min(3, Math.max(1, (0.24 * height) / Math.ceil(most / columns)));
  const rows = Math.ceil(most / columns) * tall;
  const out: Layout = { width, height, tall, x: new Float32Array(run.nodes), y: new Float32Array(run.nodes), tiered: true, tiers: [], rails, blocks: [] };
  const edgeY = height - rows - Math.max((rails ? 0.25 : 0.07) * height, 1);
  const level = (tier: number) => (tier <= 1 || top <= 1 ? edgeY : edgeY - ((tier - 1) / (top - 1)) * (edgeY - 0.07 * height));
  let x = 0;
  groups.forEach((g, i) => {
    const wide = least(g);
    if (i > 0 && g.pod !== groups[i - 1].pod) x += 1.2;
    const centre = x + gap / 2 + wide / 2;
    if (!rails) {
      out.x[g.node] = centre;
      out.y[g.node] = edgeY;
    }
    placeBlock(out, g.node, g.hosts, columns, centre, height - rows);
    x += wide + gap;
  });
  for (let tier = rails ? 1 : 2; tier <= top; tier++) placeTier(run, graph, out, tier, level(tier));
  for (let tier = 0; tier <= top; tier++) out.tiers.push({ tier, y: tier === 0 ? height - rows / 2 : level(tier) });
  return out;
}

// Above what is below: switches whose switches below stand within the same stretch share it evenly, in the order of the
// middles of those.
function placeTier(run: Run, graph: Graph, out: Layout, tier: number, y: number): void {
  const hosts = run.doc.hosts;
  const under: number[][] = graph.neighbours.map(() => []);
  for (let p = 0; p < run.ports; p++) if (run.tier[run.from[p]] < run.tier[run.to[p]]) under[run.to[p] - hosts].push(out.x[run.from[p]]);
  const list = under.map((below, s) => ({ s, below })).filter(({ s }) => run.tier[hosts + s] === tier)
    .map(({ s, below }) => ({ s, low: Math.min(...below), high: Math.max(...below), middle: below.reduce((a, b) => a + b, 0) / Math.max(1, below.length) }))
    .map((e) => (isFinite(e.low) ? e : { ...e, low: 0, high: out.width, middle: out.width / 2 }))
    .sort((a, b) => a.low - b.low || a.middle - b.middle || a.s - b.s);
  for (let i = 0; i < list.length;) {
    let high = list[i].high;
    let end = i + 1;
    while (end < list.length && list[end].low < high) high = Math.max(high, list[end++].high);
    // rails by their numbers: which column of a server's block a GPU is in says nothing
    const group = list.slice(i, end).sort((a, b) => (tier > 1 ? a.middle - b.middle : 0) || a.s - b.s);
    const low = list[i].low;
    // the whole stretch and half a place more on either side, so that places are as wide as they can be
    const step = group.length === 1 ? 0 : (high - low) / (group.length - 1);
    group.forEach((e, k) => {
      out.x[hosts + e.s] = group.length === 1 ? (low + high) / 2 : low + k * step;
      out.y[hosts + e.s] = y;
    });
    i = end;
  }
}

// Lengths of shortest paths between switches, from one of them.
function distances(graph: Graph, from: number): Int32Array {
  const far = new Int32Array(graph.neighbours.length).fill(-1);
  far[from] = 0;
  const open = [from];
  for (let i = 0; i < open.length; i++)
    for (const n of graph.neighbours[open[i]])
      if (far[n] < 0) {
        far[n] = far[open[i]] + 1;
        open.push(n);
      }
  return far;
}

// Stress, made smaller pair by pair (Zheng, Pawar, Goodman: Graph drawing by stochastic gradient descent, 2019), from a
// circle and in a fixed order, so that the same graph gives the same picture.
function spread(run: Run, graph: Graph, aspect: number): Layout {
  const n = graph.neighbours.length;
  const hosts = run.doc.hosts;
  const x = new Float64Array(n);
  const y = new Float64Array(n);
  for (let s = 0; s < n; s++) {
    x[s] = (n / 6) * Math.cos((2 * Math.PI * s) / n);
    y[s] = (n / 6) * Math.sin((2 * Math.PI * s) / n);
  }
  if (n <= 400) {
    const far = Array.from({ length: n }, (_, s) => distances(graph, s));
    for (let round = 0; round < 40; round++) {
      const rate = Math.exp(-round / 8);
      for (let a = 0; a < n; a++)
        for (let b = 0; b < a; b++) {
          const wanted = far[a][b];
          if (wanted <= 0) continue;
          const [dx, dy] = [x[a] - x[b], y[a] - y[b]];
          const now = Math.hypot(dx, dy) || 1e-6;
          const move = (0.5 * Math.min(1, (rate * 2) / wanted) * (now - wanted)) / now;
          x[a] -= move * dx;
          y[a] -= move * dy;
          x[b] += move * dx;
          y[b] += move * dy;
        }
    }
  }
  const most = Math.max(1, ...graph.hostsOf.map((list) => list.length));
  const columns = Math.ceil(Math.sqrt(most * 1.6));
  const rows = Math.ceil(most / columns);
  const [lowX, highX, lowY, highY] = [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)];
  // links at least three blocks long, on average, and the picture as wide as the window
  const unit = Math.max(3 * Math.max(columns, rows + 1.5), 3);
  const wide = Math.max((highX - lowX) * unit, 1);
  const high = Math.max((highY - lowY) * unit, 1);
  const stretchX = Math.max(1, (high * aspect) / wide);
  const stretchY = Math.max(1, wide / aspect / high);
  const width = wide * Math.min(stretchX, 1.8) + columns + 2;
  const height = high * Math.min(stretchY, 1.8) + rows + 5;
  const out: Layout = { width, height, tall: 1, x: new Float32Array(run.nodes), y: new Float32Array(run.nodes), tiered: false, tiers: [], rails: false, blocks: [] };
  for (let s = 0; s < n; s++) {
    out.x[hosts + s] = columns / 2 + 1 + (x[s] - lowX) * unit * Math.min(stretchX, 1.8);
    out.y[hosts + s] = 2 + (y[s] - lowY) * unit * Math.min(stretchY, 1.8);
    placeBlock(out, hosts + s, graph.hostsOf[s], columns, out.x[hosts + s], out.y[hosts + s] + 1.4);
  }
  return out;
}
