"""The engine: one per data folder, the only owner of index and catalog. Light to import; its parts are not."""
