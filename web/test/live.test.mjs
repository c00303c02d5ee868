// The page of a run that goes on, in a browser, served by the command itself.
//
//   node live.test.mjs WEIR FOLDER     in the folder of the sources; FOLDER takes the results
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { forgive, open, run } from './browser.mjs';
import { start } from './live_run.mjs';

const [weir, folder] = process.argv.slice(2);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const scenario = 'tests/scenarios/pfc-small-buffer.toml';
const json = (file) => JSON.parse(readFileSync(file, 'utf8'));
const plain = (text) => text.replace(/[\u00a0\u202f]/g, ' ');
const now = (p) => p.locator('.live').getAttribute('data-now').then(Number);
const paused = (p, at) => p.waitForFunction((ps) => {
  const live = document.querySelector('.live');
  return live && live.dataset.state === 'paused' && (ps === null || Number(live.dataset.now) === ps);
}, at ?? null);
const shows = (p, what) => p.waitForSelector(`.panel-body[data-shows="${what}"][aria-busy="false"]`);
const state = (p) => p.evaluate(() => JSON.parse(JSON.stringify(window.weirView.store.state)));

async function paused_run(name, settings, more = []) {
  const out = folder + '/' + name;
  const r = await start(weir, [scenario, '--view', '--view-paused', '--out', out, ...more]);
  const p = await open(r.address, settings);
  await paused(p, 0);
  return { r, p, out };
}

// The run goes on to its end, its page becomes that of the result, and both end.
async function end({ r, p }, look = async () => {}) {
  await p.locator('[data-tool="go"]').click();
  await p.waitForSelector('[data-tool="end"]');
  await p.waitForSelector('html[data-ready]');
  await look();
  await p.locator('[data-tool="end"]').click();
  await p.waitForFunction(() => document.querySelector('[data-tool="end"]').disabled);
  const status = await r.ended;
  await p.close();
  return status;
}

