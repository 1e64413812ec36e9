"""Reader of LaTeX manuscripts."""
