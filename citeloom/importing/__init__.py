"""Importing documents: from a project's sources to passages in its index."""
