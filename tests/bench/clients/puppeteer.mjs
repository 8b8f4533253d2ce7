// puppeteer-core, its classic calls: waitForSelector, type (key by key), click.
import puppeteer from 'puppeteer-core';
import { CHROME } from '../lib/cdp.mjs';

export const connect = (ws) => puppeteer.connect({ browserWSEndpoint: ws });
export const launchOwn = () => puppeteer.launch({ executablePath: CHROME, args: ['--no-sandbox'], headless: true });

export async function job(browser, base) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const began = performance.now();
  await page.goto(base);
  const main = page.frames().find((frame) => frame.name() === 'main');
  await (await main.waitForSelector('input[name=u]')).type('teller1');
  await main.type('input[name=p]', 'demo123');
  await main.click('input[type=submit]');
  await main.waitForSelector('::-p-text(Accounts Overview)');
  const cell = (row, column) =>
    main.$eval(`table:nth-of-type(2) tr:nth-child(${row}) td:nth-child(${column})`, (found) => found.innerText);
  const rows = [];
  for (let row = 2; row <= 4; row++) rows.push([await cell(row, 1), await cell(row, 3)]);
  await main.click('a[href="/account?id=12345"]');
  const date = await main.waitForSelector('::-p-xpath(//td[b="DATE OPENED"]/following-sibling::td)');
  const opened = await date.evaluate((found) => found.innerText);
  await main.click('a[href="/overview"]');
  await main.waitForSelector('::-p-text(Accounts Overview)');
  const stepsMs = performance.now() - began;
  await context.close();
  return { rows, opened, stepsMs };
}

export const close = (browser) => browser.disconnect();
export const closeOwn = (browser) => browser.close();
