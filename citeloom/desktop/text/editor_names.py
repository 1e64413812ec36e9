"""Recognition of editors by the name that they send when they connect, which often is not their usual name."""

from __future__ import annotations

# Beginnings of the sent names by editor id, in lower case and without punctuation.
_NAME_PREFIXES = {
    "claude-desktop": ("claudeai", "claudedesktop"),
    "claude-code": ("claudecode",),
    "cursor": ("cursor",),
    "vscode": ("visualstudiocode", "vscode"),
    "vscode-insiders": ("visualstudiocodeinsiders", "vscodeinsiders"),
    "windsurf": ("windsurf",),
    "zed": ("zed",),
    "cline": ("cline",),
    "continue": ("continue",),
    "codex": ("codex",),
    "gemini": ("geminicli",),
    "lm-studio": ("lmstudio",),
}


def client_id(name: str) -> str | None:
    """Return the id of the known editor that sends this name, with or without its version; None for any other."""
    plain = "".join(character for character in name.casefold() if character.isalnum())
    matches = [
        (len(start), known) for known, starts in _NAME_PREFIXES.items() for start in starts if plain.startswith(start)
    ]
    return max(matches)[1] if matches else None
