"""The formulas in plain NumPy, one function each, for tests to compare with."""
