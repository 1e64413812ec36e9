from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from citeloom.conversion import private_copy
from citeloom.conversion.chunking import chunk
from citeloom.conversion.convert import convert
from citeloom.conversion.formats import SUPPORTED_SUFFIXES, file_type
from citeloom.conversion.tokens import estimate_tokens
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import BlockKind

NOTES = """\
---
title: "Reading notes"
tags: [salt]
---
Before any heading.

# Salt
Some words
about salt.

Prices
------
| year | price |
|------|-------|
| 1340 | 12    |

```python
# not a heading
price = 12
```

## Grain ##
- one
- two
"""

CODE = '''\
"""A module."""
X = 1


class A:
    y = 2

    @property
    def b(self):
        return 1


# why
async def c():
    pass


X = 2
'''


def failing(path: Path) -> CiteLoomError:
    with pytest.raises(CiteLoomError) as caught:
        convert(path)
    return caught.value


def test_markdown_keeps_its_headings_tables_code_and_lines(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(NOTES, encoding="utf-8")
    doc = convert(path)
    assert doc.title == "Reading notes"
    assert [(b.kind.value, b.section_path, b.lines) for b in doc.blocks] == [
        ("text", (), (5, 5)),
        ("heading", ("Salt",), (7, 7)),
        ("text", ("Salt",), (8, 9)),
        ("heading", ("Salt", "Prices"), (11, 12)),
        ("table", ("Salt", "Prices"), (13, 15)),
        ("code", ("Salt", "Prices"), (17, 20)),
        ("heading", ("Salt", "Grain"), (22, 22)),
        ("text", ("Salt", "Grain"), (23, 24)),
    ]
    last = chunk(doc, estimate_tokens, 200)[-1]
    assert last.extra == {"header_level": 2, "header_path": "Salt > Grain", "lines": [23, 24]}


def test_python_is_cut_by_classes_and_functions_and_no_line_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(CODE, encoding="utf-8")
    doc = convert(path)
    assert [(b.section_path, b.lines, dict(b.extra)) for b in doc.blocks] == [
        ((), (1, 2), {}),
        (("A",), (5, 6), {"class_name": "A"}),
        (("A", "b"), (8, 10), {"class_name": "A", "function_name": "b"}),
        (("c",), (13, 15), {"function_name": "c"}),
        ((), (18, 18), {}),
    ]
    assert "\n".join(b.text for b in doc.blocks).split() == CODE.split()


def test_python_that_does_not_parse_is_taken_as_text_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "old.py"
    path.write_text("print 'hello'\n\nprint 'again'\n", encoding="utf-8")
    doc = convert(path)
    assert [b.kind for b in doc.blocks] == [BlockKind.TEXT, BlockKind.TEXT]
    assert "line 1" in doc.warnings[0]


@pytest.mark.parametrize(
    ("encoding", "warned"), [("utf-8", False), ("utf-8-sig", False), ("utf-16", False), ("cp1252", True)]
)
def test_text_in_any_usual_encoding_is_read(tmp_path: Path, encoding: str, warned: bool) -> None:
    path = tmp_path / "brief.txt"
    path.write_bytes("Schöne Grüße\r\naus “Köln”.\r\n\r\nZweiter Absatz.".encode(encoding))
    doc = convert(path)
    assert [(b.text, b.lines) for b in doc.blocks] == [
        ("Schöne Grüße\naus “Köln”.", (1, 2)),
        ("Zweiter Absatz.", (4, 4)),
    ]
    assert bool(doc.warnings) is warned


@pytest.mark.parametrize("suffix", sorted(SUPPORTED_SUFFIXES - {".pdf"}))
def test_a_binary_file_under_another_name_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"photo{suffix}"
    path.write_bytes(bytes(range(256)) * 20)
    assert failing(path).code is Code.UNSUPPORTED_FORMAT


def test_an_unknown_suffix_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    error = failing(tmp_path / "slides.key")
    assert error.code is Code.UNSUPPORTED_FORMAT
    assert ".pdf" in error.next_step
    assert file_type("Paper.PDF") == "pdf"


@pytest.mark.parametrize("name", ["gone.pdf", "gone.md", "gone.txt", "gone.py"])
def test_a_file_that_is_gone_is_named(tmp_path: Path, name: str) -> None:
    error = failing(tmp_path / name)
    assert error.code is Code.FILE_NOT_FOUND
    assert name in error.message


def test_a_file_that_may_not_be_read_is_no_damaged_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "private.pdf"
    path.write_bytes(b"%PDF-1.7")

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    assert failing(path).code is Code.PERMISSION_DENIED


@pytest.mark.parametrize("kind", ["folder", "pipe", "socket"])
def test_what_is_not_a_file_is_refused_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.chdir(tmp_path)  # the address of a socket must be short
    if kind == "folder":
        Path("paper.pdf").mkdir()
    elif os.name != "posix":
        pytest.skip("no such files on Windows")
    elif kind == "pipe":
        os.mkfifo("paper.pdf")
    else:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("paper.pdf")
    error = failing(tmp_path / "paper.pdf")
    assert (error.code, error.message) == (Code.UNSUPPORTED_FORMAT, "paper.pdf is not a file.")


def test_a_file_beyond_the_limit_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "huge.txt"
    path.write_text("x" * (1024**2 + 1))
    monkeypatch.setattr(private_copy, "MAX_BYTES", 1024**2)
    error = failing(path)
    assert error.code is Code.CONVERSION_FAILED
    assert "up to 1 MB" in error.message
