"""How many clusters: each method on data it can do, the vote, and nasty tables."""

import numpy as np
import pytest

from weft import choose_n_clusters
from weft.choosing import counting
from weft.choosing.n_clusters import METHODS, TRUST, _seed, _weigh, vote
from weft.choosing.results import Curve, Exponent, NumberOfClusters
from weft.datasets import make_ellipsoids, make_gaussians


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    centers = np.array([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]])
    return np.vstack([rng.normal(center, 1.0, (40, 3)) for center in centers])


@pytest.fixture(scope="module")
def chosen(blobs):
    return choose_n_clusters(blobs, random_state=0)


@pytest.mark.parametrize("method", METHODS)
def test_each_method_counts_four_plain_blobs(chosen, method):
    curve = chosen.curves[method]
    assert curve.n_clusters == 4
    assert 0.0 <= curve.strength <= 1.0
    assert len(curve.numbers) == len(curve.scores)
    assert np.isfinite(curve.scores).all()


def test_all_agree_so_confidence_is_one(chosen):
    assert chosen.n_clusters == 4
    assert chosen.confidence == pytest.approx(1.0)
    assert [row["method"] for row in chosen.table] == list(METHODS)
    assert str(chosen).startswith("4 clusters (confidence 1.00)")


def test_same_seed_same_bits_whoever_else_is_asked(blobs, chosen):
    alone = choose_n_clusters(blobs, methods=["prediction", "gap"], random_state=0)
    for name, curve in alone.curves.items():
        np.testing.assert_array_equal(curve.scores, chosen.curves[name].scores)


def test_a_generator_and_a_random_state_are_seeds(blobs):
    for seed in (np.random.default_rng(1), np.random.RandomState(1), None):
        found = choose_n_clusters(blobs, methods="mixture", random_state=seed)
        assert found.n_clusters == 4


def test_few_features_and_long_clusters():
    # What k-means based counts get wrong: wide and narrow clusters in the plane, thin ellipsoids.
    plane = make_gaussians(5, 2, cluster_size=(40, 120), random_state=11).data
    assert choose_n_clusters(plane, random_state=0).n_clusters == 5
    thin = make_ellipsoids(4, 30, cluster_size=(40, 60), random_state=11).data
    assert choose_n_clusters(thin, random_state=0).n_clusters == 4


def test_noise_is_one_cluster():
    rng = np.random.default_rng(3)
    assert choose_n_clusters(rng.normal(size=(150, 4)), random_state=0).n_clusters == 1


def test_weights_drop_columns(blobs):
    rng = np.random.default_rng(4)
    X = np.column_stack([blobs, 60.0 * rng.uniform(size=(len(blobs), 3))])
    found = choose_n_clusters(X, feature_weights=[1, 1, 1, 0, 0, 0], random_state=0)
    assert found.n_clusters == 4
    same = choose_n_clusters(blobs, random_state=0)
    assert found.confidence == same.confidence


@pytest.mark.parametrize(
    "X",
    [
        np.ones((20, 3)),
        np.repeat(np.arange(3.0), 9)[:, None],
        np.random.default_rng(5).normal(size=(4, 2)),
        np.random.default_rng(5).normal(size=(5, 300)),
        np.random.default_rng(5).integers(0, 2, (40, 2)).astype(float),
        np.random.default_rng(5).normal(size=(30, 3)) * [1e-9, 1.0, 1e9],
    ],
    ids=["all equal", "three values", "four rows", "wide", "binary", "scales"],
)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_degenerate_tables_have_an_answer(X):
    found = choose_n_clusters(X, random_state=0)
    assert 1 <= found.n_clusters < len(X)
    assert 0.0 < found.confidence <= 1.0


def test_max_clusters_is_kept(blobs):
    found = choose_n_clusters(blobs, max_clusters=3, random_state=0)
    assert all(curve.n_clusters <= 3 for curve in found.curves.values())


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"methods": ["elbow"]}, "methods='elbow' is not known"),
        ({"methods": []}, "methods is empty"),
        ({"max_clusters": 1}, "max_clusters=1 must be between 2"),
        ({"feature_weights": [1.0, 2.0]}, "one finite, non-negative weight for each of the 3"),
        ({"feature_weights": [0.0, 0.0, 0.0]}, "zero for every column"),
    ],
)
def test_bad_input_gets_a_sentence(blobs, given, words):
    with pytest.raises(ValueError, match=words):
        choose_n_clusters(blobs, **given)


def _curve(number, strength=1.0):
    return Curve(number, strength, np.arange(1, 4), np.zeros(3), "")


