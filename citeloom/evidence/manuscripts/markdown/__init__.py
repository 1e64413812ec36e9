"""Reader of Markdown, Quarto and R Markdown manuscripts."""
