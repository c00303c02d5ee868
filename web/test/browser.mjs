// A browser for tests of pages: what they say on the console, or ask for from outside, is a complaint.
//
// Without Chromium, or its driver, the test ends with status 77: skipped.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((p) => p && existsSync(p));
if (!executablePath) {
  console.log('skipped: no Chromium (Debian: chromium; CHROMIUM names another place)');
  process.exit(77);
}

// it was not installed if npm could not reach its registry
const { chromium } = await import('playwright-core').catch(() => ({}));
if (!chromium) {
  console.log('skipped: this build has no report');
  process.exit(77);
}

// A test that hangs is ended from outside; none fails because a machine is slow.
const timeout = 0;
const complaints = [];
let started = null;

function browser() {
  started = started ?? chromium.launch({ executablePath, timeout, args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
  return started;
}

// What is expected to be said on the console, such as that a server refused something.
export function forgive(pattern) {
  for (let i = complaints.length - 1; i >= 0; i--) if (pattern.test(complaints[i])) complaints.splice(i, 1);
}

// A file, or the address of a page that is served.
export async function open(file, settings = {}, hash = '') {
  const page = await (await browser()).newPage({ viewport: { width: 1300, height: 900 }, ...settings });
  page.setDefaultTimeout(timeout);
  page.on('console', (m) => { if (m.type() === 'error' || m.type() === 'warning') complaints.push(m.text()); });
  page.on('pageerror', (e) => complaints.push(String(e)));
  // a page that is served may ask its server
  const served = file.startsWith('http://') ? new URL(file).origin + '/' : null;
  page.on('request', (r) => { if (!/^(file|data|blob):/.test(r.url()) && !(served && r.url().startsWith(served))) complaints.push('it asks for ' + r.url()); });
  await page.goto((served ? file : pathToFileURL(file).href) + hash);
  await page.waitForSelector('html[data-ready]');
  return page;
}

// Runs the tests one after the other, and ends the process.
export async function run(tests) {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      assert.deepEqual(complaints.splice(0), [], 'the console');
      console.log('ok    ' + name);
    } catch (error) {
      failed++;
      console.log('FAILED ' + name + '\n' + (error.stack ?? error));
    }
  }
  await end();
  process.exit(failed === 0 ? 0 : 1);
}

export async function end() {
  await (await browser()).close();
}
