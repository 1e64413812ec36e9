"""The language of the app: the system's, where there is a translation."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

_DATA = Path(__file__).with_name("data")


def speak(app: QCoreApplication, locale: QLocale | None = None) -> None:
    """Have the app, and Qt's own buttons in it, speak the language of a locale; English where there is no other."""
    locale = locale or QLocale()
    qt = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    for name, folder in (("qtbase", qt), ("citeloom", str(_DATA))):
        translator = QTranslator(app)
        if translator.load(locale, name, "_", folder):
            app.installTranslator(translator)
