"""Uses of clusters: certainty of a row, explanations, rules, names, comparisons."""
