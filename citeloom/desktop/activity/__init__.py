"""The page that shows who is connected, what was asked and what was imported."""
