"""What is attacked: a project that the agent may see, one that it may not, and a file that is in neither."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.flows.steps import four_papers, paper
from tests.support import citeloom, done, engine_address

SEEN, UNSEEN = "seen", "unseen"
SECRET = "zanzibarite"  # a word that only stands where no agent may read


@dataclass(frozen=True)
class Library:
    """A data folder whose engine runs."""

    home: Path
    papers: Path

    @classmethod
    def made(cls, base: Path) -> Library:
        """A new one below a folder."""
        home, papers = base / "home", base / "papers"
        home.mkdir(parents=True)
        four_papers(papers)
        paper(base / "hidden" / "notes.md", "Of the other project", f"The {SECRET} was found in the cellar.")
        paper(base / "outside.md", "Of nobody", f"The {SECRET} was sold.")
        for name, folder in ((SEEN, papers), (UNSEEN, base / "hidden")):
            done(citeloom(home, "project", "add", name, "--folder", str(folder)))
            done(citeloom(home, "sync", name))
        return cls(home, papers)

    def engine(self) -> tuple[int, str]:
        """Process and token of its engine."""
        address = engine_address(self.home)
        return address["pid"], address["token"]
