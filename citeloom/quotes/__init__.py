"""Quotations: whether a work really says them, and on which page."""
