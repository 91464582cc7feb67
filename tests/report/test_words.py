"""Numbers and names as text: every form, at its limits."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from weft.reporting import told
from weft.reporting.profile import _sentence, in_line
from weft.reporting.refits import _alike, _on_shared
from weft.reporting.snippet import _cut, snippet


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.04, "0.0"),
        (-0.04, "0.0"),
        (0.26, "+0.3"),
        (-0.26, "−0.3"),
        (12.0, "+12.0"),
        (1e300, "↑all"),
        (-999.0, "↓all"),
        (998.0, "+998.0"),
    ],
)
def test_effects_have_a_sign(value, text):
    assert told.signed(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        *[(None, "–"), (0, "0%"), (0.0994, "9.9%"), (0.0995, "10%"), (0.004, "0.4%")],
        # No share of some rows is 0% or 100%.
        *[(1e-5, "<0.1%"), (0.0005, "0.1%"), (0.9949, "99%"), (0.995, "99.5%"), (0.9994, "99.9%")],
        *[(0.9996, ">99.9%"), (1.0 - 1e-12, "100%"), (1.0, "100%")],
    ],
)
def test_shares(share, text):
    assert told.percent(share) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (123456, "123456"),
        (0.12345, "0.1235"),
        (12345.6, "12346"),
        (-12345.6, "−12346"),
        (1e7, "1e+07"),
        (-1e-7, "−1e-07"),
    ],
)
def test_numbers(value, text):
    assert told.number(value) == text


def test_measures_and_counts():
    assert told.two_digits(None) == told.percent_or_none(None) == ""
    assert told.two_digits(-0.125) == "−0.12"
    assert told.percent_or_none(0.256) == "26%"
    assert [told.counted(n, "row") for n in (0, 1, 2, 1234)] == [
        *("0 rows", "1 row", "2 rows", "1,234 rows")
    ]


def _summary(n_clusters, n_selected, n_features, shares=(), **result):
    return {
        "result": {
            "n_clusters": n_clusters,
            "n_selected": n_selected,
            "has_weights": True,
            **result,
        },
        "data": {"n_features": n_features},
        "features": [{"share": share} for share in shares],
    }


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (_summary(3, 2, 5), "3 clusters from 2 of 5 columns"),
        (_summary(3, 3, 3), "3 clusters from 3 of 3 columns"),
        (_summary(3, 2, 5, has_weights=False), "3 clusters in 5 columns"),
        (_summary(3, 2, 5, weights_are_measured=True), "3 clusters, separated by 2 of 5 columns"),
        (_summary(0, 2, 1), "no clusters in 1 column"),
        (_summary(1, 1, 5, verdict="none"), "no clusters in 5 columns"),
        (_summary(1, 1, 5), "1 cluster from 1 of 5 columns"),
        # 0.3 + 0.2 is half of the weight: two columns, as many as half of all columns.
        (
            _summary(2, 4, 4, (0.3, 0.2, 0.25, 0.25)),
            "2 clusters; all 4 columns weigh about the same",
        ),
        (
            _summary(2, 4, 4, (0.6, 0.2, 0.1, 0.1)),
            "2 clusters; half of the weight is on 1 of 4 columns",
        ),
    ],
)
def test_headlines(given, text):
    assert told.headline(given) == text


@pytest.mark.parametrize(
    ("mean", "rest_mean", "texts"),
    [
        # The larger of both gets three digits, the other as many decimals.
        (5.744, 0.0132, ("5.74", "0.01")),
        (-0.0001, 2.0, ("0.00", "2.00")),
        (-48.0, 38.94, ("−48.0", "38.9")),
        (999.6, 1.0, ("1000", "1")),
        (-1234.5, 9999999.0, ("−1234", "9999999")),
        (1e7, 0.5, ("1e+07", "0.5")),
        (0.00042, 0.0, ("0.00042", "0")),
        (None, 3.0, ("–", "3.00")),
        # More digits where three would make them look the same.
        (1013.2, 1013.4, ("1013.2", "1013.4")),
        (1000000005.6, 1000000000.1, ("1000000006", "1000000000")),
        (5e-4, 5.0001e-4, ("0.0005", "0.00050001")),
        (2.0, 2.0, ("2.00", "2.00")),
    ],
)
def test_both_means_have_the_same_decimals(mean, rest_mean, texts):
    assert told.both_means(_trait("a", "higher", mean, rest_mean)) == texts


def _trait(feature, direction, mean, rest_mean, binary=False):
    return {
        **{"feature": feature, "direction": direction, "binary": binary},
        **{"mean": mean, "rest_mean": rest_mean},
    }


def test_sentences_of_clusters_by_hand():
    traits = [
        _trait("a", "higher", 2.5, 1.0),
        _trait("b", "lower", 0.25, 0.5, True),
        _trait("c", "higher", 0.75, 0.5, True),
    ]
    assert _sentence(0, 1, 4, traits) == (
        "1 row (25%) with a higher (2.50 against 1.00 on average), b less often (25% against 50%), "
        "c more often (75% against 50%)."
    )
    assert _sentence(-1, 2, 4, traits[:1]).startswith("2 rows (50%) in no cluster: a higher")
    assert _sentence(0, 4, 4, traits) == "All 4 rows (100%): there is nothing to compare with."
    assert _sentence(0, 3, 4, []) == (
        "3 rows (75%) that do not differ from the others in any single column."
    )
    assert _sentence(-1, 1, 4, []) == (
        "1 row (25%) in no cluster that does not differ from the others in any single column."
    )


def test_long_names_and_names_that_turn_the_text():
    assert in_line("x" * 80) == "x" * 80
    assert in_line("x" * 81) == "x" * 79 + "…"
    assert in_line("שם") == "\u2068שם\u2069"
    assert _cut("x" * 60) == "x" * 60
    assert _cut("x" * 61) == "x" * 59 + "…"
    assert _cut("a\x1bb\u200dc", 5) == "a�b\u200dc"


def _model(labels, weights, **more):
    return SimpleNamespace(
        labels_=np.array(labels),
        feature_weights_=np.array(weights),
        get_params=lambda deep: {},
        **more,
    )


def test_a_notebook_shows_sizes_and_weights():
    text = snippet(
        _model([0, 0, 0, 1, -1], [0.0, 3.0, 1.0], cluster_names_={0: "<low>", 1: "high"})
    )
    assert "<strong>2 clusters of 5 rows</strong> (rows in each: 0: 3, none: 1, 1: 1)" in text
    assert "<li>0: <bdi>&lt;low&gt;</bdi></li><li>1: <bdi>high</bdi></li>" in text
    assert "<caption>2 of 3 features; share of the weight</caption>" in text
    assert [text.find(each) > 0 for each in ("x1</bdi>", "75.0%", "x2</bdi>", "25.0%")] == [
        True
    ] * 4
    assert "x0" not in text
    many = snippet(_model(np.arange(13), [1.0]))
    assert "11: 1 and 1 smaller)" in many
    assert "smaller" not in snippet(_model(np.arange(12), [1.0]))
    assert "<table>" not in snippet(_model([0, 1], [0.0]))


def test_agreement_of_refits_by_hand():
    one, two, split = np.zeros(4, int), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert _alike(one, one) == 0.0  # no split agrees on nothing
    assert _alike(two, two) == 1.0
    assert _alike(two, 1 - two) == 1.0
    assert _alike(one, two) == 0.0
    assert _alike(two, split) == pytest.approx(-0.5)
    # Rows 1, 2, 4 are in both parts: 0 1 1 there, 5 7 7 here.
    first, second = np.array([0, 1, 2, 4]), np.array([1, 2, 3, 4])
    assert _on_shared(first, np.array([9, 0, 1, 1]), second, np.array([5, 7, 5, 7])) == 1.0
