"""Makes session.svg, the picture in docs/cli.md, from a real search of the sample library."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
QUESTION = "how often is the cited page off by one?"
WIDTH = 100


def citeloom(home: str, *arguments: str) -> str:
    """What a command prints on a terminal."""
    environment = {**os.environ, "CITELOOM_HOME": home, "COLUMNS": str(WIDTH), "FORCE_COLOR": "1"}
    command = [sys.executable, "-m", "citeloom", *arguments]
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def main() -> None:
    """Search, record, and write the picture without any font from elsewhere."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        sample = ("--references", "citeloom/sample/library.json", "--folder", "citeloom/sample/papers")
        citeloom(home, "project", "add", "thesis", *sample)
        citeloom(home, "ingest", "thesis")
        console.print(Text(f'$ citeloom search thesis "{QUESTION}" --top 2', style="bold green"))
        console.print(Text.from_ansi(citeloom(home, "search", "thesis", QUESTION, "--top", "2")))
        citeloom(home, "engine", "stop")
    picture = console.export_svg(title="CiteLoom")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    picture = picture.replace("font-family: Fira Code, monospace", "font-family: ui-monospace, Consolas, monospace")
    picture = re.sub(r"\s*<!-- Generated.*?-->", "", picture)
    (ROOT / "resources" / "session.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
