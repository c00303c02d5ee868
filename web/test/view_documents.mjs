// Documents of weir view for tests of its page, made by a small fluid model: no packets, but queues, rates, pauses and
// anatomies that agree with each other. The same kind gives the same bytes.
//
//   node view_documents.mjs KIND > document.json
import { deflateSync } from 'node:zlib';

const arrays = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array };
export const none = { u8: 255, u16: 65535, u32: 4294967295, f64: NaN };

function column(type, values, delta = false) {
  const array = arrays[type].from(values);
  if (delta) for (let i = array.length - 1; i > 0; i--) array[i] -= array[i - 1];
  return { type, data: deflateSync(new Uint8Array(array.buffer)).toString('base64'), ...(delta && { delta: true }) };
}

// Columns of rows that are objects; `spec` is "name:type" and for differences "name:type:delta".
function table(rows, spec) {
  const columns = {};
  for (const text of spec.split(' ')) {
    const [name, type, delta] = text.split(':');
    columns[name] = column(type, rows.map((r) => r[name]), !!delta);
  }
  return { rows: rows.length, columns };
}

function random(seed) {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * n);
  };
}

// Topologies: hosts, tiers and links; `up(a)` lists the links from a node to a higher tier.
function graph(hosts, tiers) {
  return { hosts, tiers, links: [], link(a, b, gbps, us = 1) { this.links.push({ a, b, rate: gbps * 1e9, delay: us * 1e6 }); } };
}

export const topologies = {
  fatTree(pods = 5, edges = 4, aggs = 4, hostsPerEdge = 16, cores = 16) {
    const hosts = pods * edges * hostsPerEdge;
    const tiers = [...Array(hosts).fill(0), ...Array(pods * edges).fill(1), ...Array(pods * aggs).fill(2), ...Array(cores).fill(3)];
    const g = graph(hosts, tiers);
    const agg = hosts + pods * edges;
    const core = agg + pods * aggs;
    for (let h = 0; h < hosts; h++) g.link(h, hosts + Math.floor(h / hostsPerEdge), 100);
    for (let e = 0; e < pods * edges; e++) for (let k = 0; k < aggs; k++) g.link(hosts + e, agg + Math.floor(e / edges) * aggs + k, 400);
    for (let a = 0; a < pods * aggs; a++) for (let k = 0; k < cores / aggs; k++) g.link(agg + a, core + (a % aggs) * (cores / aggs) + k, 400);
    return g;
  },
  leafSpine(leaves = 4, spines = 4, hostsPerLeaf = 16) {
    const hosts = leaves * hostsPerLeaf;
    const g = graph(hosts, [...Array(hosts).fill(0), ...Array(leaves).fill(1), ...Array(spines).fill(2)]);
    for (let h = 0; h < hosts; h++) g.link(h, hosts + Math.floor(h / hostsPerLeaf), 100);
    for (let l = 0; l < leaves; l++) for (let s = 0; s < spines; s++) g.link(hosts + l, hosts + leaves + s, 400);
    return g;
  },
  // Servers of eight NICs; the i-th of each is linked to rail i.
  rails(servers = 16, rails = 8, spines = 4) {
    const hosts = servers * rails;
    const g = graph(hosts, [...Array(hosts).fill(0), ...Array(rails).fill(1), ...Array(spines).fill(2)]);
    for (let h = 0; h < hosts; h++) g.link(h, hosts + (h % rails), 400);
    for (let r = 0; r < rails; r++) for (let s = 0; s < spines; s++) g.link(hosts + r, hosts + rails + s, 800);
    return g;
  },
  // Hosts with a port in each of several planes, of two leaves and a spine each; one plane may be down, for ever.
  planes(planes = 4, hosts = 32, failed = -1) {
    const g = graph(hosts, [...Array(hosts).fill(0), ...Array(2 * planes).fill(1), ...Array(planes).fill(2)]);
    for (let h = 0; h < hosts; h++) for (let k = 0; k < planes; k++) g.link(h, hosts + 2 * k + (h % 2), 200);
    for (let k = 0; k < planes; k++) for (const leaf of [0, 1]) g.link(hosts + 2 * k + leaf, hosts + 2 * planes + k, 800);
    for (const l of g.links) l.down = Math.floor((Math.min(l.b, hosts + 2 * planes - 1) - hosts) / 2) === failed && l.b < hosts + 2 * planes || l.b === hosts + 2 * planes + failed;
    return g;
  },
  // A ring of switches with two chords.
  odd(switches = 9, hostsPer = 3) {
    const hosts = switches * hostsPer;
    const g = graph(hosts, [...Array(hosts).fill(0), ...Array(switches).fill(1)]);
    for (let h = 0; h < hosts; h++) g.link(h, hosts + Math.floor(h / hostsPer), 100);
    for (let s = 0; s < switches; s++) g.link(hosts + s, hosts + ((s + 1) % switches), 200);
    g.link(hosts, hosts + 4, 200);
    g.link(hosts + 2, hosts + 7, 200);
    return g;
  },
};

