"""Clustering of cells with an object that has the parts of an AnnData, and a model whose answers
are known: which table is used, and where results are stored."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from weft import sc

X = np.array([[0.0, 5.0, 1.0], [0.5, 5.0, 2.0], [9.0, 5.0, 3.0], [9.5, 5.0, 4.0]])


class Cells:
    """The parts of an AnnData that weft uses."""

    def __init__(self, matrix=X):
        self.X = matrix
        self.layers = {"raw": X * 10.0}
        self.obsm = {"X_pca": [[1, 2], [3, 4], [5, 6], [7, 8]]}
        self.obs = pd.DataFrame(index=list("abcd"))
        self.var = pd.DataFrame({"good": [True, False, True], "none": False}, index=["g", "h", "i"])
        self.uns = {}

    @property
    def n_vars(self):
        return len(self.var)

    @property
    def var_names(self):
        return self.var.index

    def copy(self):
        return Cells(self.X)


class Known:
    """A clusterer that splits at 5 of its first column."""

    seen: list = []  # noqa: RUF012 - one list for all models
    n_clusters_ = 2

    def __init__(self, **params):
        self.params = params
        self.counts = params.get("counts", False)

    def fit(self, table):
        values = table.toarray() if sparse.issparse(table) else table
        self.seen.append(values)
        self.labels_ = (values[:, 0] > 5.0).astype(int)
        self.feature_weights_ = np.arange(1.0, values.shape[1] + 1)
        self.confidence_, self.stability_ = 0.75, np.float32(0.5)
        self.method_, self.verdict_ = "kmeans", "Two."
        return self

    def get_params(self, deep=True):
        return {**self.params, "callbacks": [], "swarm": None}

    def membership(self, rows, n_top):
        values = rows.toarray() if sparse.issparse(rows) else rows
        return SimpleNamespace(probabilities=values[:, :1] / 10.0 * n_top)


@pytest.fixture(autouse=True)
def known(monkeypatch):
    Known.seen.clear()
    monkeypatch.setattr(sc, "AutoCluster", Known)
    return Known


def test_where_results_are_stored(monkeypatch):
    asked = []

    def marker_columns(table, labels, **options):
        asked.append(
            (table.shape, labels.tolist(), options["counts"], list(options["feature_names"]))
        )
        row = dict.fromkeys(sc.FIELDS, 0.5) | {"feature": "g", "direction": "higher"}
        return SimpleNamespace(rows=lambda: iter([row | {"cluster": 1, "module": -1}]))

    monkeypatch.setattr(sc, "marker_columns", marker_columns)
    cells = Cells()
    assert sc.cluster(cells, mask_var="good", counts=True, n_clusters=2) is None
    assert cells.obs["weft"].tolist() == ["0", "0", "1", "1"]
    assert cells.obs["weft"].cat.categories.tolist() == ["0", "1"]
    np.testing.assert_allclose(cells.obs["weft_confidence"], [0.0, 0.05, 0.9, 0.95])
    assert cells.var["weft_weight"].tolist() == [1.0, 0.0, 2.0]
    markers = cells.uns["weft"].pop("markers")
    assert cells.uns["weft"] == {
        "params": {"random_state": 0, "counts": True, "n_clusters": 2}, "n_clusters": 2,
        "confidence": 0.75, "method": "kmeans", "verdict": "Two.", "stability": 0.5,
    }  # fmt: skip
    assert asked == [((4, 2), [0, 0, 1, 1], True, ["g", "i"])]
    assert list(markers) == list(sc.FIELDS)
    assert (markers["feature"].tolist(), markers["cluster"].tolist()) == (["g"], [1])
    assert (markers["cluster"].dtype, markers["feature"].dtype) == (np.int64, object)
    assert markers["effect"].dtype == np.float64


def test_other_names_copies_and_no_markers(monkeypatch):
    monkeypatch.setattr(sc, "marker_columns", None)
    cells = Cells()
    made = sc.cluster(
        cells, copy=True, key_added="mine", markers=False, layer="raw", random_state=7
    )
    assert made is not cells
    assert (list(cells.obs), cells.uns) == ([], {})
    assert list(made.obs) == ["mine", "mine_confidence"]
    assert made.uns["mine"]["params"] == {"random_state": 7, "layer": "raw"}
    assert "markers" not in made.uns["mine"]
    np.testing.assert_array_equal(Known.seen[-1], X * 10.0)
    # A single cluster has no markers, a representation has no genes.
    monkeypatch.setattr(Known, "n_clusters_", 1)
    sc.cluster(cells)
    assert "markers" not in cells.uns["weft"]
    monkeypatch.setattr(Known, "n_clusters_", 2)
    other = Cells()
    sc.cluster(other, use_rep="X_pca")
    assert list(other.var) == ["good", "none"]
    assert other.uns["weft"]["params"] == {"random_state": 0, "use_rep": "X_pca"}
    np.testing.assert_array_equal(Known.seen[-1], other.obsm["X_pca"])


def test_an_unknown_confidence_is_0(monkeypatch):
    class Unsure(Known):
        def fit(self, table):
            super().fit(table)
            self.confidence_ = None
            return self

    monkeypatch.setattr(sc, "AutoCluster", Unsure)
    cells = Cells()
    sc.cluster(cells, markers=False)
    assert cells.uns["weft"]["confidence"] == 0.0


def test_a_model_alone():
    cells = Cells()
    model = sc.fit(cells, mask_var="good", n_clusters=3)
    assert model.params == {"random_state": 0, "n_clusters": 3}
    np.testing.assert_array_equal(Known.seen[-1], X[:, [0, 2]])
    assert cells.uns == {}


def test_tables_of_cells():
    table, genes = sc.table_of(Cells(), None, None, None)
    np.testing.assert_array_equal(table, X)
    assert genes.tolist() == [True] * 3
    table, genes = sc.table_of(Cells(sparse.csc_matrix(X)), None, None, "good")
    assert table.format == "csr"
    np.testing.assert_array_equal(table.toarray(), X[:, [0, 2]])
    assert genes.tolist() == [True, False, True]
    stored = SimpleNamespace(to_memory=lambda: sparse.csr_matrix(X))
    np.testing.assert_array_equal(sc.table_of(Cells(stored), None, None, None)[0].toarray(), X)
    table, genes = sc.table_of(Cells(), None, "X_pca", None)
    assert (table.dtype, genes) == (np.float64, None)
    cells = Cells(None)
    np.testing.assert_array_equal(sc.table_of(cells, "raw", None, None)[0], X * 10.0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("raw", "X_pca", None), "layer and use_rep were both given; give one of them."),
        ((None, "X", None),
         "use_rep='X' is not in adata.obsm, which has 'X_pca'; give one of these."),
        (("x", None, None),
         "layer='x' is not in adata.layers, which has 'raw'; give one of these."),
        ((None, None, "bad"),
         "mask_var='bad' is not in adata.var, which has 'good', 'none'; give one of these."),
        ((None, None, "none"),
         "adata.var['none'] marks no gene; give another mask_var, or None."),
    ],
)  # fmt: skip
def test_tables_that_are_not_there(arguments, words):
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the whole text is compared
        sc.table_of(Cells(), *arguments)
    assert str(error.value) == words


def test_empty_tables_and_long_lists():
    with pytest.raises(ValueError, match=r"adata.X is empty; give a layer, or use_rep."):
        sc.table_of(Cells(None), None, None, None)
    many = [f"k{j}" for j in range(9)]
    assert sc._not_there("layer", "x", "layers", many).endswith(
        "which has 'k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7'; give one of these."
    )
    assert "which has nothing;" in sc._not_there("layer", "x", "layers", [])


def test_probabilities_in_blocks(monkeypatch):
    model = Known().fit(X)
    for size in (1, 2, 3, 4096):
        monkeypatch.setattr(sc, "BLOCK_ROWS", size)
        np.testing.assert_allclose(sc.cell_confidences(model, X), [0.0, 0.05, 0.9, 0.95])
        found = sc.cell_confidences(model, sparse.csr_array(X))
        np.testing.assert_allclose(found, [0.0, 0.05, 0.9, 0.95])
