// One column in all clusters.
(function () {
  const choice = byId("column-choice"), place = byId("column");
  if (!choice) { return; }
  function show() {
    const column = spread.columns[Number(choice.value)];
    const grid = el("div", { class: "grid" });
    inOrder.forEach((k) => { const label = spread.labels[k]; grid.append(mini(column, k, spread.labels.length < 2 ? "All rows" : el("span", {}, badge(label), " ", el("bdi", { class: "soft" }, titles.get(label) || "")))); });
    const words = column.missing > 0 ? ` Missing in ${percent(column.missing)} of the rows.` : "";
    place.replaceChildren(el("p", { class: "soft small" }, `${spread.labels.length < 2 ? "" : "Filled: the cluster. Line or mark: all rows."}${words}`), grid);
  }
  choice.addEventListener("change", show);
  for (const button of document.querySelectorAll("[data-column]")) {
    button.addEventListener("click", () => { choice.value = button.dataset.column; show(); choice.scrollIntoView({ block: "center" }); choice.focus({ preventScroll: true }); });
  }
  show();
})();

// All columns: search, and show all.
(function () {
  const table = byId("feature-table");
  if (!table) { return; }
  const search = byId("feature-search"), told = byId("feature-count"), all = byId("feature-all");
  const lines = Array.from(table.tBodies[0].rows);
  const names = lines.map((line) => line.cells[0].textContent.toLocaleLowerCase());
  const few = Number(table.dataset.few);
  let unfolded = lines.length <= few;
  function show() {
    const wanted = search.value.trim().toLocaleLowerCase();
    let found = 0, shown = 0;
    lines.forEach((line, i) => {
      const fits = names[i].includes(wanted);
      found += fits;
      line.hidden = !fits || (!unfolded && wanted === "" && i >= few);
      shown += !line.hidden;
    });
    told.textContent = wanted === "" ? `${shown} of ${lines.length} columns shown` : `${found} of ${lines.length} columns match`;
    if (all) { all.hidden = unfolded || wanted !== ""; }
  }
  search.addEventListener("input", show);
  if (all) { all.addEventListener("click", () => { unfolded = true; show(); search.focus(); }); }
  show();
})();
