"""Quotations: whether a work really says them, and on which page."""

from citeloom.quotes.finding import Change, Finding, Verdict
from citeloom.quotes.lexicon import Lexicon
from citeloom.quotes.quotation import MAX_LENGTH, check_quote
from citeloom.quotes.verify import verify
from citeloom.quotes.work_text import WorkText

__all__ = ["MAX_LENGTH", "Change", "Finding", "Lexicon", "Verdict", "WorkText", "check_quote", "verify"]
