"""The four tables of `bench.studies.choosing`."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.harness.study import printed
from weft.choosing.n_clusters import METHODS

# Sets of tables 4.2, 4.4 and 4.6, and the studies with their printed numbers.
LABELLED = {
    "iris": "amorim-4.2",
    "wine": "amorim-4.2",
    "iris+2": "amorim-4.4",
    "iris+4": "amorim-4.4",
    "wine+7": "amorim-4.4",
    "wine+13": "amorim-4.4",
    "vii": "amorim-4.6",
    "viii": "amorim-4.6",
}


def of(rows: list[dict[str, Any]], part: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["cell"]["part"] == part]


def tables(rows: list[dict[str, Any]]) -> str:
    parts = {
        ("labels",): labels_table,
        ("auto",): auto_table,
        ("count",): count_table,
        ("speed", "copies"): speed_table,
    }
    drawn = [draw(rows) for names, draw in parts.items() if any(of(rows, name) for name in names)]
    return "\n\n".join(drawn)


def labels_table(rows: list[dict[str, Any]]) -> str:
    lines = [
        "(1) β of iMWK-Means from 20 % of the rows: mean and modal β; mean and largest accuracy",
        "| set | optimal β, accuracy | labelled rows alone (alg. 4.4) | all rows | printed |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, study in LABELLED.items():
        own = [row for row in of(rows, "labels") if row["cell"]["name"] == name]
        if not own:
            continue
        best = f"{np.mean([r['optimal'] for r in own]):.2f}, "
        best += f"{100 * np.mean([r['oracle'] for r in own]):.1f}"
        texts = []
        for way in ("subset", "all"):
            mean = {key: np.mean([r[way][key] for r in own]) for key in own[0][way]}
            texts.append(
                f"{mean['mean']:.2f}, {mean['modal']:.2f}; {100 * mean['accuracy']:.1f} ± "
                f"{100 * mean['deviation']:.1f}, {100 * mean['best']:.1f}"
            )
        lines.append(
            f"| {name} ({len(own)}) | {best} | {texts[0]} | {texts[1]} | {_told(study, name)} |"
        )
    return "\n".join(lines)


def _told(study: str, name: str) -> str:
    """Return the printed numbers of a set, in the form of our own columns."""
    data = name.replace("+", " + ")
    mean, modal, right, best = (
        printed(study, column, data=data)[0] for column in ("beta", "modal", "greedy", "max")
    )
    return f"{mean:.2f}, {modal:.2f}; {right:.1f}, {best:.1f}"


def auto_table(rows: list[dict[str, Any]]) -> str:
    lines = [
        "(2) β from the data alone, accuracy in %",
        "| model | set | β | accuracy | agreement | β = 2 | oracle β | oracle |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for model in ("iWK", "iMWK"):
        own = [row for row in of(rows, "auto") if row["cell"]["model"] == model]
        if not own:
            continue
        for r in own:
            lines.append(
                f"| {model} | {r['cell']['name']} {r['cell']['number']} | {r['exponent']:g} | "
                f"{100 * r['accuracy']:.1f} | {100 * r['agreement']:.1f} | {100 * r['at 2']:.1f} | "
                f"{r['optimal']:g} | {100 * r['oracle']:.1f} |"
            )
        mean = {k: 100 * np.mean([r[k] for r in own]) for k in ("accuracy", "agreement", "at 2")}
        oracle = 100 * np.mean([r["oracle"] for r in own])
        lines.append(
            f"| {model} | mean of {len(own)} |  | {mean['accuracy']:.1f} | "
            f"{mean['agreement']:.1f} | {mean['at 2']:.1f} |  | {oracle:.1f} |"
        )
        if model == "iWK":
            auto = 100 * np.mean([r["auto"] for r in own])
            lines.append(
                f'WeightedKMeans(weight_exponent="auto"): {auto:.1f}, {oracle - auto:.1f} '
                "points below the oracle"
            )
            lines += lines[1:3]
    return "\n".join(lines)


def count_table(rows: list[dict[str, Any]]) -> str:
    own = of(rows, "count")
    names = [*METHODS, "consensus"]
    lines = [
        f"(3) Right number of clusters on {len(own)} fresh sets",
        "| sets | " + " | ".join(names) + " |",
        "| --- |" + " --- |" * len(names),
    ]
    groups = {
        "gaussian, d = 2": lambda c: c["shape"] == "gaussian" and c["d"] == 2,
        "gaussian, d = 10": lambda c: c["shape"] == "gaussian" and c["d"] == 10,
        "ellipsoid, d = 50, 100": lambda c: c["shape"] == "ellipsoid",
        "all": lambda c: True,
    }
    for title, belongs in groups.items():
        part = [row for row in own if belongs(row["cell"])]
        if not part:
            continue
        right = {
            name: sum(
                (row["by"] | {"consensus": row["consensus"]})[name] == row["cell"]["k"]
                for row in part
            )
            for name in names
        }
        lines.append(
            f"| {title} | " + " | ".join(f"{right[name]}/{len(part)}" for name in names) + " |"
        )
    missed = [row for row in own if row["consensus"] != row["cell"]["k"]]
    for row in missed:
        lines.append(f"missed: {row['cell']} → {row['consensus']} ({row['by']})")
    for right, title in ((True, "right"), (False, "wrong")):
        values = [r["confidence"] for r in own if (r["consensus"] == r["cell"]["k"]) == right]
        if values:
            lines.append(f"mean confidence where {title}: {np.mean(values):.2f}")
    return "\n".join(lines)


def speed_table(rows: list[dict[str, Any]]) -> str:
    lines = [
        "(4) 350 × 5,680: seconds, peak memory, features kept",
        "| data | selector | seconds | GB | kept |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in of(rows, "speed"):
        lines.append(
            f"| {row['cell']['data']} | {row['cell']['selector']} | {row['seconds']:.1f} | "
            f"{row['bytes'] / 1e9:.2f} | {row['kept']} |"
        )
    own = of(rows, "copies")
    for name in ("iKFS", "FSFS"):
        if own:
            groups = [row[name]["groups"] for row in own]
            kept = [row[name]["kept"] for row in own]
            lines.append(
                f"12 features × 40 noisy copies, {len(own)} sets, {name}: groups held {min(groups)}"
                f"-{max(groups)} of 12, features kept {min(kept)}-{max(kept)} of 480"
            )
    return "\n".join(lines)
