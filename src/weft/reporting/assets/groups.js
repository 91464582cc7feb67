// One cluster at a time: how it differs from the others, and its distributions compared with all rows.
(function () {
  const choice = byId("group-choice"), place = byId("group");
  if (!choice) { return; }
  function show() {
    const label = Number(choice.value), k = spread.labels.indexOf(label);
    const cluster = summary.clusters.find((c) => c.label === label);
    const order = spread.columns.map((column, j) => [apart(column, k), j]).sort((a, b) => b[0] - a[0]).slice(0, 8);
    const panel = el("div", { class: "panel " + colour(label) }, el("h4", {}, badge(label), " ", el("bdi", {}, cluster.title || clusterName(label))), el("p", {}, cluster.sentence));
    if (cluster.rule) {
      panel.append(el("p", {}, "Rule: ", el("bdi", {}, cluster.rule.conditions.join(" and ")), el("span", { class: "soft" }, ` (precision ${percent(cluster.rule.precision)}, coverage ${percent(cluster.rule.coverage)}${cluster.rule.held_out ? ", measured on other rows" : ""})`)));
    }
    const grid = el("div", { class: "grid" });
    for (const [, j] of order) { grid.append(mini(spread.columns[j], k, el("bdi", { class: "name" }, spread.columns[j].name))); }
    panel.append(el("p", { class: "soft small" }, "Columns in which it differs most. Filled: this cluster. Line or mark: all rows."), grid);
    const typical = rows && rows.typical.find((t) => t.label === label);
    if (typical) {
      const line = el("p", { class: "row" }, "Typical rows:");
      for (const number of typical.rows) { line.append(rowButton(number)); }
      panel.append(line);
    }
    place.replaceChildren(panel);
    for (const row of document.querySelectorAll("#group-table tbody tr")) { row.classList.toggle("on", Number(row.dataset.label) === label); }
  }
  choice.addEventListener("change", show);
  byId("group-table").addEventListener("click", (event) => {
    const row = event.target.closest("tbody tr");
    if (row) { choice.value = row.dataset.label; show(); }
  });
  show();
})();
