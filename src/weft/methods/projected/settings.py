"""Settings of a projected search, read and checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from weft._base.validation import check_choice, check_integer, check_pair, check_real
from weft.methods.projected.criteria import OBJECTIVES
from weft.methods.projected.starts import INITS, WEIGHT_INITS
from weft.search.swarms.clpso import BOUNDS

METRICS = ("euclidean", "jaccard")
PARTICLES = ("clusters", "weights")


@dataclass(frozen=True)
class Objective:
    """The objective that `ProjectedSwarm` minimises, with its constants.

    Parameters
    ----------
    name : {"psovw", "lac", "ewkm", "wkmeans"}, default="psovw"
        The objective of the paper, of LAC or EWKM (weights with an entropy term), or of W-k-means
        (one set of weights for all clusters).
    strength : float or "auto", default="auto"
        γ of ``"ewkm"`` (published: 1) or h of ``"lac"``: weight of the entropy term. "auto": the
        mean dispersion of a feature in a random cluster, as in `EntropyKMeans`.
    dispersion_floor : float, default=1e-4
        Share of a feature's variance that is added to the dispersion of every cluster. Without it a
        cluster that is constant in one feature has cost 0, regardless of its other features. The
        paper does not have it.

    Examples
    --------
    >>> from weft import ProjectedSwarm
    >>> from weft.methods.projected import Objective
    >>> ProjectedSwarm(3, objective=Objective("lac", strength=1.0)).objective.dispersion_floor
    0.0001
    """

    name: str = "psovw"
    strength: float | str = "auto"
    dispersion_floor: float = 1e-4

    def __post_init__(self) -> None:
        check_choice("objective", self.name, OBJECTIVES)
        if isinstance(self.strength, str):
            check_choice("strength", self.strength, ("auto",))
        else:
            check_real("strength", self.strength, low=0.0, open_low=True)
        check_real("dispersion_floor", self.dispersion_floor, low=0.0, high=1e100)


@dataclass(frozen=True)
class SwarmSettings:
    """How the particles of `ProjectedSwarm` start, move and are improved.

    Parameters
    ----------
    init : {"k-means++", "random"}, default="k-means++"
        How each particle's first centres are drawn from the rows; the paper: "random".
    weight_init : {"near-one", "uniform"}, default="near-one"
        Range of the first weights: [0.9, 1], or, as published, [0, 1].
    bounds : {"clip", "repair", "neglect"}, default="clip"
        What happens to a weight whose step would leave [0, 1], with ``particle="weights"``. It
        stops at the bound (``"clip"``), is reflected (``"repair"``), or, as published, leaves the
        range (``"neglect"``): a particle with a weight outside the range is not evaluated.
    inertia : (float, float), default=(0.9, 0.7)
        First and last inertia, with ``particle="weights"``.
    acceleration : float, default=1.49445
        Pull towards the learned position, with ``particle="weights"``.
    n_steps : int, default=3
        Rounds of the closed-form alternation in each evaluation, with ``particle="clusters"``.
    max_iter : int, default=300
        Maximum number of rounds of the alternation, at the start of a particle and in the polish.

    Examples
    --------
    >>> from weft import ProjectedSwarm
    >>> from weft.methods.projected import SwarmSettings
    >>> ProjectedSwarm(3, swarm=SwarmSettings(n_steps=1)).swarm.n_steps
    1
    """

    init: str = "k-means++"
    weight_init: str = "near-one"
    bounds: str = "clip"
    inertia: tuple[float, float] = (0.9, 0.7)
    acceleration: float = 1.49445
    n_steps: int = 3
    max_iter: int = 300

    def __post_init__(self) -> None:
        check_choice("init", self.init, INITS)
        check_choice("weight_init", self.weight_init, WEIGHT_INITS)
        check_choice("bounds", self.bounds, BOUNDS)
        for place, value in enumerate(check_pair("inertia", self.inertia)):
            check_real(f"inertia[{place}]", value)
        check_real("acceleration", self.acceleration, low=0.0)
        check_integer("n_steps", self.n_steps, low=1)
        check_integer("max_iter", self.max_iter, low=1)


@dataclass(frozen=True)
class Settings:
    """The parameters of a `ProjectedSwarm`, checked."""

    objective: str
    metric: str
    particle: str
    exponent: float  # of the weights
    strength: float | None  # None: from the data
    n_particles: int
    n_generations: int
    polish: bool
    dispersion_floor: float
    standardize: bool
    swarm: SwarmSettings

    @property
    def averaged(self) -> bool:
        """Whether the objective uses means over a cluster's rows instead of sums."""
        return self.objective == "lac"

    @property
    def closing_rounds(self) -> int:
        """Maximum number of rounds in the polish."""
        return self.swarm.max_iter if self.polish else 0


def read_settings(model: Any) -> Settings:
    """Return the parameters of an estimator, after checks of their combinations."""
    swarm = model.swarm if isinstance(model.swarm, SwarmSettings) else SwarmSettings()
    objective = model.objective
    if not isinstance(objective, Objective):
        objective = Objective(objective)
    if model.metric == "jaccard" and model.device == "cuda":
        raise ValueError(
            "device='cuda' is not available for metric='jaccard'; use device='cpu', or 'auto', "
            "which uses the CPU for it."
        )
    if model.metric == "jaccard" and objective.name != "psovw":
        raise ValueError(
            f"objective={objective.name!r} is not available for metric='jaccard'; "
            "leave objective at 'psovw'."
        )
    n_particles = int(model.n_particles)
    n_evaluations = check_integer("n_evaluations", model.n_evaluations, low=n_particles)
    exponent = read_exponent(model.weight_exponent, model.metric)
    closed = model.particle == "clusters" or model.polish
    powered = model.metric == "euclidean" and objective.name in ("psovw", "wkmeans")
    if closed and powered and exponent < 1.0:
        raise ValueError(
            f"weight_exponent={exponent:g} has no closed-form weights; use 1 or more, or "
            "particle='weights' with polish=False."
        )
    return Settings(
        objective=objective.name,
        metric=model.metric,
        particle=model.particle,
        exponent=exponent,
        strength=None if isinstance(objective.strength, str) else float(objective.strength),
        n_particles=n_particles,
        n_generations=n_evaluations // n_particles,
        polish=bool(model.polish),
        dispersion_floor=float(objective.dispersion_floor),
        standardize=bool(model.standardize),
        swarm=swarm,
    )


def read_exponent(weight_exponent: Any, metric: str) -> float:
    """Return the power of the weights; "auto" is 8 as published, and 1 for text."""
    if isinstance(weight_exponent, str):
        return 1.0 if metric == "jaccard" else 8.0
    return float(weight_exponent)
