"""Work on threads of this process: results in order, whatever the number of threads."""

from __future__ import annotations

import threading
import time

import pytest

from weft.parallel.threads import ordered_map


@pytest.mark.parametrize("n_threads", [1, 2, 8])
def test_results_are_in_the_order_of_the_items(n_threads):
    def slow_at_first(item):
        time.sleep(0.01 * (item == 0))
        return item**2

    assert ordered_map(slow_at_first, range(5), n_threads) == [0, 1, 4, 9, 16]


@pytest.mark.parametrize(("n_items", "n_threads"), [(0, 4), (1, 4), (3, 1)])
def test_no_thread_is_started_for_one_item_or_one_thread(n_items, n_threads):
    own = threading.get_ident()
    seen = ordered_map(lambda item: threading.get_ident(), range(n_items), n_threads)
    assert seen == [own] * n_items


def test_an_error_of_one_item_is_raised():
    with pytest.raises(ZeroDivisionError):
        ordered_map(lambda item: 1 / item, [1, 0, 2], 2)
