// Why this number: the judge's score of the best clustering of each number of clusters.
(function () {
  const place = byId("number-chart"), candidates = summary.candidates || [];
  if (!place || candidates.length < 2) { return; }
  const scores = candidates.map((c) => c.quality), low = Math.min(...scores), span = Math.max(Math.max(...scores) - low, 1e-9);
  const room = Math.min(Math.max(place.clientWidth, 280), 680); // true pixels: text stays readable on a phone
  const step = Math.min(64, (room - 20) / candidates.length), width = step * candidates.length + 20;
  const picture = svg("svg", { viewBox: `0 0 ${width} 130`, style: `width:${width}px;max-width:100%`, role: "img", "aria-label": "Score of the best clustering of each number: " + candidates.map((c) => `${c.n_clusters} clusters ${c.quality.toFixed(2)}`).join(", ") });
  candidates.forEach((c, i) => {
    const x = 10 + step * i, tall = 8 + 84 * (c.quality - low) / span;
    const gap = Math.min(4, step / 8);
    const bar = svg("rect", { x: x + gap, y: 104 - tall, width: step - 2 * gap, height: tall, rx: 3, class: c.is_answer ? "c0 fill" : "cn fill", opacity: c.is_answer ? 1 : c.behind ? 0.25 : 0.55 });
    const title = svg("title");
    title.textContent = `${counted(c.n_clusters, "cluster")}: score ${c.quality.toFixed(2)}` + (c.behind ? `; not chosen: ${c.behind}` : "");
    bar.append(title);
    const text = svg("text", { x: x + step / 2, y: 122, "text-anchor": "middle" });
    text.textContent = c.n_clusters;
    picture.append(bar, text);
  });
  place.append(picture);
})();

// From coarse to fine: a bar for each cluster of a level, and a band for the rows that two clusters share.
(function () {
  const place = byId("walk"), walk = summary.walk;
  if (!place || !walk) { return; }
  const levels = walk.levels, total = Math.max(...levels.map((l) => l.sizes.reduce((a, b) => a + b, 0)));
  const gap = 6, height = 260, wide = Math.min(Math.max(place.clientWidth, 280), 820), across = (wide - 60) / Math.max(levels.length - 1, 1);
  const picture = svg("svg", { viewBox: `0 0 ${wide} ${height + 28}`, style: "width:100%;max-width:56rem", role: "img", "aria-label": "How clusters split, from " + levels[0].n_clusters + " to " + levels[levels.length - 1].n_clusters });
  const tops = levels.map((level) => {
    const order = level.sizes.map((_, i) => i).sort((a, b) => level.like[a] - level.like[b] || level.sizes[b] - level.sizes[a]);
    const scale = (height - gap * (level.sizes.length - 1)) / total;
    const found = new Map();
    let y = 0;
    for (const i of order) { found.set(i, { y, scale, out: 0, into: 0 }); y += level.sizes[i] * scale + gap; }
    return found;
  });
  const words = byId("walk-words");
  walk.links.forEach((links, at) => {
    const x0 = 20 + across * at + 12, x1 = 20 + across * (at + 1);
    const sorted = links.slice().sort((a, b) => tops[at].get(a[0]).y - tops[at].get(b[0]).y || tops[at + 1].get(a[1]).y - tops[at + 1].get(b[1]).y);
    for (const [a, b, n] of sorted) {
      const from = tops[at].get(a), to = tops[at + 1].get(b);
      const y0 = from.y + from.out, y1 = to.y + to.into, h0 = n * from.scale, h1 = n * to.scale, mid = (x0 + x1) / 2;
      from.out += h0; to.into += h1;
      picture.append(svg("path", { d: `M${x0} ${y0}C${mid} ${y0} ${mid} ${y1} ${x1} ${y1}V${y1 + h1}C${mid} ${y1 + h1} ${mid} ${y0 + h0} ${x0} ${y0 + h0}Z`, class: colour(levels[at + 1].like[b]) + " fill", opacity: 0.35 }));
    }
    const parts = new Map();
    for (const [a, b, n] of links) {
      if (n >= 0.1 * levels[at].sizes[a]) { parts.set(a, [...(parts.get(a) || []), n]); }
    }
    for (const [a, ns] of parts) {
      if (ns.length > 1) { words.append(el("li", {}, `From ${levels[at].n_clusters} to ${levels[at + 1].n_clusters} clusters: the group of ${counted(levels[at].sizes[a], "row")} splits into ${ns.sort((p, q) => q - p).join(", ")}.`)); }
    }
  });
  levels.forEach((level, at) => {
    level.sizes.forEach((size, i) => {
      const { y, scale } = tops[at].get(i);
      const bar = svg("rect", { x: 20 + across * at, y, width: 12, height: Math.max(size * scale, 1), class: colour(level.like[i]) + " fill" });
      const title = svg("title");
      title.textContent = counted(size, "row");
      bar.append(title);
      picture.append(bar);
    });
    const text = svg("text", { x: 26 + across * at, y: height + 20, "text-anchor": "middle" });
    text.textContent = level.n_clusters;
    picture.append(text);
  });
  place.append(picture);
})();

// Other answers, one click away.
(function () {
  const place = byId("alternative"), buttons = byId("alternative-buttons");
  if (!place || !buttons) { return; }
  function show(number) {
    const one = summary.alternatives[number - 1];
    for (const button of buttons.children) { button.setAttribute("aria-pressed", String(Number(button.dataset.number) === number)); }
    place.replaceChildren();
    if (one.is_answer) { return; }
    const list = el("ul", {});
    one.sizes.forEach((size, k) => {
      const from = one.shared[k].map((n, i) => [n, i]).filter(([n]) => n >= 0.1 * size).sort((a, b) => b[0] - a[0]);
      const line = el("li", {}, badge(k), ` ${counted(size, "row")}: `);
      from.forEach(([n, i], at) => line.append(at ? ", " : "", percent(n / Math.max(size, 1)) + " from ", badge(i)));
      list.append(line);
    });
    const tools = el("div", { class: "row" });
    if (rows && rows.alternatives) {
      if (byId("map-box")) {
        tools.append(el("button", { type: "button", onclick: () => { const choice = byId("map-colour"); choice.value = String(number - 1); choice.dispatchEvent(new Event("change")); byId("map-heading").scrollIntoView(); } }, "Show on the map"));
      }
      tools.append(el("button", { type: "button", onclick: () => saveLabels(rows.alternatives[number - 1], `labels-${number}.csv`) }, "Its labels (CSV)"));
    }
    place.append(el("div", { class: "panel" },
      el("p", {}, `Answer ${number}, ${counted(one.n_clusters, "cluster")} by ${one.method}: ${one.quality === null ? "" : `score ${one.quality.toFixed(2).replace("-", "−")}, `}agreement with the answer shown ${one.agreement.toFixed(2)} (adjusted Rand index).`), list, tools));
  }
  buttons.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) { show(Number(button.dataset.number)); }
  });
})();
