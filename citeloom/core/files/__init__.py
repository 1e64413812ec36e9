"""Files: atomic writes, opening with other programs, reading archives that nobody vouches for."""
