"""Zotero as three sources of one shape: its local API, the Web API, and its database file."""
