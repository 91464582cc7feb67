"""The answer in a few lines of HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

from weft.reporting.facts import read_facts
from weft.reporting.told import counted, nothing_in

N_FEATURES = 8
N_CLUSTERS = 12


def snippet(model: Any) -> str:
    """Return sizes, names and the heaviest features as plain HTML without style sheets."""
    import numpy as np

    facts = read_facts(model)
    found, sizes = np.unique(facts.labels, return_counts=True)
    order = np.argsort(-sizes, kind="stable")[:N_CLUSTERS]
    sizes_text = ", ".join(f"{'none' if found[i] == -1 else found[i]}: {sizes[i]}" for i in order)
    more = f" and {len(sizes) - N_CLUSTERS} smaller" if len(sizes) > N_CLUSTERS else ""
    of = f"of {counted(len(facts.labels), 'row')}"
    lines = [
        f"<p><strong>{counted(facts.n_clusters, 'cluster')} {of}</strong> "
        f"(rows in each: {sizes_text}{more})</p>"
    ]
    if nothing_in(facts.n_clusters, facts.verdict):
        lines = [f"<p><strong>no clusters in {counted(len(facts.labels), 'row')}</strong></p>"]
    names = getattr(model, "cluster_names_", {}) if facts.n_clusters > 1 else {}
    if names:
        listed = "".join(
            f"<li>{found[i]}: <bdi>{escape(_cut(names[found[i]], 120))}</bdi></li>"
            for i in order
            if found[i] in names
        )
        lines.append(f"<ul>{listed}</ul>")
    if facts.verdict:
        lines.append(f"<p>{escape(facts.verdict)}</p>")
    if facts.has_weights and facts.selected.any():
        used = np.where(facts.selected, np.maximum(facts.weights, 0.0), 0.0)
        top = np.argsort(-used, kind="stable")[: min(N_FEATURES, int(facts.selected.sum()))]
        total = used.sum() or 1.0
        cells = "".join(
            f"<tr><td><bdi>{escape(_cut(facts.names[j]))}</bdi></td>"
            f'<td style="text-align:right">{used[j] / total:.1%}</td></tr>'
            for j in top
        )
        lines.append(
            f"<table><caption>{int(facts.selected.sum())} of {len(facts.names)} features; share "
            f"of the weight</caption><tbody>{cells}</tbody></table>"
        )
    return f'<div class="weft-answer">{"".join(lines)}</div>'


def _cut(name: str, length: int = 60) -> str:
    kept = "".join(char if char.isprintable() or char == "\u200d" else "�" for char in name)
    return kept if len(kept) <= length else kept[: length - 1] + "…"
