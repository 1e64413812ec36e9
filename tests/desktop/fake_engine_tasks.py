"""Engine tasks without an engine, for states that a real one is hard to bring into."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QTimer

from citeloom.api.engine import StatusResult
from citeloom.api.events import decode_event
from citeloom.api.verbs import R, Request, decode, encode
from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.shell.engine_status import EngineStatus
from citeloom.desktop.shell.engine_tasks import EngineTasks
from citeloom.desktop.shell.page import PageContext


class FakeEngineTasks(EngineTasks):
    """Answers from `answers`: by verb, a value, a CiteLoomError, or a function of the arguments that gives either."""

    def __init__(self, **answers: Any) -> None:
        super().__init__()
        self.answers: dict[str, Any] = answers
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.held: list[Callable[[], None]] | None = None  # a list: answers wait in it until a test lets them go

    def start(self) -> None:
        """Nothing to reach."""

    def close(self) -> None:
        """Nothing to leave."""
        self._closing.set()

    def publish(self, event: Mapping[str, Any]) -> None:
        """Have the engine publish an event, given as it goes over the wire."""
        self.event_received.emit(decode_event(dict(event)))

    def _enqueue(self, job: Callable[[], None]) -> None:
        if self.held is not None:
            self.held.append(job)
        else:
            QTimer.singleShot(0, job)

    def _result(self, request: Request[R]) -> R:
        verb = request.verb.replace(".", "_")  # as a keyword: search_query
        result: R = decode(encode(self._call(verb, encode(request))), request.result)
        return result

    def _call(self, verb: str, args: Mapping[str, Any]) -> Any:
        self.asked.append((verb, dict(args)))
        answer = self.answers.get(verb)
        if callable(answer):
            answer = answer(args)
        if answer is None and verb not in self.answers:
            answer = CiteLoomError(Code.INVALID_INPUT, f"The fake has no answer to '{verb}'.")
        if isinstance(answer, CiteLoomError):
            raise answer
        return answer


def a_status(**changes: Any) -> StatusResult:
    """The status of an engine with one project and nothing to do, unless a test says otherwise."""
    idle = {
        **{"version": "0", "pid": 1, "data_folder": "/data", "settings_file": "/data/citeloom.toml", "converter": "c"},
        **{"projects": 1, "jobs": [], "paused": False, "editors": 0, "started_by": "app"},
        **{"settings_problem": None, "lost": None},
        "coverage": {"documents": 0, "searchable": 0, "by_meaning": 0, "pending": 0, "failed": 0, "without_file": 0},
    }
    return decode({**idle, **changes}, StatusResult)


def fake_context(**answers: Any) -> tuple[PageContext, FakeEngineTasks]:
    """A page context whose engine is made up."""
    tasks = FakeEngineTasks(**answers)
    return PageContext(tasks, EngineStatus(tasks)), tasks
