"""Warnings of one kind are one line, with their number, a few names and the way to all of them."""

from __future__ import annotations

from citeloom.catalog.documents import Document
from citeloom.importing.document_warnings import DocumentWarnings
from citeloom.importing.requests import ImportCounter


def warned() -> tuple[DocumentWarnings, ImportCounter]:
    result = ImportCounter(warnings=["The references have no entries."])
    return DocumentWarnings(result), result


def test_generated_keys_are_one_line_and_the_first_are_named() -> None:
    warnings, result = warned()
    for number in range(1, 93):
        warnings.citekey_generated(Document("thesis", f"d{number}", f"/papers/{number}.pdf", citekey=f"Key{number}"))
        if number == 1:
            one = "1 citekey was generated, because this file is not in the references: 1.pdf (Key1)."
            assert result.warnings[1:] == [one]
    assert result.citekeys_generated == 92
    assert result.warnings == [
        "The references have no entries.",
        "92 citekeys were generated, because these files are not in the references: 1.pdf (Key1), 2.pdf (Key2),"
        " 3.pdf (Key3) and 89 more; 'citeloom documents thesis --without-record' lists them.",
    ]


def test_unconfirmed_claims_say_where_to_decide_however_many_there_are() -> None:
    warnings, result = warned()
    decide = "until you confirm it: 'citeloom documents thesis --doubtful'."
    for name in ("a", "b"):
        document = Document("thesis", name, f"/papers/{name}.pdf", claimed_citekey="motte1999", claimed_by="doi")
        warnings.unconfirmed(document)
        if name == "a":
            assert result.warnings[1].startswith("a.pdf is motte1999 according to the DOI printed in it")
            assert result.warnings[1].endswith(decide)
    assert result.unconfirmed == 2
    documents = "2 documents (a.pdf (motte1999), b.pdf (motte1999))"
    assert result.warnings[1:] == [f"{documents} do not count as the works that they are said to be {decide}"]


def test_other_warnings_are_alike_if_only_pages_numbers_and_names_differ() -> None:
    warnings, result = warned()
    listed = "citeloom documents thesis"
    garbled = "The text layer of PDF {} is garbled: read by OCR instead, as en."
    for name, pages in (("a", "page 3"), ("b", "pages 4, 5"), ("c", "pages 1, 2 and 20 more"), ("d", "page 9")):
        warnings.other(f"{name}.pdf", garbled.format(pages), listed)
    warnings.other("a.pdf", "No language data for 'xx'.", listed)
    assert result.warnings[1:] == [
        "a.pdf: The text layer of PDF page 3 is garbled: read by OCR instead, as en. (4 warnings like this one, about"
        " a.pdf, b.pdf, c.pdf and 1 more; 'citeloom documents thesis' lists them)",
        "a.pdf: No language data for 'xx'.",
    ]
