"""How the bridge, the command line and the desktop app find the engine and talk to it."""
