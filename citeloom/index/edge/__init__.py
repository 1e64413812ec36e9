"""Collections in Qdrant Edge, embedded in the engine."""
