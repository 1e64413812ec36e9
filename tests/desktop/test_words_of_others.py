"""What others wrote is shown as plain words: no markup, no line that runs the wrong way, no commands."""

from __future__ import annotations

from types import SimpleNamespace

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from citeloom.desktop.activity.rich_text import Paragraph, RichTextView
from citeloom.desktop.search.passage_text import PassageText
from citeloom.desktop.text.activity_text import editor_text
from citeloom.desktop.text.hit_text import cut, quotation
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.code_view import CodeView
from citeloom.desktop.widgets.table import Column, RowsModel

HOSTILE = "a\x1b[31m\x9b\u202e<b>b</b>\u2066<img src=x>\U000e0041"
SHOWN = "a[31m<b>b</b><img src=x>"


def test_labels_tables_and_texts_show_plain_words(qtbot: QtBot) -> None:
    label = basics.text(HOSTILE)
    qtbot.addWidget(label)
    assert (label.text(), label.textFormat()) == (SHOWN, Qt.TextFormat.PlainText)
    label.setText(HOSTILE * 2)
    assert label.text() == SHOWN * 2

    table = RowsModel("x", Column("x", lambda row: str(row.x), 5))
    table.set_rows([SimpleNamespace(x=HOSTILE)])
    assert table.index(0, 0).data() == SHOWN
    assert table.index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == basics.tip(SHOWN)
    assert basics.tip(HOSTILE) == "<p>a[31m&lt;b&gt;b&lt;/b&gt;&lt;img src=x&gt;</p>"

    passage, reading, code = PassageText(), RichTextView("x"), CodeView("x")
    for view in (passage, reading, code):
        qtbot.addWidget(view)
    passage.show_passage(HOSTILE, "b", before=HOSTILE)
    reading.write([Paragraph(HOSTILE)])
    code.show_text(HOSTILE)
    assert passage.toPlainText() == f"{SHOWN}\n\n{SHOWN}"
    assert reading.toPlainText() == code.toPlainText() == SHOWN
    passage.selectAll()
    assert passage.selected() == SHOWN, "the places of its words are those of what is shown"


def test_words_for_lines_and_for_the_clipboard_are_plain() -> None:
    assert basics.one_line(HOSTILE) == cut(HOSTILE, 100) == editor_text(HOSTILE) == SHOWN
    assert quotation(HOSTILE, f"[@{HOSTILE}]") == f"“{SHOWN}” [@{SHOWN}]"
