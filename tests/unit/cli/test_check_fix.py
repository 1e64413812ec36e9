"""`citeloom check --fix`: what is mended, what is kept, and when nothing is written."""

from __future__ import annotations

import hashlib
import io
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.api.evidence import ManuscriptEdit
from citeloom.cli import check_fix
from citeloom.cli.check_fix import difference, fix, with_edits
from citeloom.cli.check_run import CheckedManuscript
from citeloom.core.errors import CiteLoomError
from tests.sample_results import check_report, finding

OLD, NEW = "hartman2018", "hartmann2019"
TEXT = f"# Arbeit\r\n\r\nZuerst [@{OLD}, S. 3].\nDann @{OLD} – “ganz” anders."


def edit(start: int, old: str, new: str) -> ManuscriptEdit:
    return ManuscriptEdit(start, start + len(old), old, new, line=1, column=1, why="It has a new key.")


def edits(text: str, old: str = OLD, new: str = NEW) -> list[ManuscriptEdit]:
    return [edit(n, old, new) for n in range(len(text)) if text.startswith(old, n)]


def checked(file: Path, encoding: str = "utf-8", **other: Any) -> CheckedManuscript:
    content = file.read_bytes()
    found = edits(content.decode(encoding))
    findings = [finding("renamed-key") for _ in found]
    about = {"edits": tuple(found), "encoding": encoding, "sha256": hashlib.sha256(content).hexdigest(), **other}
    return CheckedManuscript(file.name, str(file), check_report(*findings, **about))


