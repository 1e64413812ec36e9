"""Bibliographic files: reading and writing CSL-JSON, BibTeX and biblatex, and matching documents to records."""

from citeloom.bibliography.match import Match, Matcher
from citeloom.bibliography.references import References, load_references

__all__ = ["Match", "Matcher", "References", "load_references"]
