"""Parses Markdown: headings become sections, tables and code blocks stay whole."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from citeloom.core.types import Block, BlockKind

_ATX = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_TABLE_RULE = re.compile(r"^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_NOT_SETEXT = re.compile(r"^ {0,3}(?:[-*+>]|\d+[.)])\s")
_TITLE = re.compile(r"^title\s*:\s*(.+?)\s*$", re.I)


@dataclass(slots=True)
class _Parser:
    lines: list[str]
    at: int = 0
    blocks: list[Block] = field(default_factory=list)
    path: list[tuple[int, str]] = field(default_factory=list)  # level and text of the headings above
    pending: int | None = None  # first line of the open paragraph

    def run(self) -> list[Block]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            fence = _FENCE.match(line)
            heading = _ATX.match(line)
            if fence and not (fence[1][0] == "`" and "`" in fence[2]):
                self.close_paragraph()
                self.take_code(fence[1])
            elif heading:
                self.close_paragraph()
                self.add_heading(len(heading[1]), heading[2] or "", self.at, self.at)
                self.at += 1
            elif self.pending is not None and _SETEXT.match(line) and self.may_be_setext():
                text = " ".join(part.strip() for part in self.lines[self.pending : self.at])
                start, self.pending = self.pending, None
                self.add_heading(1 if line.strip()[0] == "=" else 2, text, start, self.at)
                self.at += 1
            elif "|" in line and self.is_table_head():
                self.close_paragraph()
                self.take_table()
            else:
                if not line.strip():
                    self.close_paragraph()
                elif self.pending is None:
                    self.pending = self.at
                self.at += 1
        self.close_paragraph()
        return self.blocks

    def add(self, kind: BlockKind, start: int, end: int, text: str | None = None) -> None:
        text = "\n".join(self.lines[start : end + 1]) if text is None else text
        extra: dict[str, Any] = {"header_level": self.path[-1][0]} if self.path else {}
        section = tuple(heading for _, heading in self.path)
        self.blocks.append(Block(kind, text, section, lines=(start + 1, end + 1), extra=extra))

    def add_heading(self, level: int, text: str, start: int, end: int) -> None:
        text = " ".join(text.split())
        if not text:
            return
        self.path = [(depth, heading) for depth, heading in self.path if depth < level]
        self.path.append((level, text))
        self.add(BlockKind.HEADING, start, end, text)

    def close_paragraph(self) -> None:
        if self.pending is not None:
            self.add(BlockKind.TEXT, self.pending, self.at - 1)
            self.pending = None

    def may_be_setext(self) -> bool:
        start = self.pending if self.pending is not None else self.at
        return self.at - start <= 3 and not _NOT_SETEXT.match(self.lines[start])

    def take_code(self, fence: str) -> None:
        """Read a fenced code block; an unclosed one ends with the file."""
        start = self.at
        closing_fence = re.compile(rf"^ {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}\s*$")
        self.at += 1
        while self.at < len(self.lines) and not closing_fence.match(self.lines[self.at]):
            self.at += 1
        end = min(self.at, len(self.lines) - 1)
        self.add(BlockKind.CODE, start, end)
        self.at = end + 1

    def is_table_head(self) -> bool:
        following = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else ""
        return "|" in following and bool(_TABLE_RULE.match(following))

    def take_table(self) -> None:
        start = self.at
        while self.at < len(self.lines) and "|" in self.lines[self.at]:
            self.at += 1
        self.add(BlockKind.TABLE, start, self.at - 1)


def _front_matter(lines: list[str]) -> tuple[str, int]:
    """Return the title in the YAML front matter and its number of lines."""
    if not lines or lines[0].rstrip() != "---":
        return "", 0
    for end in range(1, len(lines)):
        if lines[end].rstrip() in ("---", "..."):
            titles = [match[1].strip("\"'") for line in lines[1:end] if (match := _TITLE.match(line))]
            return (titles[0] if titles else ""), end + 1
    return "", 0


def parse(text: str) -> tuple[str, list[Block]]:
    """Return the title and the blocks of a Markdown text."""
    lines = [line.rstrip() for line in text.split("\n")]
    title, skipped = _front_matter(lines)
    # Blank lines instead of the front matter keep the line numbers.
    blocks = _Parser([""] * skipped + lines[skipped:]).run()
    headings = (block.text for block in blocks if block.kind is BlockKind.HEADING and len(block.section_path) == 1)
    return title or next(headings, ""), blocks