@pytest.fixture
def manuscript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A manuscript with two edits; when it is checked again, what stands there then is looked at."""
    file = tmp_path / "thesis.md"
    file.write_bytes(TEXT.encode())
    monkeypatch.setattr(check_fix, "check_one", lambda *_: checked(file))
    return file


class Person(io.StringIO):
    """Somebody at a terminal."""

    def isatty(self) -> bool:
        return True


@st.composite
def with_places(draw: st.DrawFn) -> tuple[str, list[ManuscriptEdit]]:
    """A text, and places in it to be rewritten."""
    pieces = draw(st.lists(st.tuples(st.text(max_size=8), st.text(max_size=4), st.text(max_size=4)), max_size=5))
    text, made = "", []
    for between, old, new in pieces:
        start = len(text) + len(between)
        text += between + old
        made.append(edit(start, old, new))
    return text + draw(st.text(max_size=8)), made


def back(made: list[ManuscriptEdit]) -> list[ManuscriptEdit]:
    """The edits that take edits back."""
    turned, longer = [], 0
    for one in made:
        turned.append(edit(one.start + longer, one.new, one.old))
        longer += len(one.new) - len(one.old)
    return turned


@given(with_places(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be"]))
def test_edits_taken_back_give_every_byte_again(case: tuple[str, list[ManuscriptEdit]], encoding: str) -> None:
    text, made = case
    before = text.encode(encoding)
    after = with_edits(before, encoding, made)
    assert with_edits(after, encoding, back(made)) == before


def test_the_file_is_mended_in_place_and_all_else_is_kept(
    manuscript: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manuscript.write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    manuscript.chmod(0o640)
    link = tmp_path / "link.md"
    link.symlink_to(manuscript)
    again = fix(checked(link, "utf-8-sig"), None, ask_first=False)
    assert manuscript.read_bytes() == b"\xef\xbb\xbf" + TEXT.replace(OLD, NEW).encode()
    assert stat.S_IMODE(manuscript.stat().st_mode) == 0o640
    assert link.is_symlink() and sorted(f.name for f in tmp_path.iterdir()) == ["link.md", "thesis.md"]
    assert again.report and not again.report.findings
    shown = capsys.readouterr().out.splitlines()
    assert shown == [
        "--- link.md",
        "+++ link.md",
        "@@ -3 +3 @@",
        f"-Zuerst [@{OLD}, S. 3].",
        f"+Zuerst [@{NEW}, S. 3].",
        "@@ -4 +4 @@",
        f"-Dann @{OLD} – “ganz” anders.",
        f"+Dann @{NEW} – “ganz” anders.",
        "link.md: corrected in 2 places.",
    ]


@pytest.mark.parametrize(("answer", "after"), [("y\n", TEXT.replace(OLD, NEW)), ("n\n", TEXT)], ids=["yes", "no"])
def test_a_person_sees_the_changes_and_decides(
    answer: str, after: str, manuscript: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Person(answer))
    fix(checked(manuscript), None, ask_first=True)
    shown = capsys.readouterr().out
    assert shown.index(f"+Zuerst [@{NEW}") < shown.index("Write this to thesis.md (2 places)?")
    assert manuscript.read_bytes() == after.encode()


def test_nothing_is_written_where_nobody_can_be_asked(
    manuscript: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    one = checked(manuscript)
    assert fix(one, None, ask_first=True) is one
    shown = capsys.readouterr()
    assert NEW in shown.out and "add --yes" in shown.err and manuscript.read_bytes() == TEXT.encode()


def test_a_file_saved_since_it_was_checked_is_left_alone(manuscript: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = checked(manuscript)
    manuscript.write_text("Something else.")
    assert fix(one, None, ask_first=False) is one
    assert manuscript.read_text() == "Something else."
    assert "not corrected: It was changed while it was being checked. Run it again." in capsys.readouterr().err


def test_a_file_that_is_locked_is_left_alone(manuscript: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manuscript.chmod(0o440)
    fix(checked(manuscript), None, ask_first=False)
    assert "read-only" in capsys.readouterr().err and manuscript.read_bytes() == TEXT.encode()


def test_a_word_document_is_mended_in_word(manuscript: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = checked(manuscript, format="docx", fixable=False, edits=())
    assert fix(one, None, ask_first=False) is one
    assert "corrected in Word" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "encoding", "made"),
    [
        (b"moved @hartman2018", "utf-8", [edit(0, "hartm", "x")]),
        (b"abc", "utf-8", [edit(n, "abc"[n : n + 2], "") for n in (0, 1)]),
        (b"\xfe\xff\x00a", "utf-16", [edit(0, "a", "b")]),
        (b"p. 3-5", "latin-1", [edit(3, "3-5", "4–6")]),
    ],
    ids=["not there", "overlapping", "other byte order", "no such sign"],
)
def test_edits_that_would_touch_anything_else_are_refused(
    content: bytes, encoding: str, made: list[ManuscriptEdit]
) -> None:
    with pytest.raises(CiteLoomError, match="Nothing was written"):
        with_edits(content, encoding, made)


def test_a_long_line_is_shown_near_its_changes() -> None:
    text = f"{'a' * 500} {OLD} {'word ' * 100}{OLD} {'word ' * 100}"
    _, _, place, old, new = difference("t.md", text, edits(text))
    assert place == "@@ -1 +1 @@" and len(old) < 400 and new == f"+{old[1:]}".replace(OLD, NEW)
    assert old.startswith("-…aaa") and old.endswith(" word …") and f"a {OLD} word" in old
    assert " word … word word" in old and f"word {OLD} word" in old


def test_changes_in_one_line_are_shown_together_and_a_change_over_two_lines_is_too() -> None:
    text = f"x\n@{OLD} and @{OLD}, pp. 3--\n4.\n@{OLD}\n"
    pages = edit(text.index("3--"), "3--\n4", "5")
    made = sorted([*edits(text), pages], key=lambda one: one.start)
    assert list(difference("t.md", text, made))[2:] == [
        "@@ -2,2 +2 @@",
        f"-@{OLD} and @{OLD}, pp. 3--",
        "-4.",
        f"+@{NEW} and @{NEW}, pp. 5.",
        "@@ -4 +3 @@",
        f"-@{OLD}",
        f"+@{NEW}",
    ]
