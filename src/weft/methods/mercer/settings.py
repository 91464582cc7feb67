"""Settings of kernel methods: the kernel, and how centres in feature space are found."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from weft._base.records import RecordParameter
from weft._base.validation import check_choice, check_integer, check_real

KERNELS = ("diffusion", *sorted(PAIRWISE_KERNEL_FUNCTIONS))
CENTERS = ("feature-space", "input")


@dataclass(frozen=True)
class Kernel:
    """A kernel with its own parameters.

    Parameters
    ----------
    name : str
        ``"diffusion"``, or any kernel of scikit-learn by name.
    params : dict, default={}
        Passed to kernels of scikit-learn, such as ``{"degree": 3}``. ``gamma`` of ``"rbf"`` takes
        the place of ``sigma``.

    Examples
    --------
    >>> from weft import KernelKMeans
    >>> from weft.methods.mercer import Kernel
    >>> KernelKMeans(2, kernel=Kernel("polynomial", {"degree": 3})).kernel.name
    'polynomial'
    """

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_choice("kernel", self.name, KERNELS)
        if not isinstance(self.params, Mapping):
            raise TypeError(f"params={self.params!r} must be a dict of the kernel's parameters.")
        taken: list[str] = []
        if self.name != "diffusion":
            signature = inspect.signature(PAIRWISE_KERNEL_FUNCTIONS[self.name])
            taken = [name for name in signature.parameters if name not in ("X", "Y")]
        for key in self.params:
            if key not in taken:
                listed = ", ".join(taken) or "none"
                raise ValueError(
                    f"params has the entry {key!r}, but kernel={self.name!r} takes: {listed}."
                )


@dataclass(frozen=True)
class FeatureCenters:
    """Centres in feature space, and how `KernelSwarm` finds them.

    Parameters
    ----------
    min_size : float, default=0.02
        Smallest allowed share of the rows in a cluster.
    refine_steps : int, default=1
        Steps of k-means in feature space before a particle is scored.
    polish : bool, default=True
        Whether kernel k-means refines the clusters of the best particle.

    Examples
    --------
    >>> from weft import KernelSwarm
    >>> from weft.methods.mercer import FeatureCenters
    >>> KernelSwarm(centers=FeatureCenters(min_size=0.05)).centers.polish
    True
    """

    min_size: float = 0.02
    refine_steps: int = 1
    polish: bool = True

    def __post_init__(self) -> None:
        check_real("min_size", self.min_size, low=0.0, high=0.5)
        check_integer("refine_steps", self.refine_steps, low=0, high=10**5)
        check_choice("polish", self.polish, (True, False))


@dataclass(frozen=True)
class InputCenters:
    """Centres in input space, and how `KernelSwarm` repairs particles.

    Parameters
    ----------
    repairs : {"decoded", "printed"}, default="decoded"
        What happens to a particle without active centres or with a cluster of fewer than two rows.
        ``"decoded"``: its two highest thresholds count as active and small clusters are dropped
        when it is evaluated; the particle itself does not change. ``"printed"``, as published: two
        random thresholds, or averaged centres, are written into the particle; a particle that still
        has an empty cluster has fitness 0. This runs on the CPU.

    Examples
    --------
    >>> from weft import KernelSwarm
    >>> from weft.methods.mercer import InputCenters
    >>> KernelSwarm("rbf", centers=InputCenters("printed"), sigma=1.1).centers.repairs
    'printed'
    """

    repairs: str = "decoded"

    short_form: ClassVar[str] = "input"

    def __post_init__(self) -> None:
        check_choice("repairs", self.repairs, ("decoded", "printed"))


def read_kernel(kernel: Any) -> Kernel:
    """Return the kernel of that name, or the record itself."""
    return kernel if isinstance(kernel, Kernel) else Kernel(kernel)


def read_centers(centers: Any) -> FeatureCenters | InputCenters:
    """Return the settings of centres in input space or in feature space."""
    if isinstance(centers, (FeatureCenters, InputCenters)):
        return centers
    check_choice("centers", centers, CENTERS)
    return FeatureCenters() if centers == "feature-space" else InputCenters()


# Moves old parameters of kernel methods into these records.
KERNEL_RECORD = RecordParameter(Kernel, Kernel)
CENTERS_RECORD = RecordParameter((FeatureCenters, InputCenters), read_centers)
# Centres in input space do not use the old parameters of centres in feature space.
OLD_CENTERS = RecordParameter(
    FeatureCenters,
    read_centers,
    lambda centers: isinstance(read_centers(centers), InputCenters),
)
