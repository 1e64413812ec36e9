"""Rendered pages, with the passages on them located."""
