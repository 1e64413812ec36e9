"""The quick start: reads the sample library, then asks it through a real `citeloom mcp` process and
checks the sample manuscript.

Everything happens offline in a temporary data folder, with the bundled models. Run it with `make demo`.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from citeloom.core.paths import sample_folder

ROOT = Path(__file__).resolve().parents[1]
PROJECT = "sample/library"
QUESTIONS = (
    ("How often is the cited page off by exactly one, and why?", {}),
    ("Why could the Datoli company not recover its loans in court?", {}),
    ("Do street trees cool the night?", {"filters": {"year": {"$gte": 2020}, "exclude_sections": ["References"]}}),
)
QUOTATION = {
    "quote": "a disputed quotation can be settled by driving to the shelf",
    "citekey": "hartmannQuotationErrorsScholarly2019",
    "page": "256",
}


def citeloom(*arguments: str, finds_faults: bool = False) -> None:
    """Run a command as a person would, and show it."""
    shown = [Path(a).relative_to(ROOT).as_posix() if Path(a).is_relative_to(ROOT) else a for a in arguments]
    print(f"\n$ citeloom {' '.join(shown)}", flush=True)
    subprocess.run([sys.executable, "-m", "citeloom", *shown], check=not finds_faults, cwd=ROOT)


async def ask(home: str) -> None:
    """Ask as an editor's agent does: launch the bridge, call the tool, read the structured answer."""
    bridge = StdioServerParameters(
        command=sys.executable,
        args=["-m", "citeloom", "mcp", "--project", PROJECT],
        env={**os.environ, "CITELOOM_HOME": home},
    )
    async with Client(bridge) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        print(f"\nAn editor launches 'citeloom mcp --project {PROJECT}' and sees: {', '.join(tools)}")
        for text, more in QUESTIONS:
            arguments = {"project": PROJECT, "text": text, "top_k": 2, **more}
            print(f"\n> query_hybrid({arguments})")
            answer = (await client.call_tool("query_hybrid", arguments)).structured_content
            for hit in answer["items"]:
                show(hit)
            print(f"  coverage: {answer['coverage']}")
        print(f"\n> verify_quote({QUOTATION})")
        said = (await client.call_tool("verify_quote", {"project": PROJECT, **QUOTATION})).structured_content
        print(f"  {said['verdict']}: {said['message']}\n  {said['diff']}\n  cite {said['cite']}")
        wanted = {"citekeys": [f"[see @{QUOTATION['citekey']}, p. 253]"], "style": "chicago-author-date"}
        print(f"\n> format_citations({wanted})")
        made = (await client.call_tool("format_citations", {"project": PROJECT, **wanted})).structured_content
        print(textwrap.indent(made["text"], "  "))


def show(hit: dict[str, Any]) -> None:
    """Print what an agent needs of a hit to cite it."""
    print(f"\n  {hit['cite']}   score {hit['score']:.2f}")
    print(f"  {'; '.join(hit['authors'])} ({hit['year']}): {hit['title']}")
    print(f"  section {' > '.join(hit['section_path'])}; printed page {', '.join(hit['page_labels'])};", end=" ")
    print(f"PDF pages {hit['page_span']}; DOI {hit['doi']}; text {hit['text_source']}")
    print(textwrap.indent(textwrap.fill(hit["render_text"], 100), "    | "))


def main() -> None:
    """Make a project of the sample library, read it, ask it, and leave nothing behind."""
    with tempfile.TemporaryDirectory(prefix="citeloom-demo-", ignore_cleanup_errors=True) as home:
        os.environ["CITELOOM_HOME"] = home
        references, papers = str(Path(sample_folder()) / "library.json"), str(Path(sample_folder()) / "papers")
        try:
            citeloom("project", "add", PROJECT, "--references", references, "--folder", papers)
            citeloom("ingest", PROJECT)
            citeloom("documents", PROJECT)
            asyncio.run(ask(home))
            citeloom("check", str(Path(sample_folder()) / "manuscript.md"), finds_faults=True)
            citeloom("log")
        finally:
            citeloom("engine", "stop")


if __name__ == "__main__":
    main()
