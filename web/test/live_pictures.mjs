// A picture of the page of a run that goes on, for the documentation.
//
//   node live_pictures.mjs WEIR SCENARIO OUT FOLDER [--dark]
//
// runs the scenario for 150 us, sends a flow, goes on to 200 us, and writes FOLDER/view-live.png. OUT takes the result.
import { end, open } from './browser.mjs';
import { start } from './live_run.mjs';

const [weir, scenario, out, folder, ...rest] = process.argv.slice(2);
const run = await start(weir, [scenario, '-q', '--view', '--view-paused', '--out', out]);
const page = await open(run.address, { viewport: { width: 1280, height: 800 }, colorScheme: rest.includes('--dark') ? 'dark' : 'light' });
const until = async (us) => {
  await page.locator('[aria-label="run until"]').fill(us + ' us');
  await page.keyboard.press('Enter');
  await page.waitForFunction((ps) => document.querySelector('.live').dataset.now === String(ps), us * 1e6);
};
await until(150);
await page.locator('[data-tab="change"]').click();
await page.locator('[data-change="flow"] [name="size"]').fill('500 KB');
await page.locator('[data-change="flow"] button').click();
await page.waitForSelector('.panel-body .notice:not(.bad):not([hidden])');
await until(200);
await page.mouse.move(640, 20);
await page.waitForTimeout(500);
await page.screenshot({ path: `${folder}/view-live.png` });
await page.locator('[data-tool="stop"]').click();
await page.waitForSelector('[data-tool="end"]');
await page.locator('[data-tool="end"]').click();
await run.ended;
await end();
