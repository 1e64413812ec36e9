"""Markdown, Quarto and R Markdown manuscripts."""
