-- Documents as a person lists them: sorted by any column, found by words of it.
ALTER TABLE documents ADD COLUMN ocr_share REAL;
ALTER TABLE documents ADD COLUMN year INTEGER;
ALTER TABLE documents ADD COLUMN words TEXT; -- title, citekey, authors and place, folded; NULL: still to be made
UPDATE documents SET ocr_share = CASE text_source WHEN 'ocr' THEN 1.0 WHEN 'native' THEN 0.0 END;

-- The state in each of them: a list of only some documents need not look at the rows of the others.
CREATE INDEX list_by_citekey ON documents(project_id, nullif(citekey, '') COLLATE NOCASE, state);
CREATE INDEX list_by_words ON documents(project_id, words, state);
CREATE INDEX list_by_state ON documents(project_id, state, nullif(citekey, '') COLLATE NOCASE);
CREATE INDEX list_by_pages ON documents(project_id, pages, state);
CREATE INDEX list_by_word_coverage ON documents(project_id, word_coverage, state);
CREATE INDEX list_by_ocr_share ON documents(project_id, ocr_share, state);
CREATE INDEX list_by_place ON documents(project_id, coalesce(nullif(path, ''), source) COLLATE NOCASE, state);
CREATE INDEX list_by_year ON documents(project_id, year, state);

-- Whether somebody chose the model for this project, so that the settings' model is not meant for it.
ALTER TABLE projects ADD COLUMN own_model INTEGER NOT NULL DEFAULT 0;
