"""Foundation of every layer: errors, data types, settings, paths, text helpers. Imports nothing above it."""
