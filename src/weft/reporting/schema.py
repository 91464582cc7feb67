"""The schema of a summary in a model file; `summary.summarize` makes summaries."""

from __future__ import annotations

from weft.models.kinds import (
    NOTHING,
    Choice,
    Fields,
    Flag,
    Integer,
    Kind,
    ListOf,
    MapOf,
    Number,
    OneOf,
    Text,
)
from weft.reporting.marking import MARKERS

SCHEMA = 2
_NUMBER = OneOf(NOTHING, Number(low=-1e300, high=1e300))
_SURE = Number(low=-1e300, high=1e300)
_SHARE = Number(low=0.0, high=1.0 + 1e-9)
_COUNT = Integer(high=2**53)
_LABEL = Integer(low=-1, high=2**31 - 1)
_NAME = Text()
_WORDS = OneOf(NOTHING, Text())
_SCALAR = OneOf(NOTHING, Flag(), _SURE, Text())


def _nested(depth: int) -> Kind:
    """A scalar, or lists and dicts of them, `depth` deep."""
    if depth == 0:
        return _SCALAR
    inner = _nested(depth - 1)
    return OneOf(NOTHING, Flag(), _SURE, Text(), ListOf(inner), MapOf(inner))


_DATA = Fields(
    {
        "name": _NAME,
        **dict.fromkeys(("n_rows", "n_rows_used", "n_columns", "n_features"), _COUNT),
    },
    dict.fromkeys(("scale", "missing", "label", "method"), _WORDS),
)
_COLUMN = Fields(
    {"name": _NAME, "kind": _NAME, "kept": Flag(), "reason": _NAME},
    {"unit": _NAME, "features": ListOf(_NAME)},  # features: files of weft 0.1.0
)
_RESULT = Fields(
    {
        **dict.fromkeys(("n_clusters", "n_unassigned", "n_selected"), _COUNT),
        **dict.fromkeys(("n_clusters_given", "has_weights"), Flag()),
        "fitness": _NUMBER,
        "n_generations": OneOf(NOTHING, _COUNT),
        "verdict": _WORDS,
        "fingerprint": Text(64),
    },
    {"weights_are_measured": Flag()},
)
_TRAIT = Fields(
    {
        "feature": _NAME,
        "direction": Choice("higher", "lower"),
        **dict.fromkeys(("effect", "mean", "rest_mean"), _NUMBER),
        "binary": Flag(),
    }
)
_CLUSTER = Fields(
    {
        "label": _LABEL,
        "name": _NAME,
        "size": _COUNT,
        "share": _SHARE,
        "traits": ListOf(_TRAIT),
        "sentence": _NAME,
    },
    {
        "title": _NAME,
        "rule": Fields(
            {
                "conditions": ListOf(_NAME),
                **dict.fromkeys(("precision", "coverage"), _SHARE),
                "held_out": Flag(),
            }
        ),
    },
)
_FEATURE = Fields(
    {"name": _NAME, "weight": _NUMBER, "share": _SHARE, "selected": Flag()},
    {
        **dict.fromkeys(("exponent", "kept_share"), _NUMBER),
        "noise": Flag(),
        **dict.fromkeys(("kind", "unit"), _NAME),
    },
)
_PROFILE = Fields(
    {
        "labels": ListOf(_LABEL, "profile clusters"),
        "features": ListOf(_NAME, "profile features"),
        "effects": ListOf(ListOf(_SURE, "profile features"), "profile clusters"),
    }
)
_WEIGHTS = Fields(
    {
        "labels": ListOf(_LABEL, "weight clusters"),
        "features": ListOf(_NAME, "weight features"),
        "shares": ListOf(ListOf(_SHARE, "weight features"), "weight clusters"),
        "n_features": _COUNT,
    }
)
_MAP = Fields(
    {
        **dict.fromkeys(("x", "y"), ListOf(_SURE, "map rows")),
        "label": ListOf(_LABEL, "map rows", longest=10_000),
        "row": ListOf(_COUNT, "map rows"),
        "explained": ListOf(_SHARE, 2),
        "n_rows": _COUNT,
        "features": ListOf(_NAME, "map features"),
        "values": ListOf(ListOf(_NUMBER, "map features"), "map rows"),
    },
    dict.fromkeys(("near_x", "near_y"), ListOf(_NUMBER, "map rows")),
)
_SILHOUETTE = Fields(
    {
        "labels": ListOf(_LABEL, "silhouette clusters"),
        "widths": ListOf(
            ListOf(Number(-1.001, 1.001), least=1, longest=10_000), "silhouette clusters"
        ),
        **dict.fromkeys(("mean", "negative"), Number(-1.001, 1.001)),
        **dict.fromkeys(("n_rows", "n_rows_all"), _COUNT),
    }
)
_STABILITY = Fields(
    {
        "n_repeats": Integer(low=1, binds="repeats"),
        "share": _SHARE,
        "agreement": ListOf(_SURE, "repeats"),
        "n_clusters": ListOf(_COUNT, "repeats"),
    },
    {
        "weights_cosine": ListOf(_SURE, "repeats"),
        **dict.fromkeys(("pairs", "null"), ListOf(_SURE)),
        "kept": MapOf(_COUNT),
        "n_rows": _COUNT,
    },
)
_SCORES = Fields(
    {
        "label": _WORDS,
        **dict.fromkeys(("n_classes", "n_rows"), _COUNT),
        **dict.fromkeys(("pair_f", "purity", "accuracy"), _SHARE),
    },
    dict.fromkeys(("ari", "ami"), Number(-1.001, 1.001)),
)
_NOISE = Fields(
    {"n_columns": _COUNT, "column_share": _SHARE, "weight_share": _SHARE},
)

