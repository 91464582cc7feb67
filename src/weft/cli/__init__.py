"""What the commands of the command line do; ``cli.py`` only says how they are called."""