// Ports of a shortest path, chosen among several by `pick`.
function pathOf(g, src, dst, pick) {
  const next = g.next;
  const ports = [];
  for (let at = src; at !== dst;) {
    const ways = next(at, dst);
    const port = ways[pick(ways.length)];
    ports.push(port);
    at = port % 2 === 0 ? g.links[port >> 1].b : g.links[port >> 1].a;
  }
  return ports;
}

function withRouting(g) {
  const nodes = g.tiers.length;
  const out = Array.from({ length: nodes }, () => []);
  g.links.forEach((l, i) => {
    if (l.down) return;
    out[l.a].push([2 * i, l.b]);
    out[l.b].push([2 * i + 1, l.a]);
  });
  const far = new Map();
  g.next = (at, dst) => {
    if (!far.has(dst)) {
      const d = new Int32Array(nodes).fill(-1);
      d[dst] = 0;
      for (const queue = [dst]; queue.length > 0;) {
        const n = queue.shift();
        for (const [, to] of out[n]) if (d[to] < 0) { d[to] = d[n] + 1; queue.push(to); }
      }
      far.set(dst, d);
    }
    const d = far.get(dst);
    return out[at].filter(([, to]) => d[to] === d[at] - 1).map(([port]) => port);
  };
  return g;
}

export const partList = [
  ['alone', 'alone', 'What the flow would have taken alone in the network.'],
  ['window', 'window', 'It waited for its window: all that might be in flight was.'],
  ['pacing', 'pacing', 'It waited for its pacing: the rate allowed no packet yet.'],
  ['loss', 'loss', 'Bytes that had been lost were sent again.'],
  ['pause', 'pauses', 'A port on its path was paused by PFC.'],
  ['queue_1', 'queue at hop 1', 'Its packets waited behind those of other flows at the first switch.'],
  ['queue_2', 'queue at hop 2', 'Its packets waited behind those of other flows at the second switch.'],
  ['queue_3', 'queue at hop 3', 'Its packets waited behind those of other flows at the third switch.'],
  ['queue_4', 'queue at hop 4', 'Its packets waited behind those of other flows at the fourth switch.'],
  ['queue_5', 'queue at hop 5', 'Its packets waited behind those of other flows at the fifth switch or later.'],
].map(([name, label, meaning]) => ({ name, label, meaning }));