const tests = {
  async 'a step is as long as was asked for, and the slider follows the present'() {
    const all = await paused_run('steps');
    const { p } = all;
    assert.equal(await p.locator('.badge').first().innerText(), 'live');
    const epoch = await p.evaluate(() => window.weirView.live.news.epoch_ps);
    await p.locator('[aria-label="length of a step"]').fill(20 * epoch + ' ps');
    await p.locator('[data-tool="step-run"]').click();
    await paused(p, 20 * epoch);
    const bins = () => p.evaluate(() => window.weirView.run.bins);
    const first = await bins();
    assert.ok(first > 0);
    assert.equal((await state(p)).bin, first - 1);
    assert.equal(await p.locator('.timeline input').getAttribute('max'), String(first - 1));
    // by keys, too
    await p.locator('.picture canvas').focus();
    await p.keyboard.press('s');
    await paused(p, 40 * epoch);
    assert.equal((await state(p)).bin, (await bins()) - 1);
    // who looks at the past stays there
    await p.locator('.timeline input').fill('3');
    await p.locator('.picture canvas').focus();
    await p.keyboard.press('s');
    await paused(p, 60 * epoch);
    assert.equal((await state(p)).bin, 3);
    assert.equal(await p.locator('[data-tool="present"]').getAttribute('aria-pressed'), 'false');
    await p.keyboard.press('.');
    assert.equal((await state(p)).bin, (await bins()) - 1);
    assert.equal(await p.locator('[data-tool="present"]').getAttribute('aria-pressed'), 'true');
    // what is not a time is told, and nothing happens
    await p.locator('[aria-label="length of a step"]').fill('long');
    await p.locator('[data-tool="step-run"]').click();
    await p.waitForSelector('.live [role="alert"]:not([hidden])');
    assert.match(await p.locator('.live [role="alert"]').innerText(), /^span: /);
    assert.equal(await now(p), 60 * epoch);
    await p.locator('[aria-label="run until"]').fill(100 * epoch + ' ps');
    await p.keyboard.press('Enter');
    await paused(p, 100 * epoch);
    assert.ok(await p.locator('.live [role="alert"]').isHidden());
    forgive(/400/);
    assert.equal(await end(all), 0);
    assert.ok(!('changes' in json(all.out + '/summary.json')));
  },

  async 'what the page shows is what weir view shows of the same instant'() {
    const all = await paused_run('tables');
    const { p } = all;
    await p.locator('[aria-label="length of a step"]').fill('60 us');
    await p.locator('[data-tool="step-run"]').click();
    await p.waitForFunction(() => window.weirView.live.news.state === 'paused' && window.weirView.run.bins > 10);
    const sums = () => p.evaluate(async () => {
      const s = await window.weirView.run.series();
      const last = 40; // bins that are complete in both
      const out = {};
      for (let i = 0; i < s.rows; i++) if (s.bin[i] < last) out[s.port[i]] = (out[s.port[i]] ?? 0) + s.sent[i] + s.queue[i] + s.marked[i] + s.paused[i];
      return out;
    });
    const seen = await sums();
    assert.ok(Object.keys(seen).length > 3);
    // a flow that has not ended has a course and a path already
    const flow = await p.evaluate(async () => { const f = await window.weirView.run.flows(); return f.finish.findIndex((t) => isNaN(t)); });
    assert.ok(flow >= 0);
    await p.evaluate((id) => window.weirView.store.set({ show: { kind: 'flow', id } }), flow);
    await shows(p, 'flow-' + flow);
    assert.match(await p.locator('.verdict').innerText(), /^It has not finished, /);
    assert.ok((await p.locator('.path li').count()) > 1);
    await p.keyboard.press('Escape');
    await shows(p, 'worst-0');
    await p.locator('[data-tool="go"]').click();
    await p.waitForSelector('[data-tool="end"]');
    await p.waitForSelector('html[data-ready]');
    assert.deepEqual(await sums(), seen);
    assert.equal(await p.locator('[data-tab="change"]').count(), 0);
    await p.locator('[data-tool="end"]').click();
    assert.equal(await all.r.ended, 0);
    await p.close();
  },

  async 'a flow is sent, seen, and told in the result'() {
    const all = await paused_run('sent');
    const { p, out } = all;
    await p.locator('.picture canvas').focus();
    await p.keyboard.press('s');
    await p.waitForFunction(() => window.weirView.live.news.state === 'paused' && window.weirView.run.bins > 3);
    const at = await now(p);
    await p.keyboard.press('f');
    await shows(p, 'find-0');
    const count = async () => Number(/^(\d+)/.exec(plain(await p.locator('.find [role="status"]').innerText()))[1]);
    const before = await count();
    await p.locator('[data-tab="change"]').click();
    await shows(p, 'change-0');
    await p.locator('[data-change="flow"] [name="src"]').fill('1');
    await p.locator('[data-change="flow"] [name="dst"]').fill('1');
    await p.locator('[data-change="flow"] [name="size"]').fill('20 KB');
    await p.locator('[data-change="flow"] button').click();
    await p.waitForSelector('.panel-body .notice.bad:not([hidden])');
    forgive(/400/);
    await p.locator('[data-change="flow"] [name="dst"]').fill('2');
    await p.keyboard.press('Enter');
    await p.waitForSelector('.panel-body .notice:not(.bad):not([hidden])');
    assert.match(plain(await p.locator('.log').innerText()), /flow 1 -> 2 of 20 KB/);
    await p.locator('[data-change="set"] [name="key"]').selectOption('network.buffer.size');
    assert.ok((await p.locator('[data-change="set"] [name="value"]').inputValue()).length > 0);
    await p.locator('[data-change="set"] [name="value"]').fill('3 MB');
    await p.locator('[data-change="set"] button').click();
    await p.waitForFunction(() => document.querySelectorAll('.log li').length === 2);
    await p.locator('.tabs [data-tab="find"]').focus();
    await p.keyboard.press('Enter');
    await shows(p, 'find-0');
    await p.locator('[data-tool="step-run"]').click();
    await paused(p, at + 10e6);
    await p.locator('.find input').fill('1 > 2');
    await p.waitForFunction(() => [...document.querySelectorAll('.line[data-flow]')].some((l) => l.textContent.includes('1 \u2192 2') && l.textContent.includes('20')));
    await p.locator('.find input').fill('');
    assert.ok((await count()) > before);
    assert.match(plain(await p.locator('.live .state').innerText()), /changed 2 times/);
    const status = await end(all, async () => {
      await p.locator('[data-tab="worst"]').click();
      await shows(p, 'worst-0');
      assert.equal(await p.locator('[data-changes]').getAttribute('data-changes'), '2');
    });
    assert.equal(status, 0);
    assert.equal(json(out + '/summary.json').changes, 2);
    assert.ok(existsSync(out + '/steering.toml') && existsSync(out + '/before.toml'));
    assert.match(readFileSync(out + '/steering.toml', 'utf8'), /kind = "flow"/);
    assert.match(all.r.out, /steered {2}2 changes/);
  },

  async 'stop keeps what there is, and runs and pauses by key'() {
    const all = await paused_run('stopped', { colorScheme: 'dark' });
    const { r, p, out } = all;
    await p.locator('[aria-label="pace"]').selectOption('10 us');
    await p.locator('.picture canvas').focus();
    await p.keyboard.press('r');
    await p.waitForFunction(() => window.weirView.live.state === 'running');
    await p.waitForFunction(() => Number(document.querySelector('.live').dataset.now) > 0);
    await p.keyboard.press('r');
    await p.waitForFunction(() => window.weirView.live.state === 'paused');
    await p.locator('[data-tool="stop"]').click();
    await p.waitForSelector('[data-tool="end"]');
    await p.waitForSelector('html[data-ready]');
    await p.locator('[data-tool="end"]').click();
    assert.equal(await r.ended, 130);
    await p.close();
    assert.equal(json(out + '/manifest.json').interrupted, true);
  },

  async 'titles and tags are texts, and a page that has lost its run says so'() {
    const all = await paused_run('texts', {}, ['--set', 'title=<img src=x onerror=alert(1)><b>&', '--set', 'traffic.0.tag=<i>t</i>']);
    const { r, p } = all;
    assert.equal(await p.locator('h1').innerText(), '<img src=x onerror=alert(1)><b>&');
    await p.keyboard.press('c');
    await shows(p, 'change-0');
    assert.equal(await p.locator('[data-change="flow"] [name="tag"] option').first().textContent(), '<i>t</i>');
    r.child.kill('SIGINT');
    assert.equal(await r.ended, 130);
    await p.waitForSelector('.live[data-state="gone"]');
    assert.match(await p.locator('.live .state').innerText(), /^weir is not there any more/);
    assert.ok(await p.locator('[data-tool="go"]').isDisabled());
    forgive(/Failed to load|ERR_CONNECTION/);
    await p.close();
  },
};

await run(tests);
