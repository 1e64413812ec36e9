import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from citeloom.bibliography.file_field import parse_file_field


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ("", ()),
        ("papers/osei 2020.pdf", ("papers/osei 2020.pdf",)),
        ("/z/storage/A/one.pdf;/z/storage/B/two.epub", ("/z/storage/A/one.pdf", "/z/storage/B/two.epub")),
        (
            "Full Text PDF:/z/A/one.pdf:application/pdf;Ebook:/z/B/two.epub:application/epub+zip",
            ("/z/A/one.pdf", "/z/B/two.epub"),
        ),
        (r"PDF:C\:\\Users\\lea\\one.pdf:application/pdf", (r"C:\Users\lea\one.pdf",)),
        (r":C\:/Users/lea/one.pdf:PDF", ("C:/Users/lea/one.pdf",)),
        (r":C$\backslash$:/Users/lea/smith{\_}2010.pdf:pdf", ("C:/Users/lea/smith_2010.pdf",)),
        (r"C:\Users\lea\new.pdf", (r"C:\Users\lea\new.pdf",)),
        (r"\\server\share\one.pdf", (r"\\server\share\one.pdf",)),
        ("Notes: part 2:papers/one.pdf:PDF", ("papers/one.pdf",)),
        ("/z/Osei: a life.pdf", ("/z/Osei: a life.pdf",)),
        ("one.pdf:PDF", ("one.pdf",)),
        (":one.pdf:", ("one.pdf",)),
        ("Landing:https\\://example.org/a.html:text/html;a.pdf", ("a.pdf",)),
        ("file:///C:/Users/lea/my%20paper.pdf", ("C:/Users/lea/my paper.pdf",)),
    ],
)
def test_paths_are_read_as_each_program_writes_them(value, paths):
    assert parse_file_field(value) == paths


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace(":", "\\:").replace(";", "\\;")


# Braces are LaTeX's, and white space around a path is not part of it.
_PATHS = st.text(string.ascii_letters + string.digits + "äé /\\:;.,_-()&'", min_size=1).map(lambda p: f"/z/{p}.pdf")


@given(
    st.lists(
        st.tuples(st.text(string.ascii_letters + " :;\\-", max_size=9), _PATHS),
        min_size=1,
        unique_by=lambda a: a[1],
    )
)
def test_escaped_attachments_come_back_as_they_were(attachments):
    written = ";".join(f"{_escaped(name)}:{_escaped(path)}:application/pdf" for name, path in attachments)

    # A description of one letter before a rooted path cannot be told from a drive.
    assume(not any(len(name.strip()) == 1 and name.strip().isalpha() for name, _ in attachments))
    assert parse_file_field(written) == tuple(path for _, path in attachments)


@given(st.text())
def test_no_field_is_too_odd_to_read(value):
    assert all(path == path.strip() and path for path in parse_file_field(value))
