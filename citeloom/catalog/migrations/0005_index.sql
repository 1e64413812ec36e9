-- Where a project's index is kept: the address of a Qdrant server, or nothing for the embedded one.
ALTER TABLE projects ADD COLUMN server TEXT NOT NULL DEFAULT '';

-- The language of a document's text: its words are found by the stems of that language.
ALTER TABLE documents ADD COLUMN language TEXT NOT NULL DEFAULT '';
-- Each question by words asks in which languages they are.
CREATE INDEX documents_by_language ON documents(project_id, state, language);
