"""References files (CSL-JSON, BibTeX, biblatex) and which of their records a document is."""

from citeloom.bibliography.match import Match, Matcher
from citeloom.bibliography.references import References, load_references

__all__ = ["Match", "Matcher", "References", "load_references"]
