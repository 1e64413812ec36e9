"""Manuscripts: where they cite what, in the formats that papers and theses are written in."""
