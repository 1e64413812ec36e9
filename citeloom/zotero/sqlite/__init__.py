"""Zotero's own database file, read from a copy."""
