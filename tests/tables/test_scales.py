"""Levels that have an order: words of surveys, ranges, intervals, and words outside of a scale."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from weft import TablePreparer
from weft.tables.scales import _SCALES, ordered_scale


@pytest.mark.parametrize("scale", _SCALES)
def test_scales_are_in_small_letters_and_have_each_word_once(scale):
    assert all(word == word.casefold() for word in scale)
    assert len(set(scale)) == len(scale)


@pytest.mark.parametrize(
    "levels",
    [
        ["strongly disagree", "disagree", "neutral", "agree", "strongly agree"],
        ["disagree", "somewhat disagree", "somewhat agree", "agree"],
        ["very dissatisfied", "neither satisfied nor dissatisfied", "satisfied"],
        ["not at all important", "slightly important", "important", "very important"],
        ["very unlikely", "unlikely", "neutral", "likely"],
        ["never", "monthly", "weekly", "daily"],
        ["none", "low", "high"],
        ["stimme gar nicht zu", "stimme eher nicht zu", "teils/teils", "stimme voll zu"],
        ["sehr unzufrieden", "eher zufrieden", "sehr zufrieden"],
        ["nie", "selten", "manchmal", "immer"],
        ["under 18", "18-29 years", "30-39 years", "40+ years"],
        ["unter 20", "20 bis 29", "30 bis 39", "40 und älter"],
        ["bis 1.000 €", "1.000 - 2.000 €", "2.000 - 3.000 €", "über 3.000 €"],
        ["500-999", "1k-2k", "2k-5k"],
        ["<5k", "5-15k", "15-25k", ">25k"],  # both ends of "5-15k" are thousands
        ["4 or less hours", "5 hours", "6 hours", "10 or more hours"],
        ["20 und weniger", "21-40", "über 40"],
        ["<1l", "1-1.5l", "1.5-2l", ">2l"],
        ["0-39g/day", "40-79", "80-119", "120+ g/day"],
        ["500-999", "1.000-1.999", "2.000-4.999"],
        ["0-0.125", "0.125-0.25", "0.25-0.5"],
        ["(-inf, -1.5]", "(-1.5, 0.25]", "(0.25, inf]"],
    ],
)
def test_levels_in_order(levels):
    assert ordered_scale(levels[::-1]) == levels
    assert ordered_scale(["don't know", *levels[::-1]]) == levels


@pytest.mark.parametrize(
    "levels",
    [
        ["none", "1-2", "3-5", "6+"],
        ["north", "south", "east"],
        ["agree", "disagree"],
        ["1a", "2", "3"],
        ["3 north", "5 south", "7 east"],
    ],
)
def test_levels_without_an_order(levels):
    assert ordered_scale(levels) is None


def test_answers_outside_of_the_scale_are_missing():
    answers = ["Disagree", "Agree", "Don't know", "Strongly agree"] * 6
    frame = pd.DataFrame({"q": answers, "x": np.arange(24.0) ** 0.5, "y": np.arange(24) % 5})
    model = TablePreparer().fit(frame)
    column = next(column for column in model.source_columns_ if column.name == "q")
    assert column.levels == ("Disagree", "Agree", "Strongly agree")
    assert column.note.startswith('3 levels, "Don\'t know" taken for missing')
