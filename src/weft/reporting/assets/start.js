// Used by all parts of the page: the summary, elements, colours, numbers.
const root = document.documentElement;
root.classList.add("js");
const summary = JSON.parse(document.getElementById("summary").textContent);
const rows = summary.rows || null;
const placeOf = new Map(rows ? rows.row.map((number, i) => [number, i]) : []);
const titles = new Map(summary.clusters.map((c) => [c.label, c.title || ""]));

function byId(id) { return document.getElementById(id); }

function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "class") { made.className = value; }
    else if (key.startsWith("on")) { made.addEventListener(key.slice(2), value); }
    else if (value !== null && value !== undefined && value !== false) { made.setAttribute(key, value); }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function svg(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes || {})) { made.setAttribute(key, value); }
  made.append(...children);
  return made;
}

function colour(label) { return label < 0 ? "cn" : `c${label % 10} s${Math.floor(label / 10) % 4}`; }

function badge(label) {
  return label < 0
    ? el("span", { class: "badge cn" }, "–", el("span", { class: "hide" }, "no cluster"))
    : el("span", { class: "badge " + colour(label) }, el("span", { class: "hide" }, "cluster "), String(label));
}

function clusterName(label) { return label < 0 ? "no cluster" : "cluster " + label; }

// A number in three digits; with `among`, the size of the numbers around it, no finer than those need.
function short(value, among) {
  if (value === null || value === undefined) { return "–"; }
  if (typeof value !== "number") { return String(value); }
  if (among >= 1e-3 && among < 1e7) { value = Number(value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(among))))) + 0; }
  const size = Math.abs(value);
  const text = size !== 0 && (size >= 1e7 || size < 1e-3) ? value.toExponential(2)
    : size >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
  return text.replace("-", "−");
}

function two(value) { return value === null ? "–" : value.toFixed(2).replace("-", "−"); }

// Only a share of 0 is 0%, and only one of 1 is 100%.
function percent(share) {
  if (share === 0 || share > 1 - 1e-9) { return Math.round(100 * share) + "%"; }
  if (share < 0.0005) { return "<0.1%"; }
  if (share >= 0.9995) { return ">99.9%"; }
  return (100 * share).toFixed(share >= 0.0995 && share < 0.995 ? 0 : 1) + "%";
}

function counted(count, word) { return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`; }

// The text of a cell: of a category its name, of a number also the unit.
function cellText(column, value) {
  if (value === null) { return "missing"; }
  if (column.levels && column.levels.length) { return column.levels[value]; }
  return short(value) + (column.unit ? (column.unit === "%" ? "%" : " " + column.unit) : "");
}

// Mark the link of the section that is being read.
const links = Array.from(document.querySelectorAll("nav a"));
const heads = links.map((link) => byId(link.getAttribute("href").slice(1)));
function markSection() {
  let now = 0;
  heads.forEach((head, i) => { if (head && head.getBoundingClientRect().top < 120) { now = i; } });
  links.forEach((link, i) => {
    if (i === now) { link.setAttribute("aria-current", "true"); } else { link.removeAttribute("aria-current"); }
  });
}
window.addEventListener("scroll", markSection, { passive: true });
markSection();
