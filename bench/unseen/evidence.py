"""Candidates, evidence and true scores of the world's tables, kept on disk one file per table.

A folder carries a digest of the code that makes its content, a file one of the code that draws its
table. When that code changes, the content is computed again; old files can be deleted. What rivals
reach has a folder of its own.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import time
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from bench.unseen.rivals import RIVALS, standardised
from bench.unseen.scoring import best_ari, number_of_clusters
from bench.unseen.world import KINDS, make_table
from weft.auto.pool import Pool, rounded

BUILD = Path(__file__).parents[2] / "build" / "unseen"
WORLD = "bench.unseen.world"
RIVAL_SOURCES = ("bench.unseen.rivals",)
SOURCES = (
    "bench.unseen.pipeline",
    "weft.auto.canonical",
    "weft.auto.working",
    "weft.auto.second_view",
    "weft.auto.representations",
    "weft.auto.candidates",
    "weft.auto.evidence",
    "weft.auto.kernels",
    "weft.auto.examining",
    "weft.columns.screening",
    "weft.columns.wide",
    "weft.columns.clumps",
    "weft.backends.cpu.columns",
    "weft.backends.cpu.ranks",
)
NULLS_PER_SEED = 5
COMPARED = ("HDBSCAN-15", "k-means + silhouette")


class TableEvidence(NamedTuple):
    """The candidates of one table of the world, their evidence and true scores."""

    kind: str
    seed: int
    clustered: bool
    n_clusters: int  # of the truth; 0 in clusterless tables
    labels: np.ndarray  # (C, n) int16
    values: np.ndarray  # (C, F) float32
    part_of: np.ndarray  # (C,) the representation of each candidate
    table_values: np.ndarray  # (R, T) float32, of each representation
    aris: np.ndarray  # (C,) float32, each candidate against the truth
    rivals: np.ndarray  # (len(COMPARED),) float32; NaN in clusterless tables, and before rivals ran
    seconds: float

    def pool(self) -> Pool:
        """Return the candidates in the form that the judge takes."""
        labels = self.labels.astype(np.int64)
        return Pool(labels, rounded(self.values), self.part_of, self.table_values)


@cache
def digest(sources: tuple[str, ...] = SOURCES) -> str:
    """Return a name for the present code of some modules: 12 hexadecimal digits."""
    sums = hashlib.sha256()
    for name in sources:
        module = importlib.import_module(name)
        file = Path(str(module.__file__))
        files = sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]
        for path in files:
            sums.update(path.read_bytes())
    return sums.hexdigest()[:12]


@cache
def drawn_by(kind: str) -> str:
    """Return a digest of the modules that draw a kind's tables."""
    own = importlib.import_module(KINDS[kind].draw.__module__)
    used = {
        value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "") or ""
        for value in vars(own).values()
    }
    return digest(tuple(sorted({own.__name__, *(name for name in used if WORLD in name)})))[:8]


def place(kind: str, seed: int) -> Path:
    """Return the file of one table's evidence."""
    return BUILD / f"evidence-{digest()}" / f"{kind}-{seed}-{drawn_by(kind)}.npz"


def rivals_place(kind: str, seed: int) -> Path:
    """Return the file with the scores of rivals on one table."""
    return BUILD / f"rivals-{digest(RIVAL_SOURCES)}" / f"{kind}-{seed}-{drawn_by(kind)}.npz"


def rival_scores(kind: str, seed: int) -> np.ndarray:
    """Return the adjusted Rand index of each rival of COMPARED; NaN in clusterless tables."""
    table = make_table(kind, seed)
    if not table.clustered:
        return np.full(len(COMPARED), np.nan, dtype=np.float32)
    X = standardised(table.X)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = [best_ari(table.y, RIVALS[name].run(X, 0, 0)) for name in COMPARED]
    return np.array(scores, dtype=np.float32)


