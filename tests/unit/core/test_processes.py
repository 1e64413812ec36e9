"""Memory that is free goes back to the system, and the power supply is that of the computer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from citeloom.core import processes
from citeloom.core.processes import runs_on_battery

_FREED = """
import threading
from citeloom.core.processes import release_free_memory

def own():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))

def work():
    # Pieces above Python's own allocator, so that they are glibc's. What stays lies between what goes.
    pieces = [bytearray(2000) for _ in range(20_000)]
    kept.extend(pieces[::1000])

kept = []
before = own()
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
used = own()
release_free_memory()
print(used - before, own() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems return free memory by themselves")
def test_what_threads_have_freed_is_returned_although_something_is_kept_between() -> None:
    told = subprocess.run([sys.executable, "-c", _FREED], capture_output=True, text=True, check=True).stdout
    used, left = map(int, told.split())
    assert used > 20_000, "kilobytes: nothing was held back, so nothing is shown"
    assert left < used / 4


MOUSE = {"type": "Battery", "scope": "Device", "status": "Discharging"}
DISCHARGING = {"type": "Battery", "scope": "System", "status": "Discharging"}
UNKNOWN = {"type": "Battery", "status": "Unknown"}
UNPLUGGED, CHARGER = {"type": "Mains", "online": "0"}, {"type": "USB", "online": "1"}
TABLET = {"type": "Mains", "scope": "Device", "online": "1"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems are asked otherwise")
@pytest.mark.parametrize(
    ("supplies", "on_battery"),
    [
        ({}, False),
        ({"hidpp_battery_0": MOUSE}, False),
        ({"BAT0": DISCHARGING | {"scope": ""}}, True),
        ({"hidpp_battery_0": MOUSE, "AC": UNPLUGGED, "BAT0": DISCHARGING}, True),
        ({"wacom_ac_0": TABLET, "BAT0": DISCHARGING}, True),
        ({"AC": UNPLUGGED, "BAT0": UNKNOWN, "BAT1": DISCHARGING}, True),
        ({"AC": UNPLUGGED, "ucsi-source-psy-1": CHARGER, "BAT0": DISCHARGING}, False),
        ({"AC": UNPLUGGED, "BAT0": UNKNOWN}, False),
    ],
    ids=["desktop", "mouse", "no scope", "laptop", "tablet", "two batteries", "charged by USB", "unknown"],
)
def test_a_computer_runs_on_battery_only_if_its_own_is_discharged_and_nothing_charges_it(
    tmp_path: Path, supplies: dict[str, dict[str, str]], on_battery: bool
) -> None:
    for name, attributes in supplies.items():
        (tmp_path / name).mkdir()
        for attribute, value in attributes.items():
            (tmp_path / name / attribute).write_text(f"{value}\n")
    assert runs_on_battery(tmp_path) is on_battery


def test_a_power_supply_that_cannot_be_asked_is_no_battery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not runs_on_battery(tmp_path / "nowhere")

    def refuse() -> Any:
        raise RuntimeError("IOPSCopyPowerSourcesInfo() syscall failed")

    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(processes._system, "sensors_battery", refuse)
    assert not runs_on_battery()
