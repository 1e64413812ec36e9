"""The file that is read is the file that was allowed, whoever swaps it for a link at the worst moment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.faults import Pause
from tests.flows.steps import Project, engine_with, four_papers, paper
from tests.support import citeloom, done


@pytest.mark.skipif(os.name != "posix", reason="links are made otherwise there")
def test_a_file_that_is_swapped_for_a_link_is_not_read_and_that_is_said(home: Path, tmp_path: Path) -> None:
    papers, outside = tmp_path / "papers", tmp_path / "outside"
    four_papers(papers)
    paper(papers / "deep" / "moss.md", "On moss", "Moss was measured once.")
    paper(outside / "1-reefs.md", "A diary", "Nobody may know that it was measured in Zanzibar.")
    paper(outside / "deep" / "moss.md", "A diary", "Nor that it was measured in Samarkand.")

    def swap(name: str) -> None:
        (papers / name).rename(tmp_path / f"{name}.aside")
        (papers / name).symlink_to(outside / name)

    def swap_back(name: str) -> None:
        (papers / name).unlink()
        (tmp_path / f"{name}.aside").rename(papers / name)

    # Just before the one is read, and after that taken back; just before the other is.
    before, after, hashing = (Pause(tmp_path / name) for name in ("before", "after", "hashing"))
    with engine_with(
        home,
        before.at("conversion.quick", "1-reefs.md"),
        after.at("conversion.ended", "1-reefs.md"),
        hashing.at("import.fetch", "moss.md"),
    ):
        project = Project.made(home, papers)
        with (
            before.doing(lambda: swap("1-reefs.md")),
            after.doing(lambda: swap_back("1-reefs.md")),
            hashing.doing(lambda: swap("deep")),
        ):
            result = project.ingest()
        swap_back("deep")
        reasons = {Path(one["source"]).name: one["reason"] for one in result["errors"]}
        assert set(reasons) == {"1-reefs.md", "moss.md"}
        assert "outside what the project may read" in reasons["1-reefs.md"]
        assert "outside what the project may read" in reasons["moss.md"]
        texts = {text for _, text in project.found()}
        assert len(texts) == 9 and not any("Zanzibar" in text or "Samarkand" in text for text in texts)
        assert "Zanzibar" not in done(citeloom(home, "documents", "p", "--json"))
