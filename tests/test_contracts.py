"""What every public estimator promises, checked on every one: conftest.py finds them by name."""

from __future__ import annotations

import inspect
import io
import pickle
import re
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from checks.invariance import PROMISES
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import check_estimator

import weft

# Short fits on tables that hurt warn a lot; what is held here is the contract.
pytestmark = pytest.mark.filterwarnings("ignore")

# Beyond tables of numbers: who takes sparse rows, and with what settings.
SPARSE = {"ProjectedSwarm": {"metric": "jaccard"}, "AutoCluster": {}, "CountNormalizer": {}}
# Whose answer for sparse rows is another one: there columns are in one unit.
OTHER_THAN_DENSE = ("AutoCluster",)


def test_every_estimator_says_what_it_claims(registry):
    promised = {name.partition(" ")[0] for name in PROMISES}
    # These cluster nothing and drop nothing by its numbers.
    missing = set(registry) - promised - {"TablePreparer", "CountNormalizer"}
    gone = promised - set(registry)
    assert not missing, f"say in checks/invariance.py what {sorted(missing)} promise"
    assert not gone
    assert len(registry) >= 15


def skip_unless_promised(name: str, which: str) -> None:
    if which not in PROMISES.get(name, frozenset()):
        pytest.skip(f"{name} does not promise {which!r}")


def facts(model) -> dict[str, object]:
    """All that fit has found, but for the time that it took."""
    given = model.get_params(deep=False)
    kept = {key: value for key, value in vars(model).items() if key not in given}
    if "history_" in kept:
        kept["history_"] = {k: v for k, v in kept["history_"].items() if k != "seconds"}
    return kept


def answer(model, X) -> dict[str, np.ndarray]:
    """What a person takes from a model: labels, weights, what is selected, transformed rows."""
    names = ("labels_", "feature_weights_", "support_", "n_clusters_", "fitness_")
    found = {name: np.asarray(vars(model)[name]) for name in names if name in vars(model)}
    for method in ("predict", "transform"):
        if hasattr(model, method):
            found[method] = np.asarray(getattr(model, method)(X))
    return found


def assert_same(one: dict, two: dict) -> None:
    assert one.keys() == two.keys()
    for key in one:
        np.testing.assert_array_equal(one[key], two[key], err_msg=key)


def same_partition(a, b) -> bool:
    return adjusted_rand_score(a, b) == 1.0


# scikit-learn's contract --------------------------------------------------------------------


def test_scikit_learns_checks_pass_and_none_is_expected_to_fail(any_name, quick, checks_run):
    model = quick(any_name)
    if "clusterer" in model.get_params():
        model.set_params(clusterer="knn", n_clusters=None)  # the checks ask for a single cluster
    results = check_estimator(model, on_skip=None, on_fail=None)
    failed = [f"{r['check_name']}: {r['exception']}" for r in results if r["status"] == "failed"]
    assert not failed
    assert not any(result["expected_to_fail"] for result in results)
    checks_run(sum(result["status"] == "passed" for result in results))
    assert sum(result["status"] == "passed" for result in results) > 35


def test_clone_is_unfitted_and_fits_the_same(any_name, fitted, three_groups):
    model = fitted(any_name)
    copy = clone(model)
    assert not [key for key in vars(copy) if key.endswith("_")]
    assert copy.get_params() == model.get_params()
    assert_same(answer(copy.fit(three_groups), three_groups), answer(model, three_groups))


def test_pickle_and_joblib_bring_it_back(any_name, fitted, three_groups):
    model = fitted(any_name)
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    for back in (pickle.loads(pickle.dumps(model)), joblib.load(file)):
        assert_same(answer(back, three_groups + 0.1), answer(model, three_groups + 0.1))


