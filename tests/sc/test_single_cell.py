"""weft.sc, `weft cluster cells.h5ad` and tables of genes × samples."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from typer.testing import CliRunner

from weft.cli.app import app
from weft.tables.orientation import orientation_note, transposed
from weft.tables.raw import RawTable

anndata = pytest.importorskip("anndata")


@pytest.fixture(scope="module")
def cells():
    """Three kinds of 40 cells; genes 20 k to 20 k + 19 are those of kind k."""
    rng = np.random.default_rng(0)
    kinds = np.repeat([0, 1, 2], 40)
    mean = np.full((120, 100), 2.0)
    for k in range(3):
        mean[np.ix_(kinds == k, np.arange(20 * k, 20 * k + 20))] *= 5.0
    counts = rng.poisson(mean * rng.lognormal(0.0, 0.5, (120, 1))).astype(np.float32)
    made = anndata.AnnData(sparse.csr_matrix(counts))
    made.obs["kind"] = kinds
    made.layers["counts"] = made.X.copy()
    made.X = sparse.csr_matrix(np.log1p(counts / counts.sum(axis=1, keepdims=True) * 200.0))
    made.obsm["X_two"] = counts[:, [0, 20, 40]]
    made.var["some"] = np.arange(100) < 70
    return made


def test_results_are_written_where_scanpy_looks(cells):
    from weft import sc

    adata = cells.copy()
    assert sc.cluster(adata, n_resamples=0) is None
    assert adata.obs["weft"].dtype == "category"
    assert adjusted_rand_score(adata.obs["kind"], adata.obs["weft"]) > 0.9
    assert adata.obs["weft_confidence"].between(0.0, 1.0).all()
    assert adata.var["weft_weight"].iloc[:60].gt(0.0).mean() > 0.8
    about = adata.uns["weft"]
    assert about["n_clusters"] == 3
    own = about["markers"]["cluster"] == about["markers"]["cluster"][0]
    assert set(about["markers"]["feature"][own][:5]) <= {str(j) for j in range(60)}


def test_counts_layers_masks_and_representations(cells, tmp_path):
    from weft import sc

    of_counts = sc.cluster(
        cells, layer="counts", counts=True, copy=True, n_resamples=0, key_added="own"
    )
    assert adjusted_rand_score(of_counts.obs["kind"], of_counts.obs["own"]) > 0.9
    assert "own" not in cells.obs
    some = sc.cluster(cells, mask_var="some", copy=True, n_resamples=0, markers=False)
    assert (some.var["weft_weight"].iloc[70:] == 0.0).all()
    by_rep = sc.cluster(cells, use_rep="X_two", copy=True, n_resamples=0)
    assert "weft_weight" not in by_rep.var
    with pytest.raises(ValueError, match="is not in adata"):
        sc.fit(cells, layer="nothing")
    with pytest.raises(ValueError, match="both given"):
        sc.fit(cells, layer="counts", use_rep="X_two")
    with pytest.raises(ValueError, match=r"is not in adata.var"):
        sc.fit(cells, mask_var="nothing")


def test_a_file_is_clustered_backed_and_by_the_command_line(cells, tmp_path, monkeypatch):
    from weft import sc

    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings(), pd.option_context("future.infer_string", False):
        warnings.simplefilter("ignore")  # some versions of AnnData do not write pandas 3's text
        plain = anndata.AnnData(cells.X.copy())
        plain.write_h5ad("cells.h5ad")
        plain[:, ::-1].copy().write_h5ad("turned.h5ad")
        plain[:, :-1].copy().write_h5ad("fewer.h5ad")
    backed = anndata.read_h5ad("cells.h5ad", backed="r")
    assert sc.fit(backed, n_clusters=3, n_resamples=0).n_clusters_ == 3
    done = CliRunner().invoke(
        app, ["cluster", "cells.h5ad", "--out", "out", "--param", "n_resamples=0"]
    )
    assert done.exit_code == 0, done.output
    labels = pd.read_csv("out/labels.csv")
    assert adjusted_rand_score(cells.obs["kind"], labels["cluster"]) > 0.9
    assert len(pd.read_csv("out/markers.csv")) > 20
    assert "cells.h5ad: 120 cells, 100 genes" in done.output
    assert "Done in 0.0 s" not in done.output
    assert "report.html" in done.output
    again = CliRunner().invoke(app, ["predict", "out", "turned.h5ad", "--out", "again.csv"])
    assert again.exit_code == 0, again.output
    assert pd.read_csv("again.csv").equals(labels)  # genes are matched by name
    fewer = CliRunner().invoke(app, ["predict", "out", "fewer.h5ad"])
    assert fewer.exit_code == 2
    assert "lacks 1 of the" in fewer.output
    (tmp_path / "broken.h5ad").write_text("nothing")
    bad = CliRunner().invoke(app, ["cluster", "broken.h5ad"])
    assert bad.exit_code == 2
    assert "cannot be read as h5ad" in bad.output


def test_raw_counts_in_a_file_are_noticed(cells, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings(), pd.option_context("future.infer_string", False):
        warnings.simplefilter("ignore")
        anndata.AnnData(cells.layers["counts"].copy()).write_h5ad("raw.h5ad")
    plain = ["cluster", "raw.h5ad", "--param", "n_resamples=0", "--out"]
    told = CliRunner().invoke(app, [*plain, "one"])
    assert told.exit_code == 0, told.output
    assert "--param counts=true" in " ".join(told.output.split())
    done = CliRunner().invoke(app, [*plain, "two", "--param", "counts=true"])
    assert done.exit_code == 0, done.output
    found = pd.read_csv("two/labels.csv")["cluster"]
    assert adjusted_rand_score(cells.obs["kind"], found) > 0.9


def test_genes_in_rows_are_noticed_and_turned():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 12)), columns=[f"patient {j}" for j in range(12)])
    frame.insert(0, "gene", [f"ENSG{number:011d}" for number in range(300)])
    raw = RawTable(frame, "genes.csv")
    assert "--transpose" in orientation_note(raw)
    turned = transposed(raw)
    assert turned.frame.shape == (12, 301)
    assert turned.frame["sample"].tolist()[0] == "patient 0"
    np.testing.assert_allclose(
        turned.frame.iloc[:, 1:].to_numpy(dtype=float), frame.iloc[:, 1:].to_numpy().T
    )
    assert orientation_note(turned) == ""
    people = frame.assign(gene=[f"person number {j}" for j in range(300)])
    assert orientation_note(RawTable(people, "people.csv")) == ""
