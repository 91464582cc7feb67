"""Files without pickle: fitted models and checkpoints."""
