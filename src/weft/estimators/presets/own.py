"""weft's own method."""

from weft.estimators.presets._method import Method

METHODS = (
    Method(
        *("auto", "AutoCluster", "AutoCluster", {}),
        *("nothing to set: columns that matter, clusters and their number; the default", "weft"),
        own=True,
    ),
)
