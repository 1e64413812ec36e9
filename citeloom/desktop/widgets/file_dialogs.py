"""File dialogs that do not block the window; each calls back with what was chosen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

_Mode = QFileDialog.FileMode


def choose_folder(parent: QWidget, title: str, then: Callable[[str], object], *, start: str = "") -> QFileDialog:
    """Choose a folder."""
    return _open(QFileDialog(parent, title, start), _Mode.Directory, then)


def choose_file(
    parent: QWidget, title: str, then: Callable[[str], object], *, kinds: str, start: str = ""
) -> QFileDialog:
    """Choose a file of some kinds, such as "Backups (*.zip)"."""
    return _open(QFileDialog(parent, title, start, kinds), _Mode.ExistingFile, then)


def choose_files(parent: QWidget, title: str, then: Callable[[list[str]], object]) -> QFileDialog:
    """Choose any number of files."""
    dialog = QFileDialog(parent, title)
    dialog.filesSelected.connect(then)
    return _open(dialog, _Mode.ExistingFiles)


def save_file(
    parent: QWidget, title: str, then: Callable[[str], object], suggested: Path, *, kinds: str, overwrite: bool
) -> QFileDialog:
    """Choose where to save a file; with `overwrite`, the dialog asks before it returns an existing one."""
    dialog = QFileDialog(parent, title, str(suggested.parent), kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite, not overwrite)
    dialog.setDefaultSuffix(suggested.suffix)
    dialog.selectFile(str(suggested))
    return _open(dialog, _Mode.AnyFile, then)


def _open(dialog: QFileDialog, mode: _Mode, then: Callable[[str], object] | None = None) -> QFileDialog:
    dialog.setFileMode(mode)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly, mode == _Mode.Directory)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if then:
        dialog.fileSelected.connect(then)
    dialog.open()
    return dialog
