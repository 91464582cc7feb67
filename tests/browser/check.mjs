// Opens each page from disk in Chromium with the network off, and uses it: sections, clusters, columns,
// other answers, map, lasso, look-up, downloads, hints, keyboard. No console error, nothing hostile runs,
// axe-core finds nothing, nothing is wider than the screen. Screenshots go next to the pages.
//
//   node tests/browser/check.mjs FOLDER [CHROMIUM]
import { readFileSync, readdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const folder = resolve(process.argv[2]);
const executablePath = process.argv[3] || "/usr/bin/chromium";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const flags = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
const failures = [];
function check(page, what, fine, detail = "") {
  console.log(`${fine ? "ok  " : "FAIL"} ${page}: ${what}${detail === "" ? "" : ` (${detail})`}`);
  if (!fine) failures.push(`${page}: ${what} ${detail}`);
}

const context = await chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), "weft-")), {
  executablePath, args: flags, offline: true, bypassCSP: false, acceptDownloads: true,
});

async function open(name, width, scheme) {
  const page = await context.newPage();
  const errors = [], requests = [], dialogs = [];
  page.on("console", (m) => { if (["error", "warning"].includes(m.type())) errors.push(m.text()); });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("dialog", (dialog) => { dialogs.push(dialog.message()); dialog.dismiss(); });
  page.on("request", (r) => { if (/^(https?|wss?|ftp):/.test(r.url())) requests.push(r.url()); });
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(pathToFileURL(join(folder, name)).href);
  await page.waitForSelector("html.js");
  return { page, errors, requests, dialogs };
}

async function axeOn(page) {
  // The page's policy forbids foreign scripts, so axe-core comes in through the debugger.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const { result } = await session.send("Runtime.evaluate", {
    expression: "axe.run(document).then((r) => JSON.stringify({ passes: r.passes.length, found: r.violations.map((v) => [v.impact, v.id, v.nodes.length, v.nodes[0].html.slice(0, 160)]) }))",
    awaitPromise: true,
  });
  return JSON.parse(result.value);
}

async function texts(page, selector) { return page.$$eval(selector, (ns) => ns.map((n) => n.textContent)); }

// The instruments first: a page with known faults must be found faulty.
{
  const page = await context.newPage();
  const errors = [];
  page.on("console", (m) => { if (m.type() === "error") errors.push(m.text()); });
  await page.setContent('<img src="data:,x"><p style="color:#eee;background:#fff">pale</p><script>console.error("seen")</script>');
  const { found } = await axeOn(page);
  const ids = found.map((v) => v[1]);
  check("a faulty page", "axe-core sees its faults", ids.includes("image-alt") && ids.includes("color-contrast"), ids.join(", "));
  check("a faulty page", "console errors are seen", errors.includes("seen"));
  await page.close();
}

