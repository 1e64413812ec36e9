"""Control connections whose client has gone or does not read."""

from __future__ import annotations

import asyncio
import json
import threading
from types import SimpleNamespace
from typing import Any, cast

from citeloom.api.engine import Subscribe
from citeloom.api.events import JobFinished, JobProgress
from citeloom.api.maintenance import Restore, RestoreResult
from citeloom.api.verbs import handles
from citeloom.engine import control
from citeloom.engine.events import Events
from citeloom.engine.verbs import VerbTable
from tests.support import WAIT


def test_the_engine_ends_after_a_restore_even_if_who_asked_for_it_has_gone() -> None:
    begun, may_end = threading.Event(), threading.Event()

    class Restores:
        @handles(Restore)
        def restore(self, request: Restore) -> RestoreResult:
            begun.set()
            assert may_end.wait(WAIT)
            return RestoreResult([], 0, None, settings=False, kept_settings=[], embedded=[])

    async def test() -> str:
        ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        asking = control.ControlSession(
            cast("Any", SimpleNamespace(verbs=VerbTable([Restores()]))), cast("Any", None), ended.set_result
        )
        asked = asyncio.create_task(asking._run_verb(Restore.verb, {"file": "all.zip"}))
        await asyncio.to_thread(begun.wait, WAIT)
        asked.cancel()
        may_end.set()
        return await asyncio.wait_for(ended, WAIT)

    assert asyncio.run(test()) == "a backup was restored"


def test_who_does_not_read_gets_not_all_progress_later_but_how_it_ended() -> None:
    class Deaf:
        def __init__(self) -> None:
            self.reads = asyncio.Event()
            self.sent: list[dict[str, Any]] = []

        async def send(self, line: bytes) -> None:
            await self.reads.wait()
            self.sent.append(json.loads(line)["event"])

    async def test() -> list[dict[str, Any]]:
        deaf, service = Deaf(), SimpleNamespace(events=Events())
        await control.ControlSession(cast("Any", service), cast("Any", deaf), lambda _: None)._run_verb(
            Subscribe.verb, {}
        )
        for done in range(1000):
            service.events.publish(JobProgress(job_id="j", project_id="thesis", total=1000, done=done, stage="read"))
        service.events.publish(JobFinished("j", "thesis", "done"))
        for _ in range(5):
            await asyncio.sleep(0)
        deaf.reads.set()
        async with asyncio.timeout(WAIT):
            while not deaf.sent or deaf.sent[-1]["type"] != "JobFinished":
                await asyncio.sleep(0)
        return deaf.sent

    assert len(asyncio.run(test())) == control._MAX_UNSENT + 1
