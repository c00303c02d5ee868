// The page in a browser: what it shows is what the document says, and what can be clicked works.
//
//   node report.test.mjs WEIR FOLDER     WEIR is the command, FOLDER takes what the tests make
//
// Without Chromium, or its driver, it ends with status 77: skipped.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open, run } from './browser.mjs';

const [weir, folder] = process.argv.slice(2);
const scenario = `
[topology]
kind = "star"
hosts = 5
[algorithm]
name = "hpcc"
[[traffic]]
kind = "incast"
size = "200 KB"
[probes.queues]
series = true
[probes.rates]
[probes.links]
series = true
`;

// Points of the large figure, a series.
const kMany = 100_000;

// Two runs, a sweep's points, and a study's directory with a claim of each verdict, a figure of each kind and a large one.
function make() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder + '/claims', { recursive: true });
  writeFileSync(folder + '/incast.toml', scenario);
  for (const name of ['hpcc', 'dcqcn'])
    execFileSync(weir, ['run', folder + '/incast.toml', '-q', '--set', 'algorithm.name=' + name, '--set', 'network.ecn.enabled=true', '--out', folder + '/' + name], { stdio: 'ignore' });
  const axis = (label, unit, scale = 'linear') => ({ label, unit, scale });
  const wave = (phase) => Array.from({ length: kMany }, (_, i) => 1000 + Math.round(900 * Math.sin(i / 500 + phase)) + (i % 7));
  const time = Array.from({ length: kMany }, (_, i) => i * 1e6);
  const figures = [
    {
      id: 'bars', title: 'Bars </script><b>&amp;', kind: 'bars', x: { ...axis('kind', '1', 'category'), categories: ['one', 'two'] }, y: axis('time', 'ps'),
      series: [{ name: 'measured', x: [0, 1], y: [2e6, 3.5e6], low: [1.5e6, 3e6], high: [2.5e6, 4e6] }, { name: 'printed', x: [0, 1], y: [2.1e6, null], printed: true }],
    },
    {
      id: 'lines', title: 'Lines', kind: 'lines', x: axis('flow size', 'B', 'log'), y: axis('slowdown', '1'),
      series: [{ name: 'a', x: [1e3, 1e4, 1e5], y: [1.5, 2.5, 20] }, { name: 'b', x: [1e3, 1e4, 1e5], y: [1, 0, 4] }],
    },
    {
      id: 'twins', title: 'Measured and printed', kind: 'bars', x: { ...axis('kind', '1', 'category'), categories: ['one', 'two'] }, y: axis('time', 'ps'),
      series: [{ name: 'HPCC', x: [0, 1], y: [2e6, 3.5e6], low: [1.5e6, 3e6], high: [2.5e6, 4e6] }, { name: 'HPCC', x: [0, 1], y: [2.1e6, 3.1e6], printed: true }],
    },
    ...[3, 12].map((n) => ({
      id: 'whiskers-' + n, title: n + ' bars', kind: 'bars', x: { ...axis('kind', '1', 'category'), categories: ['one', 'two'] }, y: axis('slowdown', '1'),
      series: Array.from({ length: n }, (_, i) => ({ name: 's' + i, x: [0, 1], y: [3 + i, 5 + i], ...(i === 1 ? { printed: true } : { low: [2 + i, 4 + i], high: [4 + i, 6 + i] }) })),
    })),
    {
      id: 'signed', title: 'Signed', kind: 'lines', x: axis('offset', 'dB'), y: axis('slowdown', '1'),
      series: [{ name: 'a', x: [-10, 1, 10], y: [1, 2, 3], low: [0.5, 1.5, 2.5], high: [1.5, 2.5, 3.5] }],
    },
    {
      id: 'fan-in', title: 'Few values of x', kind: 'lines', x: axis('fan in', '1'), y: axis('wait', 'us'), legend: 'hops',
      series: [{ name: '2', x: [4, 6, 10, 14, 16], y: [1, 2, 3, 4, 5] }, { name: '4', x: [4, 6, 10, 14, 16], y: [1, 2, 3, 4, 6] }, { name: '4', x: [6, 10], y: [2, 3], printed: true }],
    },
    {
      id: 'clipped', title: 'Long whiskers', kind: 'lines', whiskers: '95 % confidence interval of the mean over 3 seeds', x: axis('load', '1'), y: axis('slowdown', '1', 'log'),
      series: [{ name: 'a', x: [1, 2, 3], y: [2, 3, 4], low: [1.5, 0, 3.5], high: [3, 7, 5] }],
    },
    {
      id: 'ranges', title: 'Six ranges', kind: 'lines', x: { ...axis('flow size', 'B', 'category'), categories: ['≤ 1 KB', '1–10 KB', '10–100 KB', '100 KB – 1 MB', '1–10 MB', '> 10 MB'] }, y: axis('slowdown', '1'),
      series: [{ name: 'a', x: [0, 1, 2, 3, 4, 5], y: [1, 2, 3, 4, 5, 6] }],
    },
    {
      id: 'wrapped', title: 'A long name', kind: 'lines', x: { ...axis('flow size', 'B', 'log'), named: [{ at: 4e5, text: '> 120 KB' }] }, y: axis('completion time of web, up to 1 KB, 95th percentile', 'ps'),
      series: [{ name: 'a', x: [200, 1000, 10000, 120000, 4e5], y: [1e6, 2e6, 3e6, 4e6, 5e6] }],
    },
    { id: 'nothing', title: 'Nothing', kind: 'lines', x: axis('flow size', 'B', 'log'), y: axis('slowdown', '1'), series: [{ name: 'a', x: [], y: [] }] },
    {
      id: 'flows', title: 'Sixteen flows', kind: 'stack', x: axis('time', 'ps'), y: axis('rate', 'bit/s'),
      series: Array.from({ length: 16 }, (_, i) => ({ name: 'flow ' + i, x: [0, 4e8], y: [1e9, 1e9] })),
    },
    {
      id: 'radar', title: 'Radar', kind: 'radar', x: { ...axis('measure', '1', 'category'), categories: ['utilisation', 'fairness', 'low queue'], units: ['1', '1', 'us'] }, y: axis('score', '1'),
      series: [{ name: 'PCC-RL', x: [0, 1, 2], y: [0.9, 0.7, 0.85], values: [0.9, 0.7, 15] }, { name: 'HPCC', x: [0, 1, 2], y: [0.6, null, 0.5], values: [0.6, null, 50] }, { name: 'PCC-RL', x: [0, 2], y: [0.92, 0.8], printed: true }],
    },
    {
      id: 'surface', title: 'Surface', kind: 'surface', x: axis('rate', '1', 'log'), y: axis('RTT inflation', '1', 'log'), z: { ...axis('factor', '1', 'log'), centre: 1 },
      series: [{ name: 'factor', x: [0.1, 1, 0.1, 1, 0.1, 1], y: [1, 1, 2, 2, 4, 4], z: [1.2, 1.1, 1.05, 1, null, 0.9] }, { name: 'law', x: [0.1, 1], y: [2, 1] }],
    },
    { id: 'large', title: 'Large', kind: 'lines', x: axis('time', 'ps'), y: axis('queue', 'B'), series: [0, 1, 2, 3].map((k) => ({ name: 'port ' + k, x: time, y: wave(k) })) },
  ];
  const version = JSON.parse(readFileSync(folder + '/hpcc/manifest.json')).version;
  const claims = ['holds', 'fails', 'holds', 'not run'].map((verdict, i) => ({ id: 'A' + i, paper: 'hpcc', figure: '11a', expected: 'less', measured: '1 < 2', verdict, reason: verdict === 'fails' ? 'more' : '' }));
  writeFileSync(folder + '/claims/figures.json', JSON.stringify({ weir: version, format: 1, figures }));
  writeFileSync(folder + '/claims/verdicts.json', JSON.stringify({ weir: version, format: 2, date: '2026-01-01', claims }));
  execFileSync(weir, ['report', folder + '/hpcc', folder + '/dcqcn', folder + '/claims', '--out', folder + '/report.html']);
  mkdirSync(folder + '/sweep');
  writeFileSync(folder + '/sweep/runs.csv', 'run,availability,seed,status,message,wall_s\n');
  writeFileSync(folder + '/sweep/points.csv', 'availability,seeds,wait,wait_low,wait_high,fct_ps,fct_ps_low,fct_ps_high\n0.99951,3,2.5,2,3,2000000,,\n0.99952,3,4,3,5,3000000,1000000,400000000\n');
  writeFileSync(folder + '/sweep/sweep.json', JSON.stringify({ weir: version, format: 1, runs: { planned: 5, done: 4, failed: 0 }, units: { wait: 'us', fct_ps: 'ps' }, counts: { wait: [{ fewest: 90, most: 120, few: true }, { fewest: 120, most: 120, few: false }] }, measures: { wait: 'wait of web, mean', fct_ps: 'completion time, mean' }, better: { fct_ps: 'lower' }, best: { fct_ps: [0] } }));
  execFileSync(weir, ['report', folder + '/sweep', '--out', folder + '/sweep.html']);
  mkdirSync(folder + '/labels/runs', { recursive: true });
  for (const name of ['HPCC__ECMP', 'none'])
    execFileSync(weir, ['run', folder + '/hpcc/scenario.toml', '-q', '--set', 'network.ecn.enabled=' + (name === 'none'), '--out', folder + '/labels/runs/' + name], { stdio: 'ignore' });
  writeFileSync(folder + '/labels/runs.csv', 'run,transport,seed,status,message,wall_s\nHPCC__ECMP,"HPCC, ECMP",1,done,,1\nnone,none,1,done,,1\n');
  writeFileSync(folder + '/labels/points.csv', 'transport,seeds,unfinished,p99,p99_low,p99_high\n"HPCC, ECMP",1,0,3,,\nnone,1,0,4,,\n');
  execFileSync(weir, ['report', folder + '/labels', '--out', folder + '/labels.html']);
  // a study of one run that had no time to finish a flow
  writeFileSync(folder + '/title.toml', 'title = "of the scenario"\n' + scenario);
  mkdirSync(folder + '/study/runs', { recursive: true });
  execFileSync(weir, ['run', folder + '/title.toml', '-q', '--set', 'run.stop=1 us', '--out', folder + '/study/runs/x'], { stdio: 'ignore' });
  writeFileSync(folder + '/study/runs.csv', 'run,seed,status,message\nx,1,done,\n');
  execFileSync(weir, ['report', folder + '/study', folder + '/hpcc', '--out', folder + '/study.html']);
  // a run with pauses and a link that goes down and up
  const event = (time, state) => `[[network.link_event]]\ntime = "${time}"\na = 3\nb = 5\nstate = "${state}"\n`;
  writeFileSync(folder + '/paused.toml', scenario + '[probes.pfc]\n' + event('40 us', 'down') + event('50 us', 'up'));
  execFileSync(weir, ['run', folder + '/paused.toml', '-q', '--set', 'algorithm.name=dcqcn', '--set', 'network.ecn.enabled=true', '--set', 'network.buffer.size=300 KB', '--out', folder + '/paused'], { stdio: 'ignore' });
  execFileSync(weir, ['report', folder + '/paused', '--out', folder + '/paused.html']);
  execFileSync(weir, ['report', folder + '/hpcc', folder + '/paused', '--out', folder + '/unlike.html']);
  mkdirSync(folder + '/training');
  writeFileSync(folder + '/training/curriculum.toml', 'title = "Two to one"\n[learner]\nseed = 7\n');
  writeFileSync(folder + '/training/progress.csv', 'update,return,validation_score\n1,-2,0.1\n2,-1,\n3,-0.5,0.4\n');
  execFileSync(weir, ['report', folder + '/training', '--out', folder + '/training.html'], { stdio: 'ignore' });
  // the command thins; the page is to bear more
  const page = readFileSync(folder + '/report.html', 'utf8');
  const data = /(<script type="application\/json" id="document">)([^]*?)(<\/script>)/;
  const report = JSON.parse(data.exec(page)[2]);
  const large = report.figures.find((f) => f.id === 'large');
  assert.ok(large.series[0].x.length <= 20_002, 'the command thins');
  large.series = figures.find((f) => f.id === 'large').series;
  writeFileSync(folder + '/large.html', page.replace(data, (_, open, __, close) => open + JSON.stringify(report).replace(/</g, '\\u003c') + close));
  return { claims };
}

