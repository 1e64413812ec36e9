"""Tables with rules and figures with axes, each with its caption."""

from __future__ import annotations

from dataclasses import replace

from tests.papers.lines import break_lines, width_of
from tests.papers.prose import Author
from tests.papers.setting import Float, Ink, Look, Rule, Setter
from tests.papers.truth import Kind, TrueBlock, TrueWord


def table(setter: Setter, author: Author, number: int, *, rows: int = 6, wide: bool = False) -> Float:
    """A table: caption above, rules above and below the head and at the end."""
    look = setter.look
    width = look.width if wide else look.column
    cells = author.table(rows)
    caption = _block(setter, Kind.CAPTION, author.caption("table", number))
    body = _block(setter, Kind.TABLE, " ".join(cell for row in cells for cell in row))
    body.rows = cells
    small = look.small
    lines = break_lines([w.text for w in caption.words], width, small)
    step = 1.25 * small.leading
    height = len(lines) * small.leading + len(cells) * step + 1.6 * look.body.leading

    def draw(setter: Setter, x: float, top: float) -> None:
        sheet = setter.sheets[-1]
        y = setter.lines(caption, lines, small, x, top, width) - 5
        sheet.rules.append(Rule(x, y, x + width, y, 0.8))
        for at, row in enumerate(cells):
            y -= step
            _row(setter, look, row, x, y + 0.35 * small.leading, width, bold=at == 0)
            if at == 0:
                sheet.rules.append(Rule(x, y, x + width, y, 0.4))
        sheet.rules.append(Rule(x, y, x + width, y, 0.8))
        _all_here(setter, body)

    return Float(wide, height, draw)


def _row(setter: Setter, look: Look, row: tuple[str, ...], x: float, y: float, width: float, *, bold: bool) -> None:
    font, size = look.face.bold if bold else look.face.regular, look.small.size
    first = 0.34 * width
    step = (width - first) / (len(row) - 1)
    inks = setter.sheets[-1].inks
    inks.append(Ink(x + 2, y, row[0], font, size))
    for at, cell in enumerate(row[1:], 1):
        inks.append(Ink(x + first + at * step - 4 - width_of(cell, font, size), y, cell, font, size))


def figure(setter: Setter, author: Author, number: int, *, wide: bool = False) -> Float:
    """A figure of bars with axes and labels, drawn in lines; caption below."""
    look = setter.look
    width = look.width if wide else look.column
    across, up, ticks = author.axis_words()
    scale = ["0", "40", "80", "120"]
    words = _block(setter, Kind.FIGURE, " ".join([*scale, *ticks, across, up]))
    caption = _block(setter, Kind.CAPTION, author.caption("figure", number))
    bars = [author.chance.uniform(0.2, 0.95) for _ in ticks]
    small = look.small
    size = 0.9 * small.size
    lines = break_lines([w.text for w in caption.words], width, small)
    tall = min(0.55 * width, 150.0)
    height = tall + len(lines) * small.leading + 1.8 * look.body.leading

    def draw(setter: Setter, x: float, top: float) -> None:
        sheet = setter.sheets[-1]
        font = look.face.regular
        left, right, bottom = x + 40, x + width - 8, top - tall + 26
        high = top - 6
        sheet.rules += [Rule(left, bottom, right, bottom), Rule(left, bottom, left, high)]
        for at, step_name in enumerate(scale):
            y = bottom + at * (high - bottom) / len(scale)
            sheet.rules.append(Rule(left - 3, y, left, y))
            sheet.inks.append(Ink(left - 5 - width_of(step_name, font, size), y - 0.3 * size, step_name, font, size))
        step = (right - left) / len(ticks)
        for at, (tick, bar) in enumerate(zip(ticks, bars, strict=True)):
            middle = left + (at + 0.5) * step
            sheet.rules.append(Rule(middle, bottom, middle, bottom + bar * (high - bottom), 0.5 * step, 0.6))
            sheet.inks.append(Ink(middle - width_of(tick, font, size) / 2, bottom - 1.2 * size, tick, font, size))
        label = (left + right - width_of(across, font, size)) / 2
        sheet.inks.append(Ink(label, bottom - 2.5 * size, across, font, size))
        beside = (bottom + high - width_of(up, font, size)) / 2
        sheet.inks.append(Ink(x + 10, beside, up, font, size, upward=True))
        setter.lines(caption, lines, replace(small, font=look.face.regular), x, top - tall - 4, width)
        _all_here(setter, words)

    return Float(wide, height, draw)


def _block(setter: Setter, kind: Kind, text: str) -> TrueBlock:
    made = TrueBlock(kind, [TrueWord(word) for word in text.split()], setter.section)
    setter.blocks.append(made)
    return made


def _all_here(setter: Setter, block: TrueBlock) -> None:
    for word in block.words:
        word.pages = (setter.page,)