def test_parameters_are_documented_with_their_defaults(any_name):
    kind = getattr(weft, any_name)
    text = inspect.getdoc(kind)
    for name, parameter in inspect.signature(kind).parameters.items():
        entry = re.search(rf"^(?:\w+, )*{name}(?:, \w+)* : (.*(?:\\\n.*)*)$", text, re.M)
        entry = entry or re.search(rf"^\w.*\b{name}\b.* : (.*)$", text, re.M)
        assert entry, f"{name} is not in the docstring"
        assert parameter.kind is not inspect.Parameter.VAR_KEYWORD
    rest = list(inspect.signature(kind).parameters.values())[1:]
    assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in rest)


def test_attributes_are_named_as_fitted_ones_are(any_name, fitted):
    for key in facts(fitted(any_name)):
        assert key.endswith("_") or key.startswith("_"), key


# The answer ---------------------------------------------------------------------------------


def test_labels_and_counts_agree(any_clusterer, fitted, three_groups):
    model = fitted(any_clusterer)
    assert model.labels_.shape == (60,)
    assert model.labels_.dtype.kind == "i"
    k = getattr(model, "n_clusters_", None) or len(getattr(model, "cluster_centers_", [0] * 60))
    assert model.labels_.min() >= -1
    assert model.labels_.max() < k
    seen = set(model.predict(three_groups).tolist())
    assert seen <= set(range(-1, k))
    assert model.n_features_in_ == 4


def test_groups_that_nobody_could_miss_are_found(any_clusterer, quick, three_groups):
    longer = {"n_generations": 60, "n_evaluations": 300, "n_particles": 20, "patience": None}
    model = quick(any_clusterer)
    known = model.get_params()
    model.set_params(**{key: value for key, value in longer.items() if key in known})
    found = model.fit(three_groups[:, :2]).labels_
    # Some find the number of clusters themselves, and may cut one of the three in two.
    assert adjusted_rand_score(np.repeat([0, 1, 2], 20), found) > 0.85


def test_fit_again_and_leave_the_rows_alone(any_name, quick, three_groups):
    X = three_groups.copy()
    model = quick(any_name).fit(X)
    before = answer(model, X)
    np.testing.assert_array_equal(X, three_groups)
    model.fit(X[:30, :3])  # another table in between leaves nothing behind
    assert_same(answer(model.fit(X), X), before)


def test_without_a_seed_it_works_too(any_name, quick, three_groups):
    model = quick(any_name)
    if "random_state" not in model.get_params():
        model.fit(three_groups)
        return
    state = np.random.mtrand._rand.get_state()[1].copy()
    model.set_params(random_state=np.random.RandomState(3)).fit(three_groups)
    np.testing.assert_array_equal(np.random.mtrand._rand.get_state()[1], state)  # the global one
    model.set_params(random_state=None).fit(three_groups)


def test_a_masked_array_with_hidden_values_is_refused(any_name, quick, three_groups):
    if any_name == "TablePreparer":
        pytest.skip("reads cells of any type")
    X = np.ma.masked_array(np.abs(three_groups), mask=False)
    expected = answer(quick(any_name).fit(np.abs(three_groups)), np.abs(three_groups))
    assert_same(answer(quick(any_name).fit(X), X), expected)
    X[2:4, 0] = np.ma.masked
    with pytest.raises(ValueError, match="masked array that hides 2 of its values"):
        quick(any_name).fit(X)


# Invariance ---------------------------------------------------------------------------------


def test_no_bit_depends_on_threads_memory_or_backend(any_name, quick, three_groups):
    known = quick(any_name).get_params()
    ways = [{"n_jobs": n_jobs} for n_jobs in (1, 2, 3) if "n_jobs" in known]
    if "max_memory" in known:
        ways += [{"max_memory": "190KiB"}]  # 60 rows: six matrices of rows × rows fit
    expected = answer(quick(any_name).fit(three_groups), three_groups)
    for way in ways:
        assert_same(answer(quick(any_name, **way).fit(three_groups), three_groups), expected)
    for backend in ("threading", "sequential"):
        with joblib.parallel_config(backend=backend):
            assert_same(answer(quick(any_name).fit(three_groups), three_groups), expected)


