"""Citation keys for works whose record has none."""

from citeloom.citekeys.make import make_citekey, valid_citekey

__all__ = ["make_citekey", "valid_citekey"]
