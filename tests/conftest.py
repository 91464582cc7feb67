"""Every public estimator, quick to fit: a test that takes `any_name` or `any_clusterer` runs for
each, so that a new one is never forgotten."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from functools import partial
from importlib.util import find_spec

# scikit-learn skips a check without it, and reads it when SciPy is first imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import hypothesis
import numpy as np
import pytest

import weft
from weft.methods.staged import ClusterEstimate

# A shell starts jobs in the background with Ctrl-C ignored, and programs inherit it; tests send it.
if (
    threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):
    signal.signal(signal.SIGINT, signal.default_int_handler)
# A busy machine, or a kernel that is compiled, is no fault of the case at hand.
hypothesis.settings.register_profile("weft", deadline=None)
hypothesis.settings.load_profile("weft")
# scikit-learn has callbacks since 1.9.
collect_ignore = [] if find_spec("sklearn.callback") else ["test_sklearn_callbacks.py"]
# Whatever makes a search long, by the name it has in each constructor.
_QUICK = {
    **{"n_generations": 3, "n_particles": 6, "n_evaluations": 18},
    **{"n_clusters_estimate": ClusterEstimate(n_estimates=2), "n_init": 2, "n_resamples": 1},
}


def quick(name: str, **options):
    """An estimator with settings that make its fit short."""
    kind = getattr(weft, name)
    known = kind().get_params()
    settings = {key: value for key, value in _QUICK.items() if key in known}
    if known.get("n_init") == "auto":
        settings.pop("n_init")
    if "n_clusters" in known:
        settings["n_clusters"] = 3
    if name == "FeatureSwarm":
        settings["clusterer"] = "linkage"
    if "random_state" in known:
        settings["random_state"] = 0
    return kind(**{**settings, **options})


def three_groups(n_features: int = 4) -> np.ndarray:
    """60 rows in three groups along the first two columns; positive throughout."""
    X = np.random.default_rng(0).normal(size=(60, n_features))
    X[20:40, :2] += 6
    X[40:, :2] -= 6
    return X - X.min() + 1.0


def fitted(name: str, X=None, **options):
    with warnings.catch_warnings():
        # Quick fits say that they found little.
        warnings.simplefilter("ignore")
        return quick(name, **options).fit(three_groups() if X is None else X)


def estimator_names() -> list[str]:
    return sorted(name for name in weft._PUBLIC if name[0].isupper())


def clusterer_names() -> list[str]:
    return [name for name in estimator_names() if hasattr(getattr(weft, name), "fit_predict")]


def pytest_generate_tests(metafunc):
    if "any_name" in metafunc.fixturenames:
        metafunc.parametrize("any_name", estimator_names())
    if "any_clusterer" in metafunc.fixturenames:
        metafunc.parametrize("any_clusterer", clusterer_names())


@pytest.fixture
def checks_run(record_property):
    """Call with how many of scikit-learn's checks were run: for the line at the end."""
    return partial(record_property, "checks")


def pytest_terminal_summary(terminalreporter):
    reports = [r for each in ("passed", "failed") for r in terminalreporter.stats.get(each, [])]
    # What a test records travels with its report, from whichever process it ran in.
    counts = [n for r in reports for name, n in r.user_properties if name == "checks"]
    if counts:
        own = sum("test_contracts" in report.nodeid for report in reports)
        terminalreporter.write_line(
            f"contracts: {len(estimator_names())} estimators, {sum(counts)} checks of "
            f"scikit-learn's and {own} of our own"
        )


@pytest.fixture
def registry():
    return estimator_names()


@pytest.fixture(name="fitted")
def _fitted():
    return fitted


@pytest.fixture(name="quick")
def _quick():
    return quick


@pytest.fixture(name="three_groups")
def _three_groups():
    return three_groups()


@pytest.fixture
def small_samples(monkeypatch):
    """AutoCluster searches on 300 rows of a larger table."""
    for module in ("auto.large", "estimators.auto_cluster"):
        monkeypatch.setattr(f"weft.{module}.SAMPLE_ROWS", 300)
