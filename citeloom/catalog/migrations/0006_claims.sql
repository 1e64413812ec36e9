-- Which work a document is said to be where that is not sure: an agent said so, or the file itself although that work
-- has another file. It counts as that work only when the researcher has decided so.
ALTER TABLE documents ADD COLUMN claimed_citekey TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN claimed_by TEXT NOT NULL DEFAULT ''; -- agent, name, doi or title
ALTER TABLE documents ADD COLUMN decision TEXT NOT NULL DEFAULT '';   -- confirmed or refused, for this content
CREATE INDEX documents_claimed ON documents(project_id, claimed_by) WHERE claimed_by != '';

-- What agents stored before counted as the works they named. Its passages are rewritten when the index is opened.
UPDATE documents SET claimed_citekey = CASE key_made WHEN 1 THEN '' ELSE citekey END, claimed_by = 'agent',
    citekey = '', key_made = 0, matched_by = NULL, words = NULL WHERE file_type = 'stored';

-- So did files that agents said something of: they are read again, and matched as any file is.
UPDATE documents SET claimed_citekey = coalesce(json_extract(record, '$._metadata.citekey'), ''), claimed_by = 'agent',
    citekey = '', key_made = 0, matched_by = NULL, converter = '', words = NULL
    WHERE coalesce(json_extract(record, '$._metadata'), '{}') != '{}';

-- And every file is matched with the references once more.
UPDATE projects SET references_hash = NULL;
