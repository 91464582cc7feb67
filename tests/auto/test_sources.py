"""AutoCluster on raw tables: screening by source column, numbers first, cautions, alternatives."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

import weft
from weft import AutoCluster
from weft.auto.source_family import (
    CLASSES,
    DEPENDENT,
    KMEANS,
    SourceCandidate,
    source_candidates,
)
from weft.auto.source_judge import (
    CLUMPED,
    MOST_CONFIDENT,
    confidence_of,
    ranked,
    score_of,
)
from weft.auto.source_rest import (
    is_product,
    look_into_clusters,
    put_repetitions_behind,
    remaining_clumps,
)
from weft.auto.sources import Sources, cluster_sources, is_mixed
from weft.columns.source import MixedTable, SourceColumn

LEVELS = ("a", "b", "c")


def table_of(parts, n_numbers):
    columns = tuple(
        SourceColumn(f"x{j}", "number", (j,))
        if j < n_numbers
        else SourceColumn(f"c{j}", "category", (j,), levels=LEVELS)
        for j in range(len(parts))
    )
    return MixedTable(np.column_stack(parts).astype(float), columns)


def told_by_categories(n=300, seed=0):
    """Three clusters that five categories tell together, and two numbers of noise."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    parts = [rng.standard_normal(n), rng.standard_normal(n)]
    for number in range(5):
        wrong = rng.random(n) < 0.15
        parts.append(np.where(wrong, rng.integers(3, size=n), (labels + number) % 3))
    return table_of(parts, 2), labels


def search(table, low=None, high=None):
    owner = np.arange(len(table.used))
    return cluster_sources(
        Sources(table, owner),
        np.arange(len(table.values)),
        rate=0.05,
        low=low,
        high=high,
        rng=np.random.default_rng(0),
    )


def test_clusters_that_categories_tell():
    table, labels = told_by_categories()
    found = search(table)
    assert found.kept.tolist() == [False] * 2 + [True] * 5
    assert found.found[0].n_clusters == 3
    assert adjusted_rand_score(labels, found.found[0].labels) > 0.9
    assert found.caution == ""


def test_noise_has_no_clusters_unless_their_number_is_given():
    rng = np.random.default_rng(0)
    table = table_of([rng.integers(3, size=300) for _ in range(5)], 0)
    assert search(table).found == ()
    assert not search(table).kept.any()
    found = search(table, low=4, high=4)
    assert found.found[0].n_clusters == 4


def channel_and_a_number(n=400):
    """A yes/no, and a number that knows little of it: cut in two, the table gives the yes/no."""
    rng = np.random.default_rng(1)
    channel = rng.integers(2, size=n)
    return rng.normal(0.7 * channel, 1.0), channel


def test_clusters_that_are_a_column_get_a_caution():
    found = search(table_of(channel_and_a_number(), 1), low=2, high=2)
    assert "the clusters are the values of column 'c1'" in found.caution
    assert "hardly support them" in found.caution


def test_the_caution_stands_first_in_the_verdict():
    number, channel = channel_and_a_number()
    frame = pd.DataFrame({"spend": number, "channel": np.array(["web", "shop"])[channel]})
    model = AutoCluster(2, n_resamples=0).fit(frame)
    assert model.verdict_.startswith("Caution: the clusters are the values of column 'channel'")


def test_weights_and_columns_are_shared_by_coordinates():
    table, _ = told_by_categories()
    owner = np.repeat(np.arange(7), [1, 1, 2, 2, 2, 2, 2])
    sources = Sources(table, owner)
    weights = sources.share_weights(np.arange(12.0))
    assert weights.tolist() == [0.0, 1.0, 3.0, 3.0, 5.0, 5.0, 7.0, 7.0, 9.0, 9.0, 11.0, 11.0]
    assert sources.coordinates_of_numbers(np.ones(7, dtype=bool)).tolist() == [0, 1]
    assert sources.take(np.arange(10)).table.values.shape == (10, 7)
    assert is_mixed(table)
    assert not is_mixed(table.take_columns([0, 1]))


