"""The search page: what an agent would find, and the page on which it stands."""
