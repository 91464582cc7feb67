"""weft's own method."""

from weft.estimators.presets._method import Method

METHODS = (
    Method(
        *("auto", "AutoCluster", "AutoCluster", {}),
        *("no settings: relevant columns, clusters and their number; the default", "weft"),
        own=True,
    ),
)
