"""The settings page, with one module per section."""
