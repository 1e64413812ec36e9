"""Reader of Word manuscripts (DOCX)."""
