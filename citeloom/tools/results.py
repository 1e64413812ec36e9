"""Output schema of each tool, kept short because agents pay for it in tokens."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
YES_NO: Schema = {"type": "boolean"}
OPEN: Schema = {"type": "object"}
MAYBE_TEXT: Schema = {"type": ["string", "null"]}
MAYBE_WHOLE: Schema = {"type": ["integer", "null"]}
MAYBE_NUMBER: Schema = {"type": ["number", "null"]}


def many(of: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": of}


def maybe(of: Schema) -> Schema:
    """Return the schema of a value that may be null."""
    return {**of, "type": [of["type"], "null"]}


def shape(**properties: Schema) -> Schema:
    """Return the schema of an object whose properties are all required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def answer(**properties: Schema) -> Schema:
    """Return the schema of a tool's result, which includes the correlation id."""
    return shape(**properties, correlation_id=TEXT)


TEXTS = many(TEXT)
COVERAGE = shape(documents=WHOLE, searchable=WHOLE, pending=WHOLE, failed=WHOLE, without_file=WHOLE)

_PLACE = {
    "section_path": TEXTS,
    "page_span": maybe(many(WHOLE)),
    "page_labels": TEXTS,
    "cite": MAYBE_TEXT,
}

_PASSAGE = {
    "chunk_id": TEXT,
    "doc_id": TEXT,
    "source": TEXT,
    "render_text": TEXT,
    "citekey": TEXT,
    "claimed_citekey": MAYBE_TEXT,
    "citekey_made": YES_NO,
    "renamed_from": TEXTS,
    "title": MAYBE_TEXT,
    "authors": TEXTS,
    "year": MAYBE_WHOLE,
    "section": MAYBE_TEXT,
    "doi": MAYBE_TEXT,
    "url": MAYBE_TEXT,
    "text_source": TEXT,
    "ocr_confidence": MAYBE_NUMBER,
    "open_uri": MAYBE_TEXT,
    "full_text": MAYBE_TEXT,
    **_PLACE,
}

_REFERENCES = many(shape(chunk_id=TEXT, cite=MAYBE_TEXT))

QUERY = answer(
    items=many(shape(score=NUMBER, merged=_REFERENCES, also_in=_REFERENCES, **_PASSAGE)),
    count=WHOLE,
    dense_model=TEXT,
    sparse_model=MAYBE_TEXT,
    fusion=MAYBE_TEXT,
    reranked=maybe(shape(model=TEXT, candidates=WHOLE, seconds=NUMBER)),
    coverage=COVERAGE,
    total_tokens=WHOLE,
    budget_utilized=MAYBE_NUMBER,
    truncated=YES_NO,
    truncated_count=WHOLE,
    warnings=TEXTS,
)

_PROJECT = {
    "id": TEXT,
    "collection": TEXT,
    "dense_model": TEXT,
    "sparse_model": MAYBE_TEXT,
    "hybrid_enabled": YES_NO,
    "document_count": WHOLE,
    "chunk_count": WHOLE,
    "coverage": COVERAGE,
}

PROJECTS = answer(projects=many(shape(**_PROJECT)), count=WHOLE)

INSPECTION = answer(
    **_PROJECT,
    project=TEXT,
    size=WHOLE,
    named_vectors=TEXTS,
    payload_keys=TEXTS,
    indexes=OPEN,
    storage=OPEN,
    jobs=many(OPEN),
    sample_payloads=many(OPEN),
)

_NEIGHBOUR = shape(chunk_id=TEXT, render_text=TEXT, **_PLACE)

PASSAGE = answer(
    passage=shape(**_PASSAGE),
    refined_from=MAYBE_TEXT,
    before=many(_NEIGHBOUR),
    after=many(_NEIGHBOUR),
    links=many(OPEN),
    page=maybe(
        shape(
            number=WHOLE,
            label=TEXT,
            text=TEXT,
            margin=many(TEXT),
            pdf_label=MAYBE_TEXT,
            printed=MAYBE_TEXT,
            printed_from=MAYBE_TEXT,
            text_source=TEXT,
            ocr_confidence=MAYBE_NUMBER,
        )
    ),
)

_DOCUMENT = {
    "doc_id": TEXT,
    "citekey": TEXT,
    "claimed_citekey": MAYBE_TEXT,
    "citekey_made": YES_NO,
    "matched_by": MAYBE_TEXT,
    "title": TEXT,
    "source": TEXT,
    "file_type": TEXT,
    "pages": MAYBE_WHOLE,
    "chunk_count": WHOLE,
    "content_hash": MAYBE_TEXT,
    "status": TEXT,
    "reason": MAYBE_TEXT,
    "text_source": MAYBE_TEXT,
    "converter_engine": MAYBE_TEXT,
    "fallback_reason": MAYBE_TEXT,
    "quick": YES_NO,
    "word_coverage": MAYBE_NUMBER,
}

