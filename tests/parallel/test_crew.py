"""A crew by itself: how it cuts a swarm, what it sends, and what it does about losses."""

from __future__ import annotations

from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from types import SimpleNamespace

import numpy as np
import pytest

from weft.parallel import threads, workers
from weft.parallel.workers import MAX_LOSSES, Crew, SpreadObjective, _answer, _cut


class Owner:
    """Doubles, and remembers the parts that it was given."""

    def __init__(self, **settings):
        self.parts = []
        vars(self).update(settings)

    def evaluate_part(self, part):
        self.parts.append(list(part))
        return [2 * number for number in part]


@pytest.mark.parametrize(
    ("settings", "n_threads", "parts"),
    [
        ({}, 1, [[0, 1, 2, 3, 4, 5, 6]]),  # no threads: all at once
        ({}, 2, [[0], [1], [2], [3], [4], [5], [6]]),
        ({"n_together": 2}, 2, [[0], [1, 2], [3, 4], [5, 6]]),
        ({"n_together": 7}, 2, [[0, 1, 2], [3, 4, 5, 6]]),
        ({"n_together": 7}, 3, [[0, 1], [2, 3], [4, 5, 6]]),
        ({"n_together": 3}, 9, [[0], [1], [2], [3], [4], [5], [6]]),
    ],
)
def test_parts_for_threads(settings, n_threads, parts):
    owner = Owner(**settings)
    with Crew(owner, n_jobs=None, n_threads=n_threads) as crew:
        found = crew(list(range(7)))
        assert (crew._pool is None) == (n_threads == 1)
    assert sorted(owner.parts) == parts
    assert found == [[2 * number for number in part] for part in parts]
    assert crew._pool is None


@pytest.mark.parametrize("n_parts", [1, 2, 3, 7, 9])
def test_parts_cover_all_in_order_and_differ_by_one_at_most(n_parts):
    parts = _cut(list(range(7)), n_parts)
    assert [item for part in parts for item in part] == list(range(7))
    lengths = [len(part) for part in parts]
    assert len(parts) == min(n_parts, 7)
    assert max(lengths) - min(lengths) <= 1


# Processes and machines -----------------------------------------------------------------------


def use(monkeypatch, backend):
    """Let joblib's active backend be a given one."""
    for module in (threads, workers):
        monkeypatch.setattr(module, "get_active_backend", lambda prefer: (backend, 1))


class Dask:
    """A backend of joblib with a client that remembers what it is asked."""

    def __init__(self, **n_threads):
        self.calls = []
        self.client = SimpleNamespace(
            nthreads=lambda: n_threads, scatter=self.scatter, submit=self.submit, map=self.map
        )

    def scatter(self, owner, broadcast, hash):
        self.calls.append(("scatter", broadcast, hash))
        return owner

    def submit(self, kind, owner, workers, actor, pure):
        self.calls.append(("submit", workers, actor, pure))
        actor_of = SimpleNamespace(evaluate=lambda part: Answer(kind(owner).evaluate(part)))
        return SimpleNamespace(result=lambda: actor_of, status="finished")

    def map(self, function, owners, parts, pure):
        self.calls.append(("map", len(owners), pure))
        pairs = zip(owners, parts, strict=True)
        return [Answer(function(owner, part)) for owner, part in pairs]


class Answer:
    """A result that is there after some waits."""

    def __init__(self, value, n_waits=0, is_done=False):
        self.value, self.n_waits, self.is_done = value, n_waits, is_done

    def result(self, timeout=None):
        if self.n_waits:
            self.n_waits -= 1
            raise TimeoutError
        return self.value

    def done(self):
        return self.is_done


@pytest.mark.parametrize(
    ("attributes", "elsewhere"),
    [
        ({"uses_threads": True}, False),
        ({"supports_sharedmem": True}, False),
        ({"uses_threads": False, "supports_sharedmem": True}, False),
        ({"uses_threads": False, "supports_sharedmem": False}, True),
        ({}, True),
    ],
)
def test_where_joblib_works(attributes, elsewhere, monkeypatch):
    use(monkeypatch, SimpleNamespace(**attributes))
    assert workers.works_elsewhere() is elsewhere
    assert workers.threads_per_process(2) == (1 if elsewhere else 2)


def test_memory_of_a_machine_is_shared_by_its_threads(monkeypatch):
    use(monkeypatch, Dask(a=1, b=4, c=2))
    assert workers.works_elsewhere()
    assert workers.threads_per_process(2) == 4
    use(monkeypatch, Dask())
    assert workers.threads_per_process(2) == 1
    # Inside a task of Dask, no work is sent elsewhere.
    monkeypatch.setattr(workers, "_inside_task", lambda: True)
    assert not workers.works_elsewhere()


