-- Passages of a document that are found by their words only, until they are embedded.
ALTER TABLE documents ADD COLUMN without_vector INTEGER NOT NULL DEFAULT 0;
CREATE INDEX documents_without_vectors ON documents(project_id) WHERE without_vector > 0;

-- Pages that need more than their text layer, by the reason why: {"no text": [3, 4]}.
ALTER TABLE documents ADD COLUMN slow_pages TEXT NOT NULL DEFAULT '{}';

-- Documents of the same content in any project: their vectors serve again.
CREATE INDEX documents_by_content ON documents(content_hash);
