"""Reader of Zotero's database file, from a private copy."""
