"""CiteLoom: a researcher's library as page-exact evidence inside any editor."""

__version__ = "0.1.0"
