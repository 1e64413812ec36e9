"""Bibliographic records: references files (CSL-JSON, BibTeX, biblatex), citekeys, matching and export."""