def compute(kind: str, seed: int, examine: Callable | None = None) -> TableEvidence:
    """Return the evidence of one table; `examine` makes candidates, AutoCluster's if None."""
    if examine is None:
        examine = importlib.import_module("bench.unseen.pipeline").examine
    table = make_table(kind, seed)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        began = time.perf_counter()
        examined = examine(table.X)
        seconds = time.perf_counter() - began
    aris = np.zeros(len(examined.labels), dtype=np.float32)
    if table.clustered:
        aris[:] = [best_ari(table.y, labels) for labels in examined.labels]
    return TableEvidence(
        kind,
        seed,
        table.clustered,
        number_of_clusters(table.y) if table.clustered else 0,
        examined.labels.astype(np.int16),
        np.nan_to_num(examined.values).astype(np.float32),
        examined.part_of,
        np.nan_to_num(examined.table_values).astype(np.float32),
        aris,
        np.full(len(COMPARED), np.nan, dtype=np.float32),
        seconds,
    )


def load(kind: str, seed: int) -> TableEvidence:
    """Return stored evidence."""
    with np.load(place(kind, seed), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    clustered, seconds = bool(arrays.pop("clustered")), float(arrays.pop("seconds"))
    n_clusters = int(arrays.pop("n_clusters"))
    arrays.pop("seed")
    return TableEvidence(kind, seed, clustered, n_clusters, seconds=seconds, **arrays)


def _keep(path: Path, arrays: dict[str, Any]) -> None:
    """Write arrays under a temporary name first, so that the file is complete or absent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.stem}.{os.getpid()}.npz")
    np.savez_compressed(half, **arrays)
    half.replace(path)


def _compute_and_keep(kind: str, seed: int) -> None:
    arrays = compute(kind, seed)._asdict()
    del arrays["kind"]
    _keep(place(kind, seed), arrays)


def _compete_and_keep(kind: str, seed: int) -> None:
    _keep(rivals_place(kind, seed), {"rivals": rival_scores(kind, seed)})


def _copies(seed: int, clustered: bool) -> Iterable[int]:
    return [seed] if clustered else range(NULLS_PER_SEED * seed, NULLS_PER_SEED * (seed + 1))


def collect(
    kinds: Iterable[str],
    n_seeds: int,
    n_jobs: int = 1,
    report: Callable[[str], None] = print,
) -> list[TableEvidence]:
    """Return the evidence of the tables of these kinds; compute what is missing.

    There are `n_seeds` tables of each clustered kind and NULLS_PER_SEED times as many of each
    clusterless kind, because there are fewer such kinds. They are computed seed by seed, so that
    after an early stop all kinds have about the same number of tables.
    """
    wanted = [
        (kind, copy)
        for seed in range(n_seeds)
        for kind in kinds
        for copy in _copies(seed, KINDS[kind].clustered)
    ]
    _fill(place, _compute_and_keep, wanted, n_jobs, "examine", report)
    return [load(*pair) for pair in wanted]


def with_rivals(
    tables: Iterable[TableEvidence], n_jobs: int = 1, report: Callable[[str], None] = print
) -> list[TableEvidence]:
    """Return the tables with the scores of rivals; missing scores are computed."""
    tables = list(tables)
    wanted = [(table.kind, table.seed) for table in tables]
    _fill(rivals_place, _compete_and_keep, wanted, n_jobs, "run rivals on", report)
    found = [np.load(rivals_place(*pair), allow_pickle=False)["rivals"] for pair in wanted]
    return [table._replace(rivals=own) for table, own in zip(tables, found, strict=True)]


def _fill(
    where: Callable[[str, int], Path],
    make: Callable[[str, int], None],
    wanted: list[tuple[str, int]],
    n_jobs: int,
    what: str,
    report: Callable[[str], None],
) -> None:
    """Make the files that are missing, in several processes."""
    missing = [pair for pair in wanted if not where(*pair).exists()]
    if not missing:
        return
    report(f"{len(missing)} of {len(wanted)} tables to {what}")
    began = time.perf_counter()
    with ProcessPoolExecutor(n_jobs) as pool:
        jobs = [pool.submit(make, *pair) for pair in missing]
        for number, job in enumerate(as_completed(jobs), 1):
            job.result()
            if number % 50 == 0 or number == len(missing):
                report(f"[{number}/{len(missing)}] {time.perf_counter() - began:.0f} s")
