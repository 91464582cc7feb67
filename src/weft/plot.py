"""Figures of a fitted model: each function takes a model and returns a Plotly figure.

These are the figures of ``model.report()``. Functions that need the rows take them as `X`; a model
loaded from a file with a summary needs no rows. Plotly is installed with ``weft[app]``.
"""

from __future__ import annotations

from typing import Any

from weft._base.docstrings import Entry, documented
from weft.reporting import plots
from weft.reporting.page import summary_of

__all__ = ["convergence", "heatmap", "map", "profile", "silhouette", "weights"]

_MODEL = Entry("estimator or dict", "A fitted clusterer of weft, or a summary.")
_ROWS = {
    "model": _MODEL,
    "X": Entry("array-like of shape (n_samples, n_features)", "The rows it was fitted on."),
}
_ONE_SHAPE = {"model": _MODEL, "X": Entry("ignored", "Not used, present for API consistency.")}
_FIGURE = Entry("plotly.graph_objects.Figure", "The figure.")


@documented(_ONE_SHAPE, _FIGURE)
def weights(model: Any, X: Any = None) -> Any:
    """Draw the features with the largest weights as bars.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import weft
    >>> model = weft.WeightedKMeans(3, random_state=0).fit(load_iris().data)
    >>> len(weft.plot.weights(model).data[0].x)
    4
    """
    return _drawn(plots.weights, model, None, "has no feature weights")


@documented(_ONE_SHAPE, _FIGURE)
def heatmap(model: Any, X: Any = None) -> Any:
    """Draw the weights of each cluster as a heat map.

    Parameters
    ----------
    model : estimator or dict
        A fitted clusterer with ``cluster_feature_weights_``, or a summary.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import weft
    >>> model = weft.WeightedKMeans(3, random_state=0).fit(load_iris().data)
    >>> weft.plot.heatmap(model).data[0].type
    'heatmap'
    """
    return _drawn(plots.heatmap, model, None, "has no weights per cluster")


@documented(_ROWS, _FIGURE)
def map(model: Any, X: Any = None) -> Any:
    """Draw the rows in the learned metric, in the two directions in which they vary most.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure; at most about 2,000 rows are drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import weft
    >>> X = load_iris().data
    >>> figure = weft.plot.map(weft.WeightedKMeans(3, random_state=0).fit(X), X)
    >>> sum(len(trace.x) for trace in figure.data)
    150
    """
    return _drawn(plots.map, model, X, "cannot be mapped without its rows; give X")


@documented(_ROWS, _FIGURE)
def silhouette(model: Any, X: Any = None) -> Any:
    """Draw how much nearer each row is to its own cluster than to the next.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure; at most about 1,500 rows are used.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import weft
    >>> X = load_iris().data
    >>> figure = weft.plot.silhouette(weft.WeightedKMeans(3, random_state=0).fit(X), X)
    >>> len(figure.data)
    3
    """
    return _drawn(
        plots.silhouette, model, X, "has no silhouettes without its rows and two clusters; give X"
    )


@documented(_ONE_SHAPE, _FIGURE)
def convergence(model: Any, X: Any = None) -> Any:
    """Draw the search: fitness, features kept and number of clusters by generation.

    Parameters
    ----------
    model : estimator or dict
        A fitted swarm of weft, or a summary.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import weft
    >>> X = load_iris().data
    >>> model = weft.FeatureSwarm(n_generations=3, random_state=0).fit(X)
    >>> weft.plot.convergence(model).data[0].name
    'best so far'
    """
    return _drawn(plots.convergence, model, None, "has no search to show: it has no history_")


@documented(_ROWS, _FIGURE)
def profile(model: Any, X: Any = None) -> Any:
    """Draw how far each cluster's mean is from that of the other rows, in standard deviations.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import weft
    >>> X = load_iris().data
    >>> figure = weft.plot.profile(weft.WeightedKMeans(3, random_state=0).fit(X), X)
    >>> len(figure.data[0].x)
    3
    """
    return _drawn(plots.profile, model, X, "cannot be profiled without its rows; give X")


def _drawn(draw: Any, model: Any, X: Any, otherwise: str) -> Any:
    figure = draw(model if isinstance(model, dict) else summary_of(model, X))
    if figure is None:
        what = "this summary" if isinstance(model, dict) else f"this {type(model).__name__}"
        raise ValueError(f"{what} {otherwise}.")
    return figure
