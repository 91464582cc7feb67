// Opens each page from disk in Chromium with the network off, and looks:
// no console error, every chart drawn, the search filters, hover shows a row, nothing hostile runs,
// no serious finding of axe-core, nothing wider than the screen. Screenshots go next to the pages.
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
  executablePath, args: flags, offline: true, bypassCSP: false,
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
  await page.waitForFunction(() => {
    const places = [...document.querySelectorAll(".chart")];
    return places.length > 0 && places.every((place) => place.dataset.drawn === "yes");
  }, null, { timeout: 60000 });
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

for (const name of readdirSync(folder).filter((file) => file.endsWith(".html")).sort()) {
  const stem = name.replace(/\.html$/, "");
  for (const [width, scheme] of [[1280, "light"], [390, "light"], [1280, "dark"], [390, "dark"]]) {
    const label = `${stem} ${width} ${scheme}`;
    const { page, errors, requests, dialogs } = await open(name, width, scheme);
    const drawn = await page.$$eval(".chart", (places) => places.map((place) => ({
      id: place.id,
      marks: place.querySelectorAll(".bars path, .scatterlayer path, .heatmaplayer image, .hm image").length,
      box: place.querySelector(".main-svg").getBoundingClientRect().height,
    })));
    check(label, "every chart drawn", drawn.length > 0 && drawn.every((c) => c.marks > 0 && c.box > 100),
      drawn.map((c) => `${c.id.slice(6)} ${c.marks}`).join(", "));
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(label, "nothing wider than the screen", over <= 0, `${over} px`);

    // Hover: the first point of the map that lies within the window.
    const map = await page.$("#chart-map");
    await map.scrollIntoViewIfNeeded();
    let shown = "";
    for (const point of (await page.$$("#chart-map .scatterlayer .points path")).slice(0, 20)) {
      const box = await point.boundingBox();
      if (!box) continue;
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.waitForTimeout(120);
      shown = await page.$eval("#chart-map .hoverlayer", (layer) => layer.textContent);
      if (shown) break;
    }
    check(label, "hover shows a row", /row \d+/.test(shown), shown.slice(0, 60));

    // Search: by the last letters of the tenth feature.
    const total = await page.$$eval("#feature-table tbody tr", (rows) => rows.length);
    const before = await page.$$eval("#feature-table tbody tr:not([hidden])", (rows) => rows.length);
    const wanted = await page.$eval("#feature-table tbody tr:nth-child(4) bdi", (n) => n.textContent);
    await page.fill("#feature-search", wanted.slice(0, 40).toUpperCase());
    const after = await page.$$eval("#feature-table tbody tr:not([hidden]) bdi", (ns) => ns.map((n) => n.textContent));
    const told = await page.$eval("#feature-count", (n) => n.textContent);
    check(label, "the search filters", after.length > 0 && after.length < total
      && after.every((n) => n.toLocaleLowerCase().includes(wanted.slice(0, 40).trim().toLocaleLowerCase())),
      `${before} shown of ${total}, then ${after.length}; "${told}"`);
    await page.fill("#feature-search", "");

    const { passes, found } = await axeOn(page);
    const serious = found.filter((v) => ["serious", "critical"].includes(v[0]));
    check(label, "axe-core finds nothing serious", serious.length === 0 && passes > 10,
      serious.length ? JSON.stringify(serious) : `${passes} rules passed, ${found.length} smaller findings ${found.map((v) => v[1]).join(", ")}`);
    check(label, "no console error or warning", errors.length === 0, errors.join(" | ").slice(0, 400));
    check(label, "no request to a network", requests.length === 0, requests.join(" "));
    check(label, "no dialog opened by a name", dialogs.length === 0, dialogs.join(" "));
    const strange = await page.$$eval("main img, main iframe, .chart a, bdi *", (ns) => ns.length);
    check(label, "names are text, not elements", strange === 0, String(strange));
    if (stem === "hostile") {
      const table = await page.$eval("#feature-table", (n) => n.textContent);
      const labels = await page.$$eval(".chart text", (ns) => ns.map((n) => n.textContent).join("\n"));
      for (const piece of ["<script>alert(1)</script>", "=cmd|' /C calc'!A0", "🎈 emoji", "<b>bold</b>", "%{x}"]) {
        // Charts cut long names.
        check(label, "shown as text: " + piece, table.includes(piece) && labels.includes(piece.slice(0, 18)));
      }
    }
    await page.mouse.move(0, 0);
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: join(folder, `${stem}-${width}-${scheme}.png`), fullPage: true });
    // The keyboard reaches the skip link, the links and the search.
    if (width === 1280 && scheme === "light") {
      const seen = new Set();
      await page.evaluate(() => document.activeElement.blur());
      for (let i = 0; i < 40; i++) {
        await page.keyboard.press("Tab");
        seen.add(await page.evaluate(() => document.activeElement.id || document.activeElement.className || document.activeElement.tagName));
      }
      check(label, "keyboard reaches the search", seen.has("feature-search") && seen.has("skip"));
      await page.pdf({ path: join(folder, `${stem}.pdf`) });
    }
    await page.close();
  }
}
await context.close();
console.log(failures.length ? `\n${failures.length} failed` : "\nall fine");
process.exit(failures.length ? 1 : 0);
