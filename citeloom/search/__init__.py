"""Search: from a question to ranked, grouped hits."""