def test_blocks_of_rows_do_not_change_predictions(any_clusterer, fitted, three_groups):
    model = fitted(any_clusterer)
    whole = model.predict(three_groups)
    parts = [model.predict(three_groups[first : first + 7]) for first in range(0, 60, 7)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_order_of_rows(any_name, quick, three_groups):
    skip_unless_promised(any_name, "rows")
    order = np.random.default_rng(5).permutation(60)
    one, two = quick(any_name).fit(three_groups), quick(any_name).fit(three_groups[order])
    if hasattr(one, "predict"):
        assert same_partition(one.labels_[order], two.labels_)
    else:
        found = [answer(model, three_groups) for model in (one, two)]
        for key in found[0]:
            np.testing.assert_allclose(found[0][key], found[1][key], rtol=1e-9, err_msg=key)


def moved(which: str, X: np.ndarray) -> np.ndarray:
    """The table on another scale; powers of two, so that no digit is lost."""
    match which:
        case "scale":
            return X * 64.0
        case "units":
            return X * np.array([1.0, 64.0, 0.125, 1024.0])
        case "shift":
            return X + np.array([0.0, 32.0, -16.0, 64.0])


@pytest.mark.parametrize("which", ["scale", "units", "shift"])
def test_scale_units_and_shift(any_name, which, quick, three_groups):
    skip_unless_promised(any_name, which)
    # 64 rows of multiples of 2⁻¹⁰: means are exact, and so is what is done to them here.
    X = np.round(1024 * np.vstack([three_groups, three_groups[:4] + 0.25])) / 1024
    one, two = quick(any_name).fit(X), quick(any_name).fit(moved(which, X))
    if hasattr(one, "predict"):
        assert same_partition(one.labels_, two.labels_)
        assert same_partition(one.predict(X), two.predict(moved(which, X)))
    if hasattr(one, "get_support"):
        np.testing.assert_array_equal(one.get_support(), two.get_support())
    if any_name == "RangeScaler":
        found = two.transform(moved(which, X))
        np.testing.assert_allclose(found, one.transform(X), rtol=0, atol=1e-12)


# Containers ---------------------------------------------------------------------------------


def containers(X: np.ndarray, folder) -> dict[str, object]:
    np.save(folder / "X.npy", X)
    view = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3]
    frozen = X.copy()
    frozen.flags.writeable = False
    names = [f"c{j}" for j in range(X.shape[1])]
    return {
        "fortran": np.asfortranarray(X),
        "view": view,
        "backwards": X[::-1, ::-1].copy()[::-1, ::-1],
        "read-only": frozen,
        "memory map": np.load(folder / "X.npy", mmap_mode="r"),
        "big-endian": X.astype(">f8"),
        "list": X.tolist(),
        "object": X.astype(object),
        "pandas": pd.DataFrame(X, columns=names),
        "nullable": pd.DataFrame(X, columns=names).convert_dtypes(),
        "polars": pl.DataFrame(X, schema=names),
    }


def test_any_container_gives_the_same_answer(any_name, quick, three_groups, tmp_path):
    expected = answer(quick(any_name).fit(three_groups), three_groups)
    for kind, X in containers(three_groups, tmp_path).items():
        model = quick(any_name).fit(X)
        found = answer(model, X)
        for key in expected:
            np.testing.assert_array_equal(found[key], expected[key], err_msg=f"{kind}: {key}")


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.uint8])
def test_numbers_of_any_type_are_the_numbers_that_they_are(any_name, dtype, quick, three_groups):
    X = three_groups.astype(dtype)
    wide = X.astype(np.float64)
    one, two = quick(any_name).fit(X), quick(any_name).fit(wide)
    for key, value in answer(two, wide).items():
        np.testing.assert_allclose(
            np.asarray(answer(one, X)[key], float), np.asarray(value, float), err_msg=key
        )


