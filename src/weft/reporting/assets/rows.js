// Rows: look one up, search, and the typical, doubtful and odd ones.
function rowButton(number) {
  const at = placeOf.get(number), name = rows.name && at !== undefined ? ` ${rows.name[at]}` : "";
  return el("button", { type: "button", class: "plain", onclick: () => lookUp(number) }, el("bdi", {}, `row ${number}${name}`));
}

// The probability of a row's own cluster, if the model gives it; otherwise how much nearer that cluster is than the next.
function sureOf(i) {
  if (!rows.chances) { return rows.sure[i]; }
  const at = rows.clusters[i].indexOf(rows.label[i]);
  return at < 0 ? null : rows.chances[i][at];
}

function nextOf(i) {
  if (!rows.chances) { return rows.next[i]; }
  const others = rows.clusters[i].filter((c) => c !== rows.label[i]);
  return others.length ? others[0] : -1;
}

// The columns in which the value of a row is rare in its cluster, or among all rows if it is in no cluster; the rarest first.
function standsOut(i) {
  const k = spread.labels.indexOf(rows.label[i]), found = [];
  rows.columns.forEach((column, j) => {
    const value = rows.values[j][i], drawn = spread.columns.find((s) => s.name === column.name);
    if (value === null || !drawn || k < 0) { return; }
    const own = rows.label[i] < 0 ? drawn.all : drawn.clusters[k], edges = drawn.edges;
    let at = -1;
    if (drawn.levels) { at = drawn.levels.indexOf(column.levels[value]); }
    else if (typeof edges[0] === "number") { at = value === edges[edges.length - 1] ? edges.length - 2 : edges.findLastIndex((edge) => edge <= value); } // outside of all bins: counts as never
    else { return; }
    const often = (own[at] || 0) / Math.max(...own);
    if (often < 0.2) { found.push([often, `${column.name} ${cellText(column, value)}`]); }
  });
  return found.sort((a, b) => a[0] - b[0]).slice(0, 2).map(([, words]) => words).join("; ");
}

function rowTable(numbers, why) {
  const shown = rows.columns.slice(0, why ? 3 : 4), grouped = spread.labels.length > 1, kind = (c) => (c.levels.length || c.kind === "date" ? "" : "num");
  const head = el("tr", {}, el("th", { scope: "col" }, "row"), ...(grouped ? [el("th", { scope: "col" }, "cluster"), el("th", { scope: "col" }, "next"), el("th", { scope: "col", class: "num" }, rows.chances ? "likely" : "sure")] : []), el("th", { scope: "col", class: "num" }, rows.outlier ? "outlier" : "odd"),
    ...(why ? [el("th", { scope: "col" }, "rare values")] : []), ...shown.map((c) => el("th", { scope: "col", class: kind(c) }, el("bdi", { class: "name" }, c.name))));
  const body = el("tbody", {});
  for (const number of numbers) {
    const i = placeOf.get(number);
    if (i === undefined) { continue; }
    const sure = sureOf(i);
    body.append(el("tr", {}, el("th", { scope: "row" }, rowButton(number)),
      ...(grouped ? [el("td", {}, badge(rows.label[i])), el("td", {}, nextOf(i) < 0 ? "" : badge(nextOf(i))), el("td", { class: "num" }, sure === null ? "" : rows.chances ? percent(sure) : two(sure))] : []), el("td", { class: "num" }, two((rows.outlier || rows.odd)[i])),
      ...(why ? [el("td", {}, el("bdi", { class: "name" }, standsOut(i)))] : []), ...shown.map((c, j) => el("td", { class: kind(c) }, el("bdi", {}, cellText(c, rows.values[j][i]))))));
  }
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Rows" }, el("table", { class: "row-table" }, el("thead", {}, head), body));
}

function lookUp(number) {
  const search = byId("row-search");
  search.value = String(number);
  showRow(number);
  search.scrollIntoView({ block: "center" });
}

