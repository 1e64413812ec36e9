"""The name that an editor gives when it connects is not the one people know it by."""

from __future__ import annotations

# How the names begin, by the id of the editor, without regard to case and signs.
_SAID = {
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


def client_id(said: str) -> str | None:
    """Which known editor gives this name (with or without its version); None for any other."""
    plain = "".join(letter for letter in said.casefold() if letter.isalnum())
    fitting = [(len(start), known) for known, starts in _SAID.items() for start in starts if plain.startswith(start)]
    return max(fitting)[1] if fitting else None
