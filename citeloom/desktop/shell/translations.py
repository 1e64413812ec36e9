"""Translations of the app: the system's language if there is a translation, else English."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

_DATA = Path(__file__).parents[1] / "data"
_SOURCE = "en"  # the language of the texts in the code

# For texts outside a QObject, which has tr(). Qt's tools find calls by this name and its two arguments.
translate = QCoreApplication.translate


def languages() -> list[str]:
    """Return the codes of the available languages."""
    return sorted({_SOURCE, *(file.stem.partition("_")[2] for file in _DATA.glob("citeloom_*.qm"))})


def install(app: QCoreApplication, locale: QLocale | None = None) -> list[QTranslator]:
    """Install the translations of the app and of Qt for the first available language of a locale, else English."""
    known = languages()
    preferred = (name.replace("-", "_").partition("_")[0] for name in (locale or QLocale()).uiLanguages())
    language = next((name for name in preferred if name in known), _SOURCE)
    qt = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    installed = []
    for name, folder in (("qtbase", qt), ("citeloom", str(_DATA))):
        translator = QTranslator(app)
        if translator.load(f"{name}_{language}", folder):
            app.installTranslator(translator)
            installed.append(translator)
    return installed
