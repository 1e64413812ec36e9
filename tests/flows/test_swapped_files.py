"""The file that is read is the file that was allowed, whoever swaps it for a link at the worst moment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.flows.steps import Project, engine_with, four_papers, paper
from tests.support import citeloom, done

# Puts a link to another file or folder in the place of one, just before it is read or hashed, and takes it back after.
SWAP = """
import contextlib, pathlib
from citeloom.importing.stages.read import Reader
papers, outside = pathlib.Path({papers!r}), pathlib.Path({outside!r})

@contextlib.contextmanager
def swapped(name):
    here, aside = papers / name, papers / ".aside"
    here.rename(aside)
    here.symlink_to(outside / name)
    try:
        yield
    finally:
        here.unlink()
        aside.rename(here)

convert, fetch = WorkerPool.convert, Reader._fetch

def convert_swapped(self, request, *how):
    with swapped("1-reefs.md") if request["path"].endswith("1-reefs.md") else contextlib.nullcontext():
        return convert(self, request, *how)

def fetch_swapped(self, file):
    with swapped("deep") if "deep" in file.path else contextlib.nullcontext():
        return fetch(self, file)

WorkerPool.convert, Reader._fetch = convert_swapped, fetch_swapped
"""


@pytest.mark.skipif(os.name != "posix", reason="links are made otherwise there")
def test_a_file_that_is_swapped_for_a_link_is_not_read_and_that_is_said(home: Path, tmp_path: Path) -> None:
    papers, outside = tmp_path / "papers", tmp_path / "outside"
    four_papers(papers)
    paper(papers / "deep" / "moss.md", "On moss", "Moss was measured once.")
    paper(outside / "1-reefs.md", "A diary", "Nobody may know that it was measured in Zanzibar.")
    paper(outside / "deep" / "moss.md", "A diary", "Nor that it was measured in Samarkand.")
    with engine_with(home, SWAP.format(papers=str(papers), outside=str(outside))):
        project = Project.made(home, papers)
        result = project.ingest()
        reasons = {Path(one["source"]).name: one["reason"] for one in result["errors"]}
        assert set(reasons) == {"1-reefs.md", "moss.md"}
        assert "changed while it was being read" in reasons["1-reefs.md"]
        assert "outside what the project may read" in reasons["moss.md"]
        texts = {text for _, text in project.found()}
        assert len(texts) == 9 and not any("Zanzibar" in text or "Samarkand" in text for text in texts)
        assert "Zanzibar" not in done(citeloom(home, "documents", "p", "--json"))
