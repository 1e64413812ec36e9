"""Verification of quotations, checks of manuscripts, formatting of citations, and export of records."""
