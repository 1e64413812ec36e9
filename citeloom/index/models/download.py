"""Fetches a model in a process of its own, and says why it could not."""

from __future__ import annotations

import http.client
import os
import sys
import urllib.error
import urllib.request

from citeloom.index.models.loading import download, offered, offered_rerankers

_HUB = "https://huggingface.co"
_PATIENCE = 20.0  # seconds for the hub to answer at all


def main(name: str) -> int:
    """Fetch a model; a reason goes to standard output."""
    (repository,) = {about["sources"]["hf"] for about in (*offered(), *offered_rerankers()) if about["model"] == name}
    hub = os.environ.get("HF_ENDPOINT", "").rstrip("/") or _HUB
    try:
        # Asked first: the hub's client would try for a minute where there is no network.
        with urllib.request.urlopen(f"{hub}/api/models/{repository}", timeout=_PATIENCE):
            pass
        download(name)
    except urllib.error.HTTPError as error:
        print(f"{hub} answered {error.code}")
    except (OSError, http.client.HTTPException) as error:
        print(f"{hub} cannot be reached ({getattr(error, 'reason', None) or error or type(error).__name__})")
    except Exception as error:
        print(str(error) or type(error).__name__)
    else:
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
