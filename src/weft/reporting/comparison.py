"""``weft.compare``: two results side by side, from models, arrays or files."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from weft.answers.comparing import Compared, Side, as_dict, compare_sides
from weft.answers.drawing import sankey
from weft.reporting.compared_files import align, distinct_titles, read_result
from weft.reporting.page import write_page
from weft.reporting.told import counted, percent

N_SHOWN = 12  # columns and clusters in text

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#1c1c1c;background:#fff}table{border-collapse:collapse;margin:1rem 0;display:block;"
    "overflow-x:auto}th,td{text-align:left;padding:.25rem .75rem;border-bottom:1px solid #ccc}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#181818}}"
)


class Comparison:
    """Two results side by side, as text, or as HTML in a notebook.

    Attributes
    ----------
    first, second : Side
        The labels, weights and names that were compared, over the rows that both have.
    result : Compared
        Measures, matching clusters, flows of rows, changed weights.
    rows : list
        Names of the compared rows: row numbers from 1, or values of a key column.
    """

    def __init__(self, first: Side, second: Side, rows: list[Any]) -> None:
        self.first = first
        self.second = second
        self.rows = rows
        self.result: Compared = compare_sides(first, second)

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain types, for JSON; ``moved`` names the rows that moved."""
        plain = as_dict(self.first, self.second, self.result)
        return {**plain, "moved": [_plain(self.rows[row]) for row in self.result.moved]}

    def __str__(self) -> str:
        return "\n".join([*_headlines(self), "", *_match_lines(self), *_weight_lines(self)])

    def __repr__(self) -> str:
        return f"<Comparison of {self.first.title} and {self.second.title}>"

    def _repr_html_(self) -> str:
        return f'<div class="weft-comparison">{self._body()}</div>'

    @property
    def html(self) -> str:
        """The comparison as one HTML page that works offline."""
        title = escape(f"{self.first.title} and {self.second.title}")
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<title>{title}</title><style>{_STYLE}</style></head><body><main>"
            f"<h1>Two clusterings compared</h1>{self._body()}</main></body></html>"
        )

    def save(self, path: str | Path) -> Path:
        """Write the page, completely or not at all, and return its path."""
        return write_page(path, self.html)

    def _body(self) -> str:
        parts = [f"<p>{escape(line)}</p>" for line in _headlines(self)]
        parts.append(sankey(self.first, self.second, self.result))
        matches = [
            [
                _number(m.first),
                _number(m.second),
                m.n_first,
                m.n_second,
                m.n_both,
                percent(m.overlap),
            ]
            for m in self.result.matches
        ]
        heads = (f"in {self.first.title}", f"in {self.second.title}")
        titles = (*heads, "rows", "rows", "rows in both", "overlap")
        parts.append(_table("Clusters that belong together", titles, matches))
        if self.result.weights:
            cells = [
                [w.column, _share(w.first), _share(w.second), _change(w.change)]
                for w in self.result.weights[:40]
            ]
            columns = ("column", *heads, "change")
            parts.append(_table("Share of the weight of each column", columns, cells))
        moved = [str(self.rows[row]) for row in self.result.moved[:200]]
        if moved:
            n_more = len(self.result.moved) - len(moved)
            more = f" and {n_more} more" if n_more else ""
            listed = escape(", ".join(moved) + more)
            parts.append(f"<details><summary>Rows that moved</summary><p>{listed}</p></details>")
        return "".join(parts)


def compare(a: Any, b: Any, *, key: str | None = None) -> Comparison:
    """Compare two clusterings of the same rows.

    Parameters
    ----------
    a, b : fitted model, array-like of labels, or path
        A path is a model file, the folder of a run, or a table with a column of labels
        ("cluster", "label", or its last column).
    key : str, default=None
        Column that identifies the rows of two tables with labels in different orders. None: a
        column that both tables have, with a different value in every row, or else row numbers.

    Returns
    -------
    Comparison
        Adjusted Rand index, adjusted mutual information, which clusters belong together, which
        rows moved, how weights changed. ``to_dict()`` has everything; ``save(path)`` writes an
        HTML page with a Sankey diagram.

    Examples
    --------
    >>> import weft
    >>> done = weft.compare([0, 0, 1, 1], [1, 1, 0, 1])
    >>> done.to_dict()["moved"]
    [4]
    """
    sides = distinct_titles(read_result(a, "the first"), read_result(b, "the second"), a, b)
    first, second, rows = align(*sides, key)
    return Comparison(first, second, rows)


def _headlines(done: Comparison) -> list[str]:
    result, plain = done.result, as_dict(done.first, done.second, done.result)
    n_first, n_second = plain["first"]["n_clusters"], plain["second"]["n_clusters"]
    n_moved = len(result.moved)
    return [
        f"{done.first.title}: {counted(n_first, 'cluster')}; "
        f"{done.second.title}: {counted(n_second, 'cluster')}; {counted(result.n_rows, 'row')}.",
        f"Adjusted Rand index {result.ari:.3f}, adjusted mutual information {result.ami:.3f} "
        "(1: the same clusters, about 0: chance).",
        f"{counted(n_moved, 'row')} moved to another cluster "
        f"({percent(n_moved / max(result.n_rows, 1))}).",
    ]


def _match_lines(done: Comparison) -> list[str]:
    lines = []
    for match in done.result.matches[:N_SHOWN]:
        if match.first is None or match.second is None:
            side = done.first if match.second is None else done.second
            label = match.first if match.second is None else match.second
            lines.append(f"  {_number(label)} of {side.title} has no matching cluster")
            continue
        name = done.second.names.get(match.second, done.first.names.get(match.first, ""))
        lines.append(
            f"  {match.first} → {match.second}: {counted(match.n_both, 'row')} in both, of "
            f"{match.n_first} and of {match.n_second} (overlap {percent(match.overlap)})"
            f"{f', {name}' if name else ''}"
        )
    return lines + _rest(len(done.result.matches))


def _weight_lines(done: Comparison) -> list[str]:
    weights = done.result.weights
    changed = [each for each in weights if abs(each.change) >= 0.005]
    if not weights:
        return []
    if all(each.change == 0.0 for each in weights):
        return ["", "The weights of the columns are the same."]
    if not changed:
        return ["", "No column's share of all weight changed by 0.5 percentage points or more."]
    return [
        "",
        "Weights that changed (share of all weight):",
        *(f"  {w.column}: {_share(w.first)} → {_share(w.second)}" for w in changed[:N_SHOWN]),
        *_rest(len(changed)),
    ]


def _rest(count: int) -> list[str]:
    """A line that says how many entries of a long list are not shown, if any."""
    return [f"  … and {count - N_SHOWN} more"] if count > N_SHOWN else []


def _table(caption: str, titles: tuple[str, ...], rows: list[list[Any]]) -> str:
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in titles)
    lines = "".join(
        "<tr>"
        + "".join(
            f"<td{' class=n' if isinstance(cell, int) else ''}><bdi>{escape(str(cell))}</bdi></td>"
            for cell in row
        )
        + "</tr>"
        for row in rows
    )
    return (
        f"<h2>{escape(caption)}</h2><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{lines}</tbody></table>"
    )


def _number(label: int | None) -> str:
    return "none" if label is None else f"cluster {label}"


def _share(value: float | None) -> str:
    return "not there" if value is None else f"{value:.1%}"


def _change(value: float) -> str:
    text = f"{value:+.1%}"
    return "0.0%" if text in ("+0.0%", "-0.0%") else text


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
