"""``python -m checks.forgery``: 2,000 forged model files for every class that can be saved.

Each file has valid checksums and a few changes: contents, shapes, types and byte order of arrays,
parameters, positions, entries that are missing or too many, the structure of the JSON. Loading it
must end in one sentence, or in a model that answers without a crash of the interpreter, a hang
(more than 5 s of computing) or an error of another type. Files are loaded in worker processes, so
that a crash is seen and counted; the exit code is 1 if there was any.
"""

from __future__ import annotations

import argparse
import json
import selectors
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from checks.forging import forged, read_members
from weft.methods.mercer import Kernel
from weft.methods.staged import ClusterEstimate
from weft.search.clusterers import DBSCAN

SECONDS = 5.0  # processor time that one file may use
STARTING = 600.0  # wall-clock time for imports and valid files, which compile kernels
STALLED = 120.0  # wall-clock time after which a file counts as hanging
WORKER = ("-m", "checks.forgery")
COLUMNS = ("refused", "fine", "refused later", "bad")
# Parameters that make a search short, by their name in each constructor.
_QUICK = {
    **{"n_generations": 3, "n_particles": 6, "n_evaluations": 18, "n_rounds": 2},
    **{"n_clusters_estimate": ClusterEstimate(n_estimates=2), "n_resamples": 1},
    **{"n_clusters": 3, "random_state": 0},
}
# Further settings of a class, which learn other attributes.
_FORMS: dict[str, tuple[dict[str, Any], ...]] = {
    "FeatureSwarm": (
        {"clusterer": "linkage"},
        {"clusterer": "linkage", "exponents": True},
        {"clusterer": DBSCAN(eps=2.0), "n_clusters": None},
        {"clusterer": "linkage", "max_samples": 40},
    ),
    "KernelSwarm": (
        {},
        {"kernel": "rbf", "sigma": "median"},
        {"kernel": "rbf", "centers": "input", "sigma": 1.1},
        {"kernel": Kernel("polynomial", {"degree": 2}), "max_samples": 40},
    ),
    "KernelKMeans": ({}, {"kernel": "diffusion"}, {"kernel": "linear", "max_samples": 40}),
    "KernelSubtractive": ({}, {"kernel": "diffusion"}),
    "ProjectedSwarm": ({}, {"metric": "jaccard"}, {"metric": "jaccard", "particle": "weights"}),
    "TablePreparer": ({}, {"output": "columns"}, {"scale": "range"}, {"missing": "median"}),
    "WeightedKMeans": (
        {},
        {"distance_exponent": 1.5},
        {"allow_nan": True, "n_clusters": None},
        {"weights": "global"},  # on a raw table
    ),
    "StagedSwarm": ({}, {"stages": 3}, {"polish": "lloyd"}),
}


def rows() -> np.ndarray:
    """60 rows in three groups along the first two of four columns; positive throughout."""
    X = np.random.default_rng(0).normal(size=(60, 4))
    X[20:40, :2] += 6
    X[40:, :2] -= 6
    return X - X.min() + 1.0


def raw_rows() -> Any:
    """The same groups as a raw table: money, a category, dates, an hour, gaps, an identifier."""
    import pandas as pd

    X = rows()
    frame = pd.DataFrame({"a": X[:, 0], "price": [f"${x:,.2f}" for x in 100 * X[:, 1]]})
    frame["kind"] = ["x", "y", "z"] * 20
    frame["day"] = pd.date_range("2020-01-01", periods=60, freq="9D")
    frame["hour"] = [f"{i % 24}:30" for i in range(60)]
    frame["level"] = ["low", "medium", "high", "medium"] * 15
    frame["name"] = [f"r{i}" for i in range(60)]
    frame.loc[3, ["a", "kind"]] = None
    return frame


