"""Search of the indexed passages: ranking, grouping and filtering of hits."""
