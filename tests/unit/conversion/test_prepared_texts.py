"""Notes and annotations come back as they were written down, and each annotation is a passage of its own."""

from __future__ import annotations

from pathlib import Path

from citeloom.conversion import prepared_text
from citeloom.conversion.chunking import chunk
from citeloom.conversion.convert import CONVERTER_VERSION, convert
from citeloom.conversion.formats import PREPARED, file_type
from citeloom.conversion.tokens import estimate_tokens
from citeloom.core.types import Block, BlockKind, Converted, TextSource


def marked(text: str, key: str, page: int | None, label: str) -> Block:
    extra = {"annotation": key, "colour": "#ffd400", "page_label": label, "own_passage": True}
    return Block(BlockKind.TEXT, text, page=page, text_source=TextSource.ANNOTATION, extra=extra)


TEXT = Converted(
    "annotations",
    "",
    (marked("First.", "AAAA2222", 3, "iii"), marked("Second.", "BBBB2222", 3, "iii"), marked("Third.", "C", None, "7")),
)


def test_a_text_comes_back_as_it_was_written_down(tmp_path: Path) -> None:
    file = tmp_path / f"note{PREPARED}"
    file.write_bytes(prepared_text.to_bytes(TEXT))
    read = convert(file)
    assert (read.blocks, read.converter, read.text_source) == (TEXT.blocks, CONVERTER_VERSION, "annotation")
    assert prepared_text.to_bytes(TEXT) == file.read_bytes()


def test_such_files_are_not_looked_for_in_folders() -> None:
    assert file_type(f"note{PREPARED}") is None


def test_each_annotation_is_a_passage_with_the_page_that_its_reader_saw() -> None:
    passages = chunk(TEXT, estimate_tokens, 200)
    assert [(p.text, p.page_start, p.page_labels) for p in passages] == [
        ("First.", 3, ("iii",)),
        ("Second.", 3, ("iii",)),
        ("Third.", None, ("7",)),
    ]
    assert {p.text_source for p in passages} == {TextSource.ANNOTATION}
    assert passages[1].extra["annotation"]["annotation"] == "BBBB2222"