// Flows of an incast every so often and of a background in between, over `bins` bins of 2 us.
function simulate(g, { flows: count, bins, fan = 12, seed = 7 }) {
  const draw = random(seed);
  const dt = 2e6; // ps
  const ports = g.links.flatMap((l, i) => [{ id: 2 * i, from: l.a, to: l.b, rate: l.rate, delay: l.delay }, { id: 2 * i + 1, from: l.b, to: l.a, rate: l.rate, delay: l.delay }]);
  const flows = [];
  const span = Math.max(2, Math.floor(bins * 0.8));
  for (let i = 0; i < count; i++) {
    const burst = i % 3 === 0;
    const group = Math.floor(i / (3 * fan));
    const dst = burst ? (group * 37 + 3) % g.hosts : draw(g.hosts);
    let src = draw(g.hosts);
    if (src === dst) src = (src + 1) % g.hosts;
    const size = burst ? 200_000 : [2_000, 20_000, 100_000, 500_000, 2_000_000][draw(5)] + draw(7) * 1000;
    const start = burst ? ((group * 97 + 40) % span) * dt + draw(1000) * 1000 : draw(span * 2000) * 1000;
    flows.push({ src, dst, size, start, tag: burst ? 1 : 0 });
  }
  flows.sort((a, b) => a.start - b.start);
  flows.forEach((f, i) => {
    f.row = i;
    f.flow_id = i;
    f.spray = i % 11 === 5;
    f.ways = Array.from({ length: f.spray ? 4 : 1 }, () => pathOf(g, f.src, f.dst, draw));
    const slowest = Math.min(...f.ways[0].map((p) => ports[p].rate));
    f.delay = f.ways[0].reduce((t, p) => t + ports[p].delay, 0);
    f.ideal = Math.round((f.size * 8e12) / slowest + f.delay);
    f.left = f.size;
    f.rate = slowest;
    f.full = slowest;
    f.waits = Array(9).fill(0);
    f.course = [];
    f.sentOn = new Map();
    f.lost = 0;
    f.paused = 0;
  });
  const state = ports.map(() => ({ queue: 0, held: new Map(), in: 0, busy: 0, pause: -1, pauseTime: 0 }));
  const series = [];
  const occupancy = [];
  const events = [];
  const pauses = [];
  let next = 0;
  let active = [];
  for (let bin = 0; bin < bins; bin++) {
    while (next < flows.length && flows[next].start < (bin + 1) * dt) active.push(flows[next++]);
    const touched = new Set();
    for (const f of active) {
      const want = Math.min(f.left, Math.floor((f.rate * dt) / 8e12));
      const way = f.ways[(bin + f.row) % f.ways.length];
      f.now = want;
      f.worst = 0;
      f.wait = 0;
      const stopped = way.some((p) => state[p].pause >= 0);
      if (stopped) f.paused++;
      f.went = stopped ? Math.floor(want / 4) : want;
      for (const [hop, p] of way.entries()) {
        const s = state[p];
        touched.add(p);
        s.in += f.went;
        s.held.set(f.row, (s.held.get(f.row) ?? 0) + f.went);
        const wait = (s.queue * 8e12) / ports[p].rate;
        f.waits[hop] += Math.min(wait, dt / 3);
        f.wait += wait;
        f.worst = Math.max(f.worst, s.queue);
        f.sentOn.set(p, (f.sentOn.get(p) ?? 0) + f.went);
      }
      f.left -= f.went;
    }
    for (let p = 0; p < ports.length; p++) {
      const s = state[p];
      if (s.queue === 0 && s.in === 0 && s.pause < 0) continue;
      const room = s.pause >= 0 ? 0 : Math.floor((ports[p].rate * dt) / 8e12);
      const total = s.queue + s.in;
      const sent = Math.min(total, room);
      const before = s.queue;
      s.queue = ports[p].from < g.hosts ? 0 : total - sent;
      let dropped = 0;
      if (s.queue > 900_000) {
        dropped = Math.floor((s.queue - 900_000) / 1000);
        s.queue = 900_000;
      }
      if (total > 0) {
        for (const [f, b] of s.held) {
          const kept = Math.floor((b * s.queue) / total);
          if (kept > 500) s.held.set(f, kept);
          else s.held.delete(f);
        }
      }
      const top = Array.from(s.held).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
      for (let i = 0; i < Math.min(dropped, 5) && top.length > 0; i++) {
        const f = flows[top[i % top.length][0]];
        f.lost += 1000;
        events.push({ time_ps: bin * dt + i * 1000 + p, kind: i % 2, port: p, flow: f.row, seq: f.size - f.left });
      }
      const marked = s.queue > 100_000 ? Math.ceil(s.queue / 60_000) : 0;
      series.push({ bin, port: p, sent_bytes: sent, queue_bytes: Math.max(before, s.queue), marked, dropped: Math.min(dropped, 5), trimmed: 0, paused_ps: s.pause >= 0 ? dt : 0 });
      if (bin % 4 === 0 && s.queue > 2000) {
        let rest = s.queue;
        for (const [flow, bytes] of top.slice(0, 8)) { occupancy.push({ at: bin / 4, port: p, flow, bytes }); rest -= bytes; }
        if (rest > 0) occupancy.push({ at: bin / 4, port: p, flow: none.u32, bytes: rest });
      }
      s.in = 0;
    }
    // a long queue pauses the ports that fill it
    for (let p = 0; p < ports.length; p++) {
      const s = state[p];
      if (ports[p].from < g.hosts || (s.queue < 250_000 && s.pause < 0)) continue;
      if (s.queue > 300_000)
        for (const f of s.held.keys())
          for (const way of flows[f].ways) {
            const at = way.indexOf(p);
            if (at <= 0) continue;
            const up = way[at - 1];
            if (state[up].pause >= 0 || pauses.length > 4000) continue;
            state[up].pause = pauses.length;
            pauses.push({ port: up, class: 0, from_ps: (bin + 1) * dt, until_ps: NaN, by: p, by_bytes: Math.floor(s.queue / 3), parent: s.pause >= 0 ? s.pause : none.u32 });
          }
    }
    for (const s of state)
      if (s.pause >= 0) {
        const pause = pauses[s.pause];
        if (state[pause.by].queue < 200_000 && bin * dt > pause.from_ps) {
          pause.until_ps = (bin + 1) * dt;
          s.pause = -1;
        }
      }
    const still = [];
    for (const f of active) {
      f.course.push({ at: bin, window_bytes: Math.round((f.rate * (8e6 + f.wait)) / 8e12), rate_bps: f.rate, rtt_ps: Math.round(2 * f.delay + f.wait), sent_bytes: f.went, again_bytes: 0, acked_bytes: f.went, lost_bytes: 0, timeouts: 0 });
      if (f.lost > 0) {
        const last = f.course[f.course.length - 1];
        last.lost_bytes = last.again_bytes = f.lost;
        f.left += 0;
        f.losses = (f.losses ?? 0) + f.lost;
        f.lost = 0;
      }
      f.rate = f.worst > 120_000 ? Math.max(f.full / 50, Math.round(f.rate * 0.7)) : Math.min(f.full, f.rate + f.full / 20);
      if (f.left > 0) still.push(f);
      else f.end = bin;
    }
    active = still;
  }
  return { ports, flows, series, occupancy, events, pauses, dt };
}

