"""Access to Zotero libraries by three interchangeable sources: local API, web API and database file."""
