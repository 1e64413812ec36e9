"""Shell of the desktop app: main window, tray, start-up, and work off the UI thread."""