function showRow(number) {
  const place = byId("row-found"), i = placeOf.get(number);
  if (i === undefined) { return; }
  const label = rows.label[i], k = spread.labels.indexOf(label);
  const panel = el("div", { class: "panel " + colour(label) }, el("h4", {}, el("bdi", {}, `Row ${number}${rows.name ? ` ${rows.name[i]}` : ""}: `), badge(label), " ", el("bdi", {}, titles.get(label) || clusterName(label))));
  if (rows.chances) {
    const list = el("ul", {});
    rows.clusters[i].forEach((c, j) => { if (rows.chances[i][j] >= 0.005) { list.append(el("li", {}, badge(c), ` ${percent(rows.chances[i][j])} likely`)); } });
    panel.append(list);
  }
  const words = [];
  if (!rows.chances && rows.sure[i] !== null) { words.push(`Sure ${short(rows.sure[i])}: ${rows.sure[i] > 0.25 ? "clearly nearer to its own cluster" : rows.sure[i] > 0 ? "a little nearer to its own cluster" : "nearer to another cluster"} (next: ${clusterName(rows.next[i])}).`); }
  words.push(`${short(rows.odd[i])} times as far from its nearest rows as usual.`);
  if (rows.outlier) { words.push(`Outlier score ${short(rows.outlier[i])}.`); }
  panel.append(el("p", {}, words.join(" ")));
  const body = el("tbody", {});
  rows.columns.forEach((column, j) => {
    const value = rows.values[j][i], spreadOf = spread.columns.find((s) => s.name === column.name);
    const typical = spreadOf && k >= 0 ? spreadOf.typical[k] : null;
    const range = typical === null || typical === undefined ? "" : typeof typical === "string" ? typical : `${short(typical[0])} to ${short(typical[2])}`;
    let how = "";
    if (value !== null && Array.isArray(typical) && typeof value === "number") { how = value < typical[0] ? "below" : value > typical[2] ? "above" : "within"; }
    else if (typeof typical === "string" && value !== null && column.levels.length) { how = column.levels[value] === typical ? "same" : "other"; }
    body.append(el("tr", {}, el("th", { scope: "row" }, el("bdi", { class: "name" }, column.name)), el("td", {}, el("bdi", {}, cellText(column, value))), el("td", {}, el("bdi", {}, range)), el("td", {}, how)));
  });
  panel.append(el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `Values of row ${number}` }, el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "column"), el("th", { scope: "col" }, "this row"), el("th", { scope: "col" }, "middle half of its cluster"), el("th", { scope: "col" }, "compared"))), body)));
  place.replaceChildren(panel);
  byId("row-count").textContent = "1 row";
  showOnMap(number);
}

(function () {
  const search = byId("row-search");
  if (!search || !rows) { return; }
  const told = byId("row-count"), place = byId("row-found");
  function find() {
    const wanted = search.value.trim().toLocaleLowerCase();
    place.replaceChildren();
    told.textContent = "";
    if (wanted === "") { return; }
    if (/^\d+$/.test(wanted) && placeOf.has(Number(wanted))) { showRow(Number(wanted)); return; }
    const fits = [], levels = rows.columns.map((c) => c.levels.map((level) => level.toLocaleLowerCase().includes(wanted)));
    for (let i = 0; i < rows.row.length; i++) {
      const named = rows.name && rows.name[i].toLocaleLowerCase().includes(wanted);
      if (named || rows.columns.some((c, j) => rows.values[j][i] !== null && (c.levels.length ? levels[j][rows.values[j][i]] : String(rows.values[j][i]) === wanted))) { fits.push(rows.row[i]); }
    }
    told.textContent = `${counted(fits.length, "row")} found${fits.length > 12 ? ", the first 12 shown" : ""}`;
    if (fits.length === 1) { showRow(fits[0]); } else if (fits.length) { place.append(rowTable(fits.slice(0, 12))); }
  }
  search.addEventListener("input", find);
  const lists = byId("row-lists");
  for (const [heading, words, numbers] of [
    ["Typical rows", spread.labels.length > 1 ? "The row of each cluster that is nearest to the other rows of the cluster." : "The row that is nearest to all others.", rows.typical.slice(0, 12).map((t) => t.rows[0])],
    ...(spread.labels.length > 1 ? [["Doubtful rows", "Between two clusters; the most doubtful first.", rows.doubtful]] : []),
    ["Odd rows", "Far from all other rows; the farthest first.", rows.odd_rows],
  ]) {
    lists.append(el("h3", {}, heading));
    lists.append(numbers.length ? el("div", {}, el("p", { class: "soft small" }, words), rowTable(numbers, numbers === rows.odd_rows)) : el("p", { class: "soft" }, "None."));
  }
})();
