"""Text helpers without dependencies."""
