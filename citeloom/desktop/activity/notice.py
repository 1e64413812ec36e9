"""Banner of a list that reloads itself: its message is hidden by the next successful load."""

from __future__ import annotations

from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.widgets.basics import Action, Banner


class Notice(Banner):
    """Banner that shows why a list could not be loaded, until it is."""

    _load_error = False

    def load_failed(self, error: CiteLoomError) -> None:
        """Show that loading failed; that the engine is unavailable is shown by the window, once for all pages."""
        if error.code != Code.ENGINE_UNAVAILABLE:
            self.show_error(error)
            self._load_error = True

    def load_succeeded(self) -> None:
        """Hide the message of a failed load; messages about actions stay."""
        if self._load_error:
            self.hide()

    def show_message(
        self, text: str, *, wrong: bool = False, action: Action | None = None, closable: bool = True
    ) -> None:
        self._load_error = False
        super().show_message(text, wrong=wrong, action=action, closable=closable)
