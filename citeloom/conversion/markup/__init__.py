"""Plain text, Markdown and Python files."""
