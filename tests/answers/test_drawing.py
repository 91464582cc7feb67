"""Explanations and comparisons as HTML and SVG: places, sizes, colours and words by hand."""

from __future__ import annotations

import re

import numpy as np
import pytest

from weft.answers.comparing import Match, Side, compare_sides
from weft.answers.drawing import COLOURS, Explanation, explanation_html, headline, sankey, times
from weft.answers.explaining import Reason, RowExplanation


@pytest.fixture
def drawn():
    # Clusters of 3 + 1 rows become 2 + 2. One gap of 8 leaves 412 of the height of 420 for 4 rows:
    # 103 each.
    first = Side("a", np.array([0, 0, 0, 1]), names={0: "x" * 41})
    second = Side("b", np.array([0, 0, 1, 1]), names={1: "y" * 40})
    return sankey(first, second, compare_sides(first, second))


def test_bars_of_a_sankey_by_hand(drawn):
    bars = re.findall(
        r'<rect x="(\d+)" y="([\d.]+)" width="14" height="([\d.]+)" fill="(.*?)"', drawn
    )
    assert bars == [
        ("0", "0.0", "309.0", COLOURS[0]),
        ("0", "317.0", "103.0", COLOURS[1]),
        ("706", "0.0", "206.0", COLOURS[0]),
        ("706", "214.0", "206.0", COLOURS[1]),
    ]
    texts = re.findall(r'<text x="(\d+)" y="([\d.]+)" text-anchor="(\w+)".*?>(.*?)</text>', drawn)
    assert texts == [
        ("20", "158.5", "start", f"cluster 0 {'x' * 39}… (3)"),
        ("20", "372.5", "start", "cluster 1 (1)"),
        ("700", "107.0", "end", "cluster 0 (2)"),
        ("700", "321.0", "end", f"cluster 1 {'y' * 40} (2)"),
    ]
    assert 'viewBox="-6 -6 732 432"' in drawn


def test_bars_on_the_right_have_their_own_heights():
    first, second = Side("b", np.array([0, 0, 1, 1])), Side("a", np.array([0, 0, 0, 1]))
    text = sankey(first, second, compare_sides(first, second))
    bars = re.findall(r'<rect x="706" y="([\d.]+)" width="14" height="([\d.]+)"', text)
    assert bars == [("0.0", "309.0"), ("317.0", "103.0")]


def test_ribbons_of_a_sankey_by_hand(drawn):
    paths = re.findall(r'<path d="(.*?)" fill="(.*?)" fill-opacity="(.*?)"><title>(.*?)<', drawn)
    assert paths == [
        (
            "M14,0.0 C360.0,0.0 360.0,0.0 706,0.0 V206.0 C360.0,206.0 360.0,206.0 14,206.0 Z",
            *(COLOURS[0], "0.55", "2 rows: cluster 0 to cluster 0"),
        ),
        (
            "M14,206.0 C360.0,206.0 360.0,214.0 706,214.0 V317.0 "
            "C360.0,317.0 360.0,309.0 14,309.0 Z",
            *(COLOURS[0], "0.25", "1 row: cluster 0 to cluster 1"),
        ),
        (
            "M14,317.0 C360.0,317.0 360.0,317.0 706,317.0 V420.0 "
            "C360.0,420.0 360.0,420.0 14,420.0 Z",
            *(COLOURS[1], "0.55", "1 row: cluster 1 to cluster 1"),
        ),
    ]


def test_rows_without_a_cluster_come_last_and_grey():
    first, second = Side("a", np.array([-1, 0, 1])), Side("b", np.array([-1, 1, 0]))
    text = sankey(first, second, compare_sides(first, second))
    fills = re.findall(r'<rect .*?fill="(.*?)"', text)
    # The second result's clusters stand beside their partners, 1 beside 0.
    assert fills == [COLOURS[0], COLOURS[1], "#888888"] * 2
    assert re.findall(r"cluster \d \(1\)|no cluster \(1\)", text) == [
        *("cluster 0 (1)", "cluster 1 (1)", "no cluster (1)"),
        *("cluster 1 (1)", "cluster 0 (1)", "no cluster (1)"),
    ]


