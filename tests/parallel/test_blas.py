"""BLAS threads: limited while weft computes, and restored however fits overlap."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from weft.parallel import blas
from weft.parallel.blas import one_blas_thread


def blas_threads():
    return [
        library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"
    ]


@pytest.fixture
def two_threads():
    """At least two BLAS threads before the test: else nothing could be seen to be restored."""
    with threadpool_limits(2, "blas"):
        if not blas_threads() or set(blas_threads()) != {2}:
            pytest.skip("this BLAS does not let its threads be set")
        yield


def test_limit_and_restore(two_threads):
    with one_blas_thread():
        assert set(blas_threads()) == {1}
        with one_blas_thread():
            assert set(blas_threads()) == {1}
        assert set(blas_threads()) == {1}
    assert set(blas_threads()) == {2}


def test_blocks_that_overlap_in_threads_restore_what_was_before(two_threads):
    seen = []

    def work(number):
        time.sleep(0.002 * (number % 3))
        with one_blas_thread():
            time.sleep(0.004 * ((number + 1) % 4))
            seen.append(set(blas_threads()) == {1})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(24)))
    assert len(seen) == 24
    assert all(seen)
    assert set(blas_threads()) == {2}


def test_an_error_inside_restores_too(two_threads):
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        raise ZeroDivisionError
    assert set(blas_threads()) == {2}


def test_fits_in_a_pool_leave_blas_as_it_was(two_threads):
    from weft import FeatureSwarm, WeightedKMeans

    X = np.random.default_rng(0).normal(size=(40, 3))

    def fit(number):
        if number % 2:
            FeatureSwarm(n_generations=2, n_particles=4, random_state=number).fit(X)
        else:
            WeightedKMeans(2, random_state=number).fit(X)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(fit, range(12)))
    assert set(blas_threads()) == {2}


class Library:
    """A BLAS with a number of threads, and a list of what is done to it."""

    def __init__(self, n_threads):
        self.n_threads, self.calls = n_threads, []

    def get_num_threads(self):
        return self.n_threads

    def set_num_threads(self, n_threads):
        self.n_threads = n_threads
        self.calls.append(n_threads)


class Controlled(Library):
    """One that lets only one thread set its number, as OpenBLAS does."""

    def clear_controlling_thread(self, force):
        self.calls.append(("clear", force))


@pytest.fixture
def libraries(monkeypatch):
    known = [Library(3), Controlled(5)]
    monkeypatch.setattr(blas, "_libraries", lambda: known)
    monkeypatch.setattr(blas, "_n_inside", 0)
    monkeypatch.setattr(blas, "_before", [])
    return known


def test_the_last_user_restores_each_library(libraries):
    plain, controlled = libraries
    blas.hold_blas()
    blas.hold_blas()
    assert (plain.calls, plain.n_threads, controlled.n_threads) == ([1], 1, 1)
    blas.release_blas()
    assert (plain.n_threads, controlled.n_threads) == (1, 1)
    blas.release_blas()
    assert plain.calls == [1, 3]
    clear = ("clear", True)
    assert controlled.calls == [clear, 1, clear, clear, 5, clear]
    # What another program has set since is what is restored the next time.
    plain.n_threads = 7
    with one_blas_thread():
        assert plain.n_threads == 1
    assert plain.n_threads == 7


def test_a_forked_child_starts_without_limits(libraries):
    lock = blas._lock
    blas.hold_blas()
    blas._start_afresh()
    assert ([each.n_threads for each in libraries], blas._n_inside) == ([3, 5], 0)
    assert blas._lock is not lock
    libraries[0].calls.clear()
    blas._start_afresh()  # nothing was begun
    assert libraries[0].calls == []
