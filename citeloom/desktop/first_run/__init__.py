"""The first run: from nothing to papers that are being read, in five steps that can all be skipped."""
