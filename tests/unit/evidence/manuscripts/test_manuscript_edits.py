"""Keys and pages written anew."""

from __future__ import annotations

import pytest

from citeloom.api.evidence import ManuscriptEdit
from citeloom.evidence.manuscripts.edits import key_edit, page_edit
from citeloom.evidence.manuscripts.reader import read_text


def made(text: str, edit: ManuscriptEdit) -> str:
    assert text[edit.start : edit.end] == edit.old
    return text[: edit.start] + edit.new + text[edit.end :]


def with_pages(text: str, first: str, last: str, format: str = "markdown") -> str:
    manuscript = read_text(text, format)
    edit = page_edit(manuscript, manuscript.citations[0], (first, last), "wrong")
    assert edit is not None
    return made(text, edit)


@pytest.mark.parametrize(
    ("before", "labels", "after"),
    [
        ("[@a, 33]", ("254", "254"), "[@a, 254]"),
        ("[@a, p. 33]", ("254", "256"), "[@a, pp. 254-256]"),
        ("[@a, pp. 33--35]", ("254", "256"), "[@a, pp. 254--256]"),
        ("[@a, pp. 33–5, and more]", ("254", "254"), "[@a, p. 254, and more]"),
        ("[@a, 253–4]", ("254", "256"), "[@a, 254–256]"),
        ("[@a, vol. 2, S. 33f.]", ("xii", "xii"), "[@a, vol. 2, S. xii]"),
    ],
)
def test_pages_are_written_the_way_the_manuscript_writes_them(before: str, labels: tuple[str, str], after: str) -> None:
    assert with_pages(f"A {before}.", *labels) == f"A {after}."


def test_latex_gets_its_own_dash() -> None:
    assert with_pages(r"\cite[p.~33]{a}", "254", "256", "latex") == r"\cite[pp.~254--256]{a}"


@pytest.mark.parametrize("labels", [("]", "]"), ("Cover page", "Cover page"), ("", "")])
def test_a_page_that_would_break_the_markup_is_not_written(labels: tuple[str, str]) -> None:
    manuscript = read_text("[@a, 33]")
    assert page_edit(manuscript, manuscript.citations[0], labels, "wrong") is None


def test_a_list_of_pages_is_not_rewritten() -> None:
    manuscript = read_text("[@a, 33, 41]")
    assert page_edit(manuscript, manuscript.citations[0], ("3", "3"), "wrong") is None


@pytest.mark.parametrize(
    ("text", "format", "key", "after"),
    [
        ("[@old, 3]", "markdown", "new2019", "[@new2019, 3]"),
        ("[@old, 3]", "markdown", "new--2019", "[@{new--2019}, 3]"),
        ("[@{o--d}, 3]", "markdown", "n--w", "[@{n--w}, 3]"),
        (r"\cite[3]{old, b}", "latex", "new:2019", r"\cite[3]{new:2019, b}"),
        ("[cite:@old p. 3]", "org", "new", "[cite:@new p. 3]"),
        ("cite:[old(3)]", "asciidoc", "new", "cite:[new(3)]"),
        (r"\cite{old}", "latex", "a,b", None),
    ],
)
def test_a_key_is_written_so_that_the_format_still_reads_it(
    text: str, format: str, key: str, after: str | None
) -> None:
    manuscript = read_text(text, format)
    edit = key_edit(manuscript, manuscript.citations[0], key, "renamed")
    assert (made(text, edit) if edit else None) == after
    if after is not None:
        assert read_text(after, format).citations[0].key == key
