"""What kernel k-means and subtractive clustering share: the kernel, its width, its space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from weft._base.arrays import Floats
from weft._base.docstrings import Entry
from weft._base.records import Merge
from weft._base.scaling import standard_scaling
from weft.backends import Backend, backend_for
from weft.estimators._mixins import PredictMixin
from weft.estimators._moved_params import MovedParamsMixin, moved_dict
from weft.methods.mercer.settings import KERNEL_RECORD, read_kernel
from weft.methods.mercer.spaces import make_space

# Parameters of a kernel that used to be separate parameters of the estimator.
KERNEL_PARAMS = moved_dict(
    "kernel_params", "kernel", lambda kernel, params: KERNEL_RECORD(kernel, {"params": params})
)


class KernelMixin(MovedParamsMixin, PredictMixin):
    """For estimators with ``kernel``, ``sigma``, ``scale`` and ``device``."""

    _paragraphs: ClassVar[dict[str, Entry]] = {
        "kernel": Entry(
            "str or Kernel",
            '``"diffusion"``, or any kernel of scikit-learn by name; with parameters of its own: '
            ":class:`weft.methods.mercer.Kernel`.",
        ),
        "sigma": Entry(
            'float or "median"',
            'Width of the ``"rbf"`` and ``"diffusion"`` kernels; see :class:`weft.KernelSwarm`.',
        ),
        "n_clusters_": Entry("int", "Clusters with at least one row."),
        "sigma_": Entry("float or None", "The width used; None for kernels without a width."),
    }
    _records: ClassVar[Mapping[str, Merge]] = {"kernel": KERNEL_RECORD}
    _moved = (KERNEL_PARAMS,)

    def _make_space(self: Any, X: Floats, n_clusters: int) -> tuple[Backend, Any]:
        """Build the space of the scaled rows; return its backend and its inner products."""
        kernel = read_kernel(self.kernel)
        self._fit_scaling = standard_scaling(X, scaled=self.scale)
        backend = backend_for(self.device, "mercer-closed", len(X))
        self._fit_space, self.sigma_, gram = make_space(
            self._fit_scaling.apply(X),
            kernel,
            self.sigma,
            # The walk needs directions to end in; the other kernels' inner products are enough.
            n_components=n_clusters if kernel.name == "diffusion" else 0,
            backend=backend,
        )
        return backend, gram
