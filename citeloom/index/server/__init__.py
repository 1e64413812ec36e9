"""Collections on a Qdrant server, over REST. Its modules take seconds to import: load them where a server is used."""
