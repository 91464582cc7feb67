"""The summary as text in a terminal. Names from files are text, never markup."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from weft.reporting.told import compared_means, counted, number, percent, told_numbers

N_CLUSTERS = 12
N_FEATURES = 10
N_NAMES = 6
# Kinds of columns, as they are counted and listed.
_KINDS = {
    "number": ("used as a number", "used as numbers"),
    "amount": ("used as an amount", "used as amounts"),
    "share": ("used as a share", "used as shares"),
    "count": ("used as a count", "used as counts"),
    "ordered": ("used in its order", "used in their order"),
    "yes/no": ("used as yes or no", "used as yes or no"),
    "category": ("used as a category", "used as categories"),
    "cyclic": ("used as points on a circle", "used as points on a circle"),
    "date": ("used as a date", "used as dates"),
}
_SCALES = {
    "standard": "scaled to variance 1, so that each column counts once",
    "range": "scaled to run from 0 to 1",
    "none": "not scaled",
}
# Notes that only repeat the kind.
_PLAIN_NOTES = ("numbers",)
_EIGHTHS = " ▏▎▍▌▋▊▉"


def show_columns(summary: dict[str, Any], console: Console) -> None:
    """Print how each column was read, before the search."""
    data = summary["data"]
    used = "" if data["n_rows_used"] == data["n_rows"] else f", {data['n_rows_used']} of them used"
    console.print(
        _line(
            ("bold", data["name"]),
            f": {counted(data['n_rows'], 'row')}{used}, {counted(data['n_columns'], 'column')}",
        )
    )
    for kind, words in _KINDS.items():
        columns = [entry for entry in summary["columns"] if entry["kind"] == kind]
        if columns:
            names = _listed(_with_notes(columns))
            _indented(console, f"{len(columns)} {words[len(columns) > 1]}: ", ("dim", names))
    left_out = [entry for entry in summary["columns"] if not entry["kept"]]
    for entry in left_out[:N_CLUSTERS]:
        name, reason = clean(_cut(entry["name"])), clean(entry["reason"])
        _indented(console, "left out: ", ("bold", name), f", {reason}")
    if len(left_out) > N_CLUSTERS:
        _indented(console, f"left out: {len(left_out) - N_CLUSTERS} more (see summary.json)")
    _indented(console, _SCALES[data["scale"]])


def _with_notes(entries: list[dict[str, Any]]) -> list[str]:
    """Return names of columns; columns with the same note share it."""
    names: dict[str, list[str]] = {}
    for entry in entries:
        note = entry["reason"]
        plain = entry["kind"] in ("category", "yes/no") or note in _PLAIN_NOTES
        names.setdefault("" if plain else note, []).append(_cut(entry["name"]))
    plain_names = names.pop("", [])
    return plain_names + [f"{_listed(own)} ({note})" for note, own in names.items()]


def show_result(summary: dict[str, Any], console: Console) -> None:
    """Clusters, features, scores."""
    result = summary["result"]
    console.print()
    if result.get("verdict"):
        console.print(Text(clean(result["verdict"]), style="bold"))
        console.print()
    console.print(_clusters(summary, room=console.width - 24))
    console.print()
    if result["has_weights"]:
        console.print(_features(summary))
    else:
        console.print(
            Text("This method does not weight features: all count the same.", style="dim")
        )
    told = told_numbers(summary)
    scores = summary["scores"]
    if scores is not None:
        name = clean(_cut(scores["label"] or "the label"))
        many = "1 class" if scores["n_classes"] == 1 else f"{scores['n_classes']} classes"
        console.print(
            _line(
                f"\nAgainst {name!r} ({many}, {counted(scores['n_rows'], 'row')}): ",
                ("bold", f"ARI {told['ari']}"),
                f", AMI {told['ami']}, F {told['pair_f']}, accuracy {told['accuracy']}, "
                f"purity {told['purity']}",
            )
        )
    if summary["noise"] is not None:
        noise = summary["noise"]
        console.print(
            _line(
                f"\n{counted(noise['n_columns'], 'noise column')}, "
                f"{percent(noise['column_share'])} of all columns, got ",
                ("bold", f"{percent(noise['weight_share'])} of the weight"),
            )
        )
    stability = summary["stability"]
    if stability is not None:
        times = counted(stability["n_repeats"], "time")
        console.print(
            _line(
                f"\nRepeated {times} on part of the rows: agreement ",
                ("bold", told["refits"]),
                " (1: the same clusters, 0: chance)",
            )
        )
    console.print(_last_line(summary))


def _last_line(summary: dict[str, Any]) -> Text:
    """Return the duration, and the answer unless the verdict already gives it."""
    result, data = summary["result"], summary["data"]
    took = f"{summary['seconds'].get('fit', 0):.1f} s"
    if result.get("verdict"):
        return _line(f"\nDone in {took}")
    fitness = "" if result["fitness"] is None else f", fitness {result['fitness']:.4g}"
    n_rounds = result["n_generations"]
    word = "generation" if summary["search"] else "round"
    rounds = "" if n_rounds is None else f"{counted(n_rounds, word)} "
    given = " (the number was given)" if result["n_clusters_given"] else ""
    return _line(
        ("bold", f"\n{counted(result['n_clusters'], 'cluster')}"),
        f"{given} from {result['n_selected']:,} of {counted(data['n_features'], 'column')}; "
        f"{rounds}in {took}{fitness}",
    )


def show_warnings(warnings: Iterable[str], console: Console) -> None:
    """One line each."""
    for warning in warnings:
        grid = Table.grid(padding=(0, 1))
        grid.add_row(Text("note:", style="yellow"), Text(clean(warning)))
        console.print(grid)


def clean(text: str) -> str:
    """Return `text` without control characters of terminals."""
    return "".join(char if char.isprintable() else "�" for char in str(text))


class Cleaner(RenderHook):
    """Cleans everything that a console prints."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Cleaned(each) for each in renderables]


