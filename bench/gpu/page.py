"""The rows of the GPU bench as Markdown."""

from __future__ import annotations

from pathlib import Path

from bench.gpu import methods
from bench.harness import places, records

RESULTS = places.RESULTS / "gpu.jsonl"
ROUNDS = places.RESULTS / "gpu_rounds.jsonl"
TARGETS = {  # seconds on an H200
    ("knn", 800): 0.08,
    ("knn", 3000): 0.35,
    ("knn", 20_000): 4.0,
    ("knn", 100_000): 120.0,
    ("linkage", 3000): 3.0,
    ("affinity", 3000): 25.0,
    ("staged", 2893): 6.0,
    ("distances with exponents", 800): 0.002,
}
CELLS = [
    *[{"method": "knn", "rows": n} for n in (800, 1000, 3000, 10_000, 20_000, 100_000)],
    *[{"method": "exponents", "rows": n} for n in (800, 3000)],
    *[{"method": "linkage", "rows": n} for n in (800, 3000)],
    *[{"method": "affinity", "rows": n} for n in (800, 3000)],
    *[{"method": "dbscan", "rows": n} for n in (800, 3000, 10_000)],
    {"method": "distances with exponents", "rows": 800},
    {"method": "staged", "rows": 2893},
    {"method": "same path", "rows": 800},
    *methods.CELLS,
]


def table(path: Path = RESULTS) -> str:
    """Return the results as Markdown; empty if there are none."""
    rows = {(r["cell"]["method"], r["cell"]["rows"]): r for r in records.load(path)}
    if not rows:
        return ""
    machine = next(iter(rows.values()))["machine"]
    rates = next(iter(rows.values()))["rates"]
    lines = [
        f"GPU: {machine['gpu']}. CPU of that machine: {machine['cpu']}. Medians of warm runs of",
        "`python -m bench.gpu`: whole fits of 30 × 30 on 100 features, `StagedSwarm` 100 × 500.",
        "The floor is the arithmetic alone at measured rates: "
        f"{rates['single'] / 1e12:.0f} TFLOP/s of single-precision products, "
        f"{rates['double'] / 1e12:.0f} of double precision, {rates['bytes'] / 1e12:.1f} TB/s; for",
        "`StagedSwarm` it is the random draws, which stay on the host. The calls of the other "
        "methods",
        "are in `bench/gpu/methods.py`.",
        "",
        "| method | rows | GPU | wanted | CPU | ratio | floor | share of floor | GPU memory |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for cell in CELLS:
        key = (cell["method"], cell["rows"])
        if key not in rows or "seconds" not in rows[key]:
            continue
        r = rows[key]
        wanted = f"≤ {_short(TARGETS[key])}" if key in TARGETS else ""
        cpu, ratio = "", ""
        if "cpu_seconds" in r:
            cpu = ("about " if r.get("cpu_scaled") else "") + _short(r["cpu_seconds"])
            ratio = f"{r['cpu_seconds'] / r['seconds']:.2g}×"
        limit = " | "
        if "floor" in r:
            limit = f"{_short(r['floor'])} | {r['floor'] / r['seconds']:.0%}"
        memory = f"{r['gigabytes']:.1f} GB" if "gigabytes" in r else ""
        lines.append(
            f"| {key[0]} | {key[1]:,} | {_short(r['seconds'])} | {wanted} | {cpu} | {ratio} "
            f"| {limit} | {memory} |"
        )
    path_row = rows.get(("same path", 800))
    if path_row:
        lines += [
            "",
            f"Labels and weights equal those of the CPU on {path_row['same']} of "
            f"{path_row['seeds']} seeds at 800 rows (kNN graph, 30 × 30).",
        ]
    others = [rows[key] for key in rows if key[0] in methods.MODELS]
    if others:
        same = sum(row["differing"] == 0 for row in others)
        lines += [
            "",
            "From `weighted k-means` on, all labels (or features) equal those of the CPU in "
            f"{same} of {len(others)} rows.",
        ]
    return "\n".join(lines) + "\n"


def rounds_table(path: Path = ROUNDS) -> str:
    """Return the rounds of weighted k-means as Markdown; empty if there are none."""
    rows = records.load(path)
    if not rows:
        return ""
    names = list(rows[0]["milliseconds"])
    lines = [
        "### Rounds of weighted k-means",
        "",
        f"One round on {rows[0]['gpu']}, from the same start, with float32 rows. weft has a",
        "weight per cluster and column; the others have no weights. Measured by",
        "`python -m bench.gpu.rounds`.",
        "",
        f"| rows × columns, clusters | {' | '.join(names)} |",
        "| --- |" + " --- |" * len(names),
    ]
    for row in rows:
        cell = row["cell"]
        taken = [f"{row['milliseconds'][name]:.2f} ms" for name in names]
        size = f"{cell['rows']:,} × {cell['columns']}, {cell['clusters']:,}"
        lines.append(f"| {size} | {' | '.join(taken)} |")
    return "\n".join(lines) + "\n"


def _short(seconds: float) -> str:
    if seconds < 0.1:
        return f"{1e3 * seconds:.3g} ms"
    return f"{seconds:.3g} s"
