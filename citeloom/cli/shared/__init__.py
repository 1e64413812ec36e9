"""What several commands use: calls to the engine, progress, output."""
