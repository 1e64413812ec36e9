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
from citeloom.zotero.types import ZoteroProbe

log = logging.getLogger(__name__)

SYNC_INTERVAL = faults.number("watch.rest_seconds", 30.0)  # seconds between two syncs: Zotero changes while one works
# Seconds between full syncs: a replaced file or a tag renamed everywhere changes no version.
FULL_SYNC_INTERVAL = 15 * 60.0
MAX_WAIT = faults.number("watch.longest_wait_seconds", 60.0)  # maximum seconds between probes while Zotero is closed
_MIN_WAIT = 1.0  # minimum seconds between probes: a setting of 0 must not cause a busy loop
_STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class PollState:
    """State after the last probes and syncs."""

    reachable: bool = False
    token: Hashable = None  # before the last successful sync
    last_sync: float = -math.inf  # when the last sync ended, successful or not
    failures: int = 0  # failed syncs since the last successful one
    wait: float = 0.0  # seconds before the next probe


def _decide(state: PollState, now: float, probe: ZoteroProbe, seconds: float) -> tuple[bool, PollState]:
    """Return whether to sync after a probe, and the new state."""
    opened = probe.reachable and not state.reachable
    failures = 0 if opened else state.failures  # earlier failures were before Zotero was opened
    changed = probe.token is not None and probe.token != state.token
    since_sync = now - state.last_sync
    wanted = changed or (probe.reachable and (opened or failures > 0 or since_sync >= FULL_SYNC_INTERVAL))
    seconds_left = min(FULL_SYNC_INTERVAL, SYNC_INTERVAL * 2 ** min(failures, 10)) - since_sync if wanted else 0.0
    if probe.reachable or state.reachable:
        wait = seconds
    else:  # it may be closed for days
        wait = min(MAX_WAIT, max(seconds, 2 * state.wait))
    if seconds_left > 0:
        # If the sync has to wait, the next probe still treats Zotero as newly opened.
        return False, replace(state, reachable=probe.reachable and not opened, wait=wait)
    return wanted, replace(state, reachable=probe.reachable, failures=failures, wait=wait)


class ZoteroPoller:
    """Probes Zotero regularly in its own thread, and syncs the projects when something has changed."""

    def __init__(
        self,
        probe: Callable[[], ZoteroProbe],
        sync: Callable[[], None],
        wanted: Callable[[], bool],
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._probe = probe
        self._sync = sync
        self._wanted = wanted
        self._seconds = max(_MIN_WAIT, seconds)
        self._clock = clock
        self._stop = threading.Event()
        self._sync_requested = threading.Event()
        self._thread = threading.Thread(target=self._run, name="zotero-watcher", daemon=True)

    def start(self) -> None:
        """Start the thread; the first probe is made at once."""
        self._thread.start()

    def sync_soon(self) -> None:
        """Sync after the next probe whatever its result, because the sources of a project have changed."""
        self._sync_requested.set()

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
                log.exception("Zotero could not be probed")
                state = replace(state, wait=MAX_WAIT)
            self._stop.wait(state.wait)

    def step(self, state: PollState) -> PollState:
        """Probe once, and sync if necessary."""
        if not self._wanted():
            return PollState(wait=self._seconds)
        probe = self._probe()
        if self._sync_requested.is_set():
            self._sync_requested.clear()
            state = replace(state, reachable=False, token=None)
        sync, state = _decide(state, self._clock(), probe, self._seconds)
        if not sync or self._stop.is_set():
            return state
        try:
            self._sync()
        except Exception as error:
            if isinstance(error, CiteLoomError):
                log.warning("Zotero could not be synced: %s", error)
            else:
                log.exception("Zotero could not be synced")
            # It is retried with increasing delays.
            return replace(state, last_sync=self._clock(), failures=state.failures + 1)
        # Changes since the probe are found by the next one.
        return replace(state, token=probe.token, last_sync=self._clock(), failures=0)
