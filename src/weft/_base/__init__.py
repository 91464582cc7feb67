"""Shared by all packages: parameter checks, array types, label numbers, scaling."""
