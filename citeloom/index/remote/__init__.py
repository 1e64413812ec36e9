"""Collections on a Qdrant server, over REST. Costs seconds to import: load it where a server is used."""

from citeloom.index.remote.collection import RemoteCollection
from citeloom.index.remote.server import Server

__all__ = ["RemoteCollection", "Server"]
