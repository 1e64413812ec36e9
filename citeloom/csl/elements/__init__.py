"""The rendering elements of a CSL style."""
