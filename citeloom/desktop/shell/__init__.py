"""The frame of the app: window, tray, start-up, tasks off the UI thread."""
