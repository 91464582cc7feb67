"""The room's front door: every public name is listed, documented and has an example that runs."""

from __future__ import annotations

import doctest
import inspect

import pytest

from weft import datasets


def test_names_are_listed():
    assert {"add_noise_features", "make_ellipsoids", "make_gaussians"} <= set(datasets.__all__)
    for name in datasets.__all__:
        assert f"`{name}`" in datasets.__doc__


@pytest.mark.parametrize("name", sorted(datasets.__all__))
def test_examples_run(name):
    public = getattr(datasets, name)
    examples = doctest.DocTestFinder().find(public, name, globs={})
    assert sum(len(found.examples) for found in examples) > 0
    for found in examples:
        assert doctest.DocTestRunner().run(found).failed == 0


@pytest.mark.parametrize("name", sorted(datasets.__all__))
def test_documented_defaults_are_the_real_ones(name):
    public = getattr(datasets, name)
    for parameter in inspect.signature(public).parameters.values():
        if parameter.default is not inspect.Parameter.empty:
            shown = repr(parameter.default).replace("'", '"')
            entry = public.__doc__.split(f"\n    {parameter.name} : ", 1)[1].split("\n", 1)[0]
            assert entry.endswith(f"default={shown}"), (name, parameter.name)
