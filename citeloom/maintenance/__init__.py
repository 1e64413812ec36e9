"""Maintenance: backup and restore, moving and compacting indexes, caches, models, diagnostics."""
