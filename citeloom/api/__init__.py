"""The verbs of the engine: each has a name, a typed request and a typed result; one module per feature.

The command line and the app send the requests, the engine receives them on its socket, the features handle them.
"""
