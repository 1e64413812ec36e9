"""BibTeX and biblatex: parsing, conversion to and from CSL-JSON, writing."""
