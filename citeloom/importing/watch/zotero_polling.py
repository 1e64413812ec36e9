"""Keeps projects in step with Zotero without anybody asking, and without asking Zotero much."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError

log = logging.getLogger(__name__)

REST = faults.number("watch.rest_seconds", 30.0)  # between two syncs: whoever works in Zotero writes all the time
FULL = 15 * 60.0  # at the latest: a replaced file or a tag renamed everywhere changes no version
FARTHEST = faults.number("watch.longest_wait_seconds", 60.0)  # between two looks at a Zotero that is closed
_SOONEST = 1.0  # between two looks: a setting of 0 must not make it spin
_STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Look:
    """What can be seen of Zotero for next to nothing.

    `token` changes whenever something may have changed; None where that cannot be told, or where there would be no way
    to read it (Zotero is closed and its database is not to be used).
    """

    reachable: bool  # Zotero is running and answers
    token: Hashable = None


@dataclass(frozen=True, slots=True)
class State:
    """What the last looks and syncs have left."""

    reachable: bool = False
    token: Hashable = None  # as it was before the last sync that succeeded
    rested_from: float = -math.inf  # when the last sync ended, well or not
    failures: int = 0  # syncs that failed since one succeeded
    wait: float = 0.0  # before the next look

    def synced(self, before: Look, now: float) -> State:
        """After a sync that succeeded; what changed since the look before it is found by the next one."""
        return replace(self, token=before.token, rested_from=now, failures=0)

    def failed(self, now: float) -> State:
        """After a sync that failed: it is tried again, less and less often."""
        return replace(self, rested_from=now, failures=self.failures + 1)


@dataclass(frozen=True, slots=True)
class Action:
    """What to do after a look: perhaps sync, then look again after `state.wait` seconds."""

    sync: bool
    state: State


def decide(state: State, now: float, look: Look, seconds: float) -> Action:
    """What a look calls for."""
    opened = look.reachable and not state.reachable
    failures = 0 if opened else state.failures  # it failed with the Zotero that was
    changed = look.token is not None and look.token != state.token
    rested = now - state.rested_from
    wanted = changed or (look.reachable and (opened or failures > 0 or rested >= FULL))
    rest_left = min(FULL, REST * 2 ** min(failures, 10)) - rested if wanted else 0.0
    if look.reachable or state.reachable:
        wait = seconds
    else:  # it may be closed for days
        wait = min(FARTHEST, max(seconds, 2 * state.wait))
    if rest_left > 0:
        # An opening that has to wait is still one at the next look.
        return Action(False, replace(state, reachable=look.reachable and not opened, wait=wait))
    return Action(wanted, replace(state, reachable=look.reachable, failures=failures, wait=wait))


class Watcher:
    """Looks at Zotero now and then in a thread of its own, and has the projects synced when there is something new."""

    def __init__(
        self,
        look: Callable[[], Look],
        sync: Callable[[], None],
        wanted: Callable[[], bool],
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._look = look
        self._sync = sync
        self._wanted = wanted
        self._seconds = max(_SOONEST, seconds)
        self._clock = clock
        self._stop = threading.Event()
        self._poked = threading.Event()
        self._thread = threading.Thread(target=self._run, name="zotero-watcher", daemon=True)

    def start(self) -> None:
        """Begin; the first look comes at once."""
        self._thread.start()

    def poke(self) -> None:
        """Sync at the next look, whatever it shows: projects read something else than before."""
        self._poked.set()

    def stop(self) -> None:
        """End at once; a sync under way is given a moment."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        state = State()
        while not self._stop.is_set():
            try:
                state = self.step(state)
            except Exception:
                log.exception("Zotero could not be looked at")
                state = replace(state, wait=FARTHEST)
            self._stop.wait(state.wait)

    def step(self, state: State) -> State:
        """One look, with what it calls for."""
        if not self._wanted():
            return State(wait=self._seconds)
        look = self._look()
        if self._poked.is_set():
            self._poked.clear()
            state = replace(state, reachable=False, token=None)
        action = decide(state, self._clock(), look, self._seconds)
        if not action.sync or self._stop.is_set():
            return action.state
        try:
            self._sync()
        except CiteLoomError as error:
            log.warning("not in step with Zotero: %s", error)
            return action.state.failed(self._clock())
        except Exception:
            log.exception("not in step with Zotero")
            return action.state.failed(self._clock())
        return action.state.synced(look, self._clock())