// Every interaction, on a wide screen.
async function interact(page, label, summary) {
  const has = async (selector) => (await page.$(selector)) !== null;
  if (await has("#group-choice")) {
    const options = await page.$$eval("#group-choice option", (ns) => ns.map((n) => n.value));
    const last = options[options.length - 1];
    const before = await page.$eval("#group", (n) => n.textContent);
    await page.selectOption("#group-choice", last);
    const after = await page.$eval("#group", (n) => n.textContent);
    check(label, "another cluster is shown", options.length < 2 || before !== after);
    check(label, "its distributions are drawn", (await page.$$("#group .mini svg rect, #group .mini .both")).length > 0);
    await page.click("#group-table tbody tr:first-child td");
    check(label, "a click on a cluster shows it", (await page.$eval("#group-choice", (n) => n.value)) === options[0]);
  }
  if (await has("#column-choice")) {
    const shown = (await page.$$("#column .mini")).length;
    check(label, "one picture per cluster", shown === summary.distributions.labels.length, String(shown));
    const button = await page.$("#feature-table tbody tr:not([hidden]):nth-child(2) [data-column]");
    if (button) {
      await button.click();
      check(label, "a click on a column shows it", (await page.$eval("#column-choice", (n) => n.value)) === (await button.getAttribute("data-column")));
    }
  }
  if (await has("#alternative-buttons")) {
    await page.click("#alternative-buttons button:nth-child(2)");
    check(label, "another answer is one click away", /Answer 2/.test(await page.$eval("#alternative", (n) => n.textContent)));
    await page.click("#alternative button:has-text('Show on the map')");
    check(label, "it colours the map", (await page.$eval("#map-colour", (n) => n.value)) === "1");
    await page.selectOption("#map-colour", "label");
    // Where the number of clusters was given, there is no other number to compare with.
    const numbers = summary.candidates.length > 1 ? summary.candidates.length : 0;
    check(label, "candidates by number are drawn", (await page.$$("#number-chart rect")).length === numbers, String(numbers));
    check(label, "the walk from coarse to fine is drawn", (await page.$$("#walk path")).length > 1 || summary.walk === null);
  }
  if (await has("#map-box")) {
    await page.locator("#map-box").scrollIntoViewIfNeeded();
    const dots = await page.$$("#map-box path.dot");
    check(label, "the map has all rows", dots.length === summary.map.x.length, String(dots.length));
    let told = "";
    for (const dot of dots.slice(0, 30)) {
      const box = await dot.boundingBox();
      if (!box || box.y < 80 || box.y > 880) continue;
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      told = await page.$eval("#map-tip", (n) => (n.hidden ? "" : n.textContent));
      if (told) { await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2); break; }
    }
    check(label, "hover shows a row", /row \d+/.test(told), told.slice(0, 60));
    check(label, "a click looks it up", /Row \d+/.test(await page.$eval("#row-found", (n) => n.textContent)));
    if (await has("#map-view")) {
      const place = await page.$eval("#map-box path.dot", (n) => n.getAttribute("transform"));
      await page.selectOption("#map-view", "near");
      check(label, "the other view moves the rows", place !== (await page.$eval("#map-box path.dot", (n) => n.getAttribute("transform"))));
      await page.selectOption("#map-view", "linear");
    }
    const grouped = summary.distributions.labels.length > 1;
    check(label, "colours can be chosen where there are clusters", (await page.isVisible("#map-colour")) === grouped);
    if (grouped) {
      await page.selectOption("#map-colour", "sure");
      check(label, "how sure is drawn", (await page.$$("#map-box path.dot[style*=opacity]")).length > 0 || summary.silhouette === null);
      await page.selectOption("#map-colour", "label");
    }
    await page.click("#map-lasso");
    await page.locator("#map-box").scrollIntoViewIfNeeded();
    const frame = await (await page.$("#map-box svg")).boundingBox();
    await page.mouse.move(frame.x + 2, frame.y + 2);
    await page.mouse.down();
    for (const [u, v] of [[0.99, 0.01], [0.99, 0.99], [0.01, 0.99]]) await page.mouse.move(frame.x + u * frame.width, frame.y + v * frame.height, { steps: 4 });
    await page.mouse.up();
    const chosen = await page.$eval("#map-chosen", (n) => n.textContent);
    check(label, "the lasso says who is there", /\d+ rows? chosen/.test(chosen), chosen.slice(0, 40));
    await page.click("#map-clear");
    check(label, "and can be cleared", (await page.$eval("#map-chosen", (n) => n.textContent)) === "");
    await page.click("#map-lasso");
  }
  if (await has("#row-search")) {
    const number = summary.rows.row[summary.rows.row.length - 1];
    await page.fill("#row-search", String(number));
    check(label, "a row is found by its number", (await page.$eval("#row-found", (n) => n.textContent)).includes(`Row ${number}`));
    const category = summary.rows.columns.find((c) => c.levels.length > 1);
    if (category) {
      await page.fill("#row-search", category.levels[0].toUpperCase());
      check(label, "rows are found by a value", /rows? found/.test(await page.$eval("#row-count", (n) => n.textContent)));
    }
    if (summary.rows.name && !summary.rows.name[3].startsWith("n")) {
      await page.fill("#row-search", summary.rows.name[3].slice(0, 30));
      check(label, "rows are found by name", (await page.$eval("#row-found", (n) => n.textContent)).includes("ow 4"));
    }
    await page.fill("#row-search", "no such thing");
    check(label, "nothing found is said", /^0 rows/.test(await page.$eval("#row-count", (n) => n.textContent)));
    await page.fill("#row-search", "");
    for (const what of ["labels", "summary"]) {
      const [file] = await Promise.all([page.waitForEvent("download"), page.click(`[data-download=${what}]`)]);
      const text = readFileSync(await file.path(), "utf8");
      const fine = what === "summary" ? JSON.stringify(JSON.parse(text)) === JSON.stringify(summary)
        : text.trim().split("\n").length === summary.rows.row.length + 1;
      check(label, `download of ${what}`, fine, `${file.suggestedFilename()}, ${text.length} characters`);
    }
  }
  if (await has(".term")) {
    await page.focus(".term");
    check(label, "a hint opens with the keyboard", (await page.locator(".term + .tip").first().evaluate((n) => getComputedStyle(n).display)) === "block");
    await page.evaluate(() => document.activeElement.blur());
  }
  for (const link of await page.$$("nav a")) {
    await link.click();
    const target = (await link.getAttribute("href")).slice(1);
    const top = await page.$eval(`[id="${target}"]`, (n) => n.getBoundingClientRect().top);
    const nav = await page.$eval("nav", (n) => n.getBoundingClientRect());
    check(label, `the link to ${target} stays in sight and leads there`, Math.abs(nav.top) <= 1 && top >= nav.height - 8 && top < 900, `${Math.round(top)} px`);
  }
}

