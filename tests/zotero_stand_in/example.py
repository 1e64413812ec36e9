"""A small library that has everything, as the recorded ones have it and a little more."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.zotero_stand_in.world import World


def example(world: World) -> dict[str, str]:
    """Fill a world with a small library that has everything; the keys by name."""
    keys = _works(world)
    _attachments(world, keys)
    _annotations(world, keys)
    keys["trashed_thesis"] = world.add("thesis", title="In the trash", date="2010", creators=[_author("T", "Rash")])
    keys["trashed_note"] = world.note(keys["trashed_thesis"], "child of trashed")
    world.trash(keys["trashed_thesis"])
    group = world.group(4242, "Lab Group")
    keys["group_collection"] = world.collection("Group coll", library=group.id)
    keys["group_report"] = world.add(
        "report", library=group.id, title="Group report", collections=[keys["group_collection"]]
    )
    return keys


def _works(world: World) -> dict[str, str]:
    keys: dict[str, str] = {}
    keys["retrieval"] = world.collection("Retrieval")
    keys["dense"] = world.collection("Dense — nested / Ünïcode", keys["retrieval"])
    keys["article"] = world.add(
        "journalArticle",
        collections=[keys["retrieval"], keys["dense"]],
        tags=[{"tag": "auto tag", "type": 1}, "to-read"],
        title="A <i>real</i> article with <sup>markup</sup> & ümlauts",
        abstractNote="Abstract line 1.\nLine 2 with ∑.",
        date="2021-03-05",
        DOI="10.1000/xyz123",
        url="https://example.org/a",
        language="en",
        extra="Citation Key: pinned2021key\nPMID: 12345\ntex.foo: bar",
        volume="12",
        pages="1-20",
        publicationTitle="J. Test",
        issue="3",
        creators=[
            _author("Ada", "Lovelace"),
            {"name": "World Health Organization", "creatorType": "author"},
            {**_author("Jan", "van der Berg"), "creatorType": "editor"},
        ],
    )
    keys["book"] = world.add(
        "book",
        collections=[keys["retrieval"]],
        tags=["to-read"],
        title="A book with a native citation key",
        date="c. 1999",
        citationKey="oneil1999native",
        publisher="Pub",
        place="Berlin",
        ISBN="978-3-16-148410-0",
        edition="2nd",
        creators=[_author("J.", "O'Neil")],
    )
    keys["preprint"] = world.add(
        "preprint",
        collections=[keys["dense"]],
        title="A preprint",
        date="2021",
        repository="arXiv",
        archiveID="arXiv:2101.00001",
        creators=[_author("李", "明")],
    )
    world.relate(keys["article"], keys["book"])
    world.libraries["library"].citekeys[keys["book"]] = "oneil1999native"
    keys["to_read"] = world.search("to-read search", [{"condition": "tag", "operator": "is", "value": "to-read"}])
    keys["note"] = world.note(
        keys["article"],
        '<div data-schema-version="9"><h1>Child note</h1><p>Note <strong>body</strong> with <em>html</em></p></div>',
    )
    keys["standalone_note"] = world.note(None, "<p>Standalone note text</p>", collections=[keys["retrieval"]])
    return keys


def _attachments(world: World, keys: dict[str, str]) -> None:
    pdf = b"%PDF-1.7\n% not a whole one: "
    keys["article_pdf"] = world.attach(keys["article"], "article.pdf", pdf + b"article", title="Full Text PDF")
    keys["article_supplement"] = world.attach(
        keys["article"], "supplement.pdf", pdf + b"supplement", title="Supplement"
    )
    keys["article_missing"] = world.attach(keys["article"], "missing.pdf", None, title="missing on disk")
    keys["book_pdf"] = world.attach(keys["book"], "book.pdf", pdf + b"book", title="PDF")
    keys["book_epub"] = world.attach(
        keys["book"], "book.epub", b"PK\x03\x04 epub", content_type="application/epub+zip", title="Ebook"
    )
    keys["preprint_linked"] = world.attach(
        keys["preprint"], "preprint.pdf", pdf + b"preprint", mode="linked_file", title="PDF"
    )
    keys["preprint_link"] = world.attach(
        keys["preprint"], "landing", None, mode="linked_url", content_type="text/html", title="Landing"
    )
    keys["preprint_snapshot"] = world.attach(
        keys["preprint"],
        "snapshot.html",
        b"<html><body><p>A page as it was.</p></body></html>",
        mode="imported_url",
        content_type="text/html",
        title="Snapshot",
    )
    keys["standalone_pdf"] = world.attach(None, "alone.pdf", pdf + b"alone", title="alone")
    world.index_text(keys["article_pdf"], "The text of the article as Zotero took it.")
    world.index_text(keys["article_missing"], "The text of a file that is no longer here.")


def _annotations(world: World, keys: dict[str, str]) -> None:
    rects = {"pageIndex": 0, "rects": [[100, 600, 300, 612], [100, 588, 250, 600]]}
    attachment = keys["article_pdf"]
    keys["highlight"] = world.annotate(
        attachment, "highlighted sentence from the paper", comment="my comment on it", position=rects, tags=["ann-tag"]
    )
    keys["underline"] = world.annotate(
        attachment, "underlined words", colour="#ff6666", position=rects, type="underline", tags=["ann-tag"]
    )
    keys["sticky_note"] = world.annotate(
        attachment,
        comment="sticky note only comment",
        colour="#5fb236",
        page_label="iv",
        position={"pageIndex": 1, "rects": [[10, 10, 32, 32]]},
        type="note",
        tags=["ann-tag"],
    )
    keys["image"] = world.annotate(
        attachment,
        comment="figure",
        colour="#2ea8e5",
        position={"pageIndex": 1, "rects": [[10, 100, 200, 300]]},
        type="image",
        tags=["ann-tag"],
    )
    keys["ink"] = world.annotate(
        attachment,
        colour="#a28ae5",
        position={"pageIndex": 1, "width": 2, "paths": [[1, 2, 3, 4]]},
        type="ink",
        tags=["ann-tag"],
    )
    keys["epub_highlight"] = world.annotate(
        keys["book_epub"],
        "epub text",
        comment="epub c",
        page_label="3",
        position={
            "type": "FragmentSelector",
            "conformsTo": "http://www.idpf.org/epub/linking/cfi/epub-cfi.html",
            "value": "epubcfi(/6/4!/4/2,/1:0,/1:5)",
        },
        sort_index="00000|00000010",
    )


def _author(first: str, last: str) -> dict[str, str]:
    return {"firstName": first, "lastName": last, "creatorType": "author"}
