"""Small faults that can be put into src, and the import of a module with one of them.

A fault is a changed comparison, sign or constant, a negated condition, or a minimum that
becomes a maximum. Some changes give an equally right program, and are no faults: other numbers as
seeds of a random generator (also the limit 2**31 - 1 of numbers that are drawn as seeds), and the
guard of a script, ``if __name__ == "__main__"``.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

from checks.reached import SOURCE, digest_of

# Compiled code is not changed: its cache does not notice a changed tree, and tests compare every
# kernel with the readable form. Code for a GPU does not run on every machine.
NOT_CHANGED = ("kernels", "presets", "gpu")

TINY = 1e-9

_COMPARE: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_ARITHMETIC: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip
_NAMES = {
    "min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin", "minimum": "maximum",
    "maximum": "minimum", "any": "all", "all": "any", "zeros": "ones", "ones": "zeros",
    "sum": "max", "mean": "sum", "floor": "ceil", "ceil": "floor",
}  # fmt: skip


def _changes(node: ast.AST) -> Iterator[str]:
    """Change `node` in each possible way, and yield a description; the change is then undone."""
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            node.ops[place] = _COMPARE[type(operator)]()
            yield f"{type(operator).__name__} → {type(node.ops[place]).__name__}"
            node.ops[place] = operator
    elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in _ARITHMETIC:
        before = node.op
        node.op = _ARITHMETIC[type(before)]()
        yield f"{type(before).__name__} → {type(node.op).__name__}"
        node.op = before
    elif isinstance(node, ast.BoolOp):
        before_bool = node.op
        node.op = ast.Or() if isinstance(before_bool, ast.And) else ast.And()
        yield f"{type(before_bool).__name__} → {type(node.op).__name__}"
        node.op = before_bool
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        test = node.test
        node.test = ast.UnaryOp(ast.Not(), test)
        yield "condition negated"
        node.test = test
    elif isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
        value = node.value
        changed: Any = not value if isinstance(value, bool) else value + 1
        if isinstance(value, float):
            # A factor of 1.5 does not matter for a number that only avoids a division by 0.
            guards = value == 0.0 or not TINY < abs(value) < 1.0 / TINY
            changed = 1.0 if guards else value * 1.5
        node.value = changed
        yield f"{value!r} → {changed!r}"
        node.value = value
    elif isinstance(node, ast.Attribute) and node.attr in _NAMES:
        name = node.attr
        node.attr = _NAMES[name]
        yield f"{name} → {node.attr}"
        node.attr = name
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NAMES:
        name = node.func.id
        node.func.id = _NAMES[name]
        yield f"{name} → {node.func.id}"
        node.func.id = name


def _is_compiled(tree: ast.AST) -> bool:
    """Return whether numba compiles a function."""
    marks = tree.decorator_list if isinstance(tree, ast.FunctionDef) else []
    return any("njit" in ast.unparse(mark) for mark in marks)


def _is_seed(call: ast.AST, argument: ast.AST) -> bool:
    """Return whether an argument of a call is a seed in numbers, or the limit of drawn seeds."""
    if not isinstance(call, ast.Call):
        return False
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name in ("default_rng", "SeedSequence"):
        return isinstance(argument, (ast.Constant, ast.List, ast.Tuple))
    return name in ("integers", "randint") and ast.unparse(argument) == "2 ** 31 - 1"


def _is_script_guard(node: ast.AST) -> bool:
    """Return whether a node is ``if __name__ == "__main__"``."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"


def _worth_changing(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes except messages, annotations, decorators, seeds, and constants in capitals.

    Such constants limit work and memory, or are tolerances: no result depends on their last digit.
    """
    if isinstance(tree, ast.Assign) and all(
        isinstance(name, ast.Name) and name.id.isupper() for name in tree.targets
    ):
        return
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, (ast.Raise, ast.JoinedStr)):
                continue
            if isinstance(child, ast.Call) and getattr(child.func, "attr", "") == "warn":
                continue
            if _is_seed(tree, child) or _is_script_guard(child):
                continue
            if not _is_compiled(child):
                yield child
                yield from _worth_changing(child)


def modules() -> list[Path]:
    """Return the modules that are changed."""
    folder = SOURCE / "weft"
    return [
        path
        for path in sorted(folder.rglob("*.py"))
        if not any(word in path.relative_to(folder).parts for word in NOT_CHANGED)
    ]


class Fault(NamedTuple):
    """One place of one module."""

    path: Path
    number: int  # among the faults of its module; -1: none
    line: int = 0
    what: str = ""

    @property
    def module(self) -> str:
        """The path of its module in src."""
        return str(self.path.relative_to(SOURCE))

    @property
    def room(self) -> str:
        """The part of the package that it is in."""
        parts = self.path.relative_to(SOURCE / "weft").parts
        return parts[0] if len(parts) > 1 else "weft"

    @property
    def key(self) -> str:
        """Its name in the record; it changes when the module changes."""
        return f"{self.module} {digest_of(self.path)} {self.number}"


def faults(path: Path) -> Iterator[Fault]:
    """Every fault of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    number = 0
    for node in list(_worth_changing(tree)):
        for what in _changes(node):
            yield Fault(path, number, getattr(node, "lineno", 0), what)
            number += 1


def faulty(fault: Fault) -> ast.Module:
    """The module with the fault in it."""
    tree = ast.parse(fault.path.read_text(encoding="utf-8"))
    number = 0
    for node in list(_worth_changing(tree)):
        for _ in _changes(node):
            if number == fault.number:
                return tree  # before the change is undone
            number += 1
    raise ValueError(f"{fault.path} has no fault {fault.number}.")


class _Faulty(MetaPathFinder, Loader):
    """Imports one module from a syntax tree instead of its file."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self.name, self.path, self.tree = name, path, tree

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self.name:
            return None
        places = [str(self.path.parent)] if self.path.name == "__init__.py" else None
        return spec_from_file_location(
            name, self.path, loader=self, submodule_search_locations=places
        )

    def exec_module(self, module: Any) -> None:
        exec(compile(ast.fix_missing_locations(self.tree), str(self.path), "exec"), vars(module))  # noqa: S102 - our own source


def install(fault: Fault) -> None:
    """Let this process import the module with the fault in it."""
    name = ".".join(fault.path.relative_to(SOURCE).with_suffix("").parts)
    sys.meta_path.insert(0, _Faulty(name.removesuffix(".__init__"), fault.path, faulty(fault)))
