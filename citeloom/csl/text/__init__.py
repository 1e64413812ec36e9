"""Text as CSL styles write it: case, typography, numbers, output formats."""
