"""The settings file: what it says is taken, what it cannot mean is refused with the file and the key."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.core import settings as config
from citeloom.core.errors import CiteLoomError, Code


def write(folder: Path, text: str) -> Path:
    file = folder / "citeloom.toml"
    file.write_text(text, encoding="utf-8")
    return file


def refusal(file: Path) -> str:
    with pytest.raises(CiteLoomError) as caught:
        config.load(file)
    assert caught.value.code == Code.INVALID_INPUT
    assert str(file) in caught.value.message
    assert caught.value.next_step
    return caught.value.message


def test_without_a_file_everything_has_its_default(tmp_path: Path) -> None:
    assert config.load(tmp_path / "citeloom.toml") == config.Settings()


def test_the_file_in_the_config_folder_is_the_one_that_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path))
    write(tmp_path, 'default_project = "thesis"')
    assert config.load().default_project == "thesis"


def test_what_is_written_is_taken_and_the_rest_keeps_its_default(tmp_path: Path) -> None:
    settings = config.load(
        write(
            tmp_path,
            """
            default_project = "thesis"
            [models]
            sparse = ""
            allow_download = true
            [search]
            top_k = 9
            fusion = "dbsf"
            [ocr]
            languages = ["fr"]
            [timeouts]
            query = 20
            """,
        )
    )
    assert settings.default_project == "thesis"
    assert (settings.models.sparse, settings.models.allow_download) == ("", True)
    assert settings.models.dense == config.BUNDLED_DENSE
    assert (settings.search.top_k, settings.search.fusion, settings.search.max_top_k) == (9, "dbsf", 20)
    assert (settings.ocr.languages, settings.ocr.engine) == (("fr",), "tesseract")
    assert (settings.timeouts.of("query"), settings.timeouts.of("get_passage")) == (20.0, 5.0)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[engine]\nidle_minutes = 0.5", 0.5),
        ("[timeouts]\nquery = 7.5", 7.5),
        ("[timeouts]\nother = 2.25", 2.25),
    ],
)
def test_a_fraction_of_a_minute_or_second_can_be_written(tmp_path: Path, text: str, named: float) -> None:
    settings = config.load(write(tmp_path, text))
    assert named in (settings.engine.idle_minutes, settings.timeouts.query, settings.timeouts.other)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("defaultproject = 'x'", "defaultproject"),
        ("[serach]\ntop_k = 3", "serach"),
        ("[search]\ntopk = 3", "search.topk"),
        ("[search]\ntop_k = '3'", "search.top_k"),
        ("[search]\ntop_k = 3.5", "search.top_k"),
        ("[search]\ntop_k = true", "search.top_k"),
        ("[search]\ntop_k = -1", "search.top_k"),
        ("[search]\nfusion = 'best'", "search.fusion"),
        ("[ocr]\nengine = 'eyes'", "ocr.engine"),
        ("[ocr]\nlanguages = 'en'", "ocr.languages"),
        ("[ocr]\nlanguages = []", "ocr.languages"),
        ("[ocr]\nlanguages = ['en', 3]", "ocr.languages"),
        ("[models]\nallow_download = 1", "models.allow_download"),
        ("[models]\ndense = ['a']", "models.dense"),
        ("[models.dense]\nname = 'a'", "models.dense"),
        ("[timeouts]\nquery = -0.5", "timeouts.query"),
        ("[timeouts]\nquery = nan", "timeouts.query"),
        ("[timeouts]\nquery = 1e300", "timeouts.query"),
        ("[watch]\nzotero_seconds = 1e300", "watch.zotero_seconds"),
        (f"[search]\ntop_k = {10**400}", "search.top_k"),
        ("[engine]\nworkers = 100000", "engine.workers"),
        ("[engine]\nidle_minutes = 'ten'", "engine.idle_minutes"),
        ("[engine]\nmin_free_mb = 2020-01-01", "engine.min_free_mb"),
        ("privacy = false", "privacy"),
        ("[search.projects]\ntop_k = 3", "search.projects"),
        ('[search]\nprojects = "thesis"', "search.projects"),
        ('[search.projects."a/b"]\ntopk = 3', 'search.projects."a/b".topk'),
        ('[search.projects."a/b"]\ntop_k = "3"', 'search.projects."a/b".top_k'),
        ('[search.projects."a/b"]\nmax_top_k = 1001', 'search.projects."a/b".max_top_k'),
        ('[search.projects."a/b"]\ntop_k = 21', 'search.projects."a/b"'),
        ('[search.projects."a/b"]\ntop_k = 4\nmax_top_k = 3', 'search.projects."a/b"'),
        ("[[privacy]]\naccess_log = false", "privacy"),
    ],
)
def test_what_a_setting_cannot_be_is_refused_by_its_name(tmp_path: Path, text: str, named: str) -> None:
    assert named in refusal(write(tmp_path, text))


@pytest.mark.parametrize(
    "data",
    [
        b"[search\ntop_k = 3",
        b"top_k = \xff\xfe",
        b"= 3",
        b"[search]\n[search]",
        pytest.param(b"a = " + b"[" * 20_000, id="nested"),
        pytest.param(b"a = " + b"9" * 5_000, id="digits"),
    ],
)
def test_a_file_that_is_no_toml_is_refused(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "citeloom.toml"
    file.write_bytes(data)
    refusal(file)


def test_the_mark_that_editors_of_windows_begin_a_file_with_is_no_error(tmp_path: Path) -> None:
    file = write(tmp_path, "\ufeff[search]\ntop_k = 3\n")
    assert config.load(file).search.top_k == 3
    assert config.change({"search.top_k": 4}, file).search.top_k == 4


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "citeloom.toml").mkdir()
    refusal(tmp_path / "citeloom.toml")


def keys(of: type, prefix: str = "") -> list[str]:
    default = of()
    found = []
    for field in fields(of):
        value = getattr(default, field.name)
        found += keys(type(value), f"{prefix}{field.name}.") if is_dataclass(value) else [prefix + field.name]
    return found


values = st.one_of(
    st.booleans().map(lambda b: str(b).lower()),
    st.integers(-(2**63), 2**63 - 1).map(str),
    st.floats().map(repr),
    st.sampled_from(['""', '"rrf"', "[]", "[1]", "{}", "{a = 1}", "2024-01-01"]),
)


@given(name=st.sampled_from(keys(config.Settings)), value=values)
def test_any_value_is_taken_as_its_settings_kind_or_refused_by_name(
    tmp_path_factory: pytest.TempPathFactory, name: str, value: str
) -> None:
    file = write(tmp_path_factory.getbasetemp(), f"{name} = {value}")
    try:
        settings = config.load(file)
    except CiteLoomError as error:
        assert error.code == Code.INVALID_INPUT
        assert name in error.message or name.split(".", maxsplit=1)[0] in error.message
        return
    given_value, default = settings, config.Settings()
    for part in name.split("."):
        given_value, default = getattr(given_value, part), getattr(default, part)
    assert isinstance(given_value, bool) == isinstance(default, bool)
    assert isinstance(given_value, str) == isinstance(default, str)
    assert isinstance(given_value, str | tuple | dict) or given_value >= 0


def test_a_project_may_have_its_own_number_of_hits(tmp_path: Path) -> None:
    text = '[search]\ntop_k = 5\n[search.projects."a/b.c"]\ntop_k = 8\nmax_top_k = 30\n'
    search = config.load(write(tmp_path, text + "[search.projects.few]\nmax_top_k = 3")).search
    assert [search.top_k_of(project) for project in ("a/b.c", "few", "other")] == [(8, 30), (3, 3), (5, 20)]


# -- changing it -------------------------------------------------------------------------------------------------

BY_HAND = """\
# My settings, written by hand.
default_project = "thesis"  # the one I write

