"""The summary as one page that opens from disk: no network, no script, escaped throughout."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

from weft._validation import import_optional

N_FEATURES = 30  # shown at once; the rest unfolds
N_CLUSTERS = 40
WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 56, 14, 12, 34


def render(summary: dict[str, Any]) -> str:
    """Return the page for `summary`.

    Parameters
    ----------
    summary : dict
        From :func:`weft.report.summary.summarize`.

    Returns
    -------
    str
        HTML, complete in itself.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from weft import FeatureSwarm
    >>> from weft.report.html import render
    >>> from weft.report.summary import summarize
    >>> X = load_iris().data
    >>> page = render(summarize(FeatureSwarm(n_generations=2, random_state=0).fit(X), X))
    >>> page.startswith("<!doctype html>")
    True
    """
    clusters = sorted(summary["clusters"], key=lambda entry: (entry["label"] == -1, -entry["size"]))
    effects = [abs(t["effect"]) for c in clusters for t in c["traits"] if t["effect"] is not None]
    used = [entry for entry in summary["features"] if entry["selected"]]
    search = summary["search"]
    return _template().render(
        s=summary,
        headline=_headline(summary),
        clusters=clusters[:N_CLUSTERS],
        more_clusters=clusters[N_CLUSTERS:],
        top_effect=max(effects, default=1.0) or 1.0,
        features=used[:N_FEATURES],
        more_features=used[N_FEATURES:],
        unused=[entry for entry in summary["features"] if not entry["selected"]],
        top_share=max((entry["share"] for entry in used), default=0) or 1.0,
        has_exponents=any("exponent" in entry for entry in used),
        fitness_chart=chart(
            search.get("generation", []),
            [
                ("best", "best so far", search.get("best_fitness", [])),
                ("mean", "mean of the swarm", search.get("mean_fitness", [])),
            ],
        ),
    )


@lru_cache(maxsize=1)
def _template() -> Any:
    jinja2 = import_optional("jinja2", "app")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(percent=_percent, number=_number, signed=_signed)
    source = files("weft.report").joinpath("template.html.j2").read_text(encoding="utf-8")
    return environment.from_string(source)


def _headline(summary: dict[str, Any]) -> str:
    result, data = summary["result"], summary["data"]
    count = result["n_clusters"]
    groups = "no clusters" if count == 0 else f"{count} cluster{'s' if count != 1 else ''}"
    return f"{groups}, made by {result['n_selected']} of {data['n_features']} features"


def chart(
    x: Sequence[float], lines: Sequence[tuple[str, str, Sequence[float | None]]]
) -> dict[str, Any] | None:
    """Coordinates for a line chart in a WIDTH × HEIGHT box; None when there is nothing to draw.

    `lines` holds (key, words, values); a value of None leaves a gap.
    """
    points = [value for _, _, values in lines for value in values if value is not None]
    if len(x) == 0 or not points:
        return None
    y_ticks = ticks(min(points), max(points))
    low, high = min(*points, *y_ticks), max(*points, *y_ticks)
    x_span, y_span = (x[-1] - x[0]) or 1, (high - low) or 1

    def at_x(value: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (value - x[0]) / x_span, 1)

    def at_y(value: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / y_span, 1)

    drawn = []
    for key, words, values in lines:
        path, pen = [], "M"
        for position, value in zip(x, values, strict=True):
            if value is None:
                pen = "M"
            else:
                path.append(f"{pen}{at_x(position)} {at_y(value)}")
                pen = "L"
        last = next((value for value in reversed(values) if value is not None), None)
        drawn.append({"key": key, "words": words, "path": " ".join(path), "last": last})
    wanted = [value for value in ticks(x[0], x[-1], count=8) if value == int(value)]
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": WIDTH - RIGHT,
        "bottom": HEIGHT - BOTTOM,
        "lines": drawn,
        "x_ticks": [(at_x(value), f"{value:.0f}") for value in wanted if x[0] <= value <= x[-1]],
        "y_ticks": [(at_y(value), _number(value)) for value in y_ticks],
    }


def ticks(low: float, high: float, *, count: int = 5) -> list[float]:
    """Round numbers that cover [low, high], about `count` of them."""
    span = high - low
    if not span > 1e-12 * max(abs(low), abs(high)):
        return [low]
    rough = span / max(count - 1, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def _percent(share: float | None) -> str:
    if share is None:
        return "–"
    return f"{share:.0%}" if share >= 0.0995 or share == 0 else f"{share:.1%}"


def _signed(value: float) -> str:
    return f"{value:+.1f}".replace("-", "−")


def _number(value: float | None, digits: int = 4) -> str:
    if value is None:
        return "–"
    if isinstance(value, int):
        return str(value)
    text = f"{value:.{digits}g}"
    if "e+" in text and abs(value) < 1e7:
        text = f"{value:.0f}"
    return text.replace("-", "−", 1) if text.startswith("-") else text