def test_the_vote_by_hand():
    # mixture 3.0 for 5; eigengap 1.5, silhouette 1.0 and prediction 1.0 for 2: 3.5 against 3.
    curves = {name: _curve(2) for name in ("eigengap", "silhouette", "prediction")}
    found = vote(curves | {"mixture": _curve(5)})
    assert found.n_clusters == 2
    assert found.confidence == pytest.approx(3.5 / 6.5)
    # The mixture in doubt (half) counts 1.5, as the eigengap: the more trusted one wins a tie.
    tied = vote({"eigengap": _curve(2), "mixture": _curve(5, 0.5)})
    assert tied.n_clusters == 5
    assert set(TRUST) == set(METHODS)


def test_prediction_strength_by_hand():
    # Cluster 0 has 3 rows of which 2 are told together: 2 of 6 ordered pairs; cluster 1 is whole.
    found, told = np.array([0, 0, 0, 1, 1]), np.array([4, 4, 2, 3, 3])
    assert counting.prediction_strength(found, told) == pytest.approx(1 / 3)
    assert counting.prediction_strength(np.array([0, 1, 1]), np.array([0, 1, 1])) == 0.0


def test_the_spectrum_has_a_zero_per_component():
    X = np.concatenate([np.arange(15.0), 1e6 + np.arange(15.0), 1e9 + np.arange(15.0)])[:, None]
    values = counting.laplacian_spectrum(X, 5)
    assert (values[:3] < 1e-9).all()
    assert values[3] > 1e-3


def test_pictures_by_hand():
    numbers, scores = np.array([2, 3, 4]), np.array([0.5, 0.9, 0.1])
    curves = {
        "gap": Curve(3, 1.0, numbers, scores, "nats"),
        "mixture": Curve(2, 0.5, numbers, -scores, "bits"),
    }
    figure = NumberOfClusters(3, 0.75, curves, {"gap": 2.0}).plot()
    assert figure.layout.title.text == "3 clusters (confidence 0.75)"
    assert [note.text for note in figure.layout.annotations] == ["gap: 3", "mixture: 2"]
    drawn = [(t.mode, list(t.x), list(t.y), t.xaxis, t.showlegend) for t in figure.data]
    assert drawn == [
        ("lines", [2, 3, 4], [0.5, 0.9, 0.1], "x", False),
        ("markers", [3], [0.9], "x", False),
        ("lines", [2, 3, 4], [-0.5, -0.9, -0.1], "x2", False),
        ("markers", [2], [-0.5], "x2", False),
    ]
    assert figure.layout.xaxis.title.text == figure.layout.xaxis2.title.text == "number of clusters"
    lines = [(line.x0, line.x1, line.line.dash, line.xref) for line in figure.layout.shapes]
    assert lines == [(3, 3, "dash", "x"), (3, 3, "dash", "x2")]


def test_results_in_words_by_hand():
    curves = {"gap": Curve(3, 0.12345, np.array([2, 3]), np.zeros(2), "nats")}
    result = NumberOfClusters(3, 1.0, curves, {})
    assert str(result).splitlines() == [
        "3 clusters (confidence 1.00)",
        "| method | n_clusters | strength | weight | read from |",
        "| ------ | ---------- | -------- | ------ | --------- |",
        "| gap    | 3          | 0.123    | 0      | nats      |",
    ]
    assert str(NumberOfClusters(1, 0.5, curves, {})).startswith("1 cluster (confidence 0.50)\n")
    grid, scores = np.array([1.5, 2.0]), np.array([0.123456, np.nan])
    chosen = Exponent(1.5, "pairs", grid, scores, {"pairs": scores}, {"exponent": 1.5})
    assert str(chosen).splitlines() == [
        "exponent 1.5 (by pairs)",
        "| exponent | pairs  | chosen |",
        "| -------- | ------ | ------ |",
        "| 1.5      | 0.1235 | *      |",
        "| 2        | nan    |        |",
    ]


def test_pictures(chosen):
    assert len(chosen.plot().data) == 2 * len(METHODS)


def test_weights_stretch_columns_and_drop_those_with_0():
    rows = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    np.testing.assert_array_equal(_weigh(rows, [2.0, 0.0, 0.5]), [[2.0, 1.5], [8.0, 3.0]])


@pytest.mark.parametrize(
    "weights", [[1.0, -1.0], [1.0, np.nan], [np.inf, 1.0], [1.0], [[1.0, 1.0]]]
)
def test_a_wrong_weight_gets_a_sentence(weights):
    with pytest.raises(ValueError, match="one finite, non-negative weight for each of the 2"):
        _weigh(np.ones((4, 2)), weights)


def test_a_seed_is_drawn_from_what_is_given():
    assert _seed(np.random.default_rng(3)) == np.random.default_rng(3).integers(2**31 - 1)
    expected = np.random.RandomState(3).randint(2**31 - 1)
    assert _seed(3) == _seed(np.random.RandomState(3)) == expected
