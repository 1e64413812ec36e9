"""Imports: from the sources of a project to passages in its index."""