const made = make();
// Scrolls to a figure and waits until it is drawn.
async function figure(page, id) {
  await page.locator('#figure-' + id).scrollIntoViewIfNeeded();
  await page.waitForSelector(`#figure-${id}[data-drawn="true"]`);
  return page.locator('#figure-' + id);
}

const option = (page, id) => page.evaluate((name) => {
  const chart = window.weirReport.charts.find((c) => c.figure.id === name).chart;
  const o = chart.getOption();
  return { x: o.xAxis[0].type, y: o.yAxis[0].type, zoom: o.dataZoom.map((z) => [z.start, z.end]), selected: o.legend[0].selected, ink: o.textStyle.color, series: o.series.filter((s) => s.type !== 'custom').map((s) => ({ name: s.name, type: s.type, data: s.data })) };
}, id);

// Where ticks and their labels stand on an axis, and from where to where it reaches.
const ticks = (page, id, of) => page.evaluate(([name, axis]) => {
  const it = window.weirReport.charts.find((c) => c.figure.id === name).chart.getModel().getComponent(axis + 'Axis').axis;
  return { ticks: it.getTicksCoords().map((t) => t.tickValue), labels: it.getViewLabels().map((l) => l.formattedLabel), extent: it.scale.getExtent() };
}, [id, of]);

