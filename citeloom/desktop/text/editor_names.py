"""The name that an editor gives when it connects is not the one people know it by."""

from __future__ import annotations

# How the names begin, by the id of the editor, without regard to case and signs.
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
    """Which known editor gives this name (with or without its version); None for any other."""
    plain = "".join(character for character in name.casefold() if character.isalnum())
    matches = [
        (len(start), known) for known, starts in _NAME_PREFIXES.items() for start in starts if plain.startswith(start)
    ]
    return max(matches)[1] if matches else None
