"""The stages of an import."""