// Of each bar on screen that has a whisker, by how many pixels that stands beside its middle.
const besides = (page, id) => page.evaluate((name) => {
  const chart = window.weirReport.charts.find((c) => c.figure.id === name).chart;
  const shown = chart.getModel().getSeries().filter((s) => !chart.getModel().isSeriesFiltered(s));
  const out = [];
  for (const whiskers of shown.filter((s) => s.subType === 'custom')) {
    const bars = shown.find((s) => s.subType === 'bar' && s.name === whiskers.name).getData();
    for (let i = 0; i < bars.count(); i++) {
      const { x, width } = bars.getItemLayout(i);
      out.push(whiskers.getData().getItemGraphicEl(i).childAt(0).shape.x1 - (x + width / 2));
    }
  }
  return out;
}, id);

// The same of the figure on paper.
const besidesOnPaper = (page, id) => page.locator(`#figure-${id} .paper svg`).evaluate((svg) => {
  const boxes = (wanted) => Array.from(svg.querySelectorAll('path')).filter(wanted).map((p) => p.getBBox());
  const bars = boxes((p) => /^#/.test(p.getAttribute('fill') ?? '') && p.getBBox().width > 4 && p.getBBox().height > 20);
  const stems = boxes((p) => p.getAttribute('stroke') === '#1a1f26' && p.getBBox().width < 0.1);
  return stems.map((stem) => Math.min(...bars.map((bar) => Math.abs(stem.x - (bar.x + bar.width / 2)))));
});

const tests = {
  async 'values on screen are those of the results'() {
    const page = await open(folder + '/report.html');
    for (const name of ['hpcc', 'dcqcn']) {
      const manifest = JSON.parse(readFileSync(`${folder}/${name}/manifest.json`));
      const summary = JSON.parse(readFileSync(`${folder}/${name}/summary.json`));
      const row = page.locator('#runs-table tbody tr', { has: page.getByRole('link', { name, exact: true }) });
      const values = await row.locator('td').evaluateAll((cells) => cells.map((c) => c.dataset.value));
      for (const value of [summary.flows.finished, summary.slowdown.all.p50, summary.queues.peak.queue_bytes, manifest.wall_s])
        assert.ok(values.includes(String(value)), `${value} of ${name} in ${values}`);
      const text = await row.innerText();
      assert.ok(text.includes(summary.slowdown.all.p50.toFixed(2)));
      // of four flows, higher percentiles would be the largest
      assert.ok(!values.includes(String(summary.slowdown.all.p99)));
      assert.equal(await row.locator('td.none[title*="too few values"]').count(), 2 + (summary.queues.busiest.count <= 100 ? 1 : 0));
      const peak = summary.queues.peak;
      assert.ok(text.replace(/\s/g, ' ').includes(`${peak.from} \u2192 ${peak.to} at `), text);
    }
    // the chart's own data, by size
    const card = await figure(page, 'slowdown-p50');
    const drawn = await option(page, 'slowdown-p50');
    assert.deepEqual(drawn.series.map((s) => s.name), ['hpcc', 'dcqcn']);
    const bucket = JSON.parse(readFileSync(folder + '/hpcc/summary.json')).slowdown.by_size.filter((b) => b.count > 0);
    assert.equal(bucket.length, 1);
    assert.ok(Math.abs(drawn.series[0].data[0][1] - bucket[0].p50) < 1e-6);
    const box = await card.locator('.stage').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await card.locator('.tip').waitFor();
    assert.match(await card.locator('.tip').innerText(), /n = 4/);
    // the same by size, and what was in the longest queue, with the run
    await page.locator('.run > summary').first().click();
    const sizes = page.locator('.run table').first();
    await sizes.waitFor(); // drawn when its run opens
    assert.deepEqual(await sizes.locator('tbody tr').evaluateAll((rows) => rows.map((r) => [r.cells[0].innerText, r.cells[1].innerText])), [['all', '4'], ['\u2264 1\u00a0MB', '4']]);
    assert.match((await page.locator('.run .manifest').first().innerText()).replace(/\s/g, ' '), /longest queue .* port \d+ \(\d+ \u2192 \d+ at .*; of flow \d/);
    await page.close();
  },

  async 'a figure is drawn in its unit, and told on hovering'() {
    const page = await open(folder + '/report.html');
    const card = await figure(page, 'bars');
    assert.equal(await card.locator('h3').innerText(), 'Bars </script><b>&amp;');
    const drawn = await option(page, 'bars');
    assert.deepEqual(drawn.series.map((s) => s.data), [[[0, 2], [1, 3.5]], [[0, 2.1], [1, null]]]);
    const box = await card.locator('.stage').boundingBox();
    await page.mouse.move(box.x + box.width * 0.75, box.y + box.height / 2);
    const tip = card.locator('.tip');
    await tip.waitFor();
    assert.match(await tip.innerText(), /two\s+measured\s+3\.5\sµs 3\sµs – 4\sµs$/);
    await page.close();
  },

  async 'the authors\' values are told apart from ours'() {
    const page = await open(folder + '/report.html');
    const card = await figure(page, 'twins');
    assert.deepEqual(await card.locator('.legend button').allInnerTexts(), ['HPCC', 'HPCC, printed']);
    const box = await card.locator('.stage').boundingBox();
    await page.mouse.move(box.x + box.width * 0.75, box.y + box.height / 2);
    const tip = card.locator('.tip');
    await tip.waitFor();
    assert.match(await tip.innerText(), /two\s+HPCC\s+3\.5\sµs 3\sµs – 4\sµs\s+HPCC, printed\s+3\.1\sµs$/);
    await card.locator('[data-series="HPCC"]').click();
    assert.deepEqual((await option(page, 'twins')).selected, { HPCC: false, 'HPCC, printed': true });
    await page.close();
  },

  async 'whiskers stand on their bars'() {
    const page = await open(folder + '/report.html');
    for (const n of [3, 12]) {
      const id = 'whiskers-' + n;
      const card = await figure(page, id);
      const check = async (count, what) => {
        const found = await besides(page, id);
        assert.equal(found.length, count, what);
        assert.ok(found.every((d) => Math.abs(d) < 0.5), `${what} of ${n}: ${found}`);
      };
      await check(2 * (n - 1), 'all');
      await card.locator('[data-series="s0"]').click();
      await check(2 * (n - 2), 'without the first');
      await page.emulateMedia({ media: 'print' });
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
      const paper = await besidesOnPaper(page, id);
      assert.equal(paper.length, 2 * (n - 2));
      assert.ok(paper.every((d) => d < 0.5), `on paper: ${paper}`);
      await page.evaluate(() => dispatchEvent(new Event('afterprint')));
      await page.emulateMedia({ media: 'screen' });
      await card.locator('[data-series="s2"]').dblclick();
      await check(2, 'one alone, as wide as a bar may be');
    }
    await page.close();
  },

  async 'a whisker that goes on beyond the axis ends there in an arrow'() {
    const page = await open(folder + '/report.html');
    const card = await figure(page, 'clipped');
    // of the middle one: what its ends are, and whether the lower one is on the axis
    const ends = () => page.evaluate(() => {
      const chart = window.weirReport.charts.find((c) => c.figure.id === 'clipped').chart;
      const whiskers = chart.getModel().getSeries().find((s) => s.subType === 'custom').getData();
      const grid = chart.getModel().getComponent('grid').coordinateSystem.getRect();
      const stem = whiskers.getItemGraphicEl(1).childAt(0).shape;
      return { types: [1, 2].map((i) => whiskers.getItemGraphicEl(1).childAt(i).type), lower: Math.abs(stem.y2 - grid.y - grid.height) < 1 };
    });
    assert.deepEqual(await ends(), { types: ['line', 'polygon'], lower: true });
    assert.equal(await card.locator('.note').innerText(), 'Whiskers: 95 % confidence interval of the mean over 3 seeds. An arrow marks a whisker that goes on beyond the axis.');
    await card.locator('[data-tool="logY"]').click();
    assert.deepEqual((await ends()).types, ['line', 'line']);
    assert.equal(await card.locator('.note').innerText(), 'Whiskers: 95 % confidence interval of the mean over 3 seeds.');
    await page.close();
  },

  async 'labels of ranges stand beside each other, however wide the figure is'() {
    for (const width of [1300, 1000, 700, 420]) {
      const page = await open(folder + '/report.html');
      await figure(page, 'ranges');
      await page.setViewportSize({ width, height: 900 });
      await page.waitForFunction(() => { const c = window.weirReport.charts.find((o) => o.figure.id === 'ranges'); return Math.abs(c.chart.getWidth() - c.card.querySelector('.stage').clientWidth) < 2; });
      await page.waitForTimeout(100);
      const boxes = await page.evaluate(() => {
        const chart = window.weirReport.charts.find((c) => c.figure.id === 'ranges').chart;
        const texts = chart.getZr().storage.getDisplayList().filter((e) => e.type === 'tspan' && /KB|MB/.test(e.style.text));
        return texts.map((e) => { const r = e.getBoundingRect().clone(); r.applyTransform(e.transform); return [r.x, r.y, r.x + r.width, r.y + r.height]; });
      });
      assert.ok(boxes.length >= 6, String(boxes.length));
      boxes.forEach((a, i) => boxes.slice(0, i).forEach((b) => assert.ok(a[2] <= b[0] + 1 || b[2] <= a[0] + 1 || a[3] <= b[1] + 3 || b[3] <= a[1] + 3, `${width}: ${a} and ${b}`)));
      await page.close();
    }
  },

  async 'the setting stands under titles, differences and whose slowdowns in the summary'() {
    const page = await open(folder + '/report.html');
    const card = await figure(page, 'slowdown-p50');
    assert.match(await card.locator('.setting').innerText(), /^star, hosts 5.* · incast of 200 KB.* · ECN .* · buffer /);
    assert.equal(await page.locator('#figure-lines .setting').count(), 0, 'a figure of no run');
    assert.match(await page.locator('#runs-table .over').innerText(), /slowdown, all tags/);
    const study = await open(folder + '/study.html');
    assert.match(await study.locator('#runs-table .differences').first().innerText(), /^run\.stop = 1 us\nnetwork\.ecn\.enabled = false$/);
    assert.equal(await study.locator('#differences-table').count(), 0);
    await study.close();
    // runs that differ in more have a table of it, and the summary has room
    const unlike = await open(folder + '/unlike.html', { viewport: { width: 1200, height: 900 } });
    assert.equal(await unlike.locator('#runs-table .differences').count(), 0);
    const rows = await unlike.locator('#differences-table tr').evaluateAll((all) => all.map((tr) => Array.from(tr.cells, (c) => c.innerText)));
    assert.deepEqual(rows[0], ['differs in', 'hpcc', 'paused']);
    assert.ok(rows.some((r) => r.join() === 'network.buffer.size,32 MB,300 KB'), JSON.stringify(rows));
    assert.ok(rows.some((r) => r.join() === 'network.link_event.0.state,\u2013,down'), JSON.stringify(rows));
    const wide = await unlike.locator('#runs .scroll, #summary .scroll').first().evaluate((e) => e.scrollWidth - e.clientWidth);
    assert.ok(wide <= 1, wide + ' px of the summary are cut');
    await unlike.close();
    await page.close();
  },

  async 'a run tells who was in the longest queue, which ports were paused, what happened to links, and whose losses are whose'() {
    const page = await open(folder + '/paused.html');
    assert.match(await page.locator('#runs-table .who').innerText(), /^flow\s\d\s\(\d\s\u2192\s\d\)\s[\d.]+\sKB, flow\s\d/);
    assert.ok(await page.locator('#run-0[open]').isVisible(), 'a single run is open');
    const shares = await page.locator('#paused-paused tbody tr td:last-child').evaluateAll((all) => all.map((td) => Number(td.dataset.value)));
    assert.ok(shares.length > 0 && shares.every((v, i) => v > 0 && (i === 0 || v <= shares[i - 1])), String(shares));
    assert.deepEqual(await page.locator('.events li').allInnerTexts().then((all) => all.map((t) => t.split(';')[0])), ['At 40 us every link between nodes 3 and 5 goes down', 'At 50 us every link between nodes 3 and 5 comes up again.']);
    const names = await page.locator('#run-0 dt').allInnerTexts();
    for (const name of ['packets dropped by switches', 'packets lost on links', 'data packets that arrived marked']) assert.ok(names.includes(name), names.join());
    const heads = await page.locator('#runs-table thead').innerText();
    assert.match(heads, /dropped by switches/);
    assert.match(heads, /lost on links/);
    await page.close();
  },

  async 'tables fit a common screen, and scroll within a narrow one'() {
    for (const [width, fits] of [[1300, true], [500, false]]) {
      for (const file of ['/report.html', '/study.html', '/sweep.html']) {
        const page = await open(folder + file, { viewport: { width, height: 900 } });
        const wide = await page.evaluate(() => [document.documentElement.scrollWidth, ...Array.from(document.querySelectorAll('.scroll'), (s) => s.scrollWidth - s.clientWidth)]);
        assert.equal(wide[0], width, 'the page itself does not scroll sideways');
        if (fits) assert.ok(wide.slice(1).every((beyond) => beyond <= 0), `${file}: ${wide}`);
        // what stands in a bar or beside a title does not overlap
        const overlaps = await page.evaluate(() => {
          const boxes = Array.from(document.querySelectorAll('.bar nav a, .bar .switch, .bar .brand svg, .figure h3, .figure .tools'), (e) => e.getBoundingClientRect()).filter((b) => b.width > 0);
          const hit = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
          return boxes.flatMap((a, i) => boxes.slice(0, i).filter((b) => hit(a, b))).length;
        });
        assert.equal(overlaps, 0, `${file} at ${width}`);
        await page.close();
      }
    }
  },

  async 'a radar leaves gaps, and tells what was measured'() {
    const page = await open(folder + '/report.html');
    const card = await figure(page, 'radar');
    const drawn = () => page.evaluate(() => {
      const chart = window.weirReport.charts.find((c) => c.figure.id === 'radar').chart;
      const of = (name) => chart.getModel().getSeries().filter((s) => s.name === name && !chart.getModel().isSeriesFiltered(s))[0];
      // of each series its sides, those that are dashed, and where its first marker is, as a share of the radius
      return ['PCC-RL', 'HPCC', 'PCC-RL, printed'].map((name) => {
        if (!of(name)) return null;
        const parts = [];
        of(name).getData().eachItemGraphicEl((group) => group.children().forEach((c) => parts.push(c)));
        const sides = parts.filter((p) => p.type === 'line');
        return [sides.length, sides.filter((p) => p.style.lineDash).length, parts.filter((p) => p.type === 'polygon').length];
      });
    });
    // HPCC's markers are squares; its one side stands beside the gap
    assert.deepEqual((await drawn()).map((d) => d[0]), [3, 1, 1]);
    assert.deepEqual((await drawn()).map((d) => d[1] > 0), [false, false, true], 'only what is printed is dashed');
    assert.equal(await card.locator('[data-tool="logX"], [data-tool="logY"]').count(), 0);
    const at = await page.evaluate(() => {
      const chart = window.weirReport.charts.find((c) => c.figure.id === 'radar').chart;
      const group = chart.getModel().getSeries().find((s) => s.name === 'PCC-RL').getData().getItemGraphicEl(2);
      const { cx, cy } = group.childAt(group.childCount() - 1).shape;
      return [cx, cy];
    });
    const box = await card.locator('.stage').boundingBox();
    await page.mouse.move(box.x + at[0], box.y + at[1]);
    await card.locator('.tip').waitFor();
    assert.match((await card.locator('.tip').innerText()).replace(/\s/g, ' '), /^low queue PCC-RL 15 µs, at 0.85 PCC-RL, printed 0.8 HPCC 50 µs, at 0.5$/);
    await card.locator('[data-series="HPCC"]').click();
    assert.equal((await drawn())[1], null);
    await page.close();
  },

  async 'cells of a surface have their places, colours and values, light and dark'() {
    const tints = [];
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(folder + '/report.html', { colorScheme });
      const card = await figure(page, 'surface');
      const cells = await page.evaluate(() => {
        const chart = window.weirReport.charts.find((c) => c.figure.id === 'surface').chart;
        const data = chart.getModel().getSeries().find((s) => s.name === 'factor').getData();
        return [0, 1, 2, 3, 4, 5].map((i) => {
          const [rect, text] = data.getItemGraphicEl(i).children();
          return { ...rect.shape, fill: rect.style.fill, text: text.style.text ?? null };
        });
      });
      assert.deepEqual(cells.map((c) => c.text), ['1.2', '1.1', '1.05', '1', null, '0.9']);
      assert.ok(Math.abs(cells[0].x + cells[0].width - cells[1].x) < 0.01 && Math.abs(cells[2].y + cells[2].height - cells[0].y) < 0.01, 'no gap between cells');
      assert.ok(Math.abs(cells[0].width - cells[1].width) <= 1, 'as wide as each other on a logarithmic axis');
      assert.equal(new Set(cells.map((c) => c.fill)).size, 6);
      tints.push(cells.map((c) => c.fill));
      assert.equal(await card.locator('[data-tool="logX"], [data-tool="logY"]').count(), 0);
      const box = await card.locator('.stage').boundingBox();
      await page.mouse.move(box.x + cells[3].x + 9, box.y + cells[3].y + 9);
      await card.locator('.tip').waitFor();
      assert.deepEqual(await card.locator('.tip td').allInnerTexts(), ['rate', '1', 'RTT inflation', '2', 'factor', '1']);
      const zoom = () => page.evaluate(() => window.weirReport.charts.find((c) => c.figure.id === 'surface').chart.getModel().getComponent('yAxis').axis.scale.getExtent());
      const before = await zoom();
      await page.evaluate(() => window.weirReport.charts.find((c) => c.figure.id === 'surface').chart.dispatchAction({ type: 'dataZoom', dataZoomIndex: 1, start: 20, end: 60 }));
      assert.ok((await zoom())[1] < before[1]);
      await page.close();
    }
    assert.notDeepEqual(tints[0], tints[1]);
  },

  async 'a training has its policy, its curriculum and its curves'() {
    const page = await open(folder + '/training.html');
    assert.deepEqual(await page.locator('nav a').allInnerTexts(), ['Policies', 'Figures']);
    assert.match((await page.locator('.notice').innerText()), /^Not shown: the policy of training: its training has not ended\.$/);
    assert.match(await page.locator('[data-training] > summary').innerText(), /training\s+Two to one · 3 updates/);
    await page.locator('.scenario > summary').click();
    assert.match(await page.locator('.toml').innerText(), /seed = 7/);
    assert.deepEqual(await page.locator('.figure h3').allInnerTexts(), ['Return', 'Validation']);
    await figure(page, 'training-return');
    const drawn = await option(page, 'training-return');
    assert.deepEqual(drawn.series.map((s) => [s.name, s.data]), [['each update', [[1, -2], [2, -1], [3, -0.5]]], ['validated', [[1, -2], [3, null], [3, -0.5]]]]);
    await page.close();
  },

  async 'values below 0 are on a linear axis, and on no other'() {
    const page = await open(folder + '/report.html');
    const card = await figure(page, 'signed');
    const seen = () => page.evaluate(() => {
      const chart = window.weirReport.charts.find((c) => c.figure.id === 'signed').chart;
      return { from: chart.getModel().getComponent('xAxis').axis.scale.getExtent()[0], whiskers: chart.getOption().series.find((s) => s.type === 'custom').data.map((d) => d[0]) };
    });
    assert.deepEqual(await seen(), { from: -11, whiskers: [-10, 1, 10] });
    await card.locator('[data-tool="logX"]').click();
    assert.deepEqual((await seen()).whiskers, [1, 10]);
    await page.close();
  },

  async 'ticks stand at few values of x, also of a part'() {
    const page = await open(folder + '/report.html');
    const card = await figure(page, 'fan-in');
    const all = await ticks(page, 'fan-in', 'x');
    assert.deepEqual(all.ticks, [4, 6, 10, 14, 16]);
    assert.deepEqual(all.labels, ['4', '6', '10', '14', '16']);
    assert.ok(all.extent[0] < 4 && all.extent[1] > 16, 'no point stands on the frame');
    const zoom = (from, to) => page.evaluate(([startValue, endValue]) => window.weirReport.charts.find((c) => c.figure.id === 'fan-in').chart.dispatchAction({ type: 'dataZoom', dataZoomIndex: 0, startValue, endValue }), [from, to]);
    await zoom(5.001, 15.003);
    assert.deepEqual((await ticks(page, 'fan-in', 'x')).labels, ['6', '10', '14']);
    await zoom(11.001, 13.003);
    assert.deepEqual((await ticks(page, 'fan-in', 'x')).labels, ['11.5', '12', '12.5', '13']);
    assert.deepEqual(await card.locator('.legend button').allInnerTexts(), ['hops 2', 'hops 4', 'hops 4, printed']);
    await page.close();
  },

  async 'a pair of measured and printed has one colour'() {
    const page = await open(folder + '/report.html');
    const card = await figure(page, 'fan-in');
    const looks = await card.locator('.legend svg').evaluateAll((all) => all.map((s) => [s.lastChild.getAttribute('stroke'), s.lastChild.getAttribute('fill'), s.firstChild.getAttribute('stroke-dasharray')]));
    assert.notEqual(looks[0][0], looks[1][0]);
    assert.equal(looks[1][0], looks[2][0]);
    assert.deepEqual(looks.map(([tint, fill]) => tint === fill), [true, true, false], 'only what is printed is hollow');
    assert.deepEqual(looks.map(([, , dashes]) => dashes !== null), [false, false, true], 'and dashed');
    await page.close();
  },

  async 'a figure without data says so'() {
    const page = await open(folder + '/report.html');
    await figure(page, 'nothing');
    const said = () => page.evaluate(() => window.weirReport.charts.filter((c) => c.chart).map((c) => [c.figure.id, c.chart.getOption().title[0]]).filter(([, title]) => title.show).map(([id, title]) => [id, title.text]));
    assert.deepEqual(await said(), [['nothing', 'no data']]);
    await page.close();
  },

  async 'sixteen colours are told apart, light and dark'() {
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(folder + '/report.html', { colorScheme });
      const card = await figure(page, 'flows');
      const fills = await card.locator('.legend rect').evaluateAll((all) => all.map((r) => r.getAttribute('fill')));
      assert.equal(new Set(fills).size, 16);
      const parts = (tint) => [1, 3, 5].map((i) => parseInt(tint.slice(i, i + 2), 16));
      // "redmean"; eight more in paler tints of the first come as near as 57 and 56
      const apart = (a, b) => {
        const [p, q] = [parts(a), parts(b)];
        const mean = (p[0] + q[0]) / 2;
        return Math.sqrt((2 + mean / 256) * (p[0] - q[0]) ** 2 + 4 * (p[1] - q[1]) ** 2 + (2 + (255 - mean) / 256) * (p[2] - q[2]) ** 2);
      };
      const nearest = (all) => Math.min(...all.flatMap((a, i) => all.slice(0, i).map((b) => apart(a, b))));
      assert.ok(nearest(fills) > 75, `${colorScheme}: ${nearest(fills)}`);
      await page.close();
    }
  },

  async 'a long name of an axis has its lines apart, and no tick with a name of its own is left out'() {
    const page = await open(folder + '/report.html');
    await figure(page, 'wrapped');
    const [boxes, svg] = await page.evaluate(() => {
      const card = window.weirReport.charts.find((c) => c.figure.id === 'wrapped');
      const texts = card.chart.getZr().storage.getDisplayList().filter((e) => e.type === 'tspan' && e.style.text);
      return [texts.map((e) => {
        const box = e.getBoundingRect().clone();
        if (e.transform) box.applyTransform(e.transform);
        return { text: e.style.text, x: box.x, y: box.y, width: box.width, height: box.height };
      }), card.svg()];
    });
    assert.ok(boxes.filter((b) => b.height > b.width && b.height > 40).length >= 2, JSON.stringify(boxes));
    for (const a of boxes)
      for (const b of boxes)
        assert.ok(a === b || a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height || b.y >= a.y + a.height, `'${a.text}' and '${b.text}'`);
    assert.ok(boxes.some((b) => b.text === '> 120 KB'));
    assert.match(svg, />&gt; 120 KB</);
    await page.close();
  },

  async 'a sweep begins with its figures and points, and runs are called by their labels'() {
    const page = await open(folder + '/labels.html');
    assert.deepEqual(await page.locator('section > h2').allInnerTexts(), ['Figures', 'Points', 'Runs']);
    assert.deepEqual(await page.locator('#runs-table tbody tr td:first-child a').allInnerTexts(), ['HPCC, ECMP', 'none']);
    assert.equal(await page.locator('#runs-table .differences').count(), 0);
    const heights = await page.locator('#runs-table tbody tr').evaluateAll((all) => all.map((row) => row.clientHeight));
    assert.ok(Math.max(...heights) < 60, String(heights));
    await page.close();
  },

  async 'runs of a study are told by their algorithm, not by the title of its scenario'() {
    const page = await open(folder + '/study.html');
    assert.equal(await page.getByText('of the scenario').count(), 0);
    const cells = await page.locator('#runs-table tbody tr').evaluateAll((rows) => rows.map((r) => Array.from(r.cells).slice(0, 3).map((c) => c.innerText)));
    assert.deepEqual(cells, [['x', 'study', 'hpcc'], ['hpcc', '\u2013', 'hpcc']]);
    assert.deepEqual(await page.locator('.run > summary').allInnerTexts(), ['x\nhpcc', 'hpcc\nhpcc']);
    await page.close();
  },

  async 'points have their labels as they are, and the units of measures'() {
    const page = await open(folder + '/sweep.html');
    const rows = await page.locator('#points-0 tbody tr').evaluateAll((all) => all.map((row) => Array.from(row.cells, (c) => c.innerText.replace(/\s/g, ' '))));
    assert.deepEqual(rows, [['0.99951', '3', '2.5 * 2 … 3', 'best2'], ['0.99952', '3', '4 3 … 5', '3 n/a (3 seeds)']]);
    assert.deepEqual(await page.locator('#points-0 thead button').allInnerTexts(), ['availability', 'seeds', 'wait (µs)', 'fct (µs)']);
    assert.equal(await page.locator('#points-0 tbody td span[title]').first().getAttribute('title'), 'of 90 to 120 values in each run');
    assert.match(await page.locator('#points .hint').innerText(), /\*: too few values in some run/);
    assert.deepEqual(await page.locator('#points-0 thead small').allInnerTexts(), ['wait of web, mean', 'completion time, mean']);
    assert.equal(await page.locator('.notice').first().innerText(), 'sweep: 0 of 5 runs are done');
    await page.close();
  },

  async 'series are toggled by the legend, axes by their switch'() {
    const page = await open(folder + '/report.html');
    const card = await figure(page, 'lines');
    const button = card.locator('[data-series="b"]');
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    await button.click();
    assert.equal(await button.getAttribute('aria-pressed'), 'false');
    assert.equal((await option(page, 'lines')).selected.b, false);
    assert.equal((await option(page, 'lines')).y, 'value');
    await card.locator('[data-tool="logY"]').click();
    const log = await option(page, 'lines');
    assert.equal(log.y, 'log');
    assert.equal(log.x, 'log');
    assert.equal(log.selected.b, false, 'what is hidden stays hidden');
    assert.deepEqual(log.series[1].data, [[1000, 1], [10000, null], [100000, 4]], '0 has no logarithm');
    assert.equal(await card.getAttribute('data-log-y'), 'true');
    await card.locator('[data-tool="logX"]').click();
    assert.equal((await option(page, 'lines')).x, 'value');
    await page.close();
  },

  async 'a rectangle zooms, a double click shows all again'() {
    const page = await open(folder + '/report.html');
    const card = await figure(page, 'lines');
    const box = await card.locator('.stage').boundingBox();
    await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5, { steps: 4 });
    await page.mouse.up();
    const zoomed = (await option(page, 'lines')).zoom;
    assert.ok(zoomed.slice(0, 2).every(([start, end]) => start > 1 && end < 99), JSON.stringify(zoomed));
    await page.mouse.dblclick(box.x + box.width * 0.5, box.y + box.height * 0.5);
    const all = (await option(page, 'lines')).zoom;
    assert.deepEqual(all[0], [0, 100]);
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
    await page.mouse.wheel(0, -300);
    await page.waitForFunction(() => window.weirReport.charts.find((c) => c.figure.id === 'lines').chart.getOption().dataZoom[0].end < 100);
    await page.close();
  },

  async 'claims are filtered by verdict'() {
    const page = await open(folder + '/report.html');
    const visible = () => page.locator('#claims-table tbody tr:visible').evaluateAll((rows) => rows.map((r) => r.dataset.claim));
    assert.deepEqual(await visible(), made.claims.map((c) => c.id));
    await page.locator('[data-filter="holds"]').click();
    assert.deepEqual(await visible(), ['A1', 'A3']);
    await page.locator('[data-filter="fails"]').click();
    await page.locator('[data-filter="not run"]').click();
    assert.deepEqual(await visible(), []);
    assert.ok(await page.getByText('No claim has the chosen verdict.').isVisible());
    await page.close();
  },

  async 'light and dark, by the system and by the switch'() {
    const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const page = await open(folder + '/report.html', { colorScheme: 'dark' });
    assert.equal(await ground(page), 'rgb(15, 19, 24)');
    await figure(page, 'lines');
    const dark = (await option(page, 'lines')).ink;
    await page.locator('[data-choice="light"]').click();
    assert.equal(await ground(page), 'rgb(245, 246, 248)');
    assert.notEqual((await option(page, 'lines')).ink, dark);
    await page.reload();
    const legend = (await figure(page, 'lines')).locator('.legend path').first();
    assert.equal(await legend.getAttribute('stroke'), '#0072b2', 'the choice is kept, in legends too');
    await page.close();
  },

  async 'on paper all is open, light, and drawn'() {
    const page = await open(folder + '/report.html', { colorScheme: 'dark' });
    assert.equal(await page.locator('details[open]').count(), 0);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    assert.equal(await page.locator('details:not([open])').count(), 0);
    assert.equal(await page.locator('.scenario .toml:visible').count(), 2);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
    const figures = await page.locator('.figure').count();
    assert.equal(await page.locator('.paper svg:visible').count(), figures);
    assert.equal(await page.locator('.stage:visible').count(), 0);
    assert.ok((await page.pdf()).length > 50_000);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    assert.equal(await page.locator('details[open]').count(), 0);
    assert.equal(await page.locator('.paper svg').count(), 0);
    await page.close();
  },

  async 'four series of 100,000 points are in the chart, and drawn'() {
    const page = await open(folder + '/large.html');
    const card = await figure(page, 'large');
    const lines = (await option(page, 'large')).series.filter((s) => s.type === 'line');
    assert.deepEqual(lines.map((s) => s.data.length), [kMany, kMany, kMany, kMany]);
    const took = await card.getAttribute('data-ms');
    const frame = await page.evaluate(() => {
      const it = window.weirReport.charts.find((c) => c.figure.id === 'large');
      const begin = performance.now();
      it.draw();
      it.chart.getZr().flush();
      return Math.round(performance.now() - begin);
    });
    const painted = await card.locator('canvas').evaluate((canvas) => {
      const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      let blue = 0;
      for (let i = 0; i < pixels.length; i += 4) if (pixels[i] < 40 && pixels[i + 2] > 150 && pixels[i + 3] > 200) blue++;
      return blue;
    });
    assert.ok(painted > 500, 'the first series is seen');
    console.log(`      first drawn in ${took} ms, again in ${frame} ms`);
    await page.close();
  },
};

await run(tests);
