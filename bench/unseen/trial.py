"""Run methods on the battery; keep one JSON line per (set, method, seed); print tables by group.

A run that fails is reported and not kept, so that it is tried again the next time.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bench.unseen import battery
from bench.unseen.rivals import available, standardised
from bench.unseen.scoring import best_ari, number_of_clusters

RESULTS = Path(__file__).parent.parent / "results" / "unseen.jsonl"
TOLD = ", told K"
Method = Callable[[np.ndarray, int, int], dict[str, Any]]  # X, K, seed → labels and more


def _autocluster(X: np.ndarray, n_clusters: int, seed: int) -> dict[str, Any]:
    import weft

    model = weft.AutoCluster(random_state=seed).fit(X)
    answer = {"labels": model.labels_}
    confidence = getattr(model, "confidence_", None)
    return answer if confidence is None else {**answer, "confidence": round(float(confidence), 4)}


def _autocluster_told(X: np.ndarray, n_clusters: int, seed: int) -> dict[str, Any]:
    import weft

    return {"labels": weft.AutoCluster(n_clusters=n_clusters, random_state=seed).fit(X).labels_}


def _judge(X: np.ndarray, n_clusters: int, seed: int) -> dict[str, Any]:
    from bench.unseen.answering import answer

    verdict = answer(X, seed)
    return {
        "labels": verdict.labels,
        "ungated": verdict.ungated,
        "confidence": round(verdict.confidence, 4),
        "no_clusters": round(verdict.no_clusters, 4),
        "best_candidate": verdict.candidates,
    }


def methods() -> dict[str, Method]:
    """Return all methods that can be run, by name."""

    def rival_method(name: str) -> Method:
        rival = available()[name]
        return lambda X, k, seed: {"labels": rival.run(standardised(X), k, seed)}

    return {
        "AutoCluster": _autocluster,
        "AutoCluster, told K": _autocluster_told,
        "judge": _judge,
        **{name: rival_method(name) for name in available()},
    }


def load_rows(path: Path = RESULTS) -> list[dict[str, Any]]:
    """Return the finished runs; an incomplete line is left out."""
    rows = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return rows


def evaluate(name: str, method: str, seed: int) -> dict[str, Any]:
    """Run one method on one set and score its answer.

    A method that is told K is run once for each K of the reference labellings, and is scored
    against those that have this K; its best run counts.
    """
    data = battery.load(name)
    counts = np.array(data.cluster_counts)
    told = sorted(set(data.cluster_counts)) if method.endswith(TOLD) else [0]
    rows = []
    for k in told:
        references = data.references[:, counts == k] if k else data.references
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some rivals do not converge, which their numbers show
            began = time.perf_counter()
            answer = methods()[method](data.X, k, seed)
            seconds = time.perf_counter() - began
        rows.append({**_scored(references, answer), "seconds": round(seconds, 3)})
    best = max(rows, key=lambda row: row["ari"])
    identity = {"set": name, "group": data.group, "method": method, "seed": seed}
    return {**identity, **best, "k_true": data.cluster_counts}


def _scored(references: np.ndarray, answer: dict[str, Any]) -> dict[str, Any]:
    """Return the scores of one answer and its other fields, without its labels."""
    labels = answer.pop("labels")
    row = {"ari": round(best_ari(references, labels), 6), "k": number_of_clusters(labels)}
    if "ungated" in answer:
        row["ari_ungated"] = round(best_ari(references, answer.pop("ungated")), 6)
    if "best_candidate" in answer:
        scores = [best_ari(references, each) for each in answer.pop("best_candidate")]
        row["ari_best_candidate"] = round(max(scores, default=0.0), 6)
    return {**row, **answer}


def run(
    names: Iterable[str], chosen: Iterable[str], seeds: Iterable[int], path: Path = RESULTS
) -> list[tuple[str, str, int]]:
    """Run the missing runs of `path`; return the runs that failed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    done = {(row["set"], row["method"], row["seed"]) for row in load_rows(path)}
    names, seeds = list(names), list(seeds)
    failed = []
    for method in chosen:
        for name in names:
            for seed in seeds:
                if (name, method, seed) in done:
                    continue
                try:
                    row = evaluate(name, method, seed)
                except Exception as error:  # reported, not kept, tried again next time
                    print(f"{name}, {method}, seed {seed}: {error!r}", file=sys.stderr)
                    failed.append((name, method, seed))
                    continue
                _append(path, row)
                print(f"{name:28s} {method:22s} {row['ari']:6.3f}  K {row['k']} ({row['k_true']})")
    return failed


def _append(path: Path, row: dict[str, Any]) -> None:
    """Add a line, after a newline if the last line is incomplete."""
    text = path.read_text() if path.exists() else ""
    start = "" if not text or text.endswith("\n") else "\n"
    with path.open("a") as file:
        file.write(start + json.dumps(row) + "\n")


def lumps_table(rows: list[dict[str, Any]]) -> str:
    """Return for each method the share of one-lump copies that it calls clustered."""
    lines = ["| method | copies | called clustered |", "| --- | --- | --- |"]
    for method in dict.fromkeys(row["method"] for row in rows):
        claims = [row["k"] > 1 for row in rows
                  if row["method"] == method and row["group"] == battery.LUMPS]  # fmt: skip
        if claims:
            lines.append(f"| {method} | {len(claims)} | {np.mean(claims):.3f} |")
    return "\n".join(lines)


def losses_table(rows: list[dict[str, Any]]) -> str:
    """Return the losses of the judge to its best candidate, and of that to all methods."""
    lines = ["| group | chosen | by gate | by selection | by generation and screening |",
             "| --- " * 5 + "|"]  # fmt: skip
    best: dict[str, float] = {}
    for row in rows:
        reached = max(row["ari"], row.get("ari_best_candidate", -1.0))
        best[row["set"]] = max(best.get(row["set"], -1.0), reached)
    judged = [row for row in rows if "ari_best_candidate" in row and row["group"] != battery.LUMPS]
    for group in [*battery.GROUPS, "all"]:
        own = [row for row in judged if group in (row["group"], "all")]
        if own:
            reached = [(r["ari"], r["ari_ungated"], r["ari_best_candidate"], best[r["set"]])
                       for r in own]  # fmt: skip
            chosen, *rest = np.mean(reached, axis=0)
            losses = np.diff([chosen, *rest])
            cells = [f"{number:.3f}" for number in (chosen, *losses)]
            lines.append(f"| {group} ({len(own)}) | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def table(rows: list[dict[str, Any]], column: str = "ari") -> str:
    """Return mean scores by method and group as a table in Markdown."""
    rows = [row for row in rows if row["group"] != battery.LUMPS]
    groups = [g for g in battery.GROUPS if any(row["group"] == g for row in rows)]
    lines = ["| method | " + " | ".join(groups) + " | all |", "| --- " * (len(groups) + 2) + "|"]
    for method in dict.fromkeys(row["method"] for row in rows):
        cells = []
        for group in [*groups, None]:
            values = [
                row[column]
                for row in rows
                if row["method"] == method and column in row and group in (row["group"], None)
            ]
            cells.append(f"{np.mean(values):.3f} ({len(values)})" if values else "–")
        if any(cell != "–" for cell in cells):
            lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
