CREATE TABLE projects (
    id                TEXT PRIMARY KEY,
    collection        TEXT NOT NULL UNIQUE,
    references_path   TEXT,
    references_hash   TEXT,
    dense_model       TEXT NOT NULL,
    dense_fingerprint TEXT NOT NULL,
    dense_size        INTEGER NOT NULL,
    sparse_model      TEXT NOT NULL,
    generation        INTEGER NOT NULL DEFAULT 1,
    without_graph     INTEGER NOT NULL DEFAULT 0,
    created_at        TEXT NOT NULL
);

-- What the researcher allowed: folders and single files of a project.
CREATE TABLE sources (
    project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    kind       TEXT NOT NULL,
    path       TEXT NOT NULL,
    recursive  INTEGER NOT NULL DEFAULT 1,
    added_at   TEXT NOT NULL,
    PRIMARY KEY (project_id, path)
);

CREATE TABLE documents (
    project_id    TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    doc_id        TEXT NOT NULL,
    source        TEXT NOT NULL,
    file_type     TEXT NOT NULL DEFAULT '',
    state         TEXT NOT NULL,
    reason_code   TEXT,
    reason        TEXT,
    size          INTEGER NOT NULL DEFAULT 0,
    mtime_ns      INTEGER NOT NULL DEFAULT 0,
    content_hash  TEXT,
    version       TEXT,
    writing       TEXT,
    citekey       TEXT NOT NULL DEFAULT '',
    key_made      INTEGER NOT NULL DEFAULT 0,
    matched_by    TEXT,
    title         TEXT NOT NULL DEFAULT '',
    record        TEXT NOT NULL DEFAULT '{}',
    pages         INTEGER,
    chunks        INTEGER NOT NULL DEFAULT 0,
    word_coverage REAL,
    converter     TEXT NOT NULL DEFAULT '',
    warnings      TEXT NOT NULL DEFAULT '[]',
    updated_at    TEXT NOT NULL,
    PRIMARY KEY (project_id, doc_id),
    UNIQUE (project_id, source)
);
CREATE INDEX documents_by_hash ON documents(project_id, content_hash);
CREATE INDEX documents_by_state ON documents(project_id, state);
CREATE INDEX documents_by_citekey ON documents(project_id, citekey);

CREATE TABLE jobs (
    id          TEXT PRIMARY KEY,
    project_id  TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    kind        TEXT NOT NULL,
    request     TEXT NOT NULL,
    state       TEXT NOT NULL,
    result      TEXT NOT NULL DEFAULT '{}',
    created_at  TEXT NOT NULL,
    finished_at TEXT
);

-- What went to which editor. No foreign key: the log outlives a removed project.
CREATE TABLE access_log (
    id             INTEGER PRIMARY KEY,
    at             TEXT NOT NULL,
    correlation_id TEXT NOT NULL,
    client         TEXT NOT NULL,
    project_id     TEXT,
    tool           TEXT NOT NULL,
    asked          TEXT NOT NULL DEFAULT '',
    passages       TEXT NOT NULL DEFAULT '[]',
    outcome        TEXT NOT NULL,
    milliseconds   REAL NOT NULL
);
CREATE INDEX access_log_by_project ON access_log(project_id, id);
