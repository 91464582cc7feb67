"""The commands of the command line: ``app.py`` declares them, the other modules do the work."""
