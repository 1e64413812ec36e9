"""The activity page: connected editors, the access log, and imports."""
