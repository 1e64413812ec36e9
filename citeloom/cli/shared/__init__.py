"""Helpers shared by several commands: calls to the engine, progress, output."""
