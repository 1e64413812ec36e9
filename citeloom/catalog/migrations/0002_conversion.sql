-- How a document's text came to be.
ALTER TABLE documents ADD COLUMN text_source TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN converter_engine TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN fallback_reason TEXT;
ALTER TABLE documents ADD COLUMN ocr_languages TEXT NOT NULL DEFAULT '[]';
ALTER TABLE documents ADD COLUMN waiting_for_ocr INTEGER NOT NULL DEFAULT 0;
UPDATE documents SET text_source = 'native', converter_engine = 'plain' WHERE state = 'ready';

-- Passages that were given out and whose document has been read anew since: what holds their text now.
CREATE TABLE refined_passages (
    project_id TEXT NOT NULL,
    old_id     TEXT NOT NULL,
    new_id     TEXT NOT NULL,
    doc_id     TEXT NOT NULL,
    PRIMARY KEY (project_id, old_id),
    FOREIGN KEY (project_id, doc_id) REFERENCES documents(project_id, doc_id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX refined_by_document ON refined_passages(project_id, doc_id);