def test_sparse_rows_are_taken_where_claimed_and_refused_where_not(any_name, quick):
    X = sparse.random_array((40, 12), density=0.4, rng=np.random.default_rng(0)).tocsr()
    if any_name in SPARSE:
        forms = [X, X.tocsc(), X.tocoo(), sparse.csr_matrix(X)]
        forms += [] if any_name in OTHER_THAN_DENSE else [X.toarray()]
        models = [quick(any_name, **SPARSE[any_name]).fit(form) for form in forms]
        for other in models[1:]:
            if hasattr(other, "labels_"):
                np.testing.assert_array_equal(other.labels_, models[0].labels_)
            else:
                found = [model.transform(X).toarray() for model in (other, models[0])]
                np.testing.assert_allclose(*found)
        assert models[0].__sklearn_tags__().input_tags.sparse
    else:
        assert not quick(any_name).__sklearn_tags__().input_tags.sparse
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            quick(any_name).fit(X)


# Tables that hurt ---------------------------------------------------------------------------

HARD = {
    "two rows": np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 0.0]]),
    "three rows": np.array([[0.0, 1.0], [3.0, 1.0], [9.0, 4.0]]),
    "one column": np.arange(12.0)[:, None] ** 2,
    "all equal": np.full((10, 3), 7.0),
    "two places": np.repeat([[0.0, 1.0, 2.0], [5.0, 1.0, 2.0]], 6, axis=0),
    "constant columns": np.column_stack([np.arange(12.0), np.full((12, 2), 3.0)]),
    "tiny": np.random.default_rng(0).normal(size=(12, 3)) * 1e-150,
    "denormal": np.random.default_rng(0).integers(0, 9, (12, 3)) * 5e-324,
    "large": np.random.default_rng(0).normal(size=(12, 3)) * 1e140,
    "far away": np.random.default_rng(0).normal(size=(12, 3)) + 1e9,
    "signed zeros": np.where(np.random.default_rng(0).random((12, 3)) < 0.5, -0.0, 0.0),
    "both ends": np.array([[1e145, -1e145], [-1e145, 1e145], [0.0, 1.0], [1.0, 0.0]]),
    "ties": np.array([[i, j] for i in range(4) for j in range(4)], dtype=float),
}


@pytest.mark.parametrize("case", HARD)
def test_a_table_that_hurts_is_fitted_or_refused_in_a_sentence(any_name, case, quick):
    X = HARD[case]
    try:
        model = quick(any_name).fit(X)
    except ValueError as error:
        text = str(error)
        assert len(text) < 400
        assert text.rstrip().endswith(".")
        return
    for key, value in answer(model, X).items():
        assert not np.isnan(np.asarray(value, dtype=float)).any(), key
    if hasattr(model, "predict"):
        assert model.labels_.shape == (len(X),)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (np.full((9, 3), np.nan), "NaN"),
        (np.full((9, 3), np.inf), "infinity|infinite|too large"),
        (np.empty((0, 3)), "0 sample"),
        (np.empty((9, 0)), "0 feature"),
        (np.ones(9), "1D array"),
        (np.ones((3, 3, 3)), "dim 3|dimensional"),
        (np.full((9, 3), 1j), "[Cc]omplex"),
        (np.full((9, 3), "text"), "convert|string"),
        ("text", "array|scalar|convert"),
        (None, "array|None"),
    ],
)
def test_what_is_no_table_is_refused(any_name, bad, words, quick):
    if any_name == "RangeScaler" and words == "NaN":
        return  # it lets gaps through, and says so in its tags
    if any_name == "TablePreparer" and words in ("NaN", "convert|string"):
        words = "no column that can be used"  # it reads both, but not where all cells are alike
    with pytest.raises((ValueError, TypeError), match=words):
        quick(any_name).fit(bad)


def test_new_rows_must_fit(any_name, fitted, three_groups):
    model = fitted(any_name)
    for method in ("predict", "transform"):
        if hasattr(model, method):
            with pytest.raises(ValueError, match="features"):
                getattr(model, method)(three_groups[:, :3])
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert len(getattr(model, method)(three_groups[:1])) == 1
