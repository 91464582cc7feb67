"""Triton kernels for steps that would need too many memory transfers in plain torch.

Each module holds kernels and the functions that start them; no other code uses Triton. Modules are
imported on first use, because Triton is not available on every system: see `devices.is_fused`.
"""

from importlib import import_module
from types import ModuleType

_MODULES = (
    *("affinity", "centers", "components", "density", "distances", "groups", "kmeans"),
    *("linkage", "mercer_cs", "minkowski", "moments", "nearest", "products", "prototypes"),
    *("rounds", "scaled", "scores", "tangents"),
)


def __getattr__(name: str) -> ModuleType:
    if name not in _MODULES:
        raise AttributeError(f"there are no Triton kernels {name!r}")
    return import_module(f"{__name__}.{name}")
