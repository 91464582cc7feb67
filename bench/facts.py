"""What we found wrong or unstated in the papers: each a fact, with its evidence counted here.

Arithmetic on printed numbers needs no run: the studies hold them. Evidence from runs is read from
the committed rows, so that a page says what the rows say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy import stats
from sklearn.cluster import KMeans

from bench import records
from bench.directions import findings, rows_for
from bench.study import any_match, load
from bench.verdicts import compare_methods
from weft import RangeScaler
from weft.datasets import make_noisy_gaussians, make_shapes
from weft.metrics import accuracy


def printed(name: str, column: str, method: str = "*", data: str = "*") -> list[float]:
    """Return the printed numbers of a column."""
    return [
        cell.printed[column]
        for cell in load(name).cells
        if column in cell.printed
        and any_match(cell.method, [method])
        and any_match(cell.data, [data])
    ]


def ours(name: str, column: str, method: str, folder: Path, data: str = "*") -> np.ndarray:
    """Return our numbers of a column."""
    found = [
        float(np.max(row[column]))
        for row in rows_for(load(name), folder)
        if row["status"] == "ok"
        and any_match(row["method"], [method])
        and any_match(row["data"], [data])
        and row.get(column) is not None
    ]
    return np.array(found)


def mean_of_trials(value: float, n_trials: int, decimals: int) -> bool:
    """Whether a printed mean of whole numbers can be the mean of so many trials."""
    unit = 10.0**-decimals
    near = range(math.floor(value * n_trials) - 1, math.ceil(value * n_trials) + 2)
    # However halves were rounded, the printed number is within half a unit (or was cut off).
    return any(-0.5 * unit - 1e-9 <= total / n_trials - value < unit + 1e-9 for total in near)


def oneill(folder: Path) -> Iterator[str]:
    """O'Neill 2017."""
    for table in ("A.1", "A.2"):
        counts = printed(
            f"oneill-{table}", "clusters", "*, " + ("CSC" if table == "A.1" else "BCR")
        )
        fit = sum(mean_of_trials(value, 30, 2) for value in counts)
        others = {n: sum(mean_of_trials(value, n, 2) for value in counts) for n in range(8, 30)}
        best = max(others, key=lambda n: (others[n], -n))
        every = f"; all can be that of {best}" if others[best] == len(counts) else ""
        yield (
            f'Table {table} says "30 independent trials", but only {fit} of its {len(counts)} mean '
            f"numbers of "
            f"clusters can be the mean of 30 whole numbers{every}."
        )
    separated = stats.ranksums(np.arange(30) + 100.0, np.arange(30.0)).pvalue
    yield (
        "Section 5.6.1 announces a paired Wilcoxon test, section 5.7 and table 6.1 an unpaired "
        "one. The most frequent "
        f"printed p, 2.9e-11, is what the unpaired test gives for 30 runs all above 30 others "
        f"({separated:.1e}): it tests "
        "swarm seeds on one set against a baseline without chance, and says nothing about other "
        "sets."
    )
    dense = ours("oneill-3.1", "connectedness", "truth", folder, "2d 4c")
    apart = ours("oneill-3.1", "silhouette", "truth", folder, "2d 10c")
    if len(dense) and len(apart):
        yield (
            "The printed sets with 2 features do not follow from section 3.3. Of the true "
            "clusters, "
            f"connectedness on 2d 4c is "
            f"{printed('oneill-3.1', 'connectedness', data='2d 4c')[0]:g} "
            f"in print and {dense.mean():.1f} ± {dense.std():.1f} on {len(dense)} sets drawn as "
            f"described; the silhouette on 2d 10c is "
            f"{printed('oneill-3.1', 'silhouette', data='2d 10c')[0]:g} in print and "
            f"{apart.mean():.2f} ± {apart.std():.2f} here. With 50 and 100 features all but one of "
            "the printed characteristics agree."
        )
    yield (
        'Table D.1 tunes the noise of BCR on sets that "share characteristics with the datasets '
        'used for testing"; its BCR of '
        "10064.55 on 100d 4c is, digit for digit, that of the good solution on the test set in "
        "table 6.4."
    )
    best = max(printed("oneill-C.2", "f@0.3", "DBSCAN, 5", "50d *"))
    tested = printed("oneill-A.1", "f", "DBSCAN, baseline", "50d *")
    yield (
        f"DBSCAN with ε = 0.3 and 5 points gets {best:g} on the tuning sets with 50 features "
        f"(table C.2) and "
        f"{tested[0]:g} and {tested[1]:g} on the test sets (table A.1), which are said to be of "
        f"the same kind."
    )
    for name in ("oneill-5.1", "oneill-6.1"):
        study = load(name)
        for found in findings(study, rows_for(study, folder)):
            if found.test is not None and "the same" not in found.says:
                test = found.test
                yield (
                    f"Table {study.table}: {found.says}. On our sets: {found.word} (difference "
                    f"{test.difference:+.3f}, "
                    f"p = {test.p_paired:.2g} over {test.n_pairs} sets)."
                )
    yield from twenty_sets()


