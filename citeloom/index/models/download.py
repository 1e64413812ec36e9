"""Child process that downloads a model; prints the reason of a failure. Started by available.fetch."""

from __future__ import annotations

import http.client
import os
import sys
import urllib.error
import urllib.request

from citeloom.index.models.loading import download, supported_models, supported_rerankers

_HUB = "https://huggingface.co"
_TIMEOUT_SECONDS = 20.0  # for the first answer of the hub


def main(name: str) -> int:
    """Download a model; return the exit code."""
    (repository,) = {
        about["sources"]["hf"] for about in (*supported_models(), *supported_rerankers()) if about["model"] == name
    }
    hub = os.environ.get("HF_ENDPOINT", "").rstrip("/") or _HUB
    try:
        # A first request, since the hub's client would retry for a minute without network.
        with urllib.request.urlopen(f"{hub}/api/models/{repository}", timeout=_TIMEOUT_SECONDS):
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
