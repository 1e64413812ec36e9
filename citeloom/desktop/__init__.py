"""The desktop app: a tray icon and a window. It talks to the engine and touches nothing else."""
