"""Zotero items as CSL-JSON."""
