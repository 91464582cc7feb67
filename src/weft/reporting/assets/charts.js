// Small pictures: one column in one cluster, compared with all rows.
const spread = summary.distributions || { labels: [], columns: [] };

const inOrder = spread.labels.map((_, k) => k).sort((a, b) => (spread.labels[a] < 0) - (spread.labels[b] < 0) || a - b); // no cluster last

// The larger end of a column of numbers, by its size; dates have none.
function largest(column) { return Math.max(...[column.edges[0], column.edges[column.edges.length - 1]].map(Math.abs)); }

function miniNumbers(column, k, label) {
  const n = column.all.length, own = column.clusters[k];
  const top = Math.max(...own, ...column.all, 0.0001);
  const x = (i) => (200 * i) / n, y = (v) => 60 - (56 * v) / top;
  const picture = svg("svg", { viewBox: "0 0 200 64", preserveAspectRatio: "none", role: "img", "aria-label": miniWords(column, k, label), class: colour(label) });
  own.forEach((v, i) => picture.append(svg("rect", { class: "fill", x: x(i) + 0.6, y: y(v), width: 200 / n - 1.2, height: Math.max(60 - y(v), 0) })));
  let path = `M0 60`;
  column.all.forEach((v, i) => { path += `L${x(i)} ${y(v)}L${x(i + 1)} ${y(v)}`; });
  picture.append(svg("path", { class: "all", d: path + "L200 60", "vector-effect": "non-scaling-stroke" }), svg("path", { class: "axis", d: "M0 60H200", "vector-effect": "non-scaling-stroke" }));
  const first = column.edges[0], last = column.edges[n], size = largest(column);
  return [picture, el("div", { class: "ends" }, el("span", {}, short(first, size)), el("span", {}, miniTypical(column, k)), el("span", {}, short(last, size)))];
}

function miniLevels(column, k, label) {
  const box = el("div", { class: "levels " + colour(label), role: "img", "aria-label": miniWords(column, k, label) });
  const order = column.levels.map((_, i) => i).sort((a, b) => column.clusters[k][b] - column.clusters[k][a]).slice(0, 5);
  for (const i of order) {
    box.append(el("bdi", { title: column.levels[i] }, column.levels[i]),
      el("span", { class: "both", title: `${percent(column.clusters[k][i])}, all rows ${percent(column.all[i])}` },
        el("i", { style: `width:${100 * column.clusters[k][i]}%` }), el("b", { style: `left:${100 * column.all[i]}%` })));
  }
  return [box];
}

function miniTypical(column, k) {
  const typical = column.typical[k];
  if (typical === null) { return ""; }
  return typeof typical === "string" ? typical : el("span", {}, column.kind === "date" ? "" : el("span", { class: "long" }, "median "), short(typical[1], largest(column)));
}

function miniWords(column, k, label) {
  const typical = column.typical[k];
  const own = typical === null ? "no values" : typeof typical === "string" ? `most often ${typical}`
    : `half of the rows between ${short(typical[0], largest(column))} and ${short(typical[2], largest(column))}, median ${short(typical[1], largest(column))}`;
  return `${column.name} in ${clusterName(label)}: ${own}`;
}

function mini(column, k, heading) {
  const label = spread.labels[k];
  const drawn = column.levels ? miniLevels(column, k, label) : miniNumbers(column, k, label);
  return el("div", { class: column.levels || column.kind === "date" ? "mini named" : "mini" }, el("h4", {}, heading), ...drawn);
}

// How different a cluster is from all rows in a column: half the sum of the differences.
function apart(column, k) {
  return column.all.reduce((sum, v, i) => sum + Math.abs(v - column.clusters[k][i]), 0) / 2;
}

// The search: best fitness by generation.
(function () {
  const place = byId("search-chart"), search = summary.search;
  if (!place || !search.best_fitness) { return; }
  const best = search.best_fitness, known = [...best, ...(search.mean_fitness || [])].filter((v) => v !== null);
  if (known.length === 0) { place.append(el("p", {}, "No candidate could be scored, so there is no curve.")); return; }
  const low = Math.min(...known), high = Math.max(...known, low + 1e-9), n = Math.max(best.length - 1, 1);
  const line = (values) => values.map((v, i) => (v === null ? "" : `${i && values[i - 1] !== null ? "L" : "M"}${50 + (640 * i) / n} ${170 - (150 * (v - low)) / (high - low)}`)).join("");
  const end = best.filter((v) => v !== null);
  const picture = svg("svg", { viewBox: "0 0 700 205", role: "img", style: "max-width:44rem;width:100%", "aria-label": `The best fitness goes from ${short(end[0])} to ${short(end[end.length - 1])} in ${best.length} generations.` },
    svg("path", { class: "axis", d: "M50 170H690", fill: "none" }),
    svg("path", { d: line(best), class: "c0 edge", fill: "none", "stroke-width": 2 }));
  if (search.mean_fitness) { picture.append(svg("path", { d: line(search.mean_fitness), class: "cn edge", fill: "none", "stroke-dasharray": "5 4" })); }
  for (const [x, y, words, anchor] of [[44, 175, short(low), "end"], [44, 26, short(high), "end"], [50, 192, "1", "start"], [690, 192, `generation ${best.length}`, "end"], [370, 192, "best so far (line), mean of the swarm (dashed)", "middle"]]) {
    const text = svg("text", { x, y, "text-anchor": anchor });
    text.textContent = words;
    picture.append(text);
  }
  place.append(picture);
})();
