"""Numbers only: compiled loops behind the candidates and their evidence."""
