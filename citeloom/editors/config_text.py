"""Text of an editor's settings file, and what every format can do with CiteLoom's entry in it.

`JsonText`, `TomlText` and `YamlText` implement it. An edit returns the new text and leaves every other byte alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

SERVER_NAME = "citeloom"  # of the entry in every editor's file


class MalformedConfig(ValueError):
    """The file breaks the rules of its format, so its own program cannot read it either; says where and why."""


class UnsafeEdit(ValueError):
    """The file is well-formed, but written in a way that rules out a safe edit; says why."""


class ConfigText(ABC):
    """Text of a settings file that holds MCP servers by name under one key of the top level."""

    def __init__(self, text: str, servers_key: str, data: Mapping[str, Any]) -> None:
        self.text = text
        self.servers_key = servers_key
        self.data = data  # everything in the file
        self._newline = "\r\n" if "\r\n" in text else "\n"

    @property
    def entry(self) -> Any | None:
        """CiteLoom's entry."""
        return self.data.get(self.servers_key, {}).get(SERVER_NAME)

    @property
    def other_data(self) -> dict[str, Any]:
        """Everything but CiteLoom's entry; no servers and no key for them are the same."""
        rest = {key: value for key, value in self.data.items() if key != self.servers_key}
        servers = self._other_servers()
        return {**rest, self.servers_key: servers} if servers else rest

    def _other_servers(self) -> Any:
        servers = self.data.get(self.servers_key, {})
        return {name: server for name, server in servers.items() if name != SERVER_NAME}

    def _with_line_end(self, text: str) -> str:
        return text + self._newline if text and not text.endswith("\n") else text

    @abstractmethod
    def with_entry(self, entry: Mapping[str, Any]) -> str:
        """Return the text with this entry added, or in place of the one that is there."""

    @abstractmethod
    def without_entry(self) -> str:
        """Return the text without the entry."""
