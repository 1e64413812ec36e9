"""Automatic imports when the sources of a project change."""
