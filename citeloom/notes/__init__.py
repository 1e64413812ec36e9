"""The researcher's notebook: notes, their search, links, evidence and suggestions."""
