"""A summary in the terminal, from summaries written by hand: each line as a person reads it."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.control import Control
from rich.measure import Measurement

from weft.reporting.terminal import (
    Cleaner,
    _bar,
    _Cleaned,
    _cut,
    _listed,
    clean,
    show_columns,
    show_result,
    show_warnings,
)


def printed(show, *given, width=100):
    file = io.StringIO()
    show(*given, Console(file=file, width=width, highlight=False))
    return [line.rstrip() for line in file.getvalue().splitlines()]


def column(name, kind="number", reason="numbers", kept=True):
    return {"name": name, "kind": kind, "kept": kept, "reason": reason}


def table(columns, **changes):
    data = {"name": "t.csv", "n_rows": 30, "n_rows_used": 30, "n_columns": len(columns)}
    return {"data": {**data, "scale": "standard", **changes}, "columns": columns}


def test_columns_by_their_kinds():
    columns = [
        column("a"),
        column("b", reason="money in $"),
        column("c", reason="money in $"),
        column("d", "category", "3 values"),
        column("e", "identifier", "counts the rows", kept=False),
    ]
    assert printed(show_columns, table(columns)) == [
        "t.csv: 30 rows, 5 columns",
        "  3 used as numbers: a, b, c (money in $)",
        "  1 used as a category: d",
        "  left out: e, counts the rows",
        "  scaled to variance 1, so that each column counts once",
    ]
    used = table(columns[:1], n_rows_used=29, n_rows=30, scale="none")
    assert printed(show_columns, used) == [
        "t.csv: 30 rows, 29 of them used, 1 column",
        "  1 used as a number: a",
        "  not scaled",
    ]


@pytest.mark.parametrize(
    ("n", "last"), [(12, "left out: c11, x"), (13, "1 more (see summary.json)")]
)
def test_twelve_columns_that_were_left_out_are_named(n, last):
    lines = printed(show_columns, table([column(f"c{j}", "text", "x", False) for j in range(n)]))
    assert lines[-2].endswith(last)
    assert sum("left out: c" in line for line in lines) == 12


def trait(name, direction="higher", binary=False):
    return {"feature": name, "direction": direction, "mean": 2.0, "rest_mean": 1.0,
            "binary": binary, "effect": 1.0}  # fmt: skip


def summary(**changes):
    clusters = [
        {"label": 0, "size": 20, "share": 0.5, "traits": [trait("a"), trait("b", "lower")]},
        {"label": -1, "size": 1, "share": 0.025, "traits": []},
    ]
    features = [
        {"name": "a", "weight": 3.0, "share": 0.75, "selected": True, "noise": False},
        {"name": "b", "weight": 1.0, "share": 0.25, "selected": True, "noise": True},
        {"name": "c", "weight": 0.0, "share": 0.0, "selected": False, "noise": True},
    ]
    whole = {
        "result": {
            **{"n_clusters": 2, "n_selected": 2, "n_unassigned": 1, "has_weights": True},
            **{"fitness": 0.123456, "n_generations": 7, "n_clusters_given": False},
        },
        "data": {"n_rows_used": 40, "n_features": 3},
        "clusters": clusters,
        "features": features,
        "seconds": {"fit": 1.26},
        "search": {"best_fitness": [1.0]},
        **dict.fromkeys(("scores", "noise", "stability", "certainty", "silhouette")),
    }
    result = {**whole["result"], **changes.pop("result", {})}
    return {**whole, "result": result, **changes}


def test_clusters_features_and_the_last_line():
    lines = printed(show_result, summary())
    assert lines.pop(2).startswith("cluster  rows  share  ")
    assert lines == [
        "",
        "Clusters",
        "0          20    50%  ↑ a 2.00, others 1.00  ↓ b 2.00, others 1.00",
        "none        1   2.5%  no single selected feature",
        "",
        "Features that matter",
        "feature       weight  share",
        "a              3.000  75.0%  ████████████████████",
        "b (noise)      1.000  25.0%  ██████▋",
        "… 1 not used",
        "",
        "2 clusters from 2 of 3 columns; 7 generations in 1.3 s, fitness 0.1235",
    ]


def test_traits_stand_below_each_other_where_there_is_no_room():
    # "↑ a 2.00, others 1.00" has 21 characters: two of them, with two spaces each, need 46. 24 are
    # for the other columns.
    for width, is_wide in ((70, True), (69, False)):
        lines = printed(lambda given, console: show_result(given, console), summary(), width=width)
        assert any("↑ a" in line and "↓ b" in line for line in lines) is is_wide


def test_the_largest_clusters_are_shown():
    many = [{"label": j, "size": j + 1, "share": 0.1, "traits": []} for j in range(14)]
    lines = printed(show_result, summary(clusters=many))
    shown = [line.split()[0] for line in lines[3:15]]
    assert shown == [str(j) for j in range(13, 1, -1)]
    assert lines[15].split(maxsplit=1) == ["…", "2 smaller ones"]
    few = printed(show_result, summary(clusters=many[:12]))
    assert [line.split()[0] for line in few[3:15]] == [str(j) for j in range(12)]
    assert "smaller" not in " ".join(few)


def test_ten_features_are_shown():
    features = [{"name": f"f{j}", "weight": 1.0, "share": 0.0, "selected": True} for j in range(12)]
    lines = printed(show_result, summary(features=features))
    assert sum(line.startswith("f") and "0.0%" in line for line in lines) == 10
    assert "… 2 more selected" in lines
    assert "… 1 more selected" in printed(show_result, summary(features=features[:11]))
    assert "…" not in " ".join(printed(show_result, summary(features=features[:10])))
    rest = [*features, {**features[0], "selected": False}]
    assert "… 2 more selected, 1 not used" in printed(show_result, summary(features=rest))


def test_what_else_is_known_of_an_answer():
    told = summary(
        result={"has_weights": False, "n_clusters_given": True, "fitness": None},
        scores={"label": None, "n_classes": 1, "n_rows": 1, "ari": 0.5, "ami": 0.25, "pair_f": 0.75,
                "purity": 1.0, "accuracy": 0.125},
        noise={"n_columns": 2, "weight_share": 0.25, "column_share": 0.5},
        stability={"n_repeats": 1, "agreement": [0.75]},
        search={},
    )  # fmt: skip
    lines = [line for line in printed(show_result, told, width=200) if line]
    assert lines[-5:] == [
        "This method does not weight features: all count the same.",
        "Against 'the label' (1 class, 1 row): ARI 0.500, AMI 0.250, F 0.750, accuracy 0.125, "
        "purity 1.000",
        "2 noise columns, 50% of all columns, got 25% of the weight",
        "Repeated 1 time on part of the rows: agreement 0.75 (1: the same clusters, 0: chance)",
        "2 clusters (the number was given) from 2 of 3 columns; 7 rounds in 1.3 s",
    ]
    scores = {**told["scores"], "label": "kind", "n_classes": 3}
    lines = printed(show_result, summary(scores=scores), width=200)
    assert any(line.startswith("Against 'kind' (3 classes, 1 row)") for line in lines)
    none = printed(show_result, summary(result={"n_generations": None}, seconds={}))
    assert none[-1] == "2 clusters from 2 of 3 columns; in 0.0 s, fitness 0.1235"


def test_a_verdict_says_the_answer():
    lines = printed(show_result, summary(result={"verdict": "Two clusters."}))
    assert lines[1] == "Two clusters."
    assert lines[-1] == "Done in 1.3 s"
    assert not any("generations" in line for line in lines)


def test_warnings_are_one_line_each():
    assert printed(show_warnings, ["first", "second"]) == ["note: first", "note: second"]


@pytest.mark.parametrize(
    ("part", "bar"),
    [
        *((1.0, "█" * 20), (0.5, "█" * 10), (0.99, "█" * 19 + "▊")),
        *((0.0, "▏"), (1 / 160, "▏"), (9 / 160, "█▏")),
    ],
)
def test_bars_have_eighths(part, bar):
    assert _bar(part) == bar


def test_what_a_console_prints_is_cleaned():
    file = io.StringIO()
    console = Console(file=file, width=40, highlight=False, force_terminal=True)
    console.push_render_hook(Cleaner())
    console.print("a\u200bb\nc", style="bold")
    console.control(Control.bell())
    # The style and the bell are of rich itself, and stay.
    assert file.getvalue() == "\x1b[1ma�b\x1b[0m\n\x1b[1mc\x1b[0m\n\x07"
    assert Measurement.get(console, console.options, _Cleaned("abc")) == Measurement(3, 3)


def test_long_names_and_lists():
    assert _cut("a" * 40) == "a" * 40
    assert _cut("a" * 41) == "a" * 39 + "…"
    assert _listed("abcdef") == "a, b, c, d, e, f"
    assert _listed("abcdefg") == "a, b, c, d, e, f and 1 more"
    assert _listed(["a" * 161]) == "a" * 159 + "…"
    assert clean("a\x1bb") == "a�b"


@pytest.mark.parametrize(
    ("weight", "share", "texts"),
    [
        # 5,000 equal weights are not 0.000 and 0.0%, and a weight is no number of 300 digits.
        (2e-4, 2e-4, ("0.0002", "<0.1%")),
        (1e300, 0.99999, ("1e+300", ">99.9%")),
        (0.0, 0.0, ("0.000", "0.0%")),
        (1.0, 1.0, ("1.000", "100.0%")),
        (12.3456, 0.3333, ("12.346", "33.3%")),
        (None, 0.5, ("–", "50.0%")),
    ],
)
def test_weights_and_shares_of_features(weight, share, texts):
    feature = {"name": "size", "weight": weight, "share": share, "selected": True}
    (line,) = [t for t in printed(show_result, summary(features=[feature])) if t[:4] == "size"]
    assert tuple(line.split()[1:3]) == texts
