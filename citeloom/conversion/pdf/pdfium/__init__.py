"""PDF access by pypdfium2: words with position and type, visibility, form fields, outline, rendering."""
