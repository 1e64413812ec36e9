"""Files: atomic writes, opening with other programs, reading untrusted archives."""
