"""PDF pages read by their geometry: words, lines, columns, headings, paragraphs, tables."""
