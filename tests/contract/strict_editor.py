"""An editor that holds every answer against the output schema that its tool announced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from tests.support import Editor


class StrictEditor(Editor):
    """Every successful call is checked; a call by an older name has no schema of its own."""

    def __init__(self, home: Path, *arguments: str, name: str = "test-editor") -> None:
        super().__init__(home, *arguments, name=name)
        self.tools: dict[str, dict[str, Any]] = {t["name"]: t for t in self.request("tools/list")["result"]["tools"]}

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must succeed and answer as it announced."""
        content = super().call(tool, **arguments)
        if tool in self.tools:
            Draft202012Validator(self.tools[tool]["outputSchema"]).validate(content)
        return content
