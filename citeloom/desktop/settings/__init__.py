"""The settings page: one file for each section."""
