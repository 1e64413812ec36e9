"""Embedding models, rerankers and stemming."""
