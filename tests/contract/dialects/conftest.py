"""Agents that were set up for another system: they launch `citeloom mcp --dialect NAME`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import Editor, citeloom, done, stop_engine


class Agent(Editor):
    """An agent of a dialect. Its answers are the JSON of the text content, as the documents have it."""

    def __init__(self, home: Path, dialect: str, *arguments: str) -> None:
        super().__init__(home, "--dialect", dialect, *arguments)
        self.tools: dict[str, Any] = {t["name"]: t for t in self.request("tools/list")["result"]["tools"]}

    def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must succeed."""
        answer, failed = self.any(tool, **arguments)
        assert not failed, answer
        return answer

    def refused(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must fail."""
        answer, failed = self.any(tool, **arguments)
        assert failed, answer
        return answer

    def any(self, tool: str, **arguments: Any) -> tuple[dict[str, Any], bool]:
        """Call a tool; return its answer, and whether it failed."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        (content,) = result["content"]
        answer: dict[str, Any] = json.loads(content["text"])
        assert answer == result["structuredContent"]
        assert answer.get("correlation_id") or result["_meta"]["correlation_id"]
        return answer, result["isError"]

    def parameters(self, tool: str) -> dict[str, Any]:
        """The parameters of a tool, with their types, defaults and limits, without descriptions."""
        schema = self.tools[tool]["inputSchema"]
        required = schema.get("required", [])
        hidden = ("description", "items", "properties")
        return {
            name: {key: value for key, value in about.items() if key not in hidden} | {"required": name in required}
            for name, about in schema["properties"].items()
        }


PAPERS = {
    "config.md": """# Configuration

How it is set up.

## Authentication Configuration

To configure authentication, set the variable AUTH_PROVIDER to oauth2 or jwt, and AUTH_SECRET to your key.
""",
    "notes.txt": """Deployment instructions.

The service is deployed with one command.
""",
    "tool.py": """class Greeter:
    def greet(self, name):
        # Greet somebody politely.
        return f"Hello {name}"
""",
}


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of documents in several formats."""
    folder = tmp_path_factory.mktemp("papers").resolve()
    for name, text in PAPERS.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def library(papers: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder whose only project, clean-arch, may read the papers and has read none."""
    home = tmp_path_factory.mktemp("home")
    done(citeloom(home, "project", "add", "clean-arch", "--folder", str(papers)))
    yield home
    stop_engine(home)
