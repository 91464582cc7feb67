"""The parts of a search: particles, clusterers, criteria, swarms, and the loop."""
