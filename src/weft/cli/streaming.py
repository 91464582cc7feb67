"""``weft cluster`` and ``weft predict`` on Parquet files that are larger than memory.

A sample of the rows is clustered like any other table. The labels of all rows are then written part
by part, on as many processes as the user chose. The file of a part appears only when it is
complete, and complete files are not computed again, so an interrupted run can be continued.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from weft._base.validation import import_optional
from weft.auto.large import sampled_places
from weft.estimators._auto_lazy import (
    LazyRows,
    LightModel,
    answers_of_rows,
    gather,
    look_for_rare,
    on_one_total,
)
from weft.io import InputError, RawTable, apply_recipe
from weft.tables.parquet_parts import (
    STREAM_BYTES,
    Part,
    parquet_files,
    parquet_parts,
    read_part,
    rows_written,
    starts_of,
    unpacked_bytes,
    write_part,
)

LABELS = "labels"
_STAMP = "_model"


def large_parts(file: Path) -> list[Part]:
    """Return the parts in which Parquet files are read; an empty list if they are read at once.

    A folder is always read in parts. Files of a pattern are read in parts if they are large in
    memory.
    """
    if str(file) == "-":
        return []
    files = parquet_files(file)
    if not files or not (file.is_dir() or unpacked_bytes(files) > STREAM_BYTES):
        return []
    return parquet_parts(files)


@contextmanager
def processes(n_jobs: int | None) -> Iterator[None]:
    """Run tasks of Dask on `n_jobs` processes; with 1, on Dask's configured scheduler if any."""
    if n_jobs is None:
        yield
        return
    dask = import_optional("dask", "scale")
    if n_jobs == 1:
        with dask.config.set(scheduler=dask.config.get("scheduler", "synchronous")):
            yield
        return
    distributed = import_optional("dask.distributed", "scale")
    count = None if n_jobs < 0 else n_jobs
    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with (
        distributed.LocalCluster(n_workers=count, **options) as cluster,
        distributed.Client(cluster),
    ):
        yield


def read_sample(parts: list[Part], file: Path) -> RawTable:
    """Return the sample of the rows that the search uses."""
    lengths = [part.n_rows for part in parts]
    n_rows = sum(lengths)
    frame = gather(parts, lengths, sampled_places(n_rows))
    note = f"clusters were searched on {len(frame):,} of {n_rows:,} rows; all rows get a label."
    return RawTable(frame, file.name, notes=(note,))


def rows_by_plan(light: LightModel, plan: Any, frame: Any) -> np.ndarray:
    """Return the coordinates of raw rows, computed with the plan of a model."""
    return on_one_total(light.model, apply_recipe(RawTable(frame, "the table"), plan).X)


class Streamed(NamedTuple):
    """A large table, and the steps after its sample has been clustered."""

    parts: list[Part]

    def look_again(self, model: Any, plan: Any, sample: Any) -> None:
        """Look for rare clusters in all rows, if no row of the sample was left out."""
        lengths = [part.n_rows for part in self.parts]
        places = sampled_places(sum(lengths))
        if len(sample) == len(places):
            convert = partial(rows_by_plan, LightModel.of(model), plan)
            rows = on_one_total(model, np.asarray(sample, dtype=np.float64))
            look_for_rare(model, rows, places, LazyRows(list(self.parts), lengths, convert))

    def write(self, model: Any, plan: Any, folder: Path) -> str:
        """Write the labels of all rows; return a sentence about what was written."""
        made = write_labels(model, plan, self.parts, folder / LABELS)
        kept = made["files"] - made["written"]
        before = f" ({kept} of them were complete already)" if kept else ""
        return f"Labels of {made['rows']:,} rows: {folder / LABELS}, {made['files']} files{before}"


def write_labels(
    model: Any, plan: Any, parts: list[Part], folder: Path, missing: str | None = None
) -> dict[str, Any]:
    """Write cluster and confidence of all rows, one file for each part; return the counts."""
    dask = import_optional("dask", "scale")
    folder.mkdir(parents=True, exist_ok=True)
    stamp = _stamp(model, parts, missing)
    if not (folder / _STAMP).is_file() or (folder / _STAMP).read_text() != stamp:
        for old in folder.glob("part-*.parquet"):
            old.unlink()
        (folder / _STAMP).write_text(stamp)
    shared, call = dask.delayed((LightModel.of(model), plan, missing)), dask.delayed(_write_labels)
    starts = starts_of([part.n_rows for part in parts])
    tasks = [
        call(shared, part, int(first), folder / f"part-{number:05d}.parquet")
        for number, (part, first) in enumerate(zip(parts, starts[:-1], strict=True))
    ]
    made = dask.compute(*tasks)
    return {"files": len(made), "written": int(sum(made)), "rows": int(starts[-1])}


def _stamp(model: Any, parts: list[Part], missing: str | None) -> str:
    """Return a digest that changes with the model, the parts, their files and `missing`."""
    states = [_state(path) for path in dict.fromkeys(part.path for part in parts)]
    digest = hashlib.sha256(repr((parts, states, missing)).encode())
    for name in ("_fit_anchors", "_fit_anchor_labels", "feature_weights_", "feature_scales_"):
        digest.update(np.ascontiguousarray(getattr(model, name)).tobytes())
    return digest.hexdigest()


def _state(path: str) -> tuple[int, int] | None:
    """Return the size and time of a file; None without one, which reading it then reports."""
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns


def _write_labels(shared: tuple[LightModel, Any, Any], part: Part, first: int, path: Path) -> bool:
    """Write the labels of one part, unless the file is complete; return whether it was written."""
    if rows_written(path) == part.n_rows:
        return False
    light, plan, missing = shared
    new = apply_recipe(RawTable(read_part(part), Path(part.path).name), plan, missing=missing)
    labels = np.full(new.n_rows, -1, dtype=np.int32)
    confidence = np.full(new.n_rows, np.nan, dtype=np.float32)
    if len(new.rows):
        answers = answers_of_rows(light.model, on_one_total(light.model, new.X))
        labels[new.rows], confidence[new.rows] = answers
    row = np.arange(first + 1, first + 1 + new.n_rows, dtype=np.int64)
    write_part(path, {"row": row, "cluster": labels, "confidence": confidence})
    return True


def refuse_other_methods(name: str, title: str) -> None:
    """Raise an error unless the method is AutoCluster, which takes tables part by part."""
    if name != "auto":
        raise InputError(
            f"{title} needs the whole table in memory, and this table is too large; use --method "
            "auto, or fewer rows."
        )
