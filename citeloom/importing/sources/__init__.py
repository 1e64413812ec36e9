"""Sources of documents: folders, Zotero, web addresses."""
