"""Wording: what the engine reports, in the words of a researcher."""
