"""Explanations in words, and explanations and comparisons as plain HTML and SVG, without scripts.

Colours are those of the text around them, so that light and dark pages both work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from weft.answers.comparing import Compared, Flow, Side
from weft.answers.explaining import Reason, RowExplanation
from weft.answers.views import show_share

# One colour per cluster (Okabe and Ito, 2008), also for readers with colour blindness.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999", "#b8a500")
_NONE = "#888888"
N_SHOWN = 8  # columns of an explanation, in text and in a notebook
WIDTH, HEIGHT, BAR, GAP = 720, 420, 14, 8


class Explanation:
    """Explanations of some rows; can be printed, and shown as tables in a notebook.

    Attributes
    ----------
    rows : list of RowExplanation
        One for each requested row.
    names : dict of int to str
        A name of each cluster.
    """

    def __init__(self, rows: list[RowExplanation], names: dict[int, str]) -> None:
        self.rows = rows
        self.names = names

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain types, for JSON."""
        return {
            "names": {str(cluster): name for cluster, name in self.names.items()},
            "rows": [
                {**row._asdict(), "reasons": [reason._asdict() for reason in row.reasons]}
                for row in self.rows
            ],
        }

    def __str__(self) -> str:
        return "\n\n".join(_as_text(row, self.names) for row in self.rows)

    def __repr__(self) -> str:
        n = len(self.rows)
        return f"<Explanation of {n} row{'s' if n != 1 else ''}>"

    def _repr_html_(self) -> str:
        return "".join(explanation_html(row, self.names) for row in self.rows)


def headline(row: RowExplanation, names: dict[int, str]) -> str:
    """Return one sentence with the cluster of a row and its probability."""
    if row.cluster < 0:
        return f"Row {row.row} is in no cluster (outlier score {row.outlier_score:.2f})."
    text = f"Row {row.row} is in cluster {row.cluster}{_in_brackets(row.cluster, names)}"
    text += f", probability {show_share(row.probability)}"
    if row.next_cluster is not None:
        text += (
            f"; next is cluster {row.next_cluster}{_in_brackets(row.next_cluster, names)}, "
            f"{show_share(row.next_probability)}"
        )
    return f"{text}; outlier score {row.outlier_score:.2f}."


def _in_brackets(cluster: int, names: dict[int, str]) -> str:
    return f" ({names[cluster]})" if cluster in names else ""


def shown_reasons(row: RowExplanation) -> list[Reason]:
    """Return the strongest reasons, which are shown."""
    return [reason for reason in row.reasons if abs(reason.contribution) > 0.05][:N_SHOWN]


def _as_text(row: RowExplanation, names: dict[int, str]) -> str:
    lines = [headline(row, names)]
    for reason in shown_reasons(row):
        own, other = f"cluster {row.cluster} ({reason.typical})", "the other rows"
        if row.next_cluster is not None:
            other = f"cluster {row.next_cluster} ({reason.typical_next})"
        more, less = (own, other) if reason.contribution > 0 else (other, own)
        lines.append(
            f"  {reason.column} = {reason.value}: {times(reason.contribution)} as common in {more} "
            f"as in {less}"
        )
    return "\n".join(lines)


def times(contribution: float) -> str:
    """Return how many times more common a value is on the side that it supports."""
    factor = float(np.exp(min(abs(contribution), 20.0)))
    return f"{factor:.0f}×" if factor >= 10 else f"{factor:.1f}×"


