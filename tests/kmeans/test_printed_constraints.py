"""COP-KMeans row by row, written a second time from the paper, beside ConstrainedKMeans."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from weft import ConstrainedKMeans, RangeScaler
from weft.estimators.presets import find_method
from weft.kmeans.constraints import ConstrainedAssignment, first_of_groups, make_groups
from weft.kmeans.data import make_data


def follow_must_links(must_link, n_rows):
    """Return for each row the first row of its chain of must-links."""
    leader = list(range(n_rows))
    for _ in range(n_rows):
        before = list(leader)
        for one, other in must_link:
            leader[one] = leader[other] = min(leader[one], leader[other])
        if leader == before:
            return leader
    return leader


def place_rows(X, centers, leader, foes):
    """Return the cluster of each row, rows one after another; None at a dead end."""
    of_leader = {}
    for row in range(len(X)):
        if leader[row] in of_leader:
            continue  # "the other is automatically assigned to it as well"
        barred = {of_leader.get(foe) for foe in foes.get(leader[row], ())}
        nearest = np.argsort(((X[row] - centers) ** 2).sum(axis=1), kind="stable")
        allowed = [int(k) for k in nearest if k not in barred]
        if not allowed:
            return None
        of_leader[leader[row]] = allowed[0]
    return np.array([of_leader[each] for each in leader])


def cop_kmeans(X, centers, must_link, cannot_link, max_iter=100):
    """Return labels, "dead end", or "no end" where labels repeat in a circle."""
    leader = follow_must_links(must_link, len(X))
    foes = {}
    for one, other in cannot_link:
        foes.setdefault(leader[one], set()).add(leader[other])
        foes.setdefault(leader[other], set()).add(leader[one])
    labels = None
    for _ in range(max_iter):
        placed = place_rows(X, centers, leader, foes)
        if placed is None:
            return "dead end"
        if labels is not None and (placed == labels).all():
            return labels
        labels = placed
        centers = np.array([X[labels == k].mean(axis=0) for k in range(len(centers))])
    return "no end"


@pytest.mark.filterwarnings("ignore:max_iter")
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_labels_are_those_of_a_separate_implementation(load):
    # "assigns each entity to the closest centroid, making sure it follows the must-link and
    # cannot-link rules" (algorithm 4.1). The call is that of the preset, but for the start.
    found = load()
    X, y = RangeScaler().fit_transform(found.data), found.target
    settings = {**find_method("cop-kmeans").params, "max_iter": 100}
    kinds = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        pairs = rng.integers(len(X), size=(40, 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        must, cannot = pairs[same], pairs[~same]
        start = X[rng.choice(len(X), 3, replace=False)]
        wanted = cop_kmeans(X, start, must, cannot)
        kinds.append(wanted if isinstance(wanted, str) else "labels")
        model = ConstrainedKMeans(3, **{**settings, "init": start})
        if isinstance(wanted, str) and wanted == "dead end":
            with pytest.raises(ValueError, match="has no cluster"):
                model.fit(X, must_link=must, cannot_link=cannot)
        elif not isinstance(wanted, str):
            labels = model.fit(X, must_link=must, cannot_link=cannot).labels_
            assert (labels == wanted).all(), f"seed {seed}"
    assert kinds.count("labels") >= 15


def test_a_group_follows_its_first_row_as_printed():
    # Rows 4 and 20, tied, between centres 0 and 10: the first row alone is nearer to 0, the sum
    # (4² + 20² against 6² + 10²) is nearer to 10.
    X, centers = np.array([[4.0], [20.0], [0.0], [10.0]]), np.array([[0.0], [10.0]])
    groups = make_groups(np.array([[0, 1]]), np.empty((0, 2), dtype=np.int64), 4)
    data = make_data(X, np.ones(4), 2.0, lambda task, n: task(0, n))
    for by, labels in (("first", [0, 0, 0, 1]), ("sum", [1, 1, 0, 1])):
        assign = ConstrainedAssignment(groups, 0, by)
        assert assign(data, centers, np.ones((2, 1))).tolist() == labels
    assert first_of_groups(X, np.array([0, 0, 1, 2]), 4).ravel().tolist() == [4.0, 0.0, 10.0, 0.0]