// A step of training: hosts in groups of eight compute, and wait for each other, in rounds; then those of equal places in
// their groups do. One host computes half as long again.
export const training = { group: 8, rounds: 8, compute: 20e6, ring: 6e6, end: 30e6, names: ['computation', 'tensor parallelism', 'data parallelism'] };
function activitiesOf(hosts, slow) {
  const { group, rounds, compute, ring, end } = training;
  const rows = [];
  const free = Array(hosts).fill(0);
  const add = (host, activity, until, waited) => {
    rows.push({ driver: 0, host, activity, begin_ps: free[host], end_ps: until, waited_for: waited === host ? none.u32 : waited, parts: 1 });
    free[host] = until;
  };
  const meet = (members, activity, takes) => {
    const late = members.reduce((a, b) => (free[b] > free[a] ? b : a));
    const until = free[late] + takes;
    for (const h of members) add(h, activity, until + (activity === 2 ? h * 1000 : 0), late);
  };
  const all = Array.from({ length: hosts }, (_, h) => h);
  for (let r = 0; r < rounds; r++) {
    for (const h of all) add(h, 0, free[h] + (h === slow ? 1.5 * compute : compute + (h % 5) * 1e5), h);
    for (let first = 0; first < hosts; first += group) meet(all.slice(first, first + group), 1, ring);
  }
  for (let place = 0; place < group; place++) meet(all.filter((h) => h % group === place), 2, end);
  return rows.sort((a, b) => a.host - b.host || a.begin_ps - b.begin_ps);
}

