"""Word, PowerPoint, HTML and EPUB files."""
