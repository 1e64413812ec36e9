"""Conversion of documents: from files to pages, blocks and passages."""
