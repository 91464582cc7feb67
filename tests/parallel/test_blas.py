"""BLAS threads: limited while weft computes, and restored however fits overlap."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

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
