"""Formats the citation of a passage for output. Used by `search` and `show`."""

from __future__ import annotations

from citeloom.api.search import FoundPassage


def citation(passage: FoundPassage) -> str:
    """Return the citation of a passage, or why it has none; text stored by an agent is always marked."""
    by_agent = passage.text_source == "agent"
    if passage.cite:
        return f"{passage.cite} (stored by an agent)" if by_agent else passage.cite
    why = f"says it is {passage.claimed_citekey}, not confirmed" if passage.claimed_citekey else "no work"
    return f"[{'stored by an agent; ' if by_agent else ''}{why}]"
