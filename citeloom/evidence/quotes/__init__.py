"""Verification of a quotation against the text of a work, with its page."""
