// The map: views, colours, hover, lasso.
let showOnMap = () => {};
(function () {
  const box = byId("map-box"), map = summary.map;
  if (!box || !map) { return; }
  const view = byId("map-view"), tint = byId("map-colour"), lasso = byId("map-lasso"), clear = byId("map-clear");
  const tip = el("div", { id: "map-tip", hidden: "" });
  const shapes = ["M-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0Z", "M-3-3H3V3H-3Z", "M0-4.4L4.4 0L0 4.4L-4.4 0Z", "M0-4L4 3.2H-4Z", "M-4-3.2H4L0 4Z", "M-1.3-4h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7v-2.6h2.7Z", "M-3.5-3.5L0-1.6L3.5-3.5L1.6 0L3.5 3.5L0 1.6L-3.5 3.5L-1.6 0Z", "M-4-1.4H4V1.4H-4Z"];
  let dots = [], picture = null, loop = null, path = [], chosen = null, wide = 0;

  function labelOf(i) {
    const at = placeOf.get(map.row[i]);
    return tint.value === "label" || tint.value === "sure" || at === undefined ? map.label[i] : rows.alternatives[Number(tint.value)][at];
  }
  function draw() {
    wide = Math.max(box.clientWidth, 280);
    const tall = Math.round(Math.min(Math.max(wide * 0.6, 300), 520)), margin = 16;
    const near = view && view.value === "near";
    const xs = near ? map.near_x : map.x, ys = near ? map.near_y : map.y;
    const known = xs.map((_, i) => i).filter((i) => xs[i] !== null);
    const lowest = (v) => known.reduce((m, i) => Math.min(m, v[i]), Infinity), highest = (v) => known.reduce((m, i) => Math.max(m, v[i]), -Infinity);
    const [x0, x1, y0, y1] = [lowest(xs), highest(xs), lowest(ys), highest(ys)];
    const scale = Math.min((wide - 2 * margin) / (x1 - x0 || 1), (tall - 2 * margin) / (y1 - y0 || 1));
    const sx = near ? scale : (wide - 2 * margin) / (x1 - x0 || 1), sy = near ? scale : (tall - 2 * margin) / (y1 - y0 || 1);
    picture = svg("svg", { viewBox: `0 0 ${wide} ${tall}`, height: tall, role: "img", "aria-label": `Scatter plot of ${known.length} rows, ${near ? "similar rows together" : "a flat picture of all columns"}, coloured by ${tint.options[tint.selectedIndex].text}` });
    dots = known.map((i) => {
      const x = wide / 2 + (xs[i] - (x0 + x1) / 2) * sx, y = tall / 2 - (ys[i] - (y0 + y1) / 2) * sy;
      const label = labelOf(i), at = placeOf.get(map.row[i]);
      const dot = svg("path", { d: shapes[label < 0 ? 0 : label % 8], transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, class: "dot " + (label < 0 ? "cn hollow" : "c" + (label % 10)) });
      const sure = tint.value === "sure" && at !== undefined ? sureOf(at) : null;
      if (sure !== null) { dot.style.opacity = Math.max(0.12, Math.min(1, rows.chances ? sure ** 2 : 0.25 + sure)); }
      picture.append(dot);
      return { i, x, y, dot };
    });
    loop = svg("path", { class: "loop", d: "" });
    picture.append(loop);
    box.replaceChildren(picture, tip);
    const words = byId("map-words");
    if (words) {
      words.textContent = near ? `Similar rows are drawn together; distances between clusters mean little.${known.length < xs.length ? ` ${known.length} of the rows are drawn in this view.` : ""}`
        : `A flat picture of all columns, which keeps ${percent(map.explained[0] + map.explained[1])} of the variance.`;
    }
    picture.addEventListener("pointermove", move);
    picture.addEventListener("pointerdown", down);
    picture.addEventListener("pointerup", up);
    picture.addEventListener("pointerleave", () => { tip.hidden = true; });
    picture.addEventListener("click", (event) => { const near = nearest(event); if (near && !box.classList.contains("lasso")) { lookUp(map.row[near.i]); } });
    mark();
  }
  function point(event) {
    const frame = picture.getBoundingClientRect(), scale = wide / frame.width;
    return [(event.clientX - frame.left) * scale, (event.clientY - frame.top) * scale];
  }
  function nearest(event) {
    const [x, y] = point(event);
    let best = null, least = 225;
    for (const dot of dots) {
      const far = (dot.x - x) ** 2 + (dot.y - y) ** 2;
      if (far < least) { least = far; best = dot; }
    }
    return best;
  }
  function move(event) {
    if (path.length) { path.push(point(event)); loop.setAttribute("d", "M" + path.map((p) => p.map((v) => v.toFixed(1)).join(" ")).join("L") + "Z"); return; }
    const found = nearest(event);
    tip.hidden = !found;
    if (!found) { return; }
    const i = found.i, lines = [`row ${map.row[i]}`, clusterName(map.label[i])];
    map.features.forEach((name, j) => lines.push(`${name.slice(0, 40)}: ${short(map.values[i][j])}`));
    tip.replaceChildren(...lines.map((line) => el("div", {}, el("bdi", {}, line))));
    tip.style.left = Math.min(found.x + 12, wide - 170) + "px";
    tip.style.top = found.y + 12 + "px";
  }
  function down(event) {
    if (!box.classList.contains("lasso")) { return; }
    path = [point(event)];
    picture.setPointerCapture(event.pointerId);
  }
  function up() {
    if (path.length < 3) { path = []; return; }
    chosen = new Set(dots.filter((dot) => inside(dot, path)).map((dot) => map.row[dot.i]));
    path = [];
    mark();
  }
  function inside(dot, around) {
    let odd = false;
    for (let i = 0, j = around.length - 1; i < around.length; j = i++) {
      const [xi, yi] = around[i], [xj, yj] = around[j];
      if (yi > dot.y !== yj > dot.y && dot.x < ((xj - xi) * (dot.y - yi)) / (yj - yi) + xi) { odd = !odd; }
    }
    return odd;
  }
  function mark() {
    for (const { i, dot } of dots) { dot.classList.toggle("pale", chosen !== null && !chosen.has(map.row[i])); }
    clear.hidden = chosen === null;
    const place = byId("map-chosen");
    place.replaceChildren();
    if (chosen === null) { return; }
    const numbers = Array.from(chosen), counts = new Map();
    for (const number of numbers) { const label = rows.label[placeOf.get(number)]; counts.set(label, (counts.get(label) || 0) + 1); }
    const line = el("p", {}, `${counted(numbers.length, "row")} chosen: `);
    Array.from(counts).sort((a, b) => b[1] - a[1]).forEach(([label, n], at) => line.append(at ? ", " : "", badge(label), ` ${n}`));
    place.append(el("div", { class: "panel" }, line, rowTable(numbers.slice(0, 12)),
      el("div", { class: "row" }, el("button", { type: "button", onclick: () => save("rows.csv", "row,cluster\n" + numbers.map((n) => `${n},${rows.label[placeOf.get(n)]}`).join("\n") + "\n") }, "These rows (CSV)"))));
  }
  lasso.addEventListener("click", () => {
    const on = box.classList.toggle("lasso");
    lasso.setAttribute("aria-pressed", String(on));
  });
  clear.addEventListener("click", () => { chosen = null; loop.setAttribute("d", ""); mark(); lasso.focus(); });
  showOnMap = (number) => {
    for (const { i, dot } of dots) { dot.classList.toggle("found", map.row[i] === number); if (map.row[i] === number) { picture.append(dot); } }
  };
  if (view) { view.addEventListener("change", draw); }
  tint.addEventListener("change", draw);
  let last = 0;
  window.addEventListener("resize", () => { if (box.clientWidth !== last) { last = box.clientWidth; draw(); } });
  draw();
})();