DOCUMENTS = answer(
    documents=many(shape(**_DOCUMENT)),
    count=WHOLE,
    total=WHOLE,
    truncated=YES_NO,
    truncated_count=WHOLE,
    next_offset=MAYBE_WHOLE,
    coverage=COVERAGE,
)

DOCUMENT = answer(
    **_DOCUMENT,
    renamed_from=MAYBE_TEXT,
    markdown=TEXT,
    pages_given=maybe(many(WHOLE)),
    truncated=YES_NO,
    next_pages=MAYBE_TEXT,
)

_STANDS = {
    "title": MAYBE_TEXT,
    "page_span": maybe(many(WHOLE)),
    "page_labels": TEXTS,
    "text": MAYBE_TEXT,
    "source": MAYBE_TEXT,
    "matched_by": MAYBE_TEXT,
    "text_source": MAYBE_TEXT,
}

QUOTE = answer(
    verdict=TEXT,
    message=TEXT,
    quote=TEXT,
    citekey=MAYBE_TEXT,
    renamed_from=MAYBE_TEXT,
    doc_id=MAYBE_TEXT,
    cite=MAYBE_TEXT,
    **_STANDS,
    page_claimed=MAYBE_TEXT,
    page_right={"type": ["boolean", "null"]},
    section_path=TEXTS,
    sentence=MAYBE_TEXT,
    allowed=TEXTS,
    diff=MAYBE_TEXT,
    changes=many(shape(quote=TEXT, work=TEXT)),
    in_references=YES_NO,
    is_quotation=YES_NO,
    ocr_confidence=MAYBE_NUMBER,
    open_uri=MAYBE_TEXT,
    places=WHOLE,
    elsewhere=maybe(shape(citekey=TEXT, cite=TEXT, verdict=TEXT, **_STANDS)),
    unconfirmed=maybe(shape(doc_id=TEXT, source=TEXT, claimed_citekey=MAYBE_TEXT, text_source=MAYBE_TEXT)),
    searched=shape(documents=WHOLE, pages=WHOLE),
    coverage=COVERAGE,
    warnings=TEXTS,
)

CITATIONS = answer(format=TEXT, style=MAYBE_TEXT, text=TEXT, entries=TEXTS, renamed=many(OPEN), warnings=TEXTS)

CHECK = answer(
    project=TEXT,
    format=TEXT,
    citations=WHOLE,
    works=WHOLE,
    quotations=WHOLE,
    findings=many(
        shape(
            rule=TEXT,
            level=TEXT,
            line=WHOLE,
            column=WHOLE,
            citekey=TEXT,
            message=TEXT,
            quotation=MAYBE_TEXT,
            sentence=TEXT,
            near=TEXTS,
            page_claimed=MAYBE_TEXT,
            page_labels=TEXTS,
            page_span=maybe(many(WHOLE)),
            diff=MAYBE_TEXT,
            source=MAYBE_TEXT,
            matched_by=MAYBE_TEXT,
        )
    ),
    texts=many(shape(citekey=TEXT, source=TEXT, matched_by=MAYBE_TEXT, text_source=MAYBE_TEXT)),
    counts=shape(error=WHOLE, warning=WHOLE, note=WHOLE),
    truncated=YES_NO,
    truncated_count=WHOLE,
    coverage=COVERAGE,
    warnings=TEXTS,
)

HELP = answer(topic=TEXT, text=TEXT)

INGESTION = {
    **answer(job_id=TEXT, status=TEXT, project=TEXT),
    "properties": {
        **answer(job_id=TEXT, status=TEXT, project=TEXT)["properties"],
        **dict.fromkeys(("documents_processed", "new", "replaced", "skipped", "updated", "removed", "failed"), WHOLE),
        **dict.fromkeys(("without_file", "held_back", "recognised", "chunks_written"), WHOLE),
        "errors": many(OPEN),
        "warnings": TEXTS,
        "dense_model": TEXT,
        "sparse_model": MAYBE_TEXT,
        "duration_seconds": NUMBER,
        **dict.fromkeys(("total", "searchable", "done", "page", "pages"), WHOLE),
        "stage": TEXT,
        "file": TEXT,
        "waits_for": TEXT,
        "eta_seconds": MAYBE_NUMBER,
    },
}

STORED = answer(
    chunks_written=WHOLE,
    documents=many(shape(doc_id=TEXT, source=TEXT, claimed_citekey=MAYBE_TEXT)),
    project=TEXT,
    embed_model=TEXT,
    warnings=TEXTS,
)

DELETED = answer(doc_id=TEXT, deleted_chunks=WHOLE, note=MAYBE_TEXT)
