"""Upkeep: backup and restore, moving and compacting indexes, caches, models, check-up."""
