"""Start at log-in, on three systems: two by their real files, one by a registry that a test makes up."""

from __future__ import annotations

import plistlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.shell import autostart
from citeloom.desktop.shell.autostart import Machine, UserRegistry, command, disable, enable, enabled, place

RUN = r"Software\Microsoft\Windows\CurrentVersion\Run"
APPROVED = r"Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"


class MadeUpRegistry(UserRegistry):
    """A registry in memory; one that `refuses` lets nobody write."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str], str | bytes] = {}
        self.refuses = False

    def read(self, key: str, name: str) -> str | bytes | None:
        return self.values.get((key, name))

    def write(self, key: str, name: str, value: str) -> None:
        if self.refuses:
            raise PermissionError(13, "Access is denied")
        self.values[key, name] = value

    def delete(self, key: str, name: str) -> None:
        self.values.pop((key, name), None)


def machine(tmp_path: Path, system: str, folder: str = "Ünder 100 % \"new\" $HOME `x` \\ 'y'") -> Machine:
    python = tmp_path / folder / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    python.touch()
    return Machine(system, tmp_path / "home", {}, python, MadeUpRegistry())


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_it_is_off_until_somebody_wants_it_and_off_again_after(tmp_path: Path, system: str) -> None:
    here = machine(tmp_path, system)
    assert not enabled(here)
    disable(here)
    enable(here)
    enable(here)
    assert enabled(here)
    disable(here)
    assert not enabled(here)


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_another_installation_does_not_count(tmp_path: Path, system: str) -> None:
    one, other = machine(tmp_path, system, "one"), machine(tmp_path, system, "other")
    other = Machine(system, one.home, one.environment, other.python, one.registry)
    enable(one)
    assert enabled(one) and not enabled(other)


def test_the_script_beside_python_is_started_hidden(tmp_path: Path) -> None:
    here = machine(tmp_path, "linux")
    assert command(here) == [str(here.python), "-m", "citeloom", "app", "--hidden"]
    script = here.python.with_name("citeloom")
    script.touch()
    assert command(here) == [str(script), "app", "--hidden"]


def test_on_windows_no_console_opens(tmp_path: Path) -> None:
    here = machine(tmp_path, "win32", "Program Files")
    (here.python.with_name("citeloom.exe")).touch()
    enable(here)
    script = here.python.with_name("citeloom.exe")
    assert here.registry.read(RUN, "CiteLoom") == f'"{script}" app --hidden'
    quiet = here.python.with_name("pythonw.exe")
    quiet.touch()
    assert not enabled(here), "what stands there is not what would be written now"
    enable(here)
    assert here.registry.read(RUN, "CiteLoom") == f'"{quiet}" -m citeloom app --hidden'


def test_what_the_task_manager_switched_off_is_off_and_can_be_switched_on_again(tmp_path: Path) -> None:
    here = machine(tmp_path, "win32")
    assert isinstance(here.registry, MadeUpRegistry)
    enable(here)
    here.registry.values[APPROVED, "CiteLoom"] = b"\x02" + bytes(11)
    assert enabled(here)
    here.registry.values[APPROVED, "CiteLoom"] = b"\x03" + bytes(11)
    assert not enabled(here)
    enable(here)
    assert enabled(here)


def test_on_linux_the_folder_of_the_environment_is_used_if_it_is_absolute(tmp_path: Path) -> None:
    here = machine(tmp_path, "linux")
    own = Machine("linux", here.home, {"XDG_CONFIG_HOME": str(tmp_path / "own")}, here.python)
    relative = Machine("linux", here.home, {"XDG_CONFIG_HOME": "own"}, here.python)
    assert place(own) == tmp_path / "own" / "autostart" / "citeloom.desktop"
    assert place(relative) == here.home / ".config" / "autostart" / "citeloom.desktop"


@pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled=false"])
def test_what_the_desktop_switched_off_is_off(tmp_path: Path, line: str) -> None:
    here = machine(tmp_path, "linux")
    enable(here)
    text = place(here).read_text(encoding="utf-8").replace("X-GNOME-Autostart-enabled=true\n", "")
    place(here).write_text(f"# changed by a tool\n{text}{line}\n", encoding="utf-8")
    assert not enabled(here)


@pytest.mark.parametrize("key", ["Disabled", "RunAtLoad"])
def test_what_macos_switched_off_is_off(tmp_path: Path, key: str) -> None:
    here = machine(tmp_path, "darwin")
    enable(here)
    agent = plistlib.loads(place(here).read_bytes())
    assert agent["ProgramArguments"] == command(here)
    place(here).write_bytes(plistlib.dumps({**agent, key: key == "Disabled"}))
    assert not enabled(here)


@pytest.mark.parametrize("system", ["linux", "darwin"])
@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe\x00", b"[Desktop Entry]\nExec", b"[Other]\nExec=x\n", b"<plist><dict><key>", b"bplist00", b"[]"],
    ids=["empty", "no text", "cut off", "other", "cut off xml", "cut off binary", "brackets"],
)
def test_a_broken_file_is_off_and_can_be_replaced(tmp_path: Path, system: str, content: bytes) -> None:
    here = machine(tmp_path, system)
    place(here).parent.mkdir(parents=True)
    place(here).write_bytes(content)
    assert not enabled(here)
    enable(here)
    assert enabled(here)


@pytest.mark.parametrize("system", ["linux", "darwin"])
def test_a_folder_that_cannot_be_written_is_an_error_with_a_next_step(tmp_path: Path, system: str) -> None:
    here = machine(tmp_path, system)
    place(here).parent.parent.mkdir(parents=True)
    place(here).parent.write_text("a file where a folder should be")
    for deed in (enable, disable):
        with pytest.raises(CiteLoomError) as caught:
            deed(here)
        assert str(place(here)) in caught.value.message and caught.value.next_step
    assert not enabled(here)


def test_a_registry_that_refuses_is_an_error_too(tmp_path: Path) -> None:
    here = machine(tmp_path, "win32")
    assert isinstance(here.registry, MadeUpRegistry)
    here.registry.refuses = True
    with pytest.raises(CiteLoomError) as caught:
        enable(here)
    assert caught.value.code == Code.PERMISSION_DENIED


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1), min_size=1, max_size=4))
def test_a_desktop_entry_says_exactly_the_command(arguments: list[str]) -> None:
    written = autostart._exec(arguments)
    assert "\n" not in written and "\r" not in written
    assert _as_a_desktop_reads_it(written) == arguments


def _as_a_desktop_reads_it(value: str) -> list[str]:
    """The rules of the specification: the escapes of a string first, then quotes, then field codes."""
    text, escapes = "", {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
    letters = iter(value)
    for letter in letters:
        text += escapes[next(letters)] if letter == "\\" else letter
    found: list[str] = []
    letters = iter(text)
    for letter in letters:
        word = ""
        if letter == '"':
            for inner in letters:
                if inner == '"':
                    break
                word += next(letters) if inner == "\\" else inner
            assert next(letters, " ") == " "
        else:
            word = letter
            for inner in letters:
                if inner == " ":
                    break
                assert inner not in "\"'\\><~|&;$*?#()`\t\n", "must be quoted"
                word += inner
        assert "%" not in word.replace("%%", "")
        found.append(word.replace("%%", "%"))
    return found
