"""`citeloom open` hands a passage's place to the system's opener, and only places that can be opened."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import example, given
from hypothesis import strategies as st

from citeloom.cli import open
from citeloom.core.errors import CiteLoomError
from citeloom.core.files.open_file import opener_target
from tests.sample_results import passage_result

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in opener is a shell script")

Opener = Callable[..., Path]


@pytest.fixture
def opener(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opener:
    """A system with an opener that writes down what it got."""

    def install(code: int = 0, then: str = "") -> Path:
        programs, got = tmp_path / "bin", tmp_path / "got"
        programs.mkdir()
        for name in ("xdg-open", "open"):
            script = programs / name
            script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{got}"\n{then}\nexit {code}\n')
            script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{programs}:/bin:/usr/bin")
        return got

    return install


def run(uri: str | None, monkeypatch: pytest.MonkeyPatch, *options: str) -> Result:
    monkeypatch.setattr(open, "ask", lambda request: passage_result(chunk_id=request.chunk_id, open_uri=uri))
    return CliRunner().invoke(open.open, ["c-1", *options])


@pytest.mark.parametrize(
    "uri",
    [
        "zotero://open-pdf/library/items/ABCD2345?page=12",
        "zotero://open/groups/4242/items/ABCD2345?annotation=WXYZ6789",
        "https://example.org/paper?a=1&b=$(touch%20here)",
    ],
)
def test_a_link_goes_to_the_opener_as_it_is(uri: str, opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    got = opener()
    shown = run(uri, monkeypatch)
    assert shown.exit_code == 0 and shown.output == f"Opened {uri}\n"
    assert got.read_text().splitlines() == [uri]


def test_a_file_is_opened_by_its_path_and_its_page_is_said(
    opener: Opener, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    got = opener()
    paper = tmp_path / "Ma thèse #2; rm -rf %20.pdf"
    paper.write_text("a paper")
    shown = run(f"{paper.as_uri()}#page=7", monkeypatch)
    assert shown.output == f"Opened {paper} – see page 7.\n"
    assert got.read_text().splitlines() == [str(paper)]
    assert run(paper.as_uri(), monkeypatch).output == f"Opened {paper}\n"


def test_print_opens_nothing(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    got = opener()
    uri = "zotero://open-pdf/library/items/ABCD2345?page=12"
    assert run(uri, monkeypatch, "--print").output == uri + "\n"
    assert not got.exists()


def test_what_has_nothing_to_open_says_so(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    for options in ((), ("--print",)):
        problem = run(None, monkeypatch, *options).exception
        assert isinstance(problem, CiteLoomError) and "citeloom show c-1" in str(problem)


def test_what_must_not_be_opened_is_not(opener: Opener, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    got = opener()
    program = tmp_path / "analysis.PY"
    program.write_text("print('run')")
    gone = tmp_path / "gone.pdf"
    for uri in ("javascript:alert(1)", "ms-settings:", "/etc/passwd", "-a", program.as_uri(), gone.as_uri()):
        assert isinstance(run(uri, monkeypatch).exception, CiteLoomError), uri
    assert not got.exists()


@given(st.text())
@example("http://[")
@example("file:///a%00b")
def test_any_address_is_opened_whole_or_refused(uri: str) -> None:
    try:
        place, _ = opener_target(uri)
    except CiteLoomError:
        return
    assert place == uri or Path(place).exists()


def test_an_opener_that_fails_or_is_missing_leaves_the_address_to_the_person(
    opener: Opener, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    uri = "zotero://open-pdf/library/items/ABCD2345"
    opener(code=3)
    failed = run(uri, monkeypatch).exception
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = run(uri, monkeypatch).exception
    for problem in (failed, missing):
        assert isinstance(problem, CiteLoomError)
        assert uri in str(problem) and "Zotero" in problem.next_step


def test_an_opener_that_is_the_viewer_itself_is_not_waited_for(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citeloom.core.files.open_file._SECONDS", 0.3)
    opener(then="sleep 3", code=1)
    assert run("https://example.org/", monkeypatch).exit_code == 0
