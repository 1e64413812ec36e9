"""The pages of the main window in their order. Used by the app."""

from __future__ import annotations

from citeloom.desktop.activity.page import ActivityPage
from citeloom.desktop.connect.page import ConnectPage
from citeloom.desktop.library.page import ProjectsPage
from citeloom.desktop.search.page import SearchPage
from citeloom.desktop.settings.page import SettingsPage
from citeloom.desktop.shell.page import Page, PageContext


def all_pages(context: PageContext) -> list[Page]:
    """Create all pages of the main window."""
    return [
        SearchPage(context),
        ProjectsPage(context),
        ActivityPage(context),
        ConnectPage(context),
        SettingsPage(context),
    ]
