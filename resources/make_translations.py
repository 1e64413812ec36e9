"""Brings the app's translations in step with its code and says what is still to be translated.

Run it after a change of words, translate what it names in citeloom/desktop/data/citeloom_*.ts (by hand or with
pyside6-linguist), run it again, commit the .ts and the .qm. A new language is a new name in LANGUAGES.

Words of the German translation, which says Sie:

    paper           Arbeit; all of them together: Literatur        page            Seite
    passage         Textstelle                                     section         Abschnitt
    citation        Beleg                                          quotation       Zitat
    citekey         Zitierschlüssel                                annotation      Anmerkung
    references      Literaturdatei                                 record, entry   Eintrag
    collection      Sammlung                                       library         Bibliothek
    tag             Schlagwort (a Tag is a day)                    editor          Editor
    project         Projekt                                        import          Import
    to read papers  einlesen (to read in an editor: lesen)         sync            Abgleich, as Zotero has its own
    recognised      durch Texterkennung gelesen                    conversion      Umwandlung
    engine          Dienst                                         log             Protokoll
    folder          Ordner                                         tray            Infobereich
    key             Schlüssel                                      keyring         Schlüsselbund
    check-up        Prüfung                                        question        Frage

Quotes are „…“, three dots have a (non-breaking) space before them, and so do units. What the engine says, errors above
all, is English. Where a count may be one, the sentence is built so that it holds for every number.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import PySide6

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from citeloom.editors import EDITORS  # noqa: E402 - found by the line above

LANGUAGES = ("de",)
CODE = ROOT / "citeloom" / "desktop"
DATA = CODE / "data"


def main() -> int:
    """Remake all of it; what is unfinished is named and makes the command fail."""
    make(DATA)
    open_ = [f"{file.name}: {line}" for file in files(DATA) for line in unfinished(file)]
    print("\n".join(open_) or "Every word is translated.")
    return 1 if open_ else 0


def files(folder: Path) -> list[Path]:
    """The translations in a folder, one for each language."""
    return [folder / f"citeloom_{language}.ts" for language in LANGUAGES]


def make(folder: Path) -> None:
    """Take the words of the code into the translations of a folder, and pack each as the app loads it."""
    with tempfile.TemporaryDirectory(prefix="citeloom-") as place:
        beside = Path(place) / "clients.py"
        beside.write_text(_words_of_clients(), encoding="utf-8")
        sources = [*map(str, sorted(CODE.rglob("*.py"))), str(beside)]
        options = ("-silent", "-no-obsolete", "-sort-messages", "-locations", "none", "-source-language", "en")
        for file in files(folder):
            _tool("lupdate", *options, *sources, "-ts", str(file))
            _tool("lrelease", "-silent", "-nounfinished", str(file), "-qm", str(file.with_suffix(".qm")))


def unfinished(file: Path) -> list[str]:
    """What of a translation is still to be done, context by context."""
    return [
        f"{context.findtext('name')}: {message.findtext('source')}"
        for context in ET.parse(file).iter("context")
        for message in context.iter("message")
        if message.find("translation[@type]") is not None or not message.findtext("translation")
    ]


def _words_of_clients() -> str:
    """What is left to do in each editor, as code: that package knows nothing of Qt, so lupdate finds nothing in it."""
    words = sorted({editor.next_step for editor in EDITORS.values() if editor.next_step})
    return "".join(f'translate("Clients", "{sentence}")\n' for sentence in words)


def _tool(name: str, *arguments: str) -> None:
    """Run one of Qt's tools, which come with PySide6."""
    tool = shutil.which(name, path=str(Path(PySide6.__file__).parent))
    if tool is None:
        raise SystemExit(f"PySide6 has no {name} on this system.")
    subprocess.run([tool, *arguments], check=True)


if __name__ == "__main__":
    sys.exit(main())
