"""The verbs of the engine: each has a name, a typed request and a typed result; one module per feature.

Features answer the requests, the engine carries them over its socket, the command line and the app send them.
"""
