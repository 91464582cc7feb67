"""What users do with clusters: certainty of a row, explanations, rules, names, comparisons."""
