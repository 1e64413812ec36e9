"""What a project may read: folders, Zotero, web addresses."""
