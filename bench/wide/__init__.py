"""Wide and sparse tables: speed, markers, counts, cells and text."""
