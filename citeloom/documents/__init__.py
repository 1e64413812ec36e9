"""Reading documents: from files to pages, blocks and passages."""
