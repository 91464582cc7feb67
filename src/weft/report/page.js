"use strict";
(function () {
  const root = document.documentElement;
  root.classList.add("js");

  // Charts: drawn from the data in the page, in the colours of the page.
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  function coloured(layout, printing) {
    const style = getComputedStyle(root);
    const pick = (name, light) => (printing ? light : style.getPropertyValue(name).trim());
    const ink = pick("--ink", "#1d2126"), soft = pick("--soft", "#5c6670"), line = pick("--line", "#e2dfd9");
    const made = { ...layout, font: { ...layout.font, color: ink } };
    made.hoverlabel = {
      ...layout.hoverlabel, bgcolor: pick("--card", "#ffffff"), bordercolor: line, font: { color: ink },
    };
    for (const key of Object.keys(made)) {
      if (/^[xy]axis\d*$/.test(key)) {
        made[key] = { ...made[key], color: soft, gridcolor: line, zerolinecolor: line };
      }
    }
    if (window.innerWidth < 600 && made.yaxis) {
      made.yaxis = { ...made.yaxis, tickfont: { size: 10 } };
    }
    made.dragmode = false; // a finger scrolls the page
    return made;
  }

  function draw(printing) {
    for (const [id, figure] of Object.entries(figures)) {
      const place = document.getElementById("chart-" + id);
      if (place) {
        const settings = { displayModeBar: false, responsive: true, scrollZoom: false };
        Plotly.react(place, figure.data, coloured(figure.layout, printing), settings).then(function () {
          place.dataset.drawn = "yes";
        });
      }
    }
  }
  draw(false);
  dark.addEventListener("change", () => draw(false));
  window.addEventListener("beforeprint", () => draw(true));
  window.addEventListener("afterprint", () => draw(false));

  // Features: search, and unfold.
  const table = document.getElementById("feature-table");
  if (table) {
    const search = document.getElementById("feature-search");
    const told = document.getElementById("feature-count");
    const all = document.getElementById("feature-all");
    const rows = Array.from(table.tBodies[0].rows);
    const names = rows.map((row) => row.cells[0].textContent.toLocaleLowerCase());
    const few = Number(table.dataset.few);
    let unfolded = rows.length <= few;

    function show() {
      const wanted = search.value.trim().toLocaleLowerCase();
      let found = 0;
      rows.forEach(function (row, i) {
        const fits = names[i].includes(wanted);
        found += fits;
        row.hidden = !fits || (!unfolded && wanted === "" && i >= few);
      });
      const shown = rows.filter((row) => !row.hidden).length;
      told.textContent = wanted === ""
        ? `${shown} of ${rows.length} features shown`
        : `${found} of ${rows.length} features match`;
      if (all) { all.hidden = unfolded || wanted !== ""; }
    }
    search.addEventListener("input", show);
    if (all) {
      all.addEventListener("click", function () { unfolded = true; show(); search.focus(); });
    }
    show();
  }
})();
