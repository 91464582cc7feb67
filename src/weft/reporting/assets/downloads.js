// Downloads, made from the data in this page.
function save(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: name.endsWith(".json") ? "application/json" : "text/csv" }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// A cell of a CSV file. Text that a spreadsheet would run as a formula gets a quote in front.
function quoted(text) {
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? "'" + text : text;
  return /[",;|\t\n\r]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
}

function saveLabels(labels, name) {
  const lines = rows.row.map((number, i) => [String(number), ...(rows.name ? [quoted(rows.name[i])] : []), labels[i] < 0 ? "" : String(labels[i])].join(","));
  save(name, ["row", ...(rows.name ? ["name"] : []), "cluster"].join(",") + "\n" + lines.join("\n") + "\n");
}

for (const button of document.querySelectorAll("[data-download]")) {
  button.addEventListener("click", () => {
    if (button.dataset.download === "summary") { save("summary.json", JSON.stringify(summary, null, 1)); }
    else if (button.dataset.download === "labels") { saveLabels(rows.label, "labels.csv"); }
    else {
      const width = rows.clusters[0].length, head = ["row"];
      for (let j = 1; j <= width; j++) { head.push(`cluster_${j}`, `probability_${j}`); }
      save("memberships.csv", head.join(",") + "\n" + rows.row.map((number, i) => [number, ...rows.clusters[i].flatMap((c, j) => [c, rows.chances[i][j]])].join(",")).join("\n") + "\n");
    }
  });
}
