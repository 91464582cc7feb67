"""The check that puts faults into src: which faults, which tests meet them, which are drawn."""

from __future__ import annotations

import ast
import math

import pytest
from checks import faults_of_source, mutation
from checks.faults_of_source import Fault, faults, faulty, modules
from checks.mutation import sample, seeing, statement_of
from checks.near import near_files
from checks.reached import ROOT, SOURCE, Record, digest_of, function_of

CODE = '''"""A module."""

LIMIT = 5


def clip(x: int = 3) -> int:
    """Return x."""
    if x > 4 and x != 7:
        raise ValueError(f"{x + 1}")
    return max(
        x,
        2,
    )


@njit(cache=True)
def compiled(x):
    return x + 1
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    folder = tmp_path / "weft" / "room"
    folder.mkdir(parents=True)
    path = folder / "code.py"
    path.write_text(CODE)
    monkeypatch.setattr(faults_of_source, "SOURCE", tmp_path)
    digest_of.cache_clear()
    yield path
    digest_of.cache_clear()


def test_every_fault_of_a_module(module):
    found = [(fault.line, fault.what) for fault in faults(module)]
    # Not the limit in capitals, the message, the annotation, the decorator or compiled code.
    assert sorted(found) == [
        (6, "3 → 4"),
        (8, "4 → 5"),
        (8, "7 → 8"),
        (8, "And → Or"),
        (8, "Gt → GtE"),
        (8, "NotEq → Eq"),
        (8, "condition negated"),
        (10, "max → min"),
        (12, "2 → 3"),
    ]
    texts = {ast.unparse(faulty(fault)) for fault in faults(module)}
    assert len(texts) == len(found)
    assert ast.unparse(ast.parse(CODE)) not in texts


def test_numbers_that_guard_become_one(tmp_path):
    path = tmp_path / "code.py"
    path.write_text("x = [0.5, 0.0, 1e-12, 1e-9, 0.25, 1e300, 3, True]\n")
    assert [fault.what for fault in faults(path)] == [
        "0.5 → 0.75",
        "0.0 → 1.0",
        "1e-12 → 1.0",
        "1e-09 → 1.0",
        "0.25 → 0.375",
        "1e+300 → 1.0",
        "3 → 4",
        "True → False",
    ]


def test_other_seeds_and_the_guard_of_a_script_are_no_faults(tmp_path):
    path = tmp_path / "code.py"
    path.write_text(
        "a = np.random.default_rng([seed, 7])\n"
        "b = default_rng(0)\n"
        "c = np.random.SeedSequence((1, 2))\n"
        "d = rng.integers(2**31 - 1)\n"
        "if __name__ == '__main__':\n"
        "    sys.exit(1)\n"
        # Draws that are no seeds, and conditions, are changed as everywhere.
        "e = rng.integers(6)\n"
        "f = default_rng(None if seed is None else seed)\n"
        "g = Draw(2**31 - 1)\n"
    )
    assert [(fault.line, fault.what) for fault in faults(path)] == [
        (7, "6 → 7"),
        (8, "condition negated"),
        (8, "Is → IsNot"),
        (9, "Sub → Add"),
        (9, "Pow → Mult"),
        (9, "2 → 3"),
        (9, "31 → 32"),
        (9, "1 → 2"),
    ]


def test_the_statement_of_a_line():
    tree = ast.parse(CODE)
    assert statement_of(tree, 12) == (range(10, 14), True)
    assert statement_of(tree, 8) == (range(8, 9), True)  # without the body of the condition
    assert statement_of(tree, 6) == (range(6, 7), False)  # a default runs with the import
    assert statement_of(tree, 3) == (range(3, 4), False)


def _record(module, lines, seconds, failed=()):
    name = str(module.relative_to(module.parents[2]))
    return Record("", {name: digest_of(module)}, seconds, list(failed), {name: lines}, {})


def test_tests_that_reach_the_statement_meet_a_fault(module):
    own, other = ROOT / "tests/room/test_a.py", ROOT / "tests/x/test_b.py"
    a, b = "tests/room/test_a.py::test_{}".format, "tests/x/test_b.py::test_{}".format
    lines = {"": [6], a("long"): [8, 10], a("short"): [8, 10], a("else"): [8, 9], a("bad"): [10]}
    seconds = {a("long"): 5.0, a("short"): 0.5, a("else"): 0.1, a("bad"): 0.1}
    records = {
        own: _record(module, lines, seconds, [a("bad") + "[1]"]),
        other: _record(module, {b("far"): [10], b("slow"): [10]}, {b("far"): 0.1, b("slow"): 9.0}),
    }
    fault = next(fault for fault in faults(module) if fault.line == 12)
    # Tests of the same room first, short ones first; 5.6 + 9 seconds are more than there are.
    assert seeing(fault, records).names == [a("short"), a("long"), b("far")]
    # What runs with the import is seen by all tests that reach the module.
    default = next(fault for fault in faults(module) if fault.line == 6)
    assert seeing(default, records).names == [a("else"), a("short"), a("long"), b("far")]


def test_a_changed_module_is_met_by_all_tests_that_reach_it(module):
    test = "tests/room/test_a.py::test_it"
    record = _record(module, {test: [8]}, {test: 1.0})
    fault = next(fault for fault in faults(module) if fault.line == 12)
    assert seeing(fault, {ROOT / "tests/room/test_a.py": record}).names == []
    stale = record._replace(modules={fault.module: "other"})
    assert seeing(fault, {ROOT / "tests/room/test_a.py": stale}).names == [test]


def test_files_that_name_the_module_of_a_fault_come_first():
    def near(module):
        return near_files(Fault(SOURCE / "weft" / module, 0))

    blocks = "tests/kmeans/test_blocks.py"
    first = near("kmeans/blocks.py")[: 1 + near("kmeans/blocks.py").index(blocks)]
    assert all("weft.kmeans.blocks" in (ROOT / name).read_text() for name in first)
    # A default is compared with its docstring first.
    default = near_files(Fault(SOURCE / "weft/kmeans/blocks.py", 0), in_function=False)
    assert default == ["tests/test_documented_defaults.py", *near("kmeans/blocks.py")]
    # Then others of the room; none of another one that has nothing to do with it.
    assert "tests/kmeans/test_steps.py" in near("kmeans/blocks.py")
    assert not any(name.startswith("tests/cli") for name in near("kmeans/blocks.py"))
    assert not any("/gpu/" in name or "/bench/" in name for name in near("kmeans/blocks.py"))


def test_files_run_until_one_fails(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test_good.py").write_text("def test_good():\n    assert True\n")
    (tmp_path / "test_bad.py").write_text("def test_bad():\n    assert False\n")
    (tmp_path / "test_none.py").write_text("x = 1\n")
    (tmp_path / "test_broken.py").write_text("import nothing_of_the_kind\n")

    def outcome(*names, **options):
        work = [(Fault(SOURCE, -1), mutation.Tests(list(names), 0.0, ""))]
        return next(mutation.outcomes(work, math.inf, 1, **options))[2]

    good, bad = "test_good.py::test_good", "test_bad.py::test_bad"
    assert outcome("test_none.py", "test_good.py") == (True, [])
    assert outcome("test_good.py", "test_bad.py") == (False, [bad])
    assert outcome(good, bad) == (False, [bad])
    assert outcome(good) == (True, [])
    # A file that cannot be imported has seen a fault, and ends the run.
    assert outcome("test_broken.py", "test_bad.py") == (False, [])
    assert outcome("test_bad.py", "test_good.py", all_of_them=True) == (False, [bad])
    # Without time for more than one file the second is left out.
    monkeypatch.setattr(mutation, "BUDGET", 0.0)
    assert outcome("test_good.py", "test_bad.py") == (True, [])
    assert outcome(good, bad) == (False, [bad])


def test_a_sample_does_not_depend_on_other_modules():
    def made(module, count):
        return [Fault(SOURCE / "weft" / module, number) for number in range(count)]

    before = sample(made("a.py", 50) + made("b.py", 50), 30, 0)
    after = sample(made("a.py", 50) + made("b.py", 55), 30, 0)
    kept = [fault for fault in before if fault.path.name == "a.py"]
    assert {fault for fault in after if fault.path.name == "a.py"} <= set(kept)
    assert len(kept) - 5 <= sum(fault.path.name == "a.py" for fault in after)
    assert sample(made("a.py", 50), 10, 0) != sample(made("a.py", 50), 10, 1)


def test_all_rooms_are_changed():
    rooms = {fault.room for path in modules() for fault in list(faults(path))[:1]}
    folders = {path.name for path in (SOURCE / "weft").iterdir() if path.is_dir()}
    assert folders - {"__pycache__"} <= rooms
    assert "weft" in rooms


def test_parameters_of_a_test_are_not_told_apart():
    assert function_of("tests/a.py::test_x[1-[2]]") == "tests/a.py::test_x"


def test_the_share_that_is_asked_for(capsys):
    tried = [Fault(SOURCE / "weft" / "io.py", number, 1, "x") for number in range(10)]
    assert mutation.report(tried, {fault.key for fault in tried[:9]}) == 0
    assert "mutation: 9 of 10 killed (90.0 %)" in capsys.readouterr().out
    assert mutation.report(tried, {fault.key for fault in tried[:8]}) == 1
    assert capsys.readouterr().out.count("survived: weft/io.py:1") == 2
