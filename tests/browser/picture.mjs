// The picture of a report for the README: its upper part, on a light screen 1,180 pixels wide.
//
//   node tests/browser/picture.mjs REPORT.html PICTURE.png [CHROMIUM]
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [report, picture, executablePath = "/usr/bin/chromium"] = process.argv.slice(2);
const context = await chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), "weft-")), {
  executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu"], offline: true,
  colorScheme: "light", viewport: { width: 1180, height: 900 },
});
const page = await context.newPage();
await page.goto(pathToFileURL(resolve(report)).href);
await page.waitForSelector("html.js");
// As far as the table of numbers of clusters, which ends the first screens.
const table = await page.locator("#number-table").boundingBox();
const height = Math.ceil(table.y + table.height + 16);
await page.setViewportSize({ width: 1180, height });
await page.screenshot({ path: picture, clip: { x: 0, y: 0, width: 1180, height } });
await context.close();
