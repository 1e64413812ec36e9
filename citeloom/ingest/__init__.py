"""The way of a document: scan, plan, convert, match, embed, write, commit."""
