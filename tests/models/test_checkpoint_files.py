"""What a checkpoint file may hold: seeds and searches, written and read without any fit."""

from __future__ import annotations

import pytest

from weft.models.checkpoints import Mismatch, Record, read_checkpoint, write_checkpoint

SETTINGS = {"weft": "1", "estimator": "E", "params": {"a": 1}, "data": {"shape": [2, 3]}}
OVER = {
    **{"over": True, "number": 3, "n_evaluations": 9, "seconds": 0.0},
    **{"state": {}, "rng": {}, "objective": {}, "callbacks": [["Progress", {}]]},
}
OPEN = {**OVER, "over": False}


def written(tmp_path, **content):
    path = tmp_path / "c.checkpoint"
    write_checkpoint(path, {**SETTINGS, "seeds": [], "searches": []} | content)
    return path


def test_seeds_and_searches_come_back(tmp_path):
    path = written(tmp_path, seeds=[0, 64, 2**32 - 1], searches=[OVER, OVER, OPEN])
    seeds, searches = read_checkpoint(path, SETTINGS)
    assert seeds == [0, 64, 2**32 - 1]
    assert searches == [Record(**OVER), Record(**OVER), Record(**OPEN)]
    assert read_checkpoint(written(tmp_path), SETTINGS) == ([], [])
    first = {**OVER, "number": 1, "n_evaluations": 1}
    path = written(tmp_path, searches=[first])
    assert read_checkpoint(path, SETTINGS) == ([], [Record(**first)])


@pytest.mark.parametrize(
    ("seeds", "searches", "words"),
    [
        ([2**32], [], "its seeds are not valid."),
        ([-1], [], "its seeds are not valid."),
        ([True], [], "its seeds are not valid."),
        ([1.0], [], "its seeds are not valid."),
        ([], [OPEN, OVER], "unfinished although the next one has begun."),
        ([], [OVER, OPEN, OVER], "unfinished although the next one has begun."),
        ([], [{**OVER, "number": 0}], "counts that are not possible."),
        ([], [{**OVER, "n_evaluations": 0}], "counts that are not possible."),
        ([], [{**OVER, "seconds": -1.0}], "counts that are not possible."),
        ([], [{**OVER, "seconds": 1}], "the 'seconds' of a search in it is not of type float."),
        ([], [{**OVER, "over": 1}], "the 'over' of a search in it is not of type bool."),
        ([], [{**OVER, "more": 1}], "a search in it is not complete."),
        ([], [{**OVER, "callbacks": [["Progress"]]}], "the states of its callbacks are not valid."),
        (
            [],
            [{**OVER, "callbacks": [["Progress", {}], ["Other", 1]]}],
            "the states of its callbacks are not valid.",
        ),
        ([], [3], "a search in it is not complete."),
    ],
)
def test_what_no_search_writes_is_refused(tmp_path, seeds, searches, words):
    with pytest.raises(Mismatch, match=r"cannot resume from c\.checkpoint: ") as caught:
        read_checkpoint(written(tmp_path, seeds=seeds, searches=searches), SETTINGS)
    assert str(caught.value).endswith(words)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"weft": "2"}, "weft 2 wrote it and this is weft 1"),
        ({"estimator": "F"}, "it was written by F, not E"),
        ({"params": {"a": 2}}, "it was written with a=2, and this fit has a=1"),
        ({"params": {"a": 1, "b": 0}}, "it was written with b=0, and this fit has b=None"),
        (
            {"data": {"shape": [4, 3]}},
            "it belongs to other data (4 × 3 in the checkpoint, 2 × 3 in this fit)",
        ),
        ({"data": {"shape": [2, 3], "sha256": ""}}, "(both are 2 × 3, but the values differ)"),
        ({"seeds": 3}, "its seeds or searches are not a list."),
    ],
)
def test_a_checkpoint_of_another_fit_is_refused(tmp_path, other, words):
    with pytest.raises(Mismatch) as caught:
        read_checkpoint(written(tmp_path, **other), SETTINGS)
    assert words in str(caught.value)
