"""Conversion of Zotero items to CSL-JSON."""
