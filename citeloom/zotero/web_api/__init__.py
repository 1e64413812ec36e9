"""Client of the Zotero web API: libraries on Zotero's servers, and the files in its storage."""
