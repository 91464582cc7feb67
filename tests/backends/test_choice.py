"""Which backend does the work, on a machine with a GPU and without one; small CPU operations."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from weft.auto.evidence.second import _measures
from weft.backends import CPU, REFERENCE, TOPICS, WORTH_A_GPU, Backend, backend_for, devices
from weft.backends.cpu.known_rows import nearest_rows_of
from weft.backends.cpu.space_clusterers import _median
from weft.backends.spaces import Solution


@pytest.fixture(params=[True, False], ids=["a GPU", "no GPU"])
def has_gpu(request, monkeypatch):
    monkeypatch.setattr(devices, "has_cuda", lambda: request.param)
    monkeypatch.setattr(devices, "load_torch", lambda: SimpleNamespace())
    return request.param


def test_the_cpu_is_taken_where_it_is_asked_for(has_gpu):
    assert backend_for("cpu", "kmeans", 1e12) is CPU
    assert CPU.on_gpu is False


def test_a_gpu_is_taken_where_it_is_asked_for(has_gpu):
    if has_gpu:
        found = backend_for("cuda", "kmeans", 1.0)
        assert found == Backend("gpu", devices.GPU)
        assert found.on_gpu
    else:
        with pytest.raises(ValueError, match="needs a GPU that torch can use"):
            backend_for("cuda", "kmeans", 1.0)


@pytest.mark.parametrize("work", sorted(WORTH_A_GPU))
def test_large_work_goes_to_a_gpu_by_itself(has_gpu, work):
    least = WORTH_A_GPU[work]
    assert backend_for("auto", work, least).on_gpu is has_gpu
    assert backend_for("auto", work, 0.999 * least) is CPU
    # A table that lies on the GPU stays there, however small.
    there = SimpleNamespace(is_cuda=True)
    assert backend_for("auto", work, 0.0, there).on_gpu is has_gpu
    assert backend_for("auto", work, 0.0, np.zeros(2)) is CPU
    assert backend_for("auto", "unknown", 1e300) is CPU


def test_unknown_devices_and_topics():
    with pytest.raises(ValueError, match="device='tpu'"):
        backend_for("tpu", "kmeans", 1.0)
    with pytest.raises(AttributeError, match="no topic 'nothing'"):
        _ = CPU.nothing
    for topic in TOPICS:
        assert REFERENCE.__getattr__(topic).__name__ == f"weft.backends.reference.{topic}"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_rows", [1, 2, 3, 4, 5, 8, 9, 30])
def test_the_median_of_a_symmetric_matrix(n_rows, dtype):
    rng = np.random.default_rng(n_rows)
    half = np.triu(rng.exponential(size=(n_rows, n_rows)), 1)
    matrix = (half + half.T).astype(dtype)
    assert _median(matrix) == pytest.approx(float(np.median(matrix.astype(np.float64))), rel=1e-7)
    # Many entries that are equal, and many zeros.
    rounded = np.round(matrix)
    assert _median(rounded) == float(np.median(rounded))


@pytest.mark.parametrize("exponents", [None, [1.0, 2.0, 3.0]])
@pytest.mark.parametrize("far", [1.0, 1e9])
def test_the_nearest_known_row_by_brute_force(exponents, far):
    rng = np.random.default_rng(0)
    known, rows = rng.standard_normal((50, 3)), far * rng.standard_normal((600, 3))
    rows[3] = known[7]
    weights = np.array([1.0, 0.5, 0.0])
    powers = np.full(3, 2.0) if exponents is None else np.array(exponents)
    given = None if exponents is None else powers
    apart = np.abs((rows[:, None] - known) * weights)
    powered = (apart**powers).sum(axis=2)
    found = nearest_rows_of(rows, known, Solution(weights, given))
    np.testing.assert_array_equal(found.indices, powered.argmin(axis=1))
    np.testing.assert_allclose(found.powered, powered.min(axis=1), rtol=1e-9, atol=1e-12)
    none = nearest_rows_of(rows, known, Solution(np.zeros(3), given))
    np.testing.assert_array_equal(none.indices, 0)


def test_evidence_of_the_second_view_by_hand():
    # Rows at 0, 2, 10 and 12 on a line: within 2 + 2, in all 104.
    x = np.array([0.0, 2.0, 10.0, 12.0])
    distances = np.abs(x[:, None] - x).astype(np.float32)
    near = np.array([[1], [0], [3], [2]])
    labels = np.array([0, 0, 1, 1])
    mean, worst, same, ratio = _measures(distances, distances**2, near, 104.0, labels, 2, 4)
    widths = [(11.0 - 2.0) / 11.0, (9.0 - 2.0) / 9.0]
    assert mean == pytest.approx(np.mean(widths))
    assert worst == pytest.approx(np.mean(widths))
    assert same == 1.0
    assert ratio == pytest.approx(np.log1p(100.0 / 4.0 * 2.0))
    # A row by itself has width 0; its neighbour is of another cluster.
    mean, worst, same, _ = _measures(
        distances, distances**2, near, 104.0, np.array([0, 1, 1, 1]), 2, 4
    )
    assert worst <= 0.0
    assert same == 0.5
    assert _measures(distances, distances**2, near, 104.0, np.zeros(4, dtype=int), 1, 4) == (
        *(0.0, -1.0, 1.0, 0.0),
    )
    # Clusters of equal rows leave nothing within: the ratio ends at a million millions.
    equal = np.repeat([0.0, 7.0], 2)
    apart = np.abs(equal[:, None] - equal).astype(np.float32)
    *_, ratio = _measures(apart, apart**2, near, 49.0, labels, 2, 4)
    assert ratio == pytest.approx(np.log1p(1e12))
