"""How a search is built: particles, clusterers, criteria, swarms, and the one loop."""
