"""Search index: embedding models, filters, and Qdrant collections, embedded or on a server."""
