"""Docling, torch-free and offline: the only package that imports it. Worker processes load it, the engine never does."""