for (const name of readdirSync(folder).filter((file) => file.endsWith(".html")).sort()) {
  const stem = name.replace(/\.html$/, "");
  for (const [width, scheme] of [[1280, "light"], [390, "light"], [1280, "dark"], [390, "dark"]]) {
    const label = `${stem} ${width} ${scheme}`;
    const { page, errors, requests, dialogs } = await open(name, width, scheme);
    const summary = await page.evaluate(() => JSON.parse(document.getElementById("summary").textContent));
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(label, "nothing wider than the screen", over <= 0, `${over} px`);
    const tall = await page.evaluate(() => document.documentElement.scrollHeight);
    check(label, "not endless", tall < (width === 1280 ? 9500 : 15000), `${tall} px`);
    const facts = await page.$$eval("[data-fact]", (ns) => ns.map((n) => [n.dataset.fact, n.textContent]));
    const same = facts.every(([key, text]) => facts.every(([other, words]) => key !== other || text === words));
    check(label, "numbers that appear twice agree", same && facts.length > 1, `${facts.length} numbers`);

    // Search: by the name of the fourth column.
    const total = (await page.$$("#feature-table tbody tr")).length;
    const wanted = await page.$eval("#feature-table tbody tr:nth-child(4) bdi", (n) => n.textContent);
    await page.fill("#feature-search", wanted.slice(0, 40).toUpperCase());
    const after = await texts(page, "#feature-table tbody tr:not([hidden]) bdi");
    check(label, "the search filters", after.length > 0 && after.length < total
      && after.every((n) => n.toLocaleLowerCase().includes(wanted.slice(0, 40).trim().toLocaleLowerCase())), `${after.length} of ${total}`);
    await page.fill("#feature-search", "");

    const { passes, found } = await axeOn(page);
    check(label, "axe-core finds nothing", found.length === 0 && passes > 10, found.length ? JSON.stringify(found) : `${passes} rules passed`);
    if (stem === "hostile") {
      const table = await page.$eval("#feature-table", (n) => n.textContent);
      const drawn = (await texts(page, "#group bdi")).join("\n") + (await texts(page, "#column-choice option")).join("\n");
      for (const piece of ["<script>alert(1)</script>", "=cmd|' /C calc'!A0", "🎈 emoji", "<b>bold</b>", "%{x}"]) {
        check(label, "shown as text: " + piece, table.includes(piece) && drawn.includes(piece.slice(0, 18)));
      }
    }
    await page.mouse.move(0, 0);
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: join(folder, `${stem}-${width}-${scheme}.png`), fullPage: true });
    if (scheme === "light" && width === 1280) {
      await interact(page, label, summary);
      const again = await axeOn(page);
      check(label, "axe-core finds nothing after all clicks", again.found.length === 0, JSON.stringify(again.found));
      // The keyboard reaches the skip link, the links and the search.
      const seen = new Set();
      await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); getSelection().removeAllRanges(); });
      await page.focus(".skip");
      for (let i = 0; i < 90; i++) {
        seen.add(await page.evaluate(() => document.activeElement.id || document.activeElement.className || document.activeElement.tagName));
        await page.keyboard.press("Tab");
      }
      check(label, "keyboard reaches the search", seen.has("feature-search") && seen.has("skip"));
      await page.pdf({ path: join(folder, `${stem}.pdf`) });
    }
    if (width === 390) {
      if (await page.$("#row-search")) {
        await page.fill("#row-search", String(summary.rows.row[0]));
        check(label, "a row is found on a phone", /Row \d+/.test(await page.$eval("#row-found", (n) => n.textContent)));
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        check(label, "still nothing wider than the screen", wider <= 0, `${wider} px`);
      }
    }
    check(label, "no console error or warning", errors.length === 0, errors.join(" | ").slice(0, 400));
    check(label, "no request to a network", requests.length === 0, requests.join(" "));
    check(label, "no dialog opened by a name", dialogs.length === 0, dialogs.join(" "));
    const strange = await page.$$eval("main img, main iframe, main a, bdi *", (ns) => ns.length);
    check(label, "names are text, not elements", strange === 0, String(strange));
    await page.close();
  }
}
await context.close();
console.log(failures.length ? `\n${failures.length} failed` : "\nall fine");
process.exit(failures.length ? 1 : 0);
