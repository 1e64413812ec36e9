"""`citeloom check --watch`: when a manuscript is checked again, and what is said then."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from citeloom.api.evidence import CheckManuscript, CheckReport
from citeloom.cli import check_run, check_watch
from citeloom.cli.check_watch import watch
from citeloom.core.errors import CiteLoomError, Code
from tests.sample_results import check_report, finding


def report(text: str) -> CheckReport:
    """Every word that ends with ! is wrong."""
    findings = [
        finding(line=line, column=1, citekey=word, message=word, sentence=word)
        for line, words in enumerate(text.splitlines(), start=1)
        for word in words.split()
        if word.endswith("!")
    ]
    return check_report(*findings, citations=3, works=1, quotations=0, sha256=_sha256(text))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Story:
    """Somebody writes while the manuscript is watched; each step happens between two looks."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.file = tmp_path / "a.md"
        self.checks = 0
        self.lost = 0  # how often the engine is going to be lost
        self._capsys = capsys
        self._steps: list[Callable[[], object]] = []
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(check_run, "ask", self._ask)
        monkeypatch.setattr("time.sleep", self._sleep)

    def _ask(self, request: CheckManuscript, _: str) -> CheckReport:
        if self.lost:
            self.lost -= 1
            raise CiteLoomError(Code.ENGINE_UNAVAILABLE, "The engine is lost.")
        self.checks += 1
        try:
            return report(Path(str(request.path)).read_text())
        except FileNotFoundError:
            raise CiteLoomError(Code.FILE_NOT_FOUND, "There is no file.") from None

    def _sleep(self, _: float) -> None:
        if not self._steps:
            raise KeyboardInterrupt
        self._steps.pop(0)()

    def runs(self, *steps: Callable[[], object]) -> tuple[int, list[str]]:
        """The exit code, and what was said after the first check; a look without a change follows each step."""
        self._steps = [one for step in steps for one in (step, lambda: None)]
        code = watch(["a.md"], None)
        said = self._capsys.readouterr()
        after = (said.out + said.err).split("Ctrl-C ends it.\n")[1]
        return code, [re.sub(r"^\d\d:\d\d:\d\d", "TIME", line) for line in after.splitlines()]


@pytest.fixture
def story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Story:
    return Story(tmp_path, monkeypatch, capsys)


def test_after_a_save_only_what_is_new_is_said(story: Story) -> None:
    story.file.write_text("stays! stays! goes!")
    code, said = story.runs(lambda: story.file.write_text("a line\nstays!\ncomes!"))
    assert code == 1 and said == [
        "TIME checked again:",
        "a.md:3:1: error: comes! [unknown-key]",
        "a.md: 2 findings fewer than before.",
        "a.md: 3 citations of 1 work: 2 errors.",
    ]


def test_a_file_that_is_gone_for_a_moment_or_saved_unchanged_is_not_checked_again(story: Story) -> None:
    story.file.write_text("wrong!")
    moved = story.file.with_name("moved")
    code, said = story.runs(
        lambda: story.file.rename(moved), lambda: moved.rename(story.file), lambda: os.utime(story.file, (1, 1))
    )
    assert (code, said, story.checks) == (1, [], 1)


def test_a_file_that_is_still_being_written_is_left_until_it_rests(story: Story) -> None:
    story.file.write_text("wrong!")
    steps = [lambda n=n: story.file.write_text("wrong! " * n) for n in (2, 3, 4)]
    story._steps = [*steps, lambda: None]
    watch(["a.md"], None)
    assert story.checks == 2


def test_a_file_that_comes_later_is_waited_for(story: Story) -> None:
    code, said = story.runs(lambda: story.file.write_text("right"))
    assert code == 0 and said[1] == "a.md: 3 citations of 1 work: nothing is wrong."


def test_an_engine_that_ends_in_the_middle_is_asked_again(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    def lose(times: int) -> None:
        story.lost = times
        story.file.write_text("right now" * times)

    story.file.write_text("wrong!")
    code, said = story.runs(lambda: lose(1))
    assert (code, story.checks) == (0, 2) and "not checked" not in "".join(said)
    monkeypatch.setattr(check_watch, "_RETRY_SECONDS", 0.0)
    code, said = story.runs(lambda: lose(4), lambda: None)
    assert code == 0 and sum("The engine is lost." in line for line in said) == 1


def test_the_exit_code_is_that_of_the_last_check(story: Story) -> None:
    story.file.write_text("right")
    assert story.runs(lambda: story.file.write_text("wrong!"))[0] == 1
    assert story.runs(lambda: story.file.write_text("right again"))[0] == 0
