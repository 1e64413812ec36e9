"""Readers that find citations and quotations in manuscripts, one for each format."""
