"""What a column is, and whether it matters."""