function document(g, run, extra) {
  const finished = run.flows.filter((f) => f.end !== undefined);
  for (const f of run.flows) {
    f.start_ps = f.start;
    f.finish_ps = f.end === undefined ? NaN : Math.max(f.start + f.ideal, (f.end + 1) * run.dt + f.delay + f.row * 7 + Math.round(Math.min(f.course[f.course.length - 1].rtt_ps, 4e7)));
    f.fct = f.finish_ps - f.start;
  }
  const anatomy = finished.map((f) => {
    const row = { flow: f.row };
    for (const p of partList) row[p.name] = 0;
    let left = f.fct - f.ideal;
    row.alone = f.ideal;
    const take = (name, wanted) => {
      const got = Math.max(0, Math.min(left, Math.round(wanted)));
      row[name] += got;
      left -= got;
    };
    take('pause', f.paused * run.dt * 0.8);
    take('loss', ((f.losses ?? 0) * 8e12) / f.full);
    const all = f.waits.reduce((a, b) => a + b, 0) || 1;
    const share = Math.min(1, (0.75 * left) / all);
    f.waits.slice(1).forEach((w, i) => take('queue_' + Math.min(5, i + 1), w * share));
    take('pacing', left * 0.3);
    row.window += left;
    return row;
  });
  const followed = [];
  const course = [];
  for (const f of run.flows.filter((x) => x.course.length > 0).slice(0, 400)) {
    followed.push({ flow: f.row, first: course.length, count: f.course.length, interval_ps: run.dt });
    for (const row of f.course) course.push({ ...row, time_ps: row.at * run.dt });
  }
  const paths = run.flows.flatMap((f) => Array.from(f.sentOn).map(([port, bytes]) => ({ flow: f.row, port, bytes })));
  const activities = extra.slow === undefined ? [] : activitiesOf(g.hosts, extra.slow);
  const outages = g.links.flatMap((l, i) => (l.down ? [{ port: 2 * i, from_ps: 0, until_ps: NaN }] : []));
  return {
    weir: '0.1.0', format: 1, title: 'Synthetic', result: 'synthetic', complete: true, ended_by: 'done',
    hosts: g.hosts, switches: g.tiers.length - g.hosts, sim_time_ps: extra.bins * run.dt,
    interval_ps: run.dt, occupancy_interval_ps: 4 * run.dt,
    omitted: { events: 0, pauses: 0 }, tags: ['web', 'incast'], algorithms: ['hpcc'], parts: partList,
    drivers: activities.length > 0 ? [{ tag: 'step', activities: training.names }] : [], activities_within_ps: 0,
    ...extra.document,
    tables: {
      activities: table(activities, 'driver:u16 host:u32:delta activity:u16 begin_ps:f64:delta end_ps:f64:delta waited_for:u32 parts:u32'),
      outages: table(outages, 'port:u32 from_ps:f64:delta until_ps:f64'),
      nodes: table(g.tiers.map((tier) => ({ tier })), 'tier:u8'),
      ports: table(run.ports.map((p) => ({ from: p.from, to: p.to, rate_bps: p.rate, delay_ps: p.delay })), 'from:u32 to:u32 rate_bps:f64 delay_ps:f64'),
      series: table(run.series, 'bin:u32:delta port:u32:delta sent_bytes:u32 queue_bytes:u32 marked:u32 dropped:u32 trimmed:u32 paused_ps:f64'),
      occupancy: table(run.occupancy, 'at:u32:delta port:u32 flow:u32 bytes:u32'),
      events: table(run.events.sort((a, b) => a.time_ps - b.time_ps), 'time_ps:f64:delta kind:u8 port:u32 flow:u32 seq:f64'),
      pauses: table(run.pauses, 'port:u32 class:u8 from_ps:f64 until_ps:f64 by:u32 by_bytes:u32 parent:u32'),
      flows: table(run.flows.map((f) => ({ flow_id: f.flow_id, src: f.src, dst: f.dst, size_bytes: f.size, start_ps: f.start_ps, finish_ps: f.finish_ps, ideal_ps: f.ideal, slowdown: f.fct / f.ideal, algorithm: 0, tag: f.tag, retransmitted: Math.round((f.losses ?? 0) / 1000) })),
        'flow_id:f64:delta src:u32 dst:u32 size_bytes:f64 start_ps:f64 finish_ps:f64 ideal_ps:f64 slowdown:f64 algorithm:u8 tag:u16 retransmitted:u32'),
      anatomy: table(anatomy, 'flow:u32:delta ' + partList.map((p) => p.name + ':f64').join(' ')),
      paths: table(paths, 'flow:u32:delta port:u32 bytes:u32'),
      followed: table(followed, 'flow:u32 first:u32 count:u32 interval_ps:f64'),
      course: table(course, 'time_ps:f64:delta window_bytes:f64 rate_bps:f64 rtt_ps:f64 sent_bytes:u32 again_bytes:u32 acked_bytes:u32 lost_bytes:u32 timeouts:u32'),
    },
  };
}

