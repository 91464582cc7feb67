"""The array types that all signatures of the package use."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Singles: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.int64]
Labels: TypeAlias = NDArray[np.int32]
Mask: TypeAlias = NDArray[np.bool_]
Tensor: TypeAlias = Any  # torch is optional, so its types cannot be imported
