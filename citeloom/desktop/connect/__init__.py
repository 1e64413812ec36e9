"""The page that connects editors to CiteLoom."""
