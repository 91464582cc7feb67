"""From a file or a DataFrame to numbers, and back."""
