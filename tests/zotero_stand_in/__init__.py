"""A stand-in Zotero: what is in it, and the programs and files that tell of it."""
