// Pictures of a page of weir view for the documentation: the whole, the port with the longest queue, the slowest flow.
//
//   node view_pictures.mjs PAGE FOLDER [light|dark]     writes view-network.png, view-port.png and view-flow.png
import { end, open } from './browser.mjs';

const [file, folder, colorScheme = 'light'] = process.argv.slice(2);
const page = await open(file, { viewport: { width: 1440, height: 900 }, colorScheme });

// The first of a kind of the worst, and what is around it in time.
async function goTo(kind, show) {
  await page.keyboard.press('w');
  await page.locator(`[data-kind="${kind}"] li a`).first().click();
  await page.waitForSelector(`.panel-body[data-shows^="${show}"][aria-busy="false"]`);
}

async function picture(name) {
  await page.mouse.move(720, 20);
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${folder}/view-${name}.png` });
}

await picture('network');
await goTo('queue', 'port');
await page.evaluate(() => {
  const { store, run } = window.weirView;
  const around = Math.max(20, Math.round(run.bins / 12));
  store.set({ from: store.state.bin - around, until: store.state.bin + 3 * around });
});
await picture('port');
await page.keyboard.press('\\');
await goTo('slow', 'flow');
await picture('flow');
await end();
