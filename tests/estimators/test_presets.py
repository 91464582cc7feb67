"""The one table of methods: every setting has its reason, every stated call is the table's."""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import sklearn.cluster
from scipy.sparse import csr_matrix
from sklearn.metrics import adjusted_rand_score

import weft
from weft.estimators.presets import METHODS, find_method
from weft.methods.mercer import InputCenters
from weft.methods.projected import Objective, SwarmSettings

ESTIMATORS = [method for method in METHODS if method.estimator != "choose_exponent"]
names = {"ids": lambda method: method.name}


def test_names_and_titles_lead_to_one_method_each():
    words = [word for m in METHODS for word in {m.name, m.title.lower()}]
    assert len(words) == len(set(words))
    assert find_method("kernel MEPSO").name == "kernel-mepso"


@pytest.mark.parametrize("method", ESTIMATORS, **names)
def test_settings_with_a_reason_are_those_of_the_call(method, setting_of):
    model = method.make()
    for text in method.because:
        for key, value in eval(f"dict({text})").items():
            assert setting_of(model, key) == value, f"{method.name}: {key}"


@pytest.mark.parametrize("method", METHODS, **names)
def test_a_printed_call_gives_a_reason_for_every_setting(method):
    reasons = {key for text in method.because for key in eval(f"dict({text})")}
    if method.printed:
        assert method.because
        assert set(method.settings) <= reasons
        assert not method.own
    else:
        # What differs from print is said; AutoCluster has no print to differ from.
        assert method.note or method.paper == "weft"


@pytest.mark.parametrize("method", ESTIMATORS, **names)
def test_no_call_uses_a_name_that_is_going_away(method):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        method.make()


def test_every_own_method_has_a_printed_one_beside_it():
    described = {m.paper for m in METHODS if not m.own}
    assert all(m.paper in described for m in METHODS if m.own and m.paper != "weft")


def test_psovw_is_the_letter():
    # "If W lies in the range [0, 1], evaluate … Otherwise, W is neglected"; 500 rounds, "s is set
    # to 10"; until "the number of function evaluations reaches the maximum threshold".
    psovw = find_method("psovw").make(n_clusters=2)
    assert (psovw.swarm.bounds, psovw.n_evaluations, psovw.n_particles) == ("neglect", 5000, 10)
    assert (psovw.patience, psovw.polish, psovw.standardize) == (None, False, False)


def test_tcpso_searches_weights():
    # "assigns an optimal feature weight vector to each cluster": what is found depends on β.
    rng = np.random.default_rng(0)
    X = csr_matrix(rng.poisson(0.6, size=(60, 30)) + 3 * (np.arange(60)[:, None] % 3 == 0))
    found = {
        beta: find_method("tcpso")
        .make(n_clusters=2, weight_exponent=beta, n_evaluations=200, random_state=0)
        .fit(X)
        for beta in (1.0, 8.0)
    }
    weights = [model.cluster_feature_weights_ for model in found.values()]
    assert not np.allclose(*weights)
    assert weights[1].std() > 0
    labels = [model.labels_ for model in found.values()]
    assert adjusted_rand_score(*labels) < 0.9


CALLED = [method for method in METHODS if method.arguments or method.answer]


@pytest.mark.parametrize("method", CALLED, **names)
def test_calls_that_need_more_than_a_table_run(method, three_groups):
    y = np.where(np.arange(60) % 2, np.arange(60) // 20, -1)
    given = {name: getattr(weft, name) for name in weft._PUBLIC}
    given |= {"X": three_groups[:, :2], "y": y, "K_est": 3, "sklearn": sklearn}
    call = method.call.replace("n_repeats=100", "n_repeats=2")
    for name in ("WeightedKMeans(", "StagedSwarm("):
        first = "n_clusters=3, " if name[0] == "W" else "n_particles=4, "
        call = call.replace(name, name + first + "random_state=0, ")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # exponents that empty a cluster, a search cut short
        found = eval(call, given)
    if method.name == "k-est":
        assert found == 3
    elif method.name == "k-est-means":
        assert found.fit(three_groups).n_clusters == 3
    else:
        assert 1.0 <= found.exponent <= 5.0


DOCS = Path(__file__).parents[2] / "docs"


def stated_in_docstrings():
    """Calls with parameters that the docstring of a class states above its parameters."""
    for name in sorted({m.estimator for m in ESTIMATORS if m.estimator in weft._PUBLIC}):
        text = getattr(weft, name).__doc__.split("Parameters\n    ---")[0]
        text = re.sub(r"``\s+``", " ", text)  # one call on two lines of a table
        for call in re.findall(rf"``({name}\([^`]*\))``", text):
            yield name, " ".join(call.split())


def stated_on_pages():
    """Rows of tables whose first cell is a method and whose second is its call."""
    titles = {method.title: method.name for method in METHODS}
    for page in sorted(DOCS.glob("*.md")):
        for title, call in re.findall(r"^\| ([^|]+) \| `([^`]+\))` \|", page.read_text(), re.M):
            if title in titles:
                yield page.name, titles[title], call


def says_the_same(call, method):
    """Whether the literal settings are the method's; names, such as b, stand for any value."""
    keywords = ast.parse(call, mode="eval").body.keywords
    free = {each.arg for each in keywords if isinstance(each.value, ast.Name)}
    given = {each.arg: evaluated(each.value) for each in keywords if each.arg not in free}
    return given == {key: value for key, value in method.params.items() if key not in free}


def evaluated(node):
    """A literal, or a record made by its class."""
    records = (InputCenters, Objective, SwarmSettings)
    return eval(ast.unparse(node), {record.__name__: record for record in records})


DOCSTRINGS, PAGES = list(stated_in_docstrings()), list(stated_on_pages())


def test_calls_are_stated():
    assert {"ProjectedSwarm", "WeightedKMeans"} <= {name for name, _ in DOCSTRINGS}
    assert len(PAGES) >= 15


@pytest.mark.parametrize(("name", "call"), DOCSTRINGS)
def test_a_call_in_a_docstring_is_one_of_the_table(name, call):
    assert any(says_the_same(call, m) for m in METHODS if m.estimator == name)


@pytest.mark.parametrize(("page", "name", "call"), PAGES)
def test_a_call_on_a_page_is_that_of_the_table(page, name, call):
    assert says_the_same(call, find_method(name))
