"""The plain settings of each section: name, kind of control, label and help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from citeloom.desktop.shell.translations import translate

Kind = Literal["yes_no", "number", "choice", "folder"]


@dataclass(frozen=True)
class Field:
    """Description of a setting for the settings page."""

    name: str  # dotted name in the settings file
    kind: Kind
    label: str
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()  # value and text; more may be added later
    least: int = 0  # of a number
    most: int = 0
    step: int = 1
    unit: str = ""  # after a number, such as "{number} MB"
    zero: str = ""  # what 0 means


def fields() -> dict[str, tuple[Field, ...]]:
    """Return the settings of each section, in the app's language."""
    return {
        "general": (
            Field(
                "default_project",
                "choice",
                translate("SettingsFields", "Project for editors that name &none"),
                translate(
                    "SettingsFields",
                    "An editor that may see several projects asks in this one if it does not say which.",
                ),
                (("", translate("SettingsFields", "None: the editor has to say")),),
            ),
            Field(
                "watch.zotero",
                "yes_no",
                translate("SettingsFields", "Follow changes in &Zotero"),
                translate(
                    "SettingsFields", "What you add, rename or remove there is in step after a moment, without a sync."
                ),
            ),
            Field(
                "watch.files",
                "yes_no",
                translate("SettingsFields", "Follow changes in &folders"),
                translate("SettingsFields", "The folders and the reference files of your projects."),
            ),
        ),
        "zotero": (
            Field(
                "zotero.source",
                "choice",
                translate("SettingsFields", "&How your library is reached"),
                "",
                (
                    ("auto", translate("SettingsFields", "The best way there is (recommended)")),
                    ("local", translate("SettingsFields", "Only by the running Zotero")),
                    ("sqlite", translate("SettingsFields", "Only by Zotero’s files on this computer")),
                    ("web", translate("SettingsFields", "Only by zotero.org, with a key")),
                ),
            ),
            Field(
                "zotero.data_folder",
                "folder",
                translate("SettingsFields", "Zotero’s data &folder"),
                translate(
                    "SettingsFields",
                    "The folder with zotero.sqlite and storage. Empty: where Zotero itself says it is.",
                ),
            ),
            Field(
                "zotero.fetch_files",
                "yes_no",
                translate("SettingsFields", "Fetch files that are not on this &computer"),
                translate("SettingsFields", "From zotero.org, once you are logged in there."),
            ),
            Field(
                "zotero.max_file_mb",
                "number",
                translate("SettingsFields", "Largest file to fe&tch"),
                translate("SettingsFields", "A larger one is left out, and the list of papers says so."),
                most=100_000,
                step=50,
                unit=translate("SettingsFields", "{number} MB"),
            ),
        ),
        "models": (
            Field(
                "models.dense",
                "choice",
                translate("SettingsFields", "Model of &new projects"),
                translate("SettingsFields", "Projects that are there keep the model they were built with."),
            ),
        ),
        "reading": (
            Field(
                "ocr.engine",
                "choice",
                translate("SettingsFields", "Text in pictures of pages is read &by"),
                "",
                (("tesseract", "Tesseract"), ("rapidocr", "RapidOCR")),
            ),
            Field(
                "engine.workers",
                "number",
                translate("SettingsFields", "Papers read at the &same time"),
                translate("SettingsFields", "More are faster and need more memory."),
                most=64,
                zero=translate("SettingsFields", "As many as this computer can bear"),
            ),
            Field(
                "engine.worker_memory_mb",
                "number",
                translate("SettingsFields", "&Memory that one paper may take"),
                translate("SettingsFields", "A paper that needs more is given up, and the list of papers says so."),
                most=1_000_000,
                step=500,
                unit=translate("SettingsFields", "{number} MB"),
                zero=translate("SettingsFields", "By its pages and this computer’s memory"),
            ),
        ),
        "index": (
            Field(
                "index.shards",
                "number",
                translate("SettingsFields", "S&hards"),
                translate("SettingsFields", "Parts of an index, on as many servers of a cluster."),
                least=1,
                most=1000,
            ),
            Field(
                "index.replicas",
                "number",
                translate("SettingsFields", "&Replicas"),
                translate("SettingsFields", "Copies of each part, so that a server may fail."),
                least=1,
                most=100,
            ),
            Field(
                "index.timeout_seconds",
                "number",
                translate("SettingsFields", "Longest &wait"),
                translate("SettingsFields", "For an answer of a server."),
                least=1,
                most=3600,
                unit=translate("SettingsFields", "{number} s"),
            ),
        ),
        "data": (
            Field(
                "engine.min_free_mb",
                "number",
                translate("SettingsFields", "&Stop reading when the disk has less than"),
                "",
                most=1_000_000,
                step=100,
                unit=translate("SettingsFields", "{number} MB"),
                zero=translate("SettingsFields", "Never"),
            ),
        ),
        "privacy": (
            Field(
                "privacy.access_log",
                "yes_no",
                translate("SettingsFields", "&Keep a log of what editors ask"),
                translate(
                    "SettingsFields", "Which editor asked what, and which passages it got. It stays on this computer."
                ),
            ),
            Field(
                "privacy.log_days",
                "number",
                translate("SettingsFields", "Keep it &for"),
                "",
                most=36_500,
                step=30,
                unit=translate("SettingsFields", "{number} days"),
                zero=translate("SettingsFields", "Until you clear it"),
            ),
            Field(
                "privacy.agents_may_fetch",
                "yes_no",
                translate("SettingsFields", "Agents may have papers fetched from the &web"),
                translate(
                    "SettingsFields",
                    "An agent in an editor that may write can then name a web address,"
                    " and CiteLoom reads what is there. Otherwise only you can.",
                ),
            ),
        ),
    }
