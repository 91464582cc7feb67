"""Write a golden file for each clusterer that has none yet: ``python tests/golden/make.py``.

Files that are there are never written again: they stand for models that people have kept.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np

import weft
from weft.io import save_model

HERE = Path(__file__).parent


def main() -> None:
    spec = importlib.util.spec_from_file_location("conftest", HERE.parent / "conftest.py")
    conftest = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(conftest)
    for name in conftest.clusterer_names():
        if list(HERE.glob(f"{name}-*.weft")):
            continue
        path = HERE / f"{name}-{weft.__version__}.weft"
        model = conftest.fitted(name)
        save_model(model, path)
        rows = np.random.default_rng(1).uniform(0, 20, size=(10, 4)).round(3)
        told = {
            "weft": weft.__version__,
            "rows": rows.tolist(),
            "labels": model.predict(rows).tolist(),
        }
        path.with_suffix(".json").write_text(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
