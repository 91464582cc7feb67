"""Numbers only: arrays in, arrays out; the same function names in each backend."""
