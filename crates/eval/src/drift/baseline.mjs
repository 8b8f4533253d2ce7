// What other tools would have stored for an element of an untouched page, tried on the same page after it was changed.
// Unique and the same element, or a part of it: survived. None or several: refused. Another one: wrong.
//
//   codegen   Playwright's own generator, at run time, by the public `locator.normalize()`
//   role      getByRole with the exact name; text, test_id, css, xpath: each alone, as tools write them
//   recorder  MODELLED on DevTools Recorder: aria, css, xpath, pierce, text in this order; the first that finds is used
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { createReadStream } from "node:fs";

const [tools, program, samples] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(tools);
const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-quic"] });
const context = await browser.newContext({ javaScriptEnabled: false });
await context.route("**/*", route => route.abort());
const page = await context.newPage();
page.setDefaultTimeout(5000);

// The marked element, without its mark: from here on the page is as it was served.
async function open(html) {
  await page.setContent(html, { waitUntil: "commit" });
  const found = await page.$("[data-intended]");
  if (found) await found.evaluate(element => element.removeAttribute("data-intended"));
  return found;
}

// Selectors as tools write them from the page alone.
const written = element => {
  const path = (one, stop) => {
    const parts = [];
    for (let at = one; at && at.nodeType === 1; at = at.parentElement) {
      const id = at.id && document.querySelectorAll("#" + CSS.escape(at.id)).length === 1;
      if (id && stop) { parts.unshift("#" + CSS.escape(at.id)); break; }
      const same = at.parentElement ? [...at.parentElement.children].filter(e => e.localName === at.localName) : [at];
      parts.unshift(at.localName + (same.length > 1 ? `:nth-of-type(${same.indexOf(at) + 1})` : ""));
    }
    return parts.join(" > ");
  };
  const xpath = one => {
    const parts = [];
    for (let at = one; at && at.nodeType === 1; at = at.parentElement) {
      if (at.id && document.querySelectorAll("#" + CSS.escape(at.id)).length === 1) { parts.unshift(`/*[@id="${at.id}"]`); return "/" + parts.join("/"); }
      const same = at.parentElement ? [...at.parentElement.children].filter(e => e.localName === at.localName) : [at];
      parts.unshift(at.localName + (same.length > 1 ? `[${same.indexOf(at) + 1}]` : ""));
    }
    return "/" + parts.join("/");
  };
  const words = text => (text || "").replace(/\s+/g, " ").trim();
  return {
    css: path(element, true),
    xpath: xpath(element),
    text: element.matches("input") ? words(element.getAttribute("value")) : element.matches("select,table") ? "" : words(element.textContent),
    testId: element.getAttribute("data-testid"),
  };
};

// Role and name as the browser itself tells them.
async function named(element) {
  try {
    const line = (await page.locator("html").ariaSnapshot({ mode: "default" })) && (await locatorOf(element).ariaSnapshot());
    const match = /^- (\w+)(?: "((?:[^"\\]|\\.)*)")?/.exec(line);
    return match && match[1] !== "text" ? { role: match[1], name: match[2] === undefined ? "" : JSON.parse(`"${match[2]}"`) } : null;
  } catch { return null; }
}

let pristineXPath = "";
const locatorOf = () => page.locator("xpath=" + pristineXPath);

async function verdict(locator, intended) {
  if (!locator) return "refused";
  const found = await locator.elementHandles();
  if (found.length !== 1) return "refused";
  if (!intended) return "wrong";
  return (await found[0].evaluate((one, other) => other.contains(one), intended)) ? "survived" : "wrong";
}

async function stored(html) {
  const element = await open(html);
  if (!element) return null;
  const own = await element.evaluate(written);
  pristineXPath = await element.evaluate(one => {
    const parts = [];
    for (let at = one; at && at.nodeType === 1; at = at.parentElement) {
      parts.unshift(at.parentElement ? `*[${[...at.parentElement.children].indexOf(at) + 1}]` : "*");
    }
    return "/" + parts.join("/");
  });
  const aria = await named(element);
  let codegen = null;
  try { codegen = await locatorOf().normalize(); } catch { /* It has none for it. */ }
  const role = aria && aria.name ? page.getByRole(aria.role, { name: aria.name, exact: true }) : null;
  const css = page.locator("css=" + own.css);
  const xpath = page.locator("xpath=" + own.xpath);
  const text = own.text ? page.getByText(own.text, { exact: true }) : null;
  const testId = own.testId ? page.getByTestId(own.testId) : null;
  return { codegen, role, css, xpath, text, testId };
}

const kept = new Map();
for await (const line of createInterface({ input: createReadStream(samples) })) {
  const { case: name, pristine, mutated } = JSON.parse(line);
  if (!kept.has(pristine)) kept.set(pristine, await stored(pristine));
  const by = kept.get(pristine);
  const verdicts = {};
  if (by) {
    const intended = await open(mutated);
    for (const [tool, locator] of [["codegen", by.codegen], ["role", by.role], ["test_id", by.testId], ["text", by.text], ["css", by.css], ["xpath", by.xpath]]) {
      verdicts[tool] = await verdict(locator, intended);
    }
    // Its list is tried in order; it takes the first element of the first selector that finds any.
    verdicts.recorder = "refused";
    for (const locator of [by.role, by.css, by.xpath, by.css, by.text]) {
      if (!locator) continue;
      const found = await locator.elementHandles();
      if (!found.length) continue;
      verdicts.recorder = intended && (await found[0].evaluate((one, other) => other.contains(one), intended)) ? "survived" : "wrong";
      break;
    }
  }
  console.log(JSON.stringify({ case: name, verdicts }));
}
await browser.close();
