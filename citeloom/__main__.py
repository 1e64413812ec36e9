"""The command `citeloom`. `citeloom mcp` goes straight to the bridge, without the command line's packages."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line."""
    if sys.argv[1:2] == ["mcp"]:
        from citeloom.bridge import main as bridge

        return bridge(sys.argv[2:])
    from citeloom.cli import main as cli

    return cli(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