def honest_files(name: str) -> list[bytes]:
    """Files of small fitted models of a class: with and without names, stream, table, summary."""
    import pandas as pd

    import weft
    from weft.io import save_model
    from weft.reporting.summary import summarize

    X, saved = rows(), []
    frame = pd.DataFrame(X, columns=["a", "b", "c", "<d>"])
    recipe = {
        "columns": [{"name": each, "kind": "numeric", "fill": 1.0} for each in frame],
        "missing": "error",
        "scale": {"method": "none", "center": [0.0] * 4, "scale": [1.0] * 4},
    }
    for number, form in enumerate(_FORMS.get(name, ({},))):
        known = getattr(weft, name)().get_params()
        options = {key: value for key, value in _QUICK.items() if key in known}
        model = getattr(weft, name)(**{**options, **form})
        if name == "RangeScaler":
            model.fit(frame.assign(**{"a": ["x", "y", "z"] * 20}))
        elif name == "TablePreparer" or form.get("weights") == "global":
            model.fit(raw_rows())
        elif number == 0 and hasattr(model, "partial_fit"):
            model.partial_fit(frame).partial_fit(frame)
        else:
            model.fit(frame if number % 2 == 0 else X)
        is_raw = name == "TablePreparer" or vars(model).get("_table") is not None
        summary = None
        if hasattr(model, "fit_predict"):
            summary = summarize(model, raw_rows() if is_raw else X)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "honest.weft"
            save_model(model, path, table=None if is_raw else recipe, summary=summary)
            saved.append(path.read_bytes())
    return saved


# The worker -----------------------------------------------------------------------------------


def answers(model: Any, *, draw: bool) -> str:
    """Use a loaded model; return the problem of its answers, or ""."""
    import pandas as pd

    from weft.reporting.page import report, summary_of

    X: Any = rows()[::3] + 0.25
    names = getattr(model, "feature_names_in_", None)
    if hasattr(model, "plan_") or hasattr(vars(model).get("_table"), "readings"):
        X = raw_rows()[::3]
        if names is not None and len(names) == X.shape[1]:
            X.columns = names  # scikit-learn's error about other names has several lines
    elif names is not None:
        X = pd.DataFrame(X, columns=names)
    if hasattr(model, "predict"):
        labels = model.predict(X)
        if labels.shape != (len(X),) or labels.dtype.kind != "i" or labels.min() < -1:
            return f"labels of {labels.dtype} with shape {labels.shape}"
    if hasattr(model, "predict_proba"):
        likely = model.predict_proba(X)
        if likely.ndim != 2 or len(likely) != len(X) or not np.allclose(likely.sum(axis=1), 1.0):
            return f"probabilities of shape {likely.shape} that do not sum to 1"
    if hasattr(model, "explain"):
        str(model.explain(X))
        str(model.rules_)
    if hasattr(model, "transform"):
        made = np.asarray(model.transform(X))
        if made.ndim != 2 or len(made) != len(X) or made.dtype != np.float64:
            return f"transformed to {made.dtype} with shape {made.shape}"
        model.get_feature_names_out()
    if hasattr(model, "fit_predict"):
        summary_of(model)
        if draw:
            report(model)
    if hasattr(model, "_stream"):
        model.partial_fit(X)
    return ""


def judge(path: Path, *, draw: bool) -> tuple[str, str]:
    """Load one file and use its model; return one of COLUMNS, and the reason."""
    import weft

    outcome = "refused"
    try:
        model = weft.load(path)
        outcome = "refused later"
        problem = answers(model, draw=draw)
        return ("bad", problem) if problem else ("fine", "")
    except ValueError as error:
        text = str(error)
        unnamed = outcome == "refused" and path.name not in text
        if unnamed or "\n" in text or len(text) > 1000:
            return "bad", f"no sentence: {text[:300]!r}"
        return outcome, text[:300]
    except BaseException:
        return "bad", traceback.format_exc()