def test_overlap_by_hand():
    assert Match(0, 1, 4, 3, 2).overlap == 2 / 5
    assert Match(None, None, 0, 0, 0).overlap == 0.0


def _row(**changes):
    reasons = (
        Reason("a", "1", np.log(20.0), "0 to 2", "5 to 9", 1.0),
        Reason("b", "7", -np.log(2.0), "1", "7", 1.0),
        Reason("c", "9", np.log(1.5), "8", "9", 1.0),
        Reason("d", "3", 0.05, "3", "3", 1.0),
    )
    return RowExplanation("r", 2, 0.75, 1, 0.2, 0.125, reasons)._replace(**changes)


def test_an_explanation_shows_which_side_each_column_is_on():
    text = explanation_html(_row(), {})
    widths = re.findall(
        r'<div style="background:(.*?);height:.7em;width:(\d+)%"></div>(.*?)</td>', text
    )
    # ln 2 is 23 % of ln 20, ln 1.5 is 14 %; 0.05 is too little to be shown.
    assert widths == [
        (COLOURS[2], "100", "20× for cluster 2"),
        (COLOURS[1], "23", "2.0× for cluster 1"),
        (COLOURS[2], "14", "1.5× for cluster 2"),
    ]
    assert "usual in cluster 1</th>" in text
    alone = explanation_html(_row(next_cluster=None), {})
    assert "usual in the others</th>" in alone
    assert "2.0× for the others" in alone
    assert "background:#888888;height:.7em;width:23%" in alone


def test_the_text_of_an_explanation_by_hand():
    assert str(Explanation([_row()], {2: "high"})) == (
        "Row r is in cluster 2 (high), probability 75%; next is cluster 1, 20%; "
        "outlier score 0.12.\n"
        "  a = 1: 20× as common in cluster 2 (0 to 2) as in cluster 1 (5 to 9)\n"
        "  b = 7: 2.0× as common in cluster 1 (7) as in cluster 2 (1)\n"
        "  c = 9: 1.5× as common in cluster 2 (8) as in cluster 1 (9)"
    )
    alone = str(Explanation([_row(next_cluster=None)], {}))
    assert alone.startswith("Row r is in cluster 2, probability 75%; outlier score 0.12.\n")
    assert alone.endswith(
        "  b = 7: 2.0× as common in the other rows as in cluster 2 (1)\n"
        "  c = 9: 1.5× as common in cluster 2 (8) as in the other rows"
    )
    assert headline(_row(cluster=-1), {}) == "Row r is in no cluster (outlier score 0.12)."
    assert repr(Explanation([_row()], {})) == "<Explanation of 1 row>"
    assert repr(Explanation([], {})) == "<Explanation of 0 rows>"


@pytest.mark.parametrize(
    ("factor", "text"), [(9.94, "9.9×"), (10.0, "10×"), (0.5, "2.0×"), (1e300, "485165195×")]
)
def test_factors_in_words(factor, text):
    assert times(np.log(factor)) == text


def test_rows_of_many_clusters_can_be_seen():
    # 60 clusters have 59 gaps of 8, more than the height of 420. Rows then share half of it: of
    # 120 rows, two in each cluster, each cluster gets 210 / 60 = 3.5.
    labels = np.repeat(np.arange(60), 2)
    side = Side("a", labels)
    bars = re.findall(r'height="([\d.]+)" fill', sankey(side, side, compare_sides(side, side)))
    assert bars == ["3.5"] * 120


def test_a_row_in_no_cluster_has_no_table_of_reasons():
    row = RowExplanation(3, -1, 0.0, None, 0.0, 0.9, (Reason("a", "1", 0.0, "", "", 1.0),))
    assert explanation_html(row, {}) == (
        '<div class="weft-explanation"><p>Row 3 is in no cluster (outlier score 0.90).</p></div>'
    )