def twenty_sets() -> Iterator[str]:
    """What ``python -m bench.feature_swarm`` found on 20 other sets with 50 and 100 features."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in records.load(Path(__file__).parent / "results" / "feature_swarm.jsonl"):
        cell = row["cell"]
        place = f"{cell['d']} {cell['k']} {cell['set']}"
        found.setdefault((cell["clusterer"], cell["criterion"]), {})[place] = row["f"]
    for clusterer, title in (
        ("affinity", "affinity propagation"),
        ("knn", "the kNN graph"),
        ("dbscan", "DBSCAN"),
        ("linkage", "complete linkage"),
    ):
        plain = found[clusterer, "plain"]
        parts = []
        for criterion in ("csc", "bcr"):
            other = found[clusterer, criterion]
            test = compare_methods(np.array([[other[place], plain[place]] for place in plain]))
            parts.append(
                f"{criterion.upper()} {np.mean(list(other.values())):.3f} (p = {test.p_paired:.2g})"
            )
        yield (
            "On 20 other sets with 50 and 100 features (`python -m bench.feature_swarm`), "
            f"{title}: "
            f"plain F {np.mean(list(plain.values())):.3f}, {', '.join(parts)}."
        )


def k_means_at(model: str, variance: float) -> float:
    """Return the mean accuracy of K-Means on five sets of a Gaussian model with noise, five "
    "starts."""
    found = []
    for seed in range(5):
        made = make_noisy_gaussians(model, variance=variance, random_state=seed)
        X = RangeScaler().fit_transform(made.data)
        k = len(np.unique(made.target))
        for start in range(5):
            k_means = KMeans(k, init="random", n_init=1, random_state=start)
            found.append(100 * accuracy(made.target, k_means.fit_predict(X), mapping="greedy"))
    return float(np.mean(found))


def amorim(folder: Path) -> Iterator[str]:
    """De Amorim 2011."""
    k_means = [
        (model, printed(f"amorim-{table}", "greedy", "K-Means")[0])
        for model, table in (("vii", "3.17"), ("viii", "3.18"), ("ix", "3.19"))
    ]
    yield (
        'The Gaussian models are said to have "spherical clusters of variance 0.1" around centres '
        "from N(0, 1). K-Means "
        "gets "
        + ", ".join(f"{k_means_at(model, 0.1):.1f} %" for model, _ in k_means)
        + " on such sets; printed are "
        + ", ".join(f"{value:g} % on ({model})" for model, value in k_means)
        + ". With variance 1.0 we get "
        + ", ".join(
            f"{ours(f'amorim-{table}', 'greedy', 'K-Means', folder).mean():.1f} %"
            for table in ("3.17", "3.18", "3.19")
        )
        + "."
    )
    yield (
        "No printed row of iMWK-Means with β other than 2 on real data follows from the equations, "
        "though those of "
        "iK-Means and iWK-Means do to the digit (wine, pima, hepatitis, australian): tables 3.1 to "
        "3.11."
    )
    yield (
        "Table 3.20 prints 8.18 as the standard deviation of MWK-Means' mean over five sets. The "
        "five means of table A.4 "
        "have a standard deviation of "
        f"{np.std(printed('amorim-A.4', 'greedy', 'MWK-Means'), ddof=1):.2f}; 8.18 is the mean of "
        f"the five standard "
        "deviations. All other entries of tables 3.17 to 3.20 agree with appendix A."
    )
    yield (
        "The first set of model (viii) has iMWK-Means at 94.49 in table A.2 and at 99.4 in table "
        "B.6; table 4.6 takes "
        f"over the latter ({np.mean(printed('amorim-B.6', 'max')):.1f}), table 3.18 the former "
        f"({np.mean(printed('amorim-A.2', 'max', 'iMWK-Means')):.1f})."
    )
    yield (
        "Table 4.5 prints 13.4 as the mean of modal exponents on (ix), where exponents end at 5; "
        "the mean of table B.3 is "
        f"{np.mean(printed('amorim-B.3', 'modal')):.2f}. Table A.4 prints maxima of K-Means as 1 "
        f"and 0.99, for 100 and "
        "99 %; captions call (vii) a model of 12 clusters (A.1) and (ix) one with 50 noise "
        "features (B.3)."
    )
    yield (
        'Heart disease is described with "690 specimens"; the set of that name has 270. Its '
        "encoding is not stated."
    )
    yield (
        "Exponents are those with the best accuracy by the labels; the standard deviations of the "
        "exponents (0.04 to 1.55) "
        "are those of an oracle."
    )


