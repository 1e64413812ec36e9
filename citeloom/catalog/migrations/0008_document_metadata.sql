-- When a document was first added. Of those that are there, only the last change is known.
ALTER TABLE documents ADD COLUMN created_at TEXT NOT NULL DEFAULT '';
UPDATE documents SET created_at = updated_at;

-- What else an agent or a person says of a document, by key. A filter asks which documents have a key.
ALTER TABLE documents ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
CREATE INDEX documents_with_metadata ON documents(project_id) WHERE metadata != '{}';
