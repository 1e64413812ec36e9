"""The message above a list that asks again and again: it goes when the answer comes."""

from __future__ import annotations

from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.widgets.basics import Action, Banner


class Notice(Banner):
    """Says why a list cannot be shown, until it can."""

    _of_asking = False

    def in_vain(self, error: CiteLoomError) -> None:
        """A question by the list itself failed. That the engine is away is said by the window, once for all pages."""
        if error.code != Code.ENGINE_UNAVAILABLE:
            self.say_error(error)
            self._of_asking = True

    def answered(self) -> None:
        """The list was answered; what a person did and was told about stays."""
        if self._of_asking:
            self.hide()

    def say(self, words: str, *, wrong: bool = False, action: Action | None = None, closable: bool = True) -> None:
        self._of_asking = False
        super().say(words, wrong=wrong, action=action, closable=closable)
