"""The table of verbs: maps each verb to the method that handles it. The container builds it for all sessions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from citeloom.api.verbs import R, Request, decode, encode
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code


class VerbTable:
    """Finds the handler of a verb and runs it."""

    def __init__(self, services: Iterable[object]) -> None:
        self._handlers: dict[str, tuple[type[Request[Any]], Callable[..., Any], bool]] = {}
        for service in services:
            for name, function in inspect.getmembers(type(service), inspect.isfunction):
                if request := getattr(function, "handles", None):
                    takes_cancel = "cancel" in inspect.signature(function).parameters
                    self._handlers[request.verb] = (request, getattr(service, name), takes_cancel)

    def run(self, verb: str, arguments: dict[str, Any], cancel: Cancel) -> Any:
        """Decode the request of a verb, call its handler, and encode the result."""
        if verb not in self._handlers:
            known = ", ".join(sorted(self._handlers))
            raise CiteLoomError(Code.INVALID_INPUT, f"There is no verb '{verb}'.", f"Verbs: {known}.")
        return encode(self.handle(decode(arguments, self._handlers[verb][0]), cancel))

    def handle(self, request: Request[R], cancel: Cancel) -> R:
        """Call the handler of a request and return its result."""
        _, handler, takes_cancel = self._handlers[request.verb]
        result: R = handler(request, cancel) if takes_cancel else handler(request)
        return result
