"""What every room needs: parameter checks, array types, label numbers, scaling."""
