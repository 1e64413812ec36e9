"""Reader of Typst manuscripts."""
