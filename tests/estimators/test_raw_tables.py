"""Raw tables in the estimators: one way in, one saved object, one answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import adjusted_rand_score

import weft
from weft.estimators._reading import RawTableMixin, is_raw, learn_table

CLUSTERERS = [
    lambda: weft.WeightedKMeans(3, random_state=0),
    lambda: weft.EntropyKMeans(3, random_state=0),
    lambda: weft.FeatureSwarm(
        "linkage", n_clusters=3, n_generations=3, n_particles=6, random_state=0
    ),
    lambda: weft.ProjectedSwarm(3, n_evaluations=40, n_particles=6, random_state=0),
    lambda: weft.StagedSwarm(n_generations=3, n_particles=6, n_clusters_estimate=2, random_state=0),
    lambda: weft.KernelKMeans(3, n_init=1, random_state=0),
]


@pytest.fixture
def raw():
    """Three groups in numbers, money and a category, with gaps, an identifier and free text."""
    rng = np.random.default_rng(3)
    truth = np.arange(90) % 3
    frame = pd.DataFrame(
        {
            "size": truth * 6 + rng.normal(size=90),
            "price": [f"${x:,.2f}" for x in 900 * truth + rng.normal(2000, 60, 90)],
            "kind": np.array(["a", "b", "c"])[truth],
            "id": [f"r{i}" for i in range(90)],
            "note": [f"some words about row {i // 2} here" for i in range(90)],
        }
    )
    frame.loc[4, "size"] = np.nan
    frame.loc[7, "kind"] = None
    return frame, truth


@pytest.mark.parametrize("make", CLUSTERERS)
def test_raw_rows_in_and_out(make, raw, tmp_path):
    frame, truth = raw
    model = make().fit(frame)
    assert adjusted_rand_score(truth, model.labels_) > 0.5
    kinds = {column.name: column.kind for column in model.source_columns_}
    assert kinds == {
        "size": "number",
        "price": "amount",
        "kind": "category",
        "id": "identifier",
        "note": "text",
    }
    assert model.source_weights_.sum() == pytest.approx(1.0)
    assert model.source_weights_[3:].tolist() == [0, 0]
    model.save(tmp_path / "m.weft")
    loaded = weft.load(tmp_path / "m.weft")
    expected = model.predict(frame)
    np.testing.assert_array_equal(loaded.predict(frame), expected)
    np.testing.assert_array_equal(loaded.predict(pl.from_pandas(frame)), expected)
    np.testing.assert_array_equal(loaded.predict(frame[["kind", "price", "size"]]), expected)
    assert loaded.source_columns_ == model.source_columns_


def test_the_report_names_source_columns_only(raw):
    frame, _ = raw
    model = weft.WeightedKMeans(3, random_state=0).fit(frame)
    summary = model.report(frame, stability=1).summary
    assert {entry["name"] for entry in summary["features"]} == {"size", "price", "kind"}
    assert {entry["name"]: entry["unit"] for entry in summary["features"]}["price"] == "$"
    assert summary["cluster_weights"]["n_features"] == 3
    assert set(summary["stability"]["kept"]) == {"size", "price", "kind"}
    assert summary["data"]["n_features"] == 3
    traits = {trait["feature"] for entry in summary["clusters"] for trait in entry["traits"]}
    assert traits <= {"size", "price [$]", "kind: a", "kind: b", "kind: c"}
    assert [entry["kind"] for entry in summary["columns"]][-2:] == ["identifier", "text"]
    assert sum(entry["share"] for entry in summary["features"]) == pytest.approx(1.0)


def test_a_model_fitted_on_numbers_has_no_source_columns(three_groups):
    model = weft.WeightedKMeans(3, random_state=0).fit(pd.DataFrame(three_groups).add_prefix("x"))
    assert not hasattr(model, "source_columns_")
    with pytest.raises(AttributeError, match="not fitted on a raw table"):
        model.source_columns_  # noqa: B018 - the access itself raises


def test_fitting_on_numbers_forgets_the_raw_table(raw, three_groups):
    model = weft.WeightedKMeans(3, random_state=0).fit(raw[0])
    model.fit(three_groups)
    assert model.predict(three_groups).shape == (len(three_groups),)
    assert not hasattr(model, "source_columns_")


def test_new_levels_warn_and_missing_columns_are_named(raw):
    frame, _ = raw
    model = weft.WeightedKMeans(3, random_state=0).fit(frame)
    with pytest.warns(UserWarning, match="not seen in the fit"):
        model.predict(frame.assign(kind="z"))
    with pytest.raises(ValueError, match="X lacks column 'price'"):
        model.predict(frame.drop(columns="price"))


def test_what_is_raw(raw):
    numbers = pd.DataFrame({"a": [1.0, 2.0], "b": [3, 4], "c": [True, False]})
    assert is_raw(raw[0])
    assert is_raw(pl.from_pandas(raw[0]))
    assert not is_raw(numbers)
    assert not is_raw(pl.from_pandas(numbers))
    assert not is_raw(numbers.astype(object))
    assert not is_raw(numbers.to_numpy())
    assert not is_raw([[1, 2], [3, 4]])
    gaps = numbers.assign(a=[1.0, np.nan])
    assert is_raw(gaps)
    assert not is_raw(gaps, allow_nan=True)
    assert is_raw(pl.DataFrame({"a": [1, None]}))


def test_batches_of_a_raw_stream(raw):
    frame, truth = raw
    model = weft.WeightedKMeans(3, random_state=0)
    for start in range(0, 90, 30):
        model.partial_fit(frame[start : start + 30].reset_index(drop=True))
    assert adjusted_rand_score(truth, model.predict(frame)) > 0.8


def test_the_command_line_and_python_give_the_same_labels(raw, tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from weft.cli.app import app

    frame, _ = raw
    monkeypatch.chdir(tmp_path)
    frame.to_csv("t.csv", index=False)
    call = ["cluster", "t.csv", "--method", "imwk-means", "--n-clusters", "3", "--out", "o"]
    result = CliRunner().invoke(app, call)
    assert result.exit_code == 0, result.output
    labels = pd.read_csv("o/labels.csv")["cluster"].to_numpy()
    model = weft.load("o/model.weft")
    np.testing.assert_array_equal(model.predict(pd.read_csv("t.csv")), labels)
    again = type(model)(**model.get_params()).fit(pd.read_csv("t.csv"))
    np.testing.assert_array_equal(again.labels_, labels)


def test_zero_and_one_written_with_a_decimal_point_are_a_yes_no():
    rng = np.random.default_rng(0)
    flags = rng.integers(2, size=60)
    frame = pd.DataFrame(
        {"flag": np.array(["0.0", "1.0"])[flags], "x": rng.normal(size=60), "y": ["a", "b"] * 30}
    )
    plan, made = learn_table(frame)
    assert plan.columns[0].kind == "yes/no"
    np.testing.assert_array_equal(made.table.values[:, 0], flags)


@pytest.mark.parametrize(("allowed", "is_raw_table"), [(None, True), (False, True), (True, False)])
def test_gaps_make_a_table_raw_unless_they_are_allowed(allowed, is_raw_table):
    class Reader(RawTableMixin):
        pass

    reader = Reader()
    if allowed is not None:
        reader.allow_nan = allowed
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.5, 4.0], "b": [2.0, 5.0, 1.0, 9.0]})
    rows, table = reader._read_table(frame)
    assert (table is not None) is is_raw_table
    assert bool(np.isnan(np.asarray(rows)).any()) is not is_raw_table
    assert hasattr(reader, "_table") is is_raw_table
    # A table without gaps stays as it is, and what an earlier fit has left is forgotten.
    whole, table = reader._read_table(frame.fillna(0.0))
    assert table is None
    assert np.asarray(whole).tolist() == frame.fillna(0.0).to_numpy().tolist()
    assert not hasattr(reader, "_table")
