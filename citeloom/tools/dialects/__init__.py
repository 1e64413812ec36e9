"""Dialects: tools of other systems' documents, mapped onto the same verbs. Each module has a DIALECT."""
