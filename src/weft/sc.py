"""Cluster the cells of an AnnData; results are stored in the same places as those of scanpy.

Needs the extra ``weft[sc]``. As in scanpy, a function changes the AnnData that it is given and
returns None, or with ``copy=True`` a changed copy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from weft._base.arrays import Floats, Mask
from weft._base.validation import import_optional
from weft.columns.marker_table import FIELDS
from weft.columns.markers import marker_columns
from weft.estimators.auto_cluster import AutoCluster

__all__ = ["cluster", "fit"]

BLOCK_ROWS = 4096  # cells whose probabilities are computed at once
_TYPES: dict[str, Any] = {
    **dict.fromkeys(("feature", "direction"), object),
    **dict.fromkeys(("cluster", "module"), np.int64),
}


def cluster(
    adata: Any,
    *,
    layer: str | None = None,
    use_rep: str | None = None,
    mask_var: str | None = None,
    key_added: str = "weft",
    markers: bool = True,
    copy: bool = False,
    **params: Any,
) -> Any:
    """Cluster the cells, without a resolution or a number of clusters.

    Works on normalised, logarithmic or scaled values, as after the usual steps of scanpy; with
    ``counts=True`` on raw counts. Sparse matrices stay sparse.

    Parameters
    ----------
    adata : AnnData
        Cells in rows, genes in columns; in memory or backed.
    layer : str, default=None
        Use ``adata.layers[layer]`` instead of ``adata.X``.
    use_rep : str, default=None
        Use ``adata.obsm[use_rep]``, such as ``"X_pca"``; genes then get no weights.
    mask_var : str, default=None
        Column of ``adata.var`` that says which genes to use, such as ``"highly_variable"``; None:
        all genes, among which weft chooses.
    key_added : str, default="weft"
        Name under which results are written.
    markers : bool, default=True
        Find the marker genes of the clusters.
    copy : bool, default=False
        Return a changed copy.
    **params : dict
        Parameters of :class:`weft.AutoCluster`, such as ``counts=True`` or ``n_clusters=8``.

    Returns
    -------
    AnnData or None
        With ``copy=True`` the copy. It has ``obs["weft"]`` (categories), ``obs["weft_confidence"]``
        (probability of a cell's cluster), ``var["weft_weight"]`` (0 where a gene is not used) and
        ``uns["weft"]`` (parameters, verdict, confidence, markers).

    Examples
    --------
    >>> import scanpy  # doctest: +SKIP
    >>> import weft.sc
    >>> adata = scanpy.datasets.pbmc68k_reduced()  # doctest: +SKIP
    >>> weft.sc.cluster(adata)  # doctest: +SKIP
    >>> adata.obs["weft"].cat.categories.size  # doctest: +SKIP
    """
    pandas = import_optional("pandas", "sc")
    adata = adata.copy() if copy else adata
    table, genes = table_of(adata, layer, use_rep, mask_var)
    model = _fit(table, params)
    labels = [str(label) for label in model.labels_]
    order = [str(label) for label in sorted(set(model.labels_.tolist()))]
    adata.obs[key_added] = pandas.Categorical(labels, categories=order)
    adata.obs[f"{key_added}_confidence"] = cell_confidences(model, table)
    about: dict[str, Any] = {
        "params": _written(model.get_params(deep=False), layer, use_rep),
        "n_clusters": int(model.n_clusters_),
        "confidence": float(model.confidence_ or 0.0),
        "method": model.method_,
        "verdict": model.verdict_,
        "stability": float(model.stability_),
    }
    if genes is not None:
        weights = np.zeros(adata.n_vars)
        weights[genes] = model.feature_weights_
        adata.var[f"{key_added}_weight"] = weights
        if markers and model.n_clusters_ > 1:
            names = adata.var_names[genes]
            counts = bool(model.counts)
            found_markers = marker_columns(table, model.labels_, counts=counts, feature_names=names)
            listed = list(found_markers.rows())
            # Arrays of plain text and numbers: every version of AnnData writes them.
            about["markers"] = {
                name: np.array([row[name] for row in listed], dtype=_TYPES.get(name, np.float64))
                for name in FIELDS
            }
    adata.uns[key_added] = about
    return adata if copy else None


def fit(
    adata: Any,
    *,
    layer: str | None = None,
    use_rep: str | None = None,
    mask_var: str | None = None,
    **params: Any,
) -> AutoCluster:
    """Fit an AutoCluster on the cells and return it; the AnnData is not changed.

    Parameters
    ----------
    adata, layer, use_rep, mask_var, **params
        As in :func:`cluster`.

    Returns
    -------
    AutoCluster
        The fitted model, which can be saved and can label other cells.
    """
    return _fit(table_of(adata, layer, use_rep, mask_var)[0], params)


def _fit(table: Any, params: dict[str, Any]) -> AutoCluster:
    return AutoCluster(**{"random_state": 0, **params}).fit(table)


def table_of(
    adata: Any, layer: str | None, use_rep: str | None, mask_var: str | None
) -> tuple[Any, Mask | None]:
    """Return the table to cluster, and the genes of its columns; None for a representation."""
    if layer is not None and use_rep is not None:
        raise ValueError("layer and use_rep were both given; give one of them.")
    if use_rep is not None:
        if use_rep not in adata.obsm:
            raise ValueError(_not_there("use_rep", use_rep, "obsm", list(adata.obsm)))
        return np.asarray(adata.obsm[use_rep], dtype=np.float64), None
    if layer is not None and layer not in adata.layers:
        raise ValueError(_not_there("layer", layer, "layers", list(adata.layers)))
    matrix = adata.X if layer is None else adata.layers[layer]
    if matrix is None:
        raise ValueError("adata.X is empty; give a layer, or use_rep.")
    genes = np.ones(adata.n_vars, dtype=bool)
    if mask_var is not None:
        if mask_var not in adata.var:
            raise ValueError(_not_there("mask_var", mask_var, "var", list(adata.var)))
        genes = adata.var[mask_var].to_numpy(dtype=bool)
    if not genes.any():
        raise ValueError(f"adata.var[{mask_var!r}] marks no gene; give another mask_var, or None.")
    table = _in_memory(matrix)
    return (table if genes.all() else table[:, np.flatnonzero(genes)]), genes


def _in_memory(matrix: Any) -> Any:
    """Return a matrix of an AnnData, which may be stored in a file, as an array or CSR."""
    if hasattr(matrix, "to_memory"):  # sparse, in a file
        matrix = matrix.to_memory()
    if sparse.issparse(matrix):
        return sparse.csr_array(matrix)
    return np.asarray(matrix[:], dtype=np.float64)


def cell_confidences(model: AutoCluster, table: Any) -> Floats:
    """Return the probability of each cell's cluster."""
    out = np.empty(table.shape[0])
    for first in range(0, table.shape[0], BLOCK_ROWS):
        part = table[first : first + BLOCK_ROWS]
        out[first : first + BLOCK_ROWS] = model.membership(part, n_top=1).probabilities[:, 0]
    return out


def _written(params: dict[str, Any], layer: str | None, use_rep: str | None) -> dict[str, Any]:
    """Return the parameters that a file can store: those that are set, as plain values."""
    kept = {**params, "layer": layer, "use_rep": use_rep}
    return {key: value for key, value in kept.items() if isinstance(value, (bool, int, float, str))}


def _not_there(name: str, given: str, where: str, known: list[str]) -> str:
    listed = ", ".join(map(repr, known[:8])) or "nothing"
    return f"{name}={given!r} is not in adata.{where}, which has {listed}; give one of these."
