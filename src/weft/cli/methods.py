"""``weft methods``: every method with its paper, and the parts that PSO-FSW is made of."""

from __future__ import annotations

from rich.table import Table

from weft.cli.options import clusterers, criteria, swarms
from weft.cli.shared import console, print_json
from weft.estimators.presets import METHODS, Method, find_method

_STATUS = {
    "as published": "the call follows the paper exactly",
    "nearly so": "the call is close to the paper; the note says what differs",
    "weft's": "the call is weft's own",
}


def list_methods(name: str | None, *, as_json: bool) -> None:
    """List every method with its paper, or show one of them in full."""
    shown = METHODS if name is None else (find_method(name),)
    if as_json:
        print_json([_described(method) for method in shown])
    elif name is None:
        _list(shown)
    else:
        _show(shown[0])


def _described(method: Method) -> dict[str, object]:
    mappings = {"params": method.settings, "because": dict(method.because)}
    return {**method._asdict(), **mappings, "call": method.call, "paper": method.source}


def _list(methods: tuple[Method, ...]) -> None:
    out = console()
    grid = Table(box=None, pad_edge=False)
    grid.add_column("--method", no_wrap=True, style="bold")
    grid.add_column("what it does")
    grid.add_column("call", style="dim")
    grid.add_column("from", style="dim")
    for method in methods:
        note = " (in Python only)" if method.in_python_only else ""
        source = method.source.split(', "')[0]
        grid.add_row(method.name, f"{method.what}{note}", method.status, source)
    out.print(grid)
    out.print(f"\n--clusterer of PSO-FSW: {', '.join(clusterers())}", markup=False)
    out.print(f"--criterion of PSO-FSW: {', '.join(criteria())}", markup=False)
    out.print(f"--swarm of PSO-FSW: {', '.join(swarms())}", markup=False)
    out.print("\nweft methods NAME shows the call and the paper in full.", style="dim")


def _show(method: Method) -> None:
    out = console()
    prefix = "" if "." in method.estimator else "weft."
    out.print(f"{method.title}: {method.what}", style="bold", markup=False)
    if not method.in_python_only:
        out.print(f"  weft cluster FILE --method {method.name}", markup=False)
    for line in (*method.imports, f"{prefix}{method.call}"):
        out.print(f"  {line}", markup=False, soft_wrap=True)
    out.print(f"  {method.source}", markup=False)
    out.print(f"  {_STATUS[method.status]}", markup=False)
    if method.note:
        out.print(f"  note: {method.note}", markup=False)
    for setting, words in method.because.items():
        out.print(f"  {setting}: {words}", markup=False)
