"""`citeloom export`: what goes into the file, what goes to the screen, and what the exit code says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest

from citeloom.api.evidence import Export, ExportResult, UnknownKey
from citeloom.cli import export
from citeloom.core.errors import CiteLoomError, Code

TEXT = "@book{müller,\n  title = {Öl},\n}\n"


class Engine:
    """Answers as the engine does, and remembers what it was asked."""

    def __init__(self) -> None:
        self.answer = ExportResult(text=TEXT, count=1, unknown=(), references=None, warnings=())
        self.asked: Export | None = None

    def ask(self, request: Export, waiting_for: str) -> ExportResult:
        self.asked = request
        return self.answer


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Engine:
    made = Engine()
    monkeypatch.setattr(export, "ask", made.ask)
    monkeypatch.chdir(tmp_path)
    return made


def run(*arguments: str) -> Any:
    return export.export.main(list(arguments), standalone_mode=False)


def test_a_file_is_written_whole_and_its_works_are_counted(
    engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "library.bib").write_text("what was there before", encoding="utf-8")
    assert run("thesis", "-o", "library.bib") == 0
    assert (tmp_path / "library.bib").read_bytes() == TEXT.encode()
    assert [path.name for path in tmp_path.iterdir()] == ["library.bib"]
    assert capsys.readouterr().out == "1 work written to library.bib.\n"
    assert engine.asked == Export(project="thesis", format="bibtex")


def test_without_a_file_only_the_works_go_to_the_screen(engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    engine.answer = replace(engine.answer, warnings=("x is y now.",))
    assert run("thesis", "--format", "biblatex", "--ascii") == 0
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == (TEXT, "Note: x is y now.\n")
    assert engine.asked == Export(project="thesis", format="biblatex", escaped=True)


def test_a_name_that_ends_in_json_asks_for_csl_json(engine: Engine) -> None:
    run("thesis", "-o", "library.json")
    assert engine.asked and engine.asked.format == "csl-json"


def test_an_unknown_key_is_named_and_the_others_are_written(
    engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine.answer = replace(engine.answer, unknown=(UnknownKey("mueller", ("müller",), "/a.md", 7),))
    # A shell makes several names of chapters/*.md.
    assert run("thesis", "--cited-in", "a.md", "b.md", "-o", "library.bib") == 1
    assert capsys.readouterr().err == "/a.md:7: no work here has the citekey 'mueller'. Similar: müller.\n"
    assert (tmp_path / "library.bib").exists()
    assert engine.asked and engine.asked.cited_in == (str(tmp_path / "a.md"), str(tmp_path / "b.md"))


@pytest.mark.parametrize(("place", "said"), [("nowhere/library.bib", "no folder"), (".", "is a folder")])
def test_a_place_that_cannot_be_is_refused_before_anything_is_asked(engine: Engine, place: str, said: str) -> None:
    with pytest.raises(CiteLoomError) as caught:
        run("thesis", "-o", place)
    assert said in caught.value.message and caught.value.next_step
    assert not engine.asked


def test_a_manuscript_without_its_option_is_a_mistake(engine: Engine) -> None:
    with pytest.raises(click.UsageError, match="--cited-in"):
        run("thesis", "a.md")


def test_neither_a_manuscript_nor_the_projects_references_are_written_over(engine: Engine, tmp_path: Path) -> None:
    for name in ("thesis.tex", "library.bib"):
        (tmp_path / name).write_text("mine", encoding="utf-8")
    engine.answer = replace(engine.answer, references=str(tmp_path / "library.bib"))
    for file in ("thesis.tex", "library.bib"):
        with pytest.raises(CiteLoomError) as caught:
            run("thesis", "--cited-in", "thesis.tex", "-o", file)
        assert caught.value.code == Code.INVALID_INPUT and "Nothing was written" in caught.value.next_step
        assert (tmp_path / file).read_text(encoding="utf-8") == "mine"
    assert run("thesis", "--cited-in", "thesis.tex", "-o", "other.bib") == 0