def work(name: str, folder: Path, first: int, last: int, seed: int) -> None:
    """Judge the files `first` … `last` - 1; a line on stdout for each."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    bases = [read_members(path.read_bytes()) for path in sorted(folder.glob(f"{name}-*.weft"))]
    path = folder / f"forged-{name}.weft"
    for number in range(-len(bases), last):
        if -1 < number < first:
            continue
        if number < 0:  # a valid file first, so that kernels are compiled before files are timed
            honest = sorted(folder.glob(f"{name}-*.weft"))[number]
            outcome, why = judge(honest, draw=True)
            if outcome != "fine":
                raise RuntimeError(f"{honest.name} is {outcome}: {why}")
            continue
        rng = np.random.default_rng([seed, number])
        path.write_bytes(forged(bases[number % len(bases)], rng))
        print(json.dumps([number, "begin", ""]), flush=True)
        # The system ends a process that computes for longer, also in the middle of compiled code.
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        outcome, why = judge(path, draw=number % 25 == 24)
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        print(json.dumps([number, outcome, why]), flush=True)
    print(json.dumps([last, "end", ""]), flush=True)


# The parent -----------------------------------------------------------------------------------


class Verdict(NamedTuple):
    """The results of the files of a class: counts, and descriptions of problems."""

    counts: Counter[str]
    told: list[str]


def run_class(name: str, folder: Path, n_files: int, seed: int) -> Verdict:
    """Judge all files of one class; a worker that crashes or hangs is replaced."""
    counts: Counter[str] = Counter()
    told: list[str] = []
    first = 0
    while first < n_files:
        command = [sys.executable, *WORKER, "--worker", name, str(folder)]
        command += [str(first), str(n_files), str(seed)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0) as worker:
            at, ended = _listen(worker, first, counts, told)
            worker.kill()
        if ended:
            break
        if at < first:
            raise RuntimeError(f"the honest files of {name} do not load, or its worker is too slow")
        counts["bad"] += 1
        hang = worker.returncode in (-signal.SIGKILL, -signal.SIGPROF)
        how = "hang" if hang else f"the worker ended with {worker.returncode}"
        told.append(f"file {at}, bad: {how}")
        first = at + 1
    return Verdict(counts, told)


def _listen(worker: Any, first: int, counts: Counter[str], told: list[str]) -> tuple[int, bool]:
    """Read lines until the worker is done, ends unexpectedly or takes too long.

    Returns the file it was at, and whether it was done.
    """
    at = first - 1
    lines: list[bytes] = []
    rest = b""
    with selectors.DefaultSelector() as ready:
        ready.register(worker.stdout, selectors.EVENT_READ)
        while lines or ready.select(STARTING if at < first else STALLED):
            if not lines:
                data = worker.stdout.read(65536)
                if not data:
                    worker.wait()
                    return at, False
                *lines, rest = (rest + data).split(b"\n")
                continue
            at, outcome, why = json.loads(lines.pop(0))
            if outcome == "end":
                return at, True
            if outcome != "begin":
                counts[outcome] += 1
            if outcome in ("bad", "refused later"):
                told.append(f"file {at}, {outcome}: {why}")
    return at, False


def main() -> int:
    """Print a line per class; return 1 if any file ended badly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=2000, help="forged files of each class")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--classes", nargs="*", help="only these")
    parser.add_argument("--worker", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        name, folder, *numbers = given.worker
        work(name, Path(folder), *map(int, numbers))
        return 0
    from weft.models.files import saveable_classes

    warnings.simplefilter("ignore")
    total: Counter[str] = Counter()
    print(f"{'class':<27}" + "".join(f"{column:>15}" for column in COLUMNS) + f"{'seconds':>9}")
    with tempfile.TemporaryDirectory() as made:
        for name in given.classes or sorted(saveable_classes()):
            start = time.perf_counter()
            for number, data in enumerate(honest_files(name)):
                (Path(made) / f"{name}-{number}.weft").write_bytes(data)
            verdict = run_class(name, Path(made), given.files, given.seed)
            total += verdict.counts
            cells = "".join(f"{verdict.counts[column]:>15}" for column in COLUMNS)
            print(f"{name:<27}{cells}{time.perf_counter() - start:>9.0f}", flush=True)
            # Bad files first: they must be fixed, refusals after loading are allowed.
            for text in sorted(verdict.told, key=lambda text: ", bad: " not in text)[:5]:
                print("    " + text.replace("\n", "\n    "), flush=True)
    print(f"{'all':<27}" + "".join(f"{total[column]:>15}" for column in COLUMNS))
    return int(total["bad"] > 0)


if __name__ == "__main__":
    sys.exit(main())
