"""The section Privacy: the access log of what editors asked, and what agents may do."""

from __future__ import annotations

from citeloom.desktop.settings.rows import NumberRow, YesNoRow
from citeloom.desktop.settings.section import Section
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, add, leading


class PrivacySection(Section):
    """Settings of the access log, with a link to it."""

    name = "privacy"

    def title(self) -> str:
        return self.tr("Privacy")

    def _build(self) -> None:
        text = self.tr(
            "Your papers, your questions and the answers stay on this computer. An editor gets the passages that it"
            " asks for, and passes them to its model like everything you write there. Only if you keep an index on a"
            " Qdrant server elsewhere are the texts of its passages stored there, and questions are sent to it as"
            " numbers and words."
        )
        self.log_button = basics.button(
            self.tr("&Show what editors asked"),
            lambda: self.context.open_page.emit("activity", {}),
            icon_name="activity",
        )
        access_log = YesNoRow(
            "privacy.access_log",
            self.tr("&Keep a log of what editors ask"),
            self.tr("Which editor asked what, and which passages it got. It stays on this computer."),
        )
        log_days = NumberRow(
            "privacy.log_days",
            self.tr("Keep it &for"),
            most=36_500,
            step=30,
            unit=self.tr("{number} days"),
            zero=self.tr("Until you clear it"),
        )
        agents_may_fetch = YesNoRow(
            "privacy.agents_may_fetch",
            self.tr("Allow agents to fetch papers from the &web"),
            self.tr(
                "An agent in an editor with write access can then name a web address, and CiteLoom reads what is"
                " there. Otherwise only you can do that."
            ),
        )
        add(
            self.inside,
            basics.text(text, muted=True),
            self.setting(access_log),
            self.setting(log_days),
            leading(self.log_button),
            basics.GAP,
            self.setting(agents_may_fetch),
            Stretch(1),
        )
