"""Word manuscripts."""
