"""Events: every subscriber receives them, until it unsubscribes."""

from __future__ import annotations

import json
from typing import get_args

from citeloom.api import events
from citeloom.api.events import (
    EditorConnected,
    EngineStopping,
    Event,
    JobFinished,
    JobProgress,
    decode_event,
    encode_event,
)
from citeloom.core.jobs import Progress
from citeloom.engine.events import Events


def test_everyone_who_watches_is_told_in_order_until_they_end_it() -> None:
    hub, one, other = Events(), [], []
    end_one = hub.subscribe(one.append)
    hub.subscribe(other.append)
    first, second = EngineStopping("idle"), EditorConnected("s", "editor")
    hub.publish(first)
    end_one()
    end_one()
    hub.publish(second)
    assert (one, other) == ([first], [first, second])


def test_a_watcher_may_end_itself_while_it_is_told() -> None:
    hub, seen = Events(), []

    def once(event: Event) -> None:
        seen.append(event)
        end()

    end = hub.subscribe(once)
    hub.subscribe(seen.append)
    for _ in range(2):
        hub.publish(EngineStopping("idle"))
    assert len(seen) == 3


def test_an_event_goes_over_the_wire_by_its_name() -> None:
    event = JobProgress(
        10, 7, 3, 1, 42, "/a.pdf", "convert", 12, 300, 1.5, "", 412, 300, 120, 14, 2, 3, job_id="j", project_id="thesis"
    )
    sent = json.loads(json.dumps(encode_event(event)))
    assert decode_event(sent) == event
    assert sent == {
        "type": "JobProgress",
        "job_id": "j",
        "project_id": "thesis",
        "total": 10,
        "searchable": 7,
        "done": 3,
        "failed": 1,
        "chunks_written": 42,
        "pages_total": 412,
        "pages_by_words": 300,
        "pages_embedded": 120,
        "pages_waiting": 14,
        "pages_failed": 2,
        "pages_for_layout": 3,
        "file": "/a.pdf",
        "stage": "convert",
        "page": 12,
        "pages": 300,
        "eta_seconds": 1.5,
        "waits_for": "",
    }
    assert encode_event(JobFinished("j", "thesis", "done", {"new": 1}))["result"] == {"new": 1}


def test_every_kind_of_event_is_in_the_union() -> None:
    kinds = {v for v in vars(events).values() if isinstance(v, type) and hasattr(v, "__dataclass_fields__")}
    kinds.discard(Progress)
    assert kinds == set(get_args(Event))
