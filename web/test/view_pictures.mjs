// Pictures of a page of weir view for the documentation.
//
//   node view_pictures.mjs PAGE FOLDER [--dark] [network] [port] [flow] [tree] [ranks] [balance]
//
// writes FOLDER/view-NAME.png of those that are named, or of all: the whole at its longest queue, the port that had it, the
// slowest flow, the largest tree of PFC pauses, the ranks of a collective or a training step, and how evenly links are used
// when the first link is down.
import { end, open } from './browser.mjs';

const [file, folder, ...rest] = process.argv.slice(2);
const dark = rest.includes('--dark');
const names = rest.filter((name) => name !== '--dark');
const page = await open(file, { viewport: { width: 1280, height: 800 }, colorScheme: dark ? 'dark' : 'light' });

// The first of a kind of the worst.
async function goTo(kind, show) {
  await page.locator(`[data-kind="${kind}"] li a`).first().click();
  await page.waitForSelector(`.panel-body[data-shows^="${show}"][aria-busy="false"]`);
}

async function openTab(name) {
  await page.locator(`[data-tab="${name}"]`).click();
  await page.waitForSelector(`.panel-body[data-shows^="${name}"][aria-busy="false"]`);
}

const pictures = {
  async network() {},
  // and what is around it in time
  async port() {
    await goTo('queue', 'port');
    await page.evaluate(() => {
      const { store, run } = window.weirView;
      const around = Math.max(20, Math.round(run.bins / 12));
      store.set({ from: store.state.bin - around, until: store.state.bin + 3 * around });
    });
  },
  flow: () => goTo('slow', 'flow'),
  tree: () => goTo('tree', 'pause'),
  async ranks() {
    await openTab('ranks');
    await page.keyboard.press('z');
  },
  async balance() {
    if ((await page.locator('[data-kind="down"]').count()) > 0) await goTo('down', 'port');
    await openTab('balance');
  },
};
for (const [name, prepare] of Object.entries(pictures)) {
  if (names.length > 0 && !names.includes(name)) continue;
  await page.keyboard.press('\\');
  await page.keyboard.press('w');
  await page.waitForSelector('.panel-body[data-shows="worst-0"][aria-busy="false"]');
  if (name === 'ranks' && (await page.locator('[data-tab="ranks"]').count()) === 0) continue;
  if (name === 'tree' && (await page.locator('[data-kind="tree"]').count()) === 0) continue;
  await prepare();
  await page.mouse.move(640, 20);
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${folder}/view-${name}.png` });
}
await end();
