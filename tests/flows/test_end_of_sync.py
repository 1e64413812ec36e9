"""What a person reads at the end of a sync: a summary whose lines name the commands that list everything."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.flows.steps import Project, four_papers, paper
from tests.support import citeloom, done, stop_engine

_COMMAND = re.compile(r"citeloom (documents p --[\w-]+(?: failed)?)")


def test_many_papers_without_records_and_many_failures_are_a_few_lines_that_say_how_to_list_them(
    home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "papers"
    four_papers(folder)
    paper(folder / "5-known.md", "On the heron", "The heron was measured.")
    references = tmp_path / "library.bib"
    references.write_text("@book{heron2020, title = {On the heron}, author = {Ada Okafor}, year = {2020}}")
    for number in range(12):
        (folder / f"broken-{number:02}.pdf").write_bytes(b"%PDF-1.7\nthis is not one")
    try:
        project = Project.made(home, folder, "--references", str(references))
        result = citeloom(home, "sync", "p")
        assert result.returncode == 1
        *_, first, second, note = result.stdout.splitlines()
        assert first == "5 new, 12 failed; 5 pages, 13 passages."
        assert re.fullmatch(r"Found by words after [\d.]+ s, complete after [\d.]+ s\.", second)
        assert note.startswith(
            "Note: 4 citekeys were generated, because these files are not in the references: 1-reefs.md ("
        )
        assert note.count(".md (") == 3 and " and 1 more; " in note
        *failures, more = result.stderr.splitlines()
        assert len(failures) == 10 and all(line.startswith("Failed: ") for line in failures)
        assert more.startswith("and 2 more: ")

        listed = {command: done(citeloom(home, *shlex.split(command))) for command in _COMMAND.findall(note + more)}
        generated, failed = (text.splitlines()[:-1] for text in listed.values())  # the last line is the coverage
        documents = project.documents()
        assert [line.split("\t")[0] for line in generated] == [
            f"{d['citekey']} (made)" for d in documents.values() if d["status"] == "ready" and d["matched_by"] is None
        ]
        assert len(generated) == 4 and len(failed) == 12

        again = citeloom(home, "sync", "p").stdout.splitlines()
        assert again == ["5 unchanged, 12 failed."]
    finally:
        stop_engine(home)