def explanation_html(row: RowExplanation, names: dict[int, str]) -> str:
    """Return one explanation as a table with a bar for each column."""
    reasons = shown_reasons(row)
    if not reasons:
        return f'<div class="weft-explanation"><p>{escape(headline(row, names))}</p></div>'
    largest = max(abs(reason.contribution) for reason in reasons)
    other = "the others" if row.next_cluster is None else f"cluster {row.next_cluster}"
    lines = []
    for reason in reasons:
        width = 100.0 * abs(reason.contribution) / largest
        colour = _colour(row.cluster if reason.contribution > 0 else row.next_cluster)
        side = f"cluster {row.cluster}" if reason.contribution > 0 else other
        cells = (
            f"<td><bdi>{escape(reason.column)}</bdi></td><td><bdi>{escape(reason.value)}</bdi></td>"
            f'<td style="min-width:8em"><div style="background:{colour};height:.7em;'
            f'width:{width:.0f}%"></div>{times(reason.contribution)} for {escape(side)}</td>'
            f"<td>{escape(reason.typical)}</td><td>{escape(reason.typical_next)}</td>"
        )
        lines.append(f"<tr>{cells}</tr>")
    head = "".join(
        f'<th scope="col">{escape(text)}</th>'
        for text in (
            "column",
            "value",
            "supports",
            f"usual in cluster {row.cluster}",
            f"usual in {other}",
        )
    )
    return (
        f'<div class="weft-explanation"><p>{escape(headline(row, names))}</p>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def sankey(first: Side, second: Side, done: Compared) -> str:
    """Return the flow of rows from the clusters of one result to those of the other as SVG.

    The height of a bar is its number of rows. Clusters of the second result are drawn opposite
    those with which they share most rows.
    """
    partner = {m.second: m.first for m in done.matches if m.first is not None}
    partner[-1] = -1
    left = sorted({flow.first for flow in done.flows}, key=_none_last)
    place = {label: number for number, label in enumerate(left)}
    right = sorted(
        {flow.second for flow in done.flows},
        key=lambda label: (place.get(partner.get(label, -2), len(left)), _none_last(label)),
    )
    # Gaps between many clusters may take up the whole height: the picture is then higher.
    room = max(HEIGHT - GAP * (max(len(left), len(right)) - 1), HEIGHT / 2)
    scale = room / max(done.n_rows, 1)
    tops_left = _stack(
        left, {f: sum(e.n_rows for e in done.flows if e.first == f) for f in left}, scale
    )
    tops_right = _stack(
        right, {s: sum(e.n_rows for e in done.flows if e.second == s) for s in right}, scale
    )
    parts = [_ribbons(done.flows, tops_left, tops_right, scale, partner, left, right)]
    parts += [_bar(0, tops_left[f], _colour(f), _called(f, first)) for f in left]
    parts += [
        _bar(WIDTH - BAR, tops_right[s], _colour(partner.get(s)), _called(s, second), end=True)
        for s in right
    ]
    total = max([top + height for top, height in (*tops_left.values(), *tops_right.values())])
    title = f"Rows from {first.title} (left) to {second.title} (right)"
    return (
        f'<svg viewBox="-6 -6 {WIDTH + 12} {total + 12:.0f}" role="img" '
        f'xmlns="http://www.w3.org/2000/svg" style="max-width:100%;height:auto" '
        f'font-family="sans-serif" font-size="13"><title>{escape(title)}</title>'
        f"{''.join(parts)}</svg>"
    )


Spans = dict[int, tuple[float, float]]  # label -> top and height


def _stack(labels: Sequence[int], sizes: dict[int, int], scale: float) -> Spans:
    spans, top = {}, 0.0
    for label in labels:
        height = max(sizes[label] * scale, 1.0)
        spans[label] = (top, height)
        top += height + GAP
    return spans


def _ribbons(
    flows: Sequence[Flow],
    left: Spans,
    right: Spans,
    scale: float,
    partner: Mapping[int | None, int],
    order_left: Sequence[int],
    order_right: Sequence[int],
) -> str:
    used_left = dict.fromkeys(left, 0.0)
    used_right = dict.fromkeys(right, 0.0)
    drawn = []
    in_order = sorted(
        flows, key=lambda flow: (order_left.index(flow.first), order_right.index(flow.second))
    )
    middle = WIDTH / 2
    for flow in in_order:
        height = flow.n_rows * scale
        y0 = left[flow.first][0] + used_left[flow.first]
        y1 = right[flow.second][0] + used_right[flow.second]
        used_left[flow.first] += height
        used_right[flow.second] += height
        stays = partner.get(flow.second) == flow.first
        path = (
            f"M{BAR},{y0:.1f} C{middle},{y0:.1f} {middle},{y1:.1f} {WIDTH - BAR},{y1:.1f} "
            f"V{y1 + height:.1f} C{middle},{y1 + height:.1f} {middle},{y0 + height:.1f} "
            f"{BAR},{y0 + height:.1f} Z"
        )
        rows = f"{flow.n_rows} row{'' if flow.n_rows == 1 else 's'}"
        tooltip = f"{rows}: {_number(flow.first)} to {_number(flow.second)}"
        drawn.append(
            f'<path d="{path}" fill="{_colour(flow.first)}" '
            f'fill-opacity="{0.55 if stays else 0.25}"><title>{tooltip}</title></path>'
        )
    return "".join(drawn)


def _bar(x: float, span: tuple[float, float], colour: str, text: str, *, end: bool = False) -> str:
    top, height = span
    at, anchor = (x - 6, "end") if end else (x + BAR + 6, "start")
    return (
        f'<rect x="{x}" y="{top:.1f}" width="{BAR}" height="{height:.1f}" fill="{colour}"/>'
        f'<text x="{at}" y="{top + height / 2 + 4:.1f}" text-anchor="{anchor}" '
        f'fill="currentColor">{escape(text)}</text>'
    )


def _called(label: int, side: Side) -> str:
    size = int((side.labels == label).sum())
    name = side.names.get(label, "")
    short = name if len(name) <= 40 else f"{name[:39]}…"
    return f"{_number(label)}{' ' if short else ''}{short} ({size})"


def _number(label: int) -> str:
    return "no cluster" if label < 0 else f"cluster {label}"


def _none_last(label: int) -> tuple[bool, int]:
    return (label < 0, label)


def _colour(label: int | None) -> str:
    return _NONE if label is None or label < 0 else COLOURS[label % len(COLOURS)]
