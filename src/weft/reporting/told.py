"""Numbers of a summary as text, formatted once for page, terminal and notebook."""

from __future__ import annotations

import itertools
import math
from typing import Any

from weft.answers.views import show_share

# Stands for an infinite effect: values are constant inside a cluster and outside, and differ.
PERFECT = 999.0
ALIKE = 0.4  # weights are alike if more than this share of the columns holds half of the weight


def told_numbers(summary: dict[str, Any]) -> dict[str, str]:
    """Return each number that a report shows in several places, formatted the same everywhere."""
    result, data = summary["result"], summary["data"]
    sure, stability = summary.get("certainty") or {}, summary["stability"] or {}
    told = {
        "n_clusters": str(result["n_clusters"]),
        "n_rows": f"{data['n_rows_used']:,}",
        "n_selected": f"{result['n_selected']:,}",
        "n_features": f"{data['n_features']:,}",
        "n_unassigned": f"{result['n_unassigned']:,}",
        "probability": percent_or_none(sure.get("probability")),
        "agreement": two_digits(sure.get("agreement")),
        "share": percent(sure["share"]) if sure else "",
        "refits": two_digits(_mean(stability.get("agreement"))),
        "worst_refit": two_digits(min(stability.get("agreement") or [None])),
        "pairs": two_digits(_mean(stability.get("pairs"))),
        "null": two_digits(_mean(stability.get("null"))),
        "silhouette": two_digits((summary["silhouette"] or {}).get("mean")),
        "negative": percent((summary["silhouette"] or {}).get("negative")),
    }
    for name in ("ari", "ami", "pair_f", "purity", "accuracy"):
        value = (summary["scores"] or {}).get(name)
        told[name] = "" if value is None else f"{value:.3f}"
    return told


def none_found(summary: dict[str, Any]) -> bool:
    """Return whether a method searched for clusters and found none."""
    return nothing_in(summary["result"]["n_clusters"], summary["result"].get("verdict"))


def nothing_in(n_clusters: int, verdict: str | None) -> bool:
    """Return whether this number of clusters, with the method's verdict, means "no clusters"."""
    return n_clusters == 0 or (n_clusters == 1 and bool(verdict))


def headline(summary: dict[str, Any]) -> str:
    """The answer in a few words."""
    result, data = summary["result"], summary["data"]
    nothing = none_found(summary)
    groups = "no clusters" if nothing else counted(result["n_clusters"], "cluster")
    of = f"of {counted(data['n_features'], 'column')}"
    if nothing or not result["has_weights"]:
        return f"{groups} in {counted(data['n_features'], 'column')}"
    if result.get("weights_are_measured"):
        return f"{groups}, separated by {result['n_selected']:,} {of}"
    if result["n_selected"] < data["n_features"] or data["n_features"] < 4:
        return f"{groups} from {result['n_selected']:,} {of}"
    shares = itertools.accumulate(entry["share"] for entry in summary["features"])
    half = sum(1 for share in shares if share < 0.5) + 1
    if half > ALIKE * data["n_features"]:
        return f"{groups}; all {counted(data['n_features'], 'column')} weigh about the same"
    return f"{groups}; half of the weight is on {half:,} {of}"


def counted(count: int, word: str) -> str:
    """Return a number and a noun, in the singular or plural."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def percent(share: float | None) -> str:
    """A share as in `show_share`, "–" where there is none."""
    return "–" if share is None else show_share(share)


def percent_or_none(share: float | None) -> str:
    """A probability in percent, "" where there is none."""
    return "" if share is None else show_share(share)


def two_digits(value: float | None) -> str:
    """A measure from 0 to 1, "" where there is none."""
    return "" if value is None else f"{value:.2f}".replace("-", "−")


def signed(value: float) -> str:
    """An effect with its sign; an arrow and "all" if nothing varies in the groups that differ."""
    if abs(value) >= PERFECT:
        return "↑all" if value > 0 else "↓all"
    text = f"{value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text.replace("-", "−")


def number(value: float | None, digits: int = 4) -> str:
    """Return a number with few digits."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return str(value)
    text = f"{value:.{digits}g}"
    if "e+" in text and abs(value) < 1e7:
        text = f"{value:.0f}"
    return text.replace("-", "−", 1) if text.startswith("-") else text


def compared_means(trait: dict[str, Any]) -> str:
    """A trait of a cluster compared with the other rows: means, or shares of rows."""
    own, others = both_means(trait)
    return f"{own}, others {others}"


def both_means(trait: dict[str, Any]) -> tuple[str, str]:
    """The mean of a cluster and that of the other rows, with the same number of decimals.

    They have three digits, and more if the two means would otherwise look the same.
    """
    values = trait["mean"], trait["rest_mean"]
    if trait["binary"]:
        return percent(values[0]), percent(values[1])
    texts = _in_digits(values, 3)
    for digits in range(4, 16):
        if None in values or values[0] == values[1] or texts[0] != texts[1]:
            break
        texts = _in_digits(values, digits)
    return texts


def _in_digits(values: tuple[float | None, float | None], digits: int) -> tuple[str, str]:
    """Both values, the larger of them with this number of digits."""
    known = [abs(value) for value in values if value is not None]
    largest = max(known, default=0.0)
    if not 1e-3 <= largest < (1e7 if digits == 3 else 1e15):
        return number(values[0], digits), number(values[1], digits)
    decimals = max(0, digits - 1 - math.floor(math.log10(largest)))
    return _rounded(values[0], decimals), _rounded(values[1], decimals)


def _rounded(value: float | None, decimals: int) -> str:
    if value is None:
        return "–"
    # Adding 0.0 turns a rounded −0.0 into 0.0.
    return f"{round(value, decimals) + 0.0:.{decimals}f}".replace("-", "−")


def _mean(values: list[float] | None) -> float | None:
    return sum(values) / len(values) if values else None
