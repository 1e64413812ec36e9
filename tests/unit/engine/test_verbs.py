"""Every verb of the engine has one handler, and the two agree on its types."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections import Counter
from collections.abc import Callable
from typing import Any, get_type_hints

from citeloom import api, evidence, importing, library, maintenance, notes, search
from citeloom.api.engine import Stop, Subscribe
from citeloom.api.verbs import REQUESTS
from citeloom.engine import service

OF_THE_CONNECTION = {Stop.verb, Subscribe.verb}  # answered by the control session itself


def handlers() -> list[Callable[..., Any]]:
    found = {}
    for package in (api, importing, search, library, evidence, notes, maintenance):
        names = [m.name for m in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
        for module in (*map(importlib.import_module, names), service):
            for _, owner in inspect.getmembers(module, inspect.isclass):
                for _, function in inspect.getmembers(owner, inspect.isfunction):
                    if hasattr(function, "handles"):
                        found[function.__qualname__] = function
    return list(found.values())


def test_every_verb_has_exactly_one_handler() -> None:
    verbs = Counter(handler.handles.verb for handler in handlers())  # type: ignore[attr-defined]
    assert set(verbs) == set(REQUESTS) - OF_THE_CONNECTION
    assert set(verbs.values()) == {1}


def test_a_handler_gives_the_result_that_its_request_names() -> None:
    for handler in handlers():
        request = handler.handles  # type: ignore[attr-defined]
        assert get_type_hints(handler)["return"] == request.result, request.verb
