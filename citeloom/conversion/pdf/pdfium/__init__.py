"""PDF files through pypdfium2: words with their places and type, visibility, form fields, outline, rendering."""
