-- The researcher's notebook. Its project is a name without a foreign key: notes outlive a removed project.
CREATE TABLE notes (
    id            TEXT PRIMARY KEY, -- a ULID
    project_id    TEXT,
    type          TEXT NOT NULL,
    title         TEXT NOT NULL,
    content       TEXT NOT NULL DEFAULT '',
    context       TEXT NOT NULL DEFAULT '',
    tags          TEXT NOT NULL DEFAULT '[]',
    confidence    INTEGER NOT NULL DEFAULT 3,
    memory_type   TEXT NOT NULL DEFAULT 'episodic',
    fingerprint   TEXT NOT NULL UNIQUE, -- of project, type, title and content: the same note is stored once
    created_at    TEXT NOT NULL,
    updated_at    TEXT NOT NULL,
    last_accessed TEXT,
    access_count  INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX notes_by_project ON notes(project_id, id);

-- Vectors of a note: several, since a context is longer than what a model reads at once.
CREATE TABLE note_vectors (
    note_id  TEXT NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
    kind     TEXT NOT NULL, -- summary (title and content) or context
    position INTEGER NOT NULL,
    model    TEXT NOT NULL, -- fingerprint of the model
    vector   BLOB NOT NULL, -- little-endian 32-bit floats of length 1
    PRIMARY KEY (note_id, kind, position)
);

CREATE TABLE note_links (
    id         TEXT PRIMARY KEY, -- a ULID
    source_id  TEXT NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
    target_id  TEXT NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
    relation   TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (source_id, target_id, relation)
);
CREATE INDEX note_links_by_target ON note_links(target_id);

-- Passages that a note refers to. Words, citekey and page are copied: they outlive a deleted document.
CREATE TABLE note_passages (
    id           TEXT PRIMARY KEY, -- a ULID
    note_id      TEXT NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
    relation     TEXT NOT NULL,
    from_passage INTEGER NOT NULL DEFAULT 0, -- whether the link leads from the passage to the note
    project_id   TEXT NOT NULL,
    chunk_id     TEXT NOT NULL,
    doc_id       TEXT NOT NULL,
    citekey      TEXT NOT NULL DEFAULT '',
    cite         TEXT,
    title        TEXT NOT NULL DEFAULT '',
    text         TEXT NOT NULL,
    page_span    TEXT NOT NULL DEFAULT '[]',
    page_labels  TEXT NOT NULL DEFAULT '[]',
    created_at   TEXT NOT NULL,
    UNIQUE (note_id, project_id, chunk_id, relation, from_passage)
);
CREATE INDEX note_passages_by_passage ON note_passages(project_id, chunk_id);
CREATE INDEX note_passages_by_document ON note_passages(project_id, doc_id);

CREATE TABLE note_suggestions (
    id         TEXT PRIMARY KEY, -- a ULID
    kind       TEXT NOT NULL, -- link or generalize
    note_ids   TEXT NOT NULL DEFAULT '[]', -- sorted
    score      REAL NOT NULL,
    reason     TEXT NOT NULL,
    state      TEXT NOT NULL DEFAULT 'pending', -- pending, accepted or rejected
    created_at TEXT NOT NULL,
    UNIQUE (kind, note_ids)
);
CREATE INDEX note_suggestions_by_state ON note_suggestions(kind, state, id);
