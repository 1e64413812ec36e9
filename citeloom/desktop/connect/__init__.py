"""The page that connects editors."""
