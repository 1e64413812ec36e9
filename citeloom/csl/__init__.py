"""Citations and bibliographies in the styles of journals, made by citeproc from the library's own records."""
