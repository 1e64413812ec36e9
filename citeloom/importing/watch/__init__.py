"""Automatic imports: what a project reads is followed."""
