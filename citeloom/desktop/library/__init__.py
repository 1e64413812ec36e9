"""The projects page: the list of projects, their documents and their sources."""
