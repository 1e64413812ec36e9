"""LaTeX manuscripts."""
