// playwright-core, as its documentation has it.
import { chromium } from 'playwright-core';
import { CHROME } from '../lib/cdp.mjs';

export const connect = async (ws) => chromium.connectOverCDP(ws);
export const launchOwn = () => chromium.launch({ executablePath: CHROME, chromiumSandbox: false, headless: true });

export async function job(browser, base) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const main = page.frameLocator('frame[name=main]');
  const began = performance.now();
  await page.goto(base);
  await main.locator('input[name=u]').fill('teller1');
  await main.locator('input[name=p]').fill('demo123');
  await main.getByRole('button', { name: 'Log In' }).click();
  await main.getByText('Accounts Overview').waitFor();
  const rows = [];
  for (let at = 1; at <= 3; at++) {
    const row = main.locator('table').nth(1).locator('tr').nth(at);
    rows.push([await row.locator('td').nth(0).innerText(), await row.locator('td').nth(2).innerText()]);
  }
  await main.getByRole('link', { name: '12345' }).click();
  const opened = await main.locator('tr', { hasText: 'DATE OPENED' }).locator('td').nth(1).innerText();
  await main.getByRole('link', { name: 'Back to Accounts' }).click();
  await main.getByText('Accounts Overview').waitFor();
  const stepsMs = performance.now() - began;
  await context.close();
  return { rows, opened, stepsMs };
}

export const close = (browser) => browser.close();
export const closeOwn = close;
