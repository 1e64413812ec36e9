"""The language of the app: the system's, where there is a translation."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

_DATA = Path(__file__).parents[1] / "data"
_SOURCE = "en"  # what the code itself speaks

# For words outside of a QObject, which has its own tr(): the name and both arguments as Qt's tools look for them.
translate = QCoreApplication.translate


def languages() -> list[str]:
    """The languages that the app speaks."""
    return sorted({_SOURCE, *(file.stem.partition("_")[2] for file in _DATA.glob("citeloom_*.qm"))})


def speak(app: QCoreApplication, locale: QLocale | None = None) -> list[QTranslator]:
    """Have the app, and Qt's own buttons in it, speak the first language of a locale that it knows, or else English."""
    known = languages()
    wanted = (name.replace("-", "_").partition("_")[0] for name in (locale or QLocale()).uiLanguages())
    language = next((name for name in wanted if name in known), _SOURCE)
    qt = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    spoken = []
    for name, folder in (("qtbase", qt), ("citeloom", str(_DATA))):
        translator = QTranslator(app)
        if translator.load(f"{name}_{language}", folder):
            app.installTranslator(translator)
            spoken.append(translator)
    return spoken
