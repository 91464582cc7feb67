"""The public scikit-learn classes, thin."""
