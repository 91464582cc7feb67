"""One optimiser per file; none of them sees data."""
