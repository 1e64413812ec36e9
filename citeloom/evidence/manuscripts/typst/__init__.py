"""Typst manuscripts."""
