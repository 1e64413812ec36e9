"""The section Privacy: the access log of what editors asked, and what agents may do."""

from __future__ import annotations

from PySide6.QtCore import Qt

from citeloom.desktop.settings.section import Section
from citeloom.desktop.settings.settings_model import SettingsFileModel
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics


class PrivacySection(Section):
    """Settings of the access log, with a link to it."""

    name = "privacy"

    def __init__(self, context: PageContext, settings_file: SettingsFileModel, banner: basics.Banner) -> None:
        super().__init__(context, settings_file, banner)
        text = self.tr(
            "Your papers, your questions and the answers stay on this computer. An editor gets the passages that it"
            " asks for, and hands them to its model as it does with everything you write there. Only if you keep an"
            " index on a Qdrant server elsewhere are the texts of its passages there, and questions are sent to it as"
            " numbers and words."
        )
        self.inside.addWidget(basics.text(text, muted=True))
        self.log_button = basics.button(
            self.tr("&Show what editors asked"), lambda: context.go.emit("activity", {}), icon_name="activity"
        )
        for name in ("privacy.access_log", "privacy.log_days"):
            self.inside.addWidget(self.rows[name])
        self.inside.addWidget(self.log_button, 0, Qt.AlignmentFlag.AlignLeading)
        self.inside.addSpacing(basics.GAP)
        self.inside.addWidget(self.rows["privacy.agents_may_fetch"])
        self.inside.addStretch(1)

    def title(self) -> str:
        return self.tr("Privacy")
