"""Polls Zotero for changes cheaply, and decides when to sync."""

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
class ZoteroProbe:
    """What can be seen of Zotero at almost no cost.

    `token` changes whenever something may have changed; None where that cannot be told, or where there would be no way
    to read it (Zotero is closed and its database is not to be used).
    """

    reachable: bool  # Zotero is running and answers
    token: Hashable = None


@dataclass(frozen=True, slots=True)
class PollState:
    """State after the last probes and syncs."""

    reachable: bool = False
    token: Hashable = None  # as it was before the last sync that succeeded
    rested_from: float = -math.inf  # when the last sync ended, well or not
    failures: int = 0  # syncs that failed since one succeeded
    wait: float = 0.0  # before the next look

    def synced(self, before: ZoteroProbe, now: float) -> PollState:
        """After a sync that succeeded; what changed since the look before it is found by the next one."""
        return replace(self, token=before.token, rested_from=now, failures=0)

    def failed(self, now: float) -> PollState:
        """After a sync that failed: it is tried again, less and less often."""
        return replace(self, rested_from=now, failures=self.failures + 1)


@dataclass(frozen=True, slots=True)
class Action:
    """What to do after a probe: perhaps sync, then probe again after `state.wait` seconds."""

    sync: bool
    state: PollState


def decide(state: PollState, now: float, look: ZoteroProbe, seconds: float) -> Action:
    """Decide what to do after a probe."""
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


class ZoteroPoller:
    """Probes Zotero regularly in its own thread, and has the projects synced when there is something new."""

    def __init__(
        self,
        look: Callable[[], ZoteroProbe],
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
        """Start; the first probe comes at once."""
        self._thread.start()

    def sync_soon(self) -> None:
        """Sync after the next probe, whatever it shows: projects read something else than before."""
        self._poked.set()

    def stop(self) -> None:
        """Stop at once; a running sync gets a few seconds."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        state = PollState()
        while not self._stop.is_set():
            try:
                state = self.step(state)
            except Exception:
                log.exception("Zotero could not be looked at")
                state = replace(state, wait=FARTHEST)
            self._stop.wait(state.wait)

    def step(self, state: PollState) -> PollState:
        """Probe once, and sync if need be."""
        if not self._wanted():
            return PollState(wait=self._seconds)
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