_REASONS = ListOf(Text(200))
_CERTAINTY = Fields(
    {
        **dict.fromkeys(("probability", "agreement"), _NUMBER),
        "of": Choice("right", "no clusters"),
        "share": _SHARE,
        "by_cluster": OneOf(NOTHING, ListOf(_NUMBER)),
        **dict.fromkeys(("for", "against"), _REASONS),
    }
)
_CANDIDATE = Fields(
    {
        **dict.fromkeys(("n_clusters", "n_candidates"), _COUNT),
        "quality": _NUMBER,
        "method": Text(100),
        "reasons": Fields(dict.fromkeys(("for", "against"), _REASONS)),
        "measures": MapOf(_NUMBER),
        "is_answer": Flag(),
    },
    {"behind": Text()},
)
_WALK = Fields(
    {
        "levels": ListOf(
            Fields({"n_clusters": _COUNT, **dict.fromkeys(("sizes", "like"), ListOf(_COUNT))})
        ),
        "links": ListOf(ListOf(ListOf(_COUNT, 3))),
    }
)
_ALTERNATIVE = Fields(
    {
        **dict.fromkeys(("number", "n_clusters"), _COUNT),
        "method": Text(100),
        **dict.fromkeys(("quality", "agreement"), _NUMBER),
        "is_answer": Flag(),
        "sizes": ListOf(_COUNT),
        "shared": ListOf(ListOf(_COUNT)),
    }
)
_CELL = OneOf(NOTHING, _SURE, Text())
_DISTRIBUTIONS = Fields(
    {
        "labels": ListOf(_LABEL, "spread clusters"),
        "columns": ListOf(
            Fields(
                {
                    **dict.fromkeys(("name", "kind", "unit"), _NAME),
                    "all": ListOf(_SHARE),
                    "clusters": ListOf(ListOf(_SHARE), "spread clusters"),
                    "typical": ListOf(OneOf(NOTHING, Text(), ListOf(_CELL, 3)), "spread clusters"),
                    "missing": _SHARE,
                },
                {"edges": ListOf(_CELL), "levels": ListOf(_NAME)},
            )
        ),
    }
)
_ROWS = Fields(
    {
        "n_rows": _COUNT,
        "row": ListOf(_COUNT, "rows", longest=50_000),
        **dict.fromkeys(("label", "next"), ListOf(_LABEL, "rows")),
        **dict.fromkeys(("sure", "odd"), ListOf(_NUMBER, "rows")),
        "columns": ListOf(
            Fields({**dict.fromkeys(("name", "kind", "unit"), _NAME), "levels": ListOf(_NAME)}),
            "row columns",
        ),
        "values": ListOf(ListOf(_CELL, "rows"), "row columns"),
        "typical": ListOf(Fields({"label": _LABEL, "rows": ListOf(_COUNT)})),
        **dict.fromkeys(("doubtful", "odd_rows"), ListOf(_COUNT)),
    },
    {
        "name": ListOf(_NAME, "rows"),
        "outlier": ListOf(_NUMBER, "rows"),
        "clusters": ListOf(ListOf(_COUNT), "rows"),
        "chances": ListOf(ListOf(_SHARE), "rows"),
        "alternatives": ListOf(ListOf(_LABEL, "rows")),
    },
)

SUMMARY = Fields(
    {
        "schema": Choice(SCHEMA),
        "data": _DATA,
        "columns": ListOf(_COLUMN),
        "settings": MapOf(_nested(4)),
        "versions": MapOf(Text(100)),
        "seconds": MapOf(_SURE),
        "result": _RESULT,
        "clusters": ListOf(_CLUSTER),
        "profile": OneOf(NOTHING, _PROFILE),
        "map": OneOf(NOTHING, _MAP),
        "silhouette": OneOf(NOTHING, _SILHOUETTE),
        "features": ListOf(_FEATURE),
        "cluster_weights": OneOf(NOTHING, _WEIGHTS),
        "search": MapOf(ListOf(OneOf(NOTHING, Flag(), _SURE), "generations")),
        "stability": OneOf(NOTHING, _STABILITY),
        "scores": OneOf(NOTHING, _SCORES),
        "noise": OneOf(NOTHING, _NOISE),
        "warnings": ListOf(_NAME),
    },
    {
        "certainty": _CERTAINTY,
        "candidates": ListOf(_CANDIDATE),
        "walk": OneOf(NOTHING, _WALK),
        "alternatives": ListOf(_ALTERNATIVE),
        "distributions": _DISTRIBUTIONS,
        "rows": _ROWS,
        "markers": MARKERS,
    },
)
