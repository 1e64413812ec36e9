-- Sources that are no places on the disk have a name of their own.
ALTER TABLE sources ADD COLUMN label TEXT NOT NULL DEFAULT '';

-- A Zotero item's document: where its file is, which item it is, and what its record was made from.
ALTER TABLE documents ADD COLUMN path TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN zotero TEXT NOT NULL DEFAULT '{}';
ALTER TABLE documents ADD COLUMN record_hash TEXT;

-- Citekeys that works had before: manuscripts may still cite by them, whatever became of the documents.
CREATE TABLE citekey_aliases (
    project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    old_key    TEXT NOT NULL,
    new_key    TEXT NOT NULL,
    PRIMARY KEY (project_id, old_key)
) WITHOUT ROWID;
