"""Banner of a list that reloads itself: its message is hidden by the next successful load."""

from __future__ import annotations

from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.widgets.basics import Action, Banner


class Notice(Banner):
    """Shows why a list could not be loaded, until it is."""

    _of_asking = False

    def in_vain(self, error: CiteLoomError) -> None:
        """Show that loading failed; that the engine is unavailable is shown by the window, once for all pages."""
        if error.code != Code.ENGINE_UNAVAILABLE:
            self.say_error(error)
            self._of_asking = True

    def answered(self) -> None:
        """Hide the message of a failed load; messages about actions stay."""
        if self._of_asking:
            self.hide()

    def say(self, words: str, *, wrong: bool = False, action: Action | None = None, closable: bool = True) -> None:
        self._of_asking = False
        super().say(words, wrong=wrong, action=action, closable=closable)
