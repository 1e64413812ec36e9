"""The page of projects: what each reads, and its papers."""