# How much I want to see
[search]
top_k = 9   # nine is enough
# fusion = "dbsf"

# Scans are old
[ocr]
languages = [ "de",  # mostly
  "la" ]

[models]
sparse = ''
"""
COMMENTS = ("# My settings, written by hand.", "# How much I want to see", '# fusion = "dbsf"', "# Scans are old")
VALID = {
    "default_project": st.text(max_size=20),
    "search.top_k": st.integers(1, 9),
    "search.max_top_k": st.integers(9, 99),
    "search.fusion": st.sampled_from(["blend", "rrf", "dbsf"]),
    "search.include_references": st.booleans(),
    "ocr.languages": st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=3).map(tuple),
    "models.sparse": st.text(max_size=10),
    "engine.idle_minutes": st.floats(0, 1e6),
    "timeouts.query": st.integers(0, 9),
    "zotero.data_folder": st.text(max_size=20),
    "privacy.access_log": st.booleans(),
}
one_change = st.sampled_from(sorted(VALID)).flatmap(lambda name: st.tuples(st.just(name), st.none() | VALID[name]))
files = st.sampled_from(
    [None, "", BY_HAND, BY_HAND.replace("\n", "\r\n"), "search.top_k = 3\n# end", "search = {top_k = 3}", "[search]"]
)


def value_of(settings: config.Settings, name: str) -> object:
    for part in name.split("."):
        settings = getattr(settings, part)
    return settings


@given(text=files, changes=st.lists(st.lists(one_change, max_size=4).map(dict), max_size=4))
def test_after_any_changes_the_file_says_exactly_that_and_its_comments_stay(
    tmp_path_factory: pytest.TempPathFactory, text: str | None, changes: list[dict[str, object]]
) -> None:
    file = tmp_path_factory.getbasetemp() / "changed.toml"
    file.unlink(missing_ok=True)
    if text is not None:
        file.write_bytes(text.encode())
    expected = {name: value_of(config.load(file), name) for name in keys(config.Settings)}
    for some in changes:
        settings = config.change(some, file)
        for name, value in some.items():
            expected[name] = value_of(config.Settings(), name) if value is None else value
        assert settings == config.load(file)
        assert {name: value_of(settings, name) for name in expected} == expected
    if text == BY_HAND:
        lines = file.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if line in COMMENTS] == list(COMMENTS)
    if text and "\r\n" in text:
        assert b"\n" not in file.read_bytes().replace(b"\r\n", b"")


def test_a_change_touches_its_own_line_and_nothing_else(tmp_path: Path) -> None:
    file = write(tmp_path, BY_HAND)
    file.chmod(0o640)
    config.change({"search.top_k": 7, "search.max_top_k": 30, "models.sparse": None}, file)
    changed = BY_HAND.replace("top_k = 9 ", "top_k = 7 ").replace(
        "# nine is enough\n", "# nine is enough\nmax_top_k = 30\n"
    )
    assert file.read_text(encoding="utf-8") == changed.replace("sparse = ''\n", "")
    assert file.stat().st_mode & 0o777 == 0o640
    assert [f.name for f in tmp_path.iterdir()] == ["citeloom.toml"]


@pytest.mark.parametrize(
    "text",
    [
        '[search.projects."a/b"]\ntop_k = 8 # mine\n',
        '[search]\ntop_k = 5\n\n[search.projects."a/b"]\ntop_k = 8 # mine\n\n[ocr]\nlanguages = ["la"]\n',
        '[search]\ntop_k = 5\n\n[ocr]\nlanguages = ["la"]\n\n[search.projects."a/b"]\ntop_k = 8 # mine\n',
    ],
    ids=["alone", "beside", "below"],
)
def test_the_tables_of_projects_stay_whatever_else_is_changed(tmp_path: Path, text: str) -> None:
    file = write(tmp_path, text)
    for changes in ({"search.max_top_k": 40}, {"search.top_k": None}, {"search.fusion": "rrf"}, {"models.sparse": "x"}):
        assert config.change(changes, file).search.projects == {"a/b": config.ProjectSearch(top_k=8)}
    assert config.load(file).search == config.Search(
        max_top_k=40, fusion="rrf", projects={"a/b": config.ProjectSearch(top_k=8)}
    )
    assert "top_k = 8 # mine" in file.read_text(encoding="utf-8")


def test_a_change_leaves_the_comments_between_a_section_and_its_tables_where_they_are(tmp_path: Path) -> None:
    below = '\n# Scans\n[ocr]\nlanguages = ["la"]\n\n# The thesis\n[search.projects.thesis]\ntop_k = 8\n'
    file = write(tmp_path, "[search]\ntop_k = 5\n" + below)
    config.change({"search.max_top_k": 40}, file)
    assert file.read_text(encoding="utf-8") == "[search]\ntop_k = 5\nmax_top_k = 40\n" + below


def test_the_first_change_makes_the_file(tmp_path: Path) -> None:
    file = tmp_path / "config" / "citeloom.toml"
    config.change({"default_project": "thesis"}, file)
    header, line = file.read_text(encoding="utf-8").splitlines()
    assert header.startswith("#") and line == 'default_project = "thesis"'
    assert file.stat().st_mode & 0o077 == 0


def test_a_file_that_is_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    real = write(tmp_path / "kept", BY_HAND)
    (tmp_path / "citeloom.toml").symlink_to(real)
    config.change({"search.top_k": 2}, tmp_path / "citeloom.toml")
    assert (tmp_path / "citeloom.toml").is_symlink() and config.load(real).search.top_k == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"search.top_k": 99},
        {"search.top_k": "3"},
        {"search.topk": 3},
        {"search": 3},
        {"nothing.at.all": 3},
        {"ocr.languages": []},
        {"ocr.languages.first": "de"},
        {"search.top_k": object()},
        {"default_project": "new", "ocr.engine": "eyes"},
        {"": 1},
    ],
    ids=lambda changes: "-".join(map(str, changes)) or "empty",
)
def test_a_change_that_cannot_be_leaves_the_file_as_it_was(tmp_path: Path, changes: dict[str, object]) -> None:
    file = write(tmp_path, BY_HAND)
    with pytest.raises(CiteLoomError) as caught:
        config.change(changes, file)
    assert caught.value.code == Code.INVALID_INPUT and "Nothing was changed" in caught.value.next_step
    assert file.read_text(encoding="utf-8") == BY_HAND


@pytest.mark.parametrize("text", ["[search\ntop_k = 3", "[search]\ntop_k = 'x'\n", "[search]\n[search]"])
def test_a_broken_file_is_not_written_to_and_its_own_fault_is_said(tmp_path: Path, text: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(CiteLoomError, match="cannot be used"):
        config.change({"default_project": "thesis"}, file)
    assert file.read_text(encoding="utf-8") == text
    settings, problem = config.load_or_defaults(file)
    assert settings == config.Settings() and problem is not None and str(file) in problem.message


def test_a_change_that_mends_a_broken_value_is_taken(tmp_path: Path) -> None:
    file = write(tmp_path, "# mine\n[search]\ntop_k = 'x'\n")
    config.change({"search.top_k": 3}, file)
    assert file.read_text(encoding="utf-8") == "# mine\n[search]\ntop_k = 3\n"
    assert config.load_or_defaults(file) == (config.load(file), None)


def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    file = write(tmp_path, BY_HAND)
    file.chmod(0o444)
    with pytest.raises(CiteLoomError) as caught:
        config.change({"search.top_k": 2}, file)
    assert caught.value.code == Code.PERMISSION_DENIED and str(file) in caught.value.message
    assert file.read_text(encoding="utf-8") == BY_HAND


def test_a_file_whose_folder_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file in the folder's place")
    with pytest.raises(CiteLoomError) as caught:
        config.change({"search.top_k": 2}, tmp_path / "config" / "citeloom.toml")
    assert caught.value.next_step