def projected(folder: Path) -> Iterator[str]:
    """Lu et al. 2009."""
    for number, m in ((1, 100), (2, 1000), (3, 2000)):
        name = f"projected-{number}"
        found = ours(name, "accuracy", "k-means", folder)
        if len(found):
            wanted = printed(name, "accuracy", "k-means")
            default = ours(name, "accuracy", "ProjectedSwarm()", folder)
            yield (
                f"m = {m}: k-means from one random start gets {found.mean():.1f} % on the paper's "
                f"generator (least "
                f"{found.min():.1f}); printed are {min(wanted):g} to {max(wanted):g}. "
                f"ProjectedSwarm() gets "
                f"{default.mean():.1f}."
            )
    entropy = ours("projected-1", "accuracy", "EWKM", folder)
    if len(entropy):
        yield (
            f"EWKM at the printed γ = 1 gets {entropy.mean():.1f} % at m = 100 (print: "
            f"{np.mean(printed('projected-1', 'accuracy', 'EWKM')):.1f}): on summed dispersions of "
            f"50 rows the "
            "exponential leaves one feature per cluster."
        )
    yield (
        'Particles outside [0, 1] are "neglected" (section 3): a matrix with any weight outside is '
        "not evaluated. Some 160 of 5,000 are at m = 100, and the accuracies are the printed ones; "
        "the best of the ten starts alone gets as far (decision 0030)."
    )
    yield (
        "P_c is said to range from 0.05 to 0.5; the printed formula starts at 0. The inertia "
        "weight is called λ, then α, "
        "which is also the overlap of the data."
    )
    yield "Figures 2 to 4 are bar charts without numbers; tr45 and wap are not public here."


def staged(folder: Path) -> Iterator[str]:
    """Lensen, Xue and Zhang 2017."""
    for name, data, told in (
        ("staged-2", "wine", 2.0),
        ("staged-2", "libras", 12.27),
        ("staged-3", "10d10c", 5.43),
    ):
        found = ours(name, "clusters", "k_est-means", folder, data)
        if len(found):
            yield (
                f"K_est on {data} is {found.mean():g} in our runs (printed {told:g}), and the rows "
                f"of k_est-means there "
                "are those of other numbers of clusters."
            )
    yield (
        "Table 1 gives 683 rows for Image Segmentation, the number of Breast Cancer's; the set has "
        "2,310. The printed sums "
        "of intra-cluster distances fit 2,310."
    )
    yield (
        "The largest K is not stated. The printed 48, 47 and 36 are ⌊√n⌋ of their sets (2,335, "
        "2,212 and 1,339 rows: "
        f"{math.isqrt(2335)}, {math.isqrt(2212)}, {math.isqrt(1339)}); so it is taken."
    )
    yield "How D-PSO bounds or weighs K is not stated; its rows differ most from ours."


