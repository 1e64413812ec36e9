"""The citation of a passage as commands print it."""

from __future__ import annotations

from citeloom.api.search import FoundPassage


def citation(passage: FoundPassage) -> str:
    """The citation of a passage, or why it has none; text that an agent stored is always marked as such."""
    by_agent = passage.text_source == "agent"
    if passage.cite:
        return f"{passage.cite} (stored by an agent)" if by_agent else passage.cite
    why = f"says it is {passage.claimed_citekey}, not confirmed" if passage.claimed_citekey else "no work"
    return f"[{'stored by an agent; ' if by_agent else ''}{why}]"