class _Cleaned:
    """The output of rich with the text of each piece cleaned; rich's own controls stay."""

    def __init__(self, renderable: ConsoleRenderable) -> None:
        self.renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.renderable, options):
            if segment.control:
                yield segment
            else:
                lines = map(clean, segment.text.split("\n"))
                yield Segment("\n".join(lines), segment.style)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self.renderable)


def _clusters(summary: dict[str, Any], *, room: int) -> Table:
    table = Table(
        title="Clusters", title_justify="left", title_style="bold", box=None, pad_edge=False
    )
    table.add_column("cluster", no_wrap=True)
    table.add_column("rows", justify="right")
    table.add_column("share", justify="right")
    table.add_column("how it differs")
    clusters = summary["clusters"]
    shown = clusters
    if len(clusters) > N_CLUSTERS:
        shown = sorted(clusters, key=lambda entry: -entry["size"])[:N_CLUSTERS]
    traits = [_traits(entry["traits"]) for entry in shown]
    # One trait per line if they do not fit side by side.
    wide = all(sum(len(part) + 2 for part in parts) <= room for parts in traits)
    for entry, parts in zip(shown, traits, strict=True):
        name = "none" if entry["label"] == -1 else str(entry["label"])
        traits_text = Text("  " if wide else "\n").join(parts)
        table.add_row(name, str(entry["size"]), percent(entry["share"]), traits_text)
    if len(clusters) > len(shown):
        table.add_row("…", "", "", f"{len(clusters) - len(shown)} smaller ones")
    return table


def _traits(traits: list[dict[str, Any]]) -> list[Text]:
    if not traits:
        return [Text("no single selected feature", style="dim")]
    parts = []
    for trait in traits:
        up = trait["direction"] == "higher"
        parts.append(
            Text.assemble(
                ("↑ " if up else "↓ ", "green" if up else "magenta"),
                clean(_cut(trait["feature"])),
                (f" {compared_means(trait)}", "dim"),
            )
        )
    return parts


def _features(summary: dict[str, Any]) -> Table:
    table = Table(title="Features that matter", title_justify="left", title_style="bold", box=None)
    table.pad_edge = False
    table.add_column("feature", no_wrap=True, overflow="ellipsis", max_width=44)
    table.add_column("weight", justify="right")
    table.add_column("share", justify="right")
    table.add_column("", no_wrap=True)
    chosen = [entry for entry in summary["features"] if entry["selected"]]
    top = max((entry["share"] for entry in chosen), default=0) or 1
    for entry in chosen[:N_FEATURES]:
        bar = _bar(entry["share"] / top)
        name = Text(clean(_cut(entry["name"])))
        if entry.get("noise"):
            name.append(" (noise)", style="dim")
        table.add_row(
            name, _weight(entry["weight"]), _share(entry["share"]), Text(bar, style="cyan")
        )
    more, dropped = len(chosen) - N_FEATURES, len(summary["features"]) - len(chosen)
    rest = [f"{more:,} more selected"] * (more > 0) + [f"{dropped:,} not used"] * (dropped > 0)
    if rest:
        table.add_row(Text("… " + ", ".join(rest), style="dim"), "", "", "")
    return table


def _weight(weight: float | None) -> str:
    """A weight with three decimals, or with three digits if it is very small or very large."""
    if weight is None or not (weight == 0 or 0.0005 <= weight < 1e6):
        return number(weight, 3)
    return f"{weight:.3f}"


def _share(share: float) -> str:
    """A share with one decimal, but neither 0.0% nor 100.0% for part of the whole."""
    return percent(share) if 0 < share < 0.0005 or 0.9995 <= share < 1 else f"{share:.1%}"


def _bar(part: float, width: int = 20) -> str:
    whole, eighth = divmod(round(8 * width * part), 8)
    return ("█" * whole + _EIGHTHS[eighth]).rstrip() or _EIGHTHS[1]


def _indented(console: Console, *parts: str | tuple[str, str]) -> None:
    console.print(Padding(_line(*parts), (0, 0, 0, 2), expand=False))


def _line(*parts: str | tuple[str, str]) -> Text:
    """Text from strings and (style, string) pairs."""
    return Text.assemble(*[part if isinstance(part, str) else (part[1], part[0]) for part in parts])


def _listed(names: Iterable[str]) -> str:
    cleaned = [clean(_cut(name, 160)) for name in names]
    more = f" and {len(cleaned) - N_NAMES} more" if len(cleaned) > N_NAMES else ""
    return ", ".join(cleaned[:N_NAMES]) + more


def _cut(name: str, length: int = 40) -> str:
    return name if len(name) <= length else name[: length - 1] + "…"
