"""What is set around a fit changes no bit: a sample of `make contracts`."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from checks.contract_models import FITS, digest_of_fit, table
from checks.contracts import WAYS, differences, digests_in, run_apart
from threadpoolctl import threadpool_limits

import weft
from weft.parallel import blas

# One fit of each kind of arithmetic; `make contracts` runs them all.
NAMES = ["KernelSwarm rbf", "KernelKMeans polynomial", "WeightedKMeans", "FeatureSwarm"]
IN_PROCESS = ("threads", "Fortran", "DataFrame", "polars", "memmap", "strided", "big-endian")


@pytest.fixture(scope="module")
def plain():
    return digests_in("plain", NAMES)


@pytest.mark.parametrize("way", IN_PROCESS)
def test_settings_and_containers_change_no_bit(way, plain):
    assert differences(plain, digests_in(way, NAMES)) == []


@pytest.mark.parametrize("way", ["OpenBLAS 1", "fork", "thread pool"])
def test_a_fresh_process_has_the_same_bits(way, plain):
    names = ["KernelSwarm rbf", "WeightedKMeans"]
    expected = {name: plain[name] for name in names}
    assert differences(expected, run_apart(way, names)) == []


@pytest.mark.parametrize("name", ["FeatureClusterSelector", "FeatureSimilaritySelector"])
def test_kept_columns_of_other_byte_order_are_those_of_this_machine(name):
    names = [name]
    assert differences(digests_in("plain", names), digests_in("big-endian", names)) == []
    half = np.asarray(table(), dtype=">f4")
    assert getattr(weft, name)().fit_transform(half).dtype == np.dtype("f4")


def test_every_estimator_has_a_fit_to_compare(registry):
    assert {kind for kind, _ in FITS.values()} == set(registry)
    assert {"threads", "loky", "Dask", "fork", "nested joblib", "thread pool"} <= set(WAYS)


def test_a_changed_bit_is_reported():
    one = {"fit": {"labels_": "a", "fitness_": "b"}}
    assert differences(one, {"fit": {"labels_": "a", "fitness_": "c"}}) == ["fit: fitness_"]
    assert differences(one, {}) == ["fit: labels_, fitness_"]
    X = table()
    moved = X.copy()
    moved[0, 0] *= 1.0 + 1e-12
    one, two = (digest_of_fit("KernelSubtractive", rows) for rows in (X, moved))
    assert one["_fit_space"] != two["_fit_space"]


def test_blas_has_one_thread_within_public_methods_and_its_own_number_after():
    with threadpool_limits(2, "blas"):
        seen = []
        from weft import FeatureSwarm

        model = FeatureSwarm(
            n_particles=3,
            n_generations=2,
            random_state=0,
            callbacks=[lambda generation: seen.append(blas._n_inside) or False],
        )
        model.fit(table()[:60])
        assert len(seen) == 2
        assert min(seen) >= 1
    assert blas._n_inside == 0


def test_a_forked_child_starts_with_a_free_lock():
    """A fork while another thread holds the lock must not leave the child waiting for it."""
    code = (
        "import os, threading\n"
        "from weft.parallel import blas\n"
        "blas.hold_blas(); blas._lock.acquire()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    blas.hold_blas(); blas.release_blas()\n"
        "    os._exit(7 if blas._n_inside == 0 else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout.strip() == "7", done.stderr


def test_names_can_be_imported_by_many_threads_at_once():
    code = (
        "import weft\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "names = [n for n in weft._PUBLIC if n[0].isupper()]\n"
        "with ThreadPoolExecutor(8) as pool:\n"
        "    print(len(list(pool.map(lambda n: getattr(weft, n)(), names))))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.strip() == str(sum(name[0].isupper() for name in __import__("weft")._PUBLIC))
