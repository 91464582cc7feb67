"""numba, nogil and sequential per particle: threads run particles side by side."""
