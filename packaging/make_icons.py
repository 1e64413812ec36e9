"""Draws the icons of the packages from the app's one drawing: run it after changing citeloom.svg."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

FOLDER = Path(__file__).parent
DRAWING = FOLDER.parent / "citeloom" / "desktop" / "data" / "citeloom.svg"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)


def main() -> int:
    """Write a PNG of each size for Linux, an .ico for Windows and an .icns for macOS."""
    app = QGuiApplication(sys.argv)
    drawing = QSvgRenderer(str(DRAWING))
    icons = FOLDER / "icons"
    icons.mkdir(exist_ok=True)
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        drawing.render(painter)
        painter.end()
        files = [icons / f"citeloom-{size}.png"]
        if size == 128:
            files.append(icons / "citeloom.ico")
        if size == 512:
            files.append(icons / "citeloom.icns")
        for file in files:
            if not image.save(str(file)):
                print(f"{file} could not be written", file=sys.stderr)
                return 1
    app.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