@pytest.fixture(scope="module")
def clients():
    table, labels = told_by_categories()
    frame = pd.DataFrame(table.values[:, :2], columns=["height", "age"])
    for number in range(2, 7):
        names = np.array(["red", "green", "blue"])
        frame[f"answer {number}"] = names[table.values[:, number].astype(int)]
    frame.loc[::19, "answer 3"] = None
    return frame, labels


@pytest.fixture(scope="module")
def model(clients):
    return AutoCluster(random_state=0, n_resamples=1).fit(clients[0])


def test_a_raw_table_in_one_call(clients, model):
    frame, labels = clients
    assert model.n_clusters_ == 3
    assert adjusted_rand_score(labels, model.labels_) > 0.9
    weights = dict(zip(frame.columns, model.source_weights_, strict=True))
    assert weights["height"] == weights["age"] == 0.0
    assert all(weights[name] > 0.0 for name in frame.columns[2:])
    assert 0.5 < model.confidence_ <= MOST_CONFIDENT
    np.testing.assert_array_equal(model.alternatives_[0]["labels"], model.labels_)


def test_raw_rows_are_predicted_by_a_saved_model(clients, model, tmp_path):
    frame, _ = clients
    np.testing.assert_array_equal(model.predict(frame), model.labels_)
    model.save(tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft")
    np.testing.assert_array_equal(loaded.predict(frame[::-1]), model.labels_[::-1])


def test_order_of_rows_does_not_matter(clients, model):
    order = np.random.default_rng(0).permutation(300)
    turned = AutoCluster(random_state=1, n_resamples=0).fit(clients[0].iloc[order])
    assert adjusted_rand_score(turned.labels_, model.labels_[order]) == 1.0


def test_categories_of_noise_are_no_clusters():
    rng = np.random.default_rng(3)
    names = np.array(["x", "y", "z"])
    frame = pd.DataFrame({f"c{j}": names[rng.integers(3, size=500)] for j in range(5)})
    found = AutoCluster(n_resamples=0).fit(frame)
    assert found.n_clusters_ == 1
    assert found.verdict_.startswith("No clusters found")


def one_trait(n=300, seed=0):
    """Answers that follow one trait: dependent, and no clusters."""
    rng = np.random.default_rng(seed)
    trait = rng.standard_normal(n)
    parts = [trait + 0.7 * rng.standard_normal(n) for _ in range(3)]
    parts += [np.digitize(trait + 0.7 * rng.standard_normal(n), (-0.6, 0.6)) for _ in range(4)]
    return table_of(parts, 3)


def test_a_weak_answer_is_offered_and_is_not_the_answer():
    found = search(one_trait())
    assert found.found == ()
    assert not found.kept.any()
    assert found.screening.dependent.all()
    assert [each.method.split(":")[0] for each in found.weak] == [KMEANS]


def test_the_order_of_columns_does_not_matter():
    table, _ = told_by_categories()
    order = np.array([3, 6, 0, 2, 5, 1, 4])
    turned = table.take_columns(order)
    # Coordinates are in canonical order whatever the order of the table's columns.
    place = np.argsort(order)
    found = cluster_sources(
        Sources(turned, place),
        np.arange(len(table.values)),
        rate=0.05,
        low=None,
        high=None,
        rng=np.random.default_rng(0),
    )
    expected = search(table)
    np.testing.assert_array_equal(found.found[0].labels, expected.found[0].labels)
    assert found.kept[place].tolist() == expected.kept.tolist()


def test_gaps_that_go_with_the_clusters_get_a_caution():
    table, labels = told_by_categories()
    values = table.values.copy()
    values[(labels == 1) | (np.arange(300) % 4 == 1), 3] = np.nan
    found = search(MixedTable(values, table.columns))
    assert "values of column 'c3' are missing in" in found.caution
    assert "ask why" in found.caution


def candidate(**evidence):
    labels = np.array([0, 0, 1, 1])
    usual = SourceCandidate(labels, 2, KMEANS, 0.9, 0.9, 0.5, 0.5, 0.06, 1.0, 1.0)
    return usual._replace(**evidence)


def test_the_judge_prefers_what_speaks_for_a_clustering():
    best = candidate()
    for worse in (
        {"stability": 0.5},
        {"agreement": 0.3},
        {"ratio": 0.2},
        {"joint_ratio": 0.2},
        {"smallest": 0.01},
        {"remaining": CLUMPED + 1.0},
    ):
        assert score_of(candidate(**worse)) < score_of(best)
        assert ranked([candidate(**worse), best])[0] is best
    assert confidence_of(candidate(stability=0.6)) < confidence_of(best) <= MOST_CONFIDENT


def two_hidden_in_one(n=450, seed=0):
    """Three clusters, two of which lie near each other."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    middles = np.array([0.0, 6.0, 9.0])
    parts = [rng.normal(middles[labels], 0.7) for _ in range(3)]
    parts += [np.where(rng.random(n) < 0.1, rng.integers(3, size=n), labels) for _ in range(2)]
    return table_of(parts, 3), labels


def test_clusters_that_hold_others_are_passed_over():
    table, labels = two_hidden_in_one()
    rng = np.random.default_rng(0)
    coarse = (labels > 0).astype(np.int64)
    assert remaining_clumps(coarse, table, rng) > CLUMPED + 1.0
    assert remaining_clumps(labels, table, rng) < CLUMPED
    two = candidate(labels=coarse, stability=1.0, agreement=1.0)
    three = candidate(labels=labels, n_clusters=3, agreement=0.8)
    assert ranked([two, three])[0] is two
    order = look_into_clusters([two, three], table, rng)
    assert [each.n_clusters for each in order] == [3, 2]
    assert order[1].remaining > CLUMPED


def test_fewer_clusters_hold_at_least_the_clumps_of_more():
    # Three clusters as four, one of them cut in two, hold the two that lie near each other. Two
    # clusters come to the front then; without a look into them, they hold these as well.
    table, labels = two_hidden_in_one()
    rng = np.random.default_rng(0)
    half = np.arange(len(labels)) % 2
    merged = (labels > 0).astype(np.int64)
    four = candidate(labels=merged * 2 + half, n_clusters=4, stability=1.0, agreement=1.0)
    two = candidate(labels=merged, stability=0.51, agreement=0.0, ratio=0.1, joint_ratio=0.1)
    order = look_into_clusters([four, two], table, rng)
    assert order[0] is not four  # looked into
    assert {each.n_clusters: each.remaining > CLUMPED for each in order} == {2: True, 4: True}


def test_species_by_sex_are_the_species():
    species, sex = np.repeat([0, 1, 2], 60), np.arange(180) % 2
    table = table_of([species.astype(float), sex], 1)
    assert is_product(species * 2 + sex, species, [1], table)
    assert not is_product(species, species, [1], table)  # nothing is split
    other = np.random.default_rng(0).permutation(species)
    assert not is_product(species * 2 + sex, other, [1], table)


def test_what_repeats_a_category_comes_behind():
    number, channel = channel_and_a_number()
    table = table_of((number, channel), 1)
    mere = candidate(labels=channel.astype(np.int64))
    other = candidate(labels=(number > 0.35).astype(np.int64))
    first, behind = put_repetitions_behind([mere, other], table)
    assert first is other
    np.testing.assert_array_equal(behind.labels, mere.labels)
    assert behind.behind.startswith("the clusters are the values of column")
    assert put_repetitions_behind([other, mere], table) == [other, mere]
    assert put_repetitions_behind([mere], table) == [mere]


def test_candidates_have_all_ways_only_where_classes_may_be_asked():
    table, _ = told_by_categories()
    used = table.take_columns(range(2, 7))
    rng = np.random.default_rng(0)
    made = source_candidates(used, low=2, high=4, with_classes=True, rng=rng)
    assert {(each.way, each.n_clusters) for each in made} >= {(KMEANS, 3), (CLASSES, 3)}
    made = source_candidates(used, low=3, high=3, with_classes=False, rng=rng)
    assert [(each.way, each.n_clusters) for each in made] == [(KMEANS, 3)]
    numbers, _ = two_hidden_in_one()
    made = source_candidates(numbers, low=3, high=3, with_classes=True, rng=rng)
    assert {each.way for each in made} == {KMEANS, CLASSES, DEPENDENT}