@pytest.mark.parametrize(
    ("n_jobs", "n_items", "n_parts"), [(3, 7, 3), (3, 2, 2), (1, 7, 1), (9, 7, 7)]
)
def test_actors_get_one_part_each(n_jobs, n_items, n_parts, monkeypatch):
    backend = Dask(**{f"worker {number}": 1 for number in range(9)})
    use(monkeypatch, backend)
    monkeypatch.setattr(workers.joblib, "effective_n_jobs", lambda n: n)
    owner = Owner()
    with Crew(owner, n_jobs=n_jobs) as crew:
        found = crew(list(range(n_items)))
    assert backend.calls[0] == ("scatter", True, False)
    assert backend.calls[1:] == [
        ("submit", [f"worker {number}"], True, False) for number in range(9)
    ]
    assert len(found) == len(owner.parts) == n_parts
    assert [number for part in found for number in part] == [2 * n for n in range(n_items)]
    assert (crew._copies, crew._backend, crew._seats) == (None, None, [])


def test_workers_of_several_threads_get_tasks(monkeypatch):
    backend = Dask(a=1, b=2)
    use(monkeypatch, backend)
    monkeypatch.setattr(workers.joblib, "effective_n_jobs", lambda n: 3)
    with Crew(Owner(), n_jobs=None) as crew:
        assert crew(list(range(6))) == [[0, 2], [4, 6], [8, 10]]
    assert backend.calls == [("scatter", True, False), ("map", 3, False)]


def test_more_parts_than_actors_are_tasks_and_so_are_those_of_a_lost_actor(monkeypatch):
    backend = Dask(a=1)
    use(monkeypatch, backend)
    monkeypatch.setattr(workers.joblib, "effective_n_jobs", lambda n: 2)
    with Crew(Owner(), n_jobs=None) as crew:
        assert crew([1, 2]) == [[2], [4]]
        assert backend.calls[-1] == ("map", 2, False)
        assert crew([1]) == [[2]]
        assert backend.calls[-1] == ("map", 2, False)  # one part: the actor had it
        crew._seats[0][0].status = "lost"
        crew._seats[0][1].evaluate = lambda part: Answer(None, n_waits=1)
        assert crew([1]) == [[2]]
        assert backend.calls[-1] == ("map", 1, False)
        assert crew._seats == []


def test_an_answer_is_waited_for_while_its_actor_exists():
    there, lost = SimpleNamespace(status="finished"), SimpleNamespace(status="lost")
    assert _answer(there, Answer(5)) == 5
    assert _answer(lost, Answer(5)) == 5
    assert _answer(there, Answer(5, n_waits=3)) == 5
    with pytest.raises(RuntimeError, match="the actor is lost"):
        _answer(lost, Answer(5, n_waits=1))
    with pytest.raises(TimeoutError):  # the call itself ended by this error
        _answer(there, Answer(5, n_waits=1, is_done=True))


@pytest.mark.parametrize(
    ("error", "repair"), [(CancelledError, "_scatter"), (BrokenProcessPool, "_open_pool")]
)
@pytest.mark.parametrize("n_losses", [0, 1, MAX_LOSSES, MAX_LOSSES + 1])
def test_a_generation_is_repeated_after_a_loss(error, repair, n_losses, monkeypatch):
    repairs = []
    for name in ("_scatter", "_open_pool"):
        monkeypatch.setattr(Crew, name, lambda crew, name=name: repairs.append(name))
    left = [error()] * n_losses

    def run(parts):
        if left:
            raise left.pop()
        return parts

    crew = Crew(Owner(), n_jobs=1)
    if n_losses > MAX_LOSSES:
        with pytest.raises(error):
            crew._retry([1], run)
    else:
        assert crew._retry([1], run) == [1]
    assert repairs == [repair] * min(n_losses, MAX_LOSSES)


def test_a_process_keeps_one_owner(monkeypatch):
    kept = {}
    monkeypatch.setattr(workers, "_kept", kept)
    first, copy, other = Owner(), Owner(), Owner()
    assert workers._evaluate_in_worker("a", first, [1]) == [2]
    assert workers._evaluate_in_worker("a", copy, [2]) == [4]
    assert (first.parts, copy.parts) == ([[1], [2]], [])
    assert workers._evaluate_in_worker("b", other, [3]) == [6]
    assert kept == {"b": other}


# Objectives on rows ---------------------------------------------------------------------------


class Sums(SpreadObjective):
    def evaluate_part(self, positions):
        return positions.sum(axis=1), np.full(len(positions), len(positions))


@pytest.mark.parametrize(
    ("on_gpu", "is_open", "lengths"),
    [(False, True, [2, 2, 3, 3, 3]), (True, True, [5] * 5), (False, False, [5] * 5)],
)
def test_an_objective_is_spread_while_it_is_open(on_gpu, is_open, lengths):
    rows, positions = np.ones((4, 2))[:, ::-1], np.arange(10.0).reshape(5, 2)
    objective = Sums(rows, 2, SimpleNamespace(on_gpu=on_gpu))
    assert objective.rows.flags.c_contiguous
    if is_open:
        with objective:
            assert (objective._crew is None) == on_gpu
            assert objective.__getstate__()["_crew"] is None
            found = objective._evaluate(positions)
    else:
        found = objective._evaluate(positions)
    assert objective._crew is None
    assert [each.tolist() for each in found] == [positions.sum(axis=1).tolist(), lengths]
