"""docs/performance.md and its figure, from the rows that `performance` has recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bench.gpu import page as gpu
from bench.harness import places

PAGE = places.DOCS / "performance.md"
NAMES = {
    "knn": "kNN graph",
    "dbscan": "DBSCAN",
    "linkage": "complete linkage",
    "affinity": "affinity propagation",
}
AXES = {"n": "rows", "d": "features", "p": "particles", "k": "clusters"}

Rows = dict[str, dict[str, Any]]


def write(found: Rows, page: Path) -> None:
    """Write the page and its figure."""
    page.parent.mkdir(parents=True, exist_ok=True)
    sections = [_head(found), _auto(found), _searches(found), _parts(found), _rounds(found)]
    sections.append(_limits(found))
    if "growth/time" in found and "growth/memory" in found:
        picture = page.parent / "_static" / "growth.svg"
        draw(found, picture)
        sections.append(_growth(found))
    sections.append(_memory(found))
    sections.append(_gpu())
    text = "\n\n".join(section for section in sections if section)
    page.write_text(text + "\n")


def _head(found: Rows) -> str:
    machines = sorted({row["machine"] for row in found.values()})
    return "\n".join(
        [
            "# Performance",
            "",
            "Made by `make bench`. Within a row all sides run in one process and in turns, and the",
            "medians are compared; compilation, imports and pools of processes are outside the",
            "clock. What the peers do is in `bench/speed/swarm.py`: PySwarms around scikit-learn,",
            "each step as the documentation shows it (*user*), or with the neighbours found once",
            "before the search and two processes (*careful user*). Both are searches for feature",
            "weights with criterion CSC on ten ellipsoids in 100 dimensions.",
            "",
            f"Machine: {'; '.join(machines)}.{_company(found)}",
        ]
    )


def _company(found: Rows) -> str:
    """Name the rows that were measured while other work ran: their times are only an indication."""
    loads = {name: row.get("load", 0.0) for name, row in found.items()}
    # The load average still includes the processes of the row before, nearly three at most.
    busy = [f"{name} ({load})" for name, load in loads.items() if load > 3.0]
    if not busy:
        return ""
    return f" Measured while other work ran, at the load in brackets: {', '.join(busy)}."


def _seconds(value: float) -> str:
    number, unit = (1e3 * value, "ms") if value < 1.0 else (value, "s")
    return f"{number:.3g}\N{NO-BREAK SPACE}{unit}"


def _searches(found: Rows) -> str:
    lines = [
        "## A search, two threads",
        "",
        "All sides take the same number of evaluations, in turns, as often as the last column",
        "says; 900 are scaled from that. The roofline is half of a matrix product at the measured",
        "sgemm rate and the passes over the distances that cannot be avoided at the measured copy",
        "bandwidth, on both threads; an evaluation that finds fewer than two clusters ends after",
        "its labels.",
        "",
        "| clusterer | rows | weft | user | careful user | 900 by weft | of the roofline "
        "| evaluations × runs |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    same = []
    for name, row in found.items():
        kind, *rest = name.split("/")
        if kind != "search":
            continue
        clusterer, n_rows = rest
        share = f"{row['roofline']:.0%}" if "roofline" in row else "–"
        lines.append(
            f"| {NAMES[clusterer]} | {n_rows} | {_seconds(row['weft'])} "
            f"| {_seconds(row['user'])}, **{row['user'] / row['weft']:.1f}×** "
            f"| {_seconds(row['careful'])}, **{row['careful'] / row['weft']:.1f}×** "
            f"| {_seconds(row['weft'] * 900 / row['evaluations'])} | {share} "
            f"| {row['evaluations']} × {row['rounds']} |"
        )
        same.append(row["same_bits"])
    if not same:
        return ""
    bits = "in every row" if all(same) else "NOT in every row"
    lines += ["", f"One thread and two give identical bits {bits}."]
    return "\n".join(lines)


def _parts(found: Rows) -> str:
    titles = {
        "powered": "distances with an exponent per feature (PSO-FSWE), one thread each",
        "silhouette": "silhouette of a table × 100, two threads each",
        "once": "labels from a table × 100, weft on one thread",
    }
    lines = ["## Parts", "", "| part | rows | weft | peer | | ratio |", "| --- |" + " --- |" * 5]
    for name, row in found.items():
        kind, *rest = name.split("/")
        if kind not in titles:
            continue
        title = titles[kind] + (f": {NAMES[rest[0]]}" if kind == "once" else "")
        for peer, taken in row["peers"].items():
            lines.append(
                f"| {title} | {rest[-1]} | {_seconds(row['weft'])} | {peer} | {_seconds(taken)} "
                f"| {taken / row['weft']:.1f}× |"
            )
    alone = [
        f"{row['alone']:.1f}× at {name.split('/')[1]} rows"
        for name, row in found.items()
        if "alone" in row
    ]
    if alone:
        lines += [
            "",
            "Distances with exponents are those of the eight particles that a search takes "
            f"together: they share the logarithms. One particle alone: {', '.join(alone)}.",
        ]
    return "\n".join(lines) if len(lines) > 4 else ""


def _auto(found: Rows) -> str:
    rows = {name.split("/")[1]: row for name, row in found.items() if name.startswith("auto/")}
    if not rows:
        return ""
    names = list(next(iter(rows.values()))["seconds"])
    lines = [
        "## AutoCluster, two threads",
        "",
        "Seconds of a fit; in brackets, the adjusted Rand index with the true clusters. Half of",
        "the columns separate five clusters, the others are noise. No method is given the number",
        "of clusters; k-means tries 2 to 20.",
        "",
        f"| rows × columns | {' | '.join(names)} |",
        "| --- |" + " --- |" * len(names),
    ]
    for size, row in rows.items():
        cells = [f"{_seconds(row['seconds'][name])} ({row['index'][name]:.2f})" for name in names]
        lines.append(f"| {size.replace('x', ' × ')} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _rounds(found: Rows) -> str:
    rows = {name.split("/", 1)[1]: row for name, row in found.items() if name.startswith("kmeans/")}
    if not rows:
        return ""
    first = next(iter(rows.values()))
    lines = [
        "## Rounds of weighted k-means",
        "",
        f"`WeightedKMeans` compared with scikit-learn's `KMeans`: {first['rows']:,} × 64, K = 20,",
        "the same start, two threads. A whole fit ends when no row changes its cluster; the last",
        "column has the rounds of both.",
        "",
        "| | weft | KMeans | ratio | rounds |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, row in rows.items():
        part, exponent = name.split("/")
        taken = row[f"{part}, clock"]
        count = " and ".join(map(str, row["rounds"])) if part == "fit" else ""
        title = f"a {'whole fit' if part == 'fit' else 'round'}, p = {float(exponent):g}"
        lines.append(
            f"| {title} | {_seconds(taken['weft'])} | {_seconds(taken['KMeans'])} "
            f"| {taken['ratio']:.2f}× | {count} |"
        )
    return "\n".join(lines)


def _limits(found: Rows) -> str:
    lines = ["## Compared with the machine's limit", ""]
    for name, row in found.items():
        kind, *rest = name.split("/")
        if kind == "roofline":
            lines.append(
                f"- kNN-graph evaluation, {rest[0]} rows, one thread: "
                f"{1e3 * row['evaluation']:.2f} ms, {row['share']:.0%} of its roofline (half a "
                f"product at {row['flops'] / 1e9:.0f} GFLOP/s, three passes over the distances at "
                f"{row['bandwidth'] / 1e9:.1f} GB/s)."
            )
    return "\n".join(lines) if len(lines) > 2 else ""


def _growth(found: Rows) -> str:
    time, memory = found["growth/time"], found["growth/memory"]
    lines = [
        "## Growth",
        "",
        "![Time and memory against rows, features, particles and clusters](_static/growth.svg)",
        "",
        "Time of a generation with kNN graphs on one thread, and memory that a search on two adds",
        "to the process, its table included, as powers of what grows; the rest is 1,000 rows",
        "(memory: 4,000), 100 features, 10 particles, 10 clusters.",
        "",
        "| in | time | memory |",
        "| --- | --- | --- |",
    ]
    lines += [
        f"| {title} | {time[key]['exponent']:.2f} | {memory[key]['exponent']:.2f} |"
        for key, title in AXES.items()
    ]
    return "\n".join(lines)


def _memory(found: Rows) -> str:
    rows = {name.split("/")[1]: row for name, row in found.items() if name.startswith("memory/")}
    if not rows:
        return ""
    lines = [
        "## Memory",
        "",
        '| rows × 100, `max_memory="1GiB"`, kNN graph | peak of the process | before the search |',
        "| --- | --- | --- |",
    ]
    lines += [
        f"| {n} | {row['gib']:.2f} GiB | {row['before']:.2f} GiB |" for n, row in rows.items()
    ]
    return "\n".join(lines)


def _gpu() -> str:
    rows = gpu.table()
    if not rows:
        return ""
    more = "[On a GPU](guide/gpu.md) says what runs on the GPU, and when it is faster."
    parts = [rows.rstrip(), gpu.rounds_table().rstrip(), more]
    return "## On a GPU\n\n" + "\n\n".join(part for part in parts if part)


def draw(found: Rows, picture: Path) -> None:
    """Draw time and memory against the four that grow."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "weft"
    time, memory = found["growth/time"], found["growth/memory"]
    figure, axes = plt.subplots(2, 4, figsize=(12, 5.4), layout="constrained", sharey="row")
    for column, (key, title) in enumerate(AXES.items()):
        for row, (curve, values) in enumerate(
            (
                (time[key], 1e3 * np.array(time[key]["seconds"])),
                (memory[key], 1024 * np.array(memory[key]["gib"])),
            )
        ):
            axis = axes[row, column]
            axis.loglog(curve["values"], values, "o-", color="#2b6cb0")
            axis.set_xticks(curve["values"], [str(v) for v in curve["values"]])
            axis.set_xticks([], minor=True)
            axis.set_title(f"exponent {curve['exponent']:.2f}", fontsize=10)
            axis.grid(True, which="major", color="#dddddd", linewidth=0.6)
            axis.spines[["top", "right"]].set_visible(False)
        axes[1, column].set_xlabel(title)
    axes[0, 0].set_ylabel("ms per generation")
    axes[1, 0].set_ylabel("MiB that a search adds")
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, metadata={"Date": None})
    plt.close(figure)
