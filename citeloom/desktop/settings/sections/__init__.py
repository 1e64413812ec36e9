"""The sections of the settings page."""