def best_straight_border(data: str) -> float:
    """Return the best accuracy of two nearest-centre cells on a set of the kernel paper."""
    made = make_shapes(**load("kernel-3").data[data]["params"])
    X, y = made.data, made.target
    best = 0.0
    places = np.arange(1, len(y) + 1)
    for angle in np.linspace(0.0, np.pi, 721):
        ones = np.cumsum(y[np.argsort(X @ [np.cos(angle), np.sin(angle)])])
        right = ones + (len(y) - places) - (ones[-1] - ones)
        best = max(best, right.max() / len(y), (len(y) - right).max() / len(y))
    return best


def kernel(folder: Path) -> Iterator[str]:
    """Abraham, Das and Konar 2007."""
    methods = (
        "kernel k-means",
        "kernel subtractive",
        "GCUK",
        "DCPSO",
        "kernel PSO",
        "kernel MEPSO",
    )
    told = (72.28, 75.16, 74.48, 76.49, 77.58, 91.65)
    right = [float(np.mean(printed("kernel-3", "huang", method))) for method in methods]
    yield (
        "The averages in the last row of table 3 are not those of its columns: "
        + ", ".join(
            f"{method} {mean:.2f} (printed {said})"
            for method, mean, said in zip(methods, right, told, strict=True)
        )
        + "."
    )
    gaps = []
    for cell in load("kernel-4").cells:
        own = printed("kernel-3", "huang", "kernel MEPSO", cell.data)[0]
        rival = max(printed("kernel-3", "huang", method, cell.data)[0] for method in methods[:5])
        low, high = sorted((abs(cell.printed["low"]), abs(cell.printed["high"])))
        gaps.append((cell.data, own - rival, low, high))
    outside = [
        f"{data} {gap:.2f} (printed {low:g} to {high:g})"
        for data, gap, low, high in gaps
        if not low <= gap <= high
    ]
    yield (
        f"Table 4 contradicts table 3: of {len(gaps)} differences between MEPSO and the best "
        f"rival, {len(outside)} lie "
        f"outside the printed interval: {'; '.join(outside)}."
    )
    yield "Synthetic_4 has 5 clusters in table 1; in table 5 all four methods find 9 to 10."
    for data in ("synthetic 1", "synthetic 5"):
        found = ours("kernel-3", "huang", "kernel MEPSO", folder, data)
        if len(found):
            yield (
                f"{data}, concentric: printed "
                f"{printed('kernel-3', 'huang', 'kernel MEPSO', data)[0]:g} %, ours "
                f"{found.mean():.1f} %. With a Gaussian kernel the nearest centre in feature space "
                f"is the nearest in input "
                "space, so borders are straight; the best two such cells of all (721 directions, "
                "all offsets) reach "
                f"{100 * best_straight_border(data):.1f} %."
            )
    yield (
        "Glass at 92.01 % and vowel at 94.15 %, unsupervised, exceed what supervised classifiers "
        "reach on these files by "
        "cross-validation (`python -m bench.kernel --part bounds`)."
    )
    spread = ours("kernel-3", "huang", "kernel MEPSO", folder, "glass")
    if len(spread) > 1:
        yield (
            "Printed standard deviations of accuracies in % over 40 runs of random searches go "
            "down "
            f"to 0.001 (MEPSO on glass: 0.623; ours {spread.std(ddof=1):.1f} over {len(spread)} "
            f"runs)."
        )
    yield (
        "C1 rises and C2 falls in table 2, against custom; both directions are options of "
        "KernelSwarm."
    )


FACTS: dict[str, Callable[[Path], Iterator[str]]] = {
    "oneill": oneill,
    "amorim": amorim,
    "projected": projected,
    "staged": staged,
    "kernel": kernel,
}


TITLES = {
    "oneill": "O'Neill 2017: PSO-FSW and PSO-FSWE",
    "amorim": "de Amorim 2011: Minkowski weighted K-Means",
    "projected": "Lu, Wang, Li, Zhou 2009: PSOVW",
    "staged": "Lensen, Xue, Zhang 2017: staged PSO",
    "kernel": "Abraham, Das, Konar 2007: kernel MEPSO",
}
