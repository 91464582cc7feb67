"""The program's entry point, names that are imported on first use, figures of summaries."""

from __future__ import annotations

import builtins
import sys
from types import SimpleNamespace

import pytest

import weft
from weft import __main__, plot


def start(monkeypatch, error=None):
    """Start the program; `error` ends the import of its commands."""
    started = []
    real = builtins.__import__

    def importing(name, *arguments, **options):
        if name == "weft.cli.app":
            if error is not None:
                raise error
            return SimpleNamespace(app=lambda: started.append("app"))
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", importing)
    __main__.main()
    return started


def test_the_program_starts_its_commands(monkeypatch):
    assert start(monkeypatch) == ["app"]


def test_a_missing_library_is_named(monkeypatch, capsys):
    with pytest.raises(SystemExit) as ended:
        start(monkeypatch, ModuleNotFoundError("no", name="rich.table"))
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        "weft: the command line needs 'rich.table', which is not installed; install it with: pip "
        "install 'weft[app]'\n"
    )


@pytest.mark.parametrize("name", [None, "weft", "weft.cli.gone"])
def test_a_missing_module_of_weft_is_a_bug(monkeypatch, name):
    with pytest.raises(ModuleNotFoundError):
        start(monkeypatch, ModuleNotFoundError("no", name=name))


def test_ctrl_c_while_the_commands_are_imported(monkeypatch):
    with pytest.raises(SystemExit) as ended:
        start(monkeypatch, KeyboardInterrupt())
    assert ended.value.code == 130


def test_names_are_imported_on_first_use(monkeypatch):
    for name in ("WeightedKMeans", "choose_n_clusters", "plot", "io"):
        monkeypatch.delattr(weft, name, raising=False)
        found = getattr(weft, name)
        assert vars(weft)[name] is found
    assert weft.__getattr__("metrics") is sys.modules["weft.metrics"]
    assert weft.__getattr__("RangeScaler").__name__ == "RangeScaler"
    with pytest.raises(AttributeError, match="module 'weft' has no attribute 'nothing'"):
        weft.__getattr__("nothing")
    assert weft.__dir__() == sorted(weft.__all__)


def test_figures_of_summaries_and_models(monkeypatch):
    def drawn(summary):
        return None if summary == {} else ("drawn", summary)

    monkeypatch.setattr(plot, "summary_of", lambda model, X: {"of": model, "X": X})
    model = SimpleNamespace()
    assert plot._drawn(drawn, {"a": 1}, None, "x") == ("drawn", {"a": 1})
    assert plot._drawn(drawn, model, "X", "x") == ("drawn", {"of": model, "X": "X"})
    with pytest.raises(ValueError, match=r"^this summary has nothing\.$"):
        plot._drawn(drawn, {}, None, "has nothing")
    monkeypatch.setattr(plot, "summary_of", lambda model, X: {})
    with pytest.raises(ValueError, match=r"^this SimpleNamespace has nothing\.$"):
        plot._drawn(drawn, model, None, "has nothing")


@pytest.mark.parametrize(
    "name", ["weights", "heatmap", "map", "silhouette", "convergence", "profile"]
)
def test_each_figure_takes_a_model_and_rows(monkeypatch, name):
    needs_rows = name in ("map", "silhouette", "profile")
    asked = []
    monkeypatch.setattr(plot, "summary_of", lambda model, X: asked.append((model, X)))
    monkeypatch.setattr(plot.plots, name, lambda summary: "figure")
    assert getattr(plot, name)("model", "rows") == "figure"
    assert asked == [("model", "rows" if needs_rows else None)]