const hostile = '</script><img src=x onerror="document.title=1"><b>bold</b> & "quotes"';

export const kinds = {
  fat: () => [topologies.fatTree(), { flows: 900, bins: 400, document: { title: 'Incasts in a fat tree of 320 hosts' } }],
  large: () => [topologies.fatTree(16, 8, 8, 8, 64), { flows: 2500, bins: 120, document: { title: 'Fat tree of 1,024 hosts' } }],
  leaf: () => [topologies.leafSpine(), { flows: 300, bins: 200, document: { title: 'Leaf and spine' } }],
  rails: () => [topologies.rails(), { flows: 300, bins: 200, document: { title: 'Rails', hosts_per_server: 8 } }],
  step: () => [topologies.leafSpine(), { flows: 300, bins: 200, slow: 37, document: { title: 'A step of training' } }],
  steps: () => [topologies.fatTree(16, 8, 8, 8, 64), { flows: 300, bins: 200, slow: 777, document: { title: 'A step of 1,024 ranks' } }],
  planes: () => [topologies.planes(4, 32, 2), { flows: 200, bins: 120, document: { title: 'Four planes, of which one has failed' } }],
  odd: () => [topologies.odd(), { flows: 120, bins: 150, document: { title: 'A ring with chords', complete: false, ended_by: 'memory', reason: 'the run took more memory than allowed', omitted: { events: 12, pauses: 3 } } }],
  empty: () => [topologies.leafSpine(2, 2, 4), { flows: 0, bins: 0, document: { title: 'Nothing happened', tags: [] } }],
  hostile: () => [topologies.leafSpine(2, 2, 8), { flows: 60, bins: 100, fan: 6, document: { title: hostile, result: hostile, tags: [hostile, hostile + '2'], algorithms: [hostile], reason: hostile, complete: false, ended_by: hostile } }],
};

export function make(kind) {
  const [g, extra] = kinds[kind]();
  return document(withRouting(g), simulate(g, extra), extra);
}

if (process.argv[1].endsWith('view_documents.mjs')) process.stdout.write(JSON.stringify(make(process.argv[2])));
