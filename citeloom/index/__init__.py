"""Passages as vectors: models, filters, and the collections they are searched in."""
