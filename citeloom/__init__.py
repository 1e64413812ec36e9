"""CiteLoom: a researcher's library as page-exact evidence inside any editor."""

import os
import sys

__version__ = "0.1.0"

# Libraries that report to their makers unless they are told not to. Set here, and not where they are used, because
# they look at it when they are first imported: every process of CiteLoom imports this package before anything else,
# and what it starts inherits it.
os.environ.update(
    ORT_DISABLE_TELEMETRY="1",  # onnxruntime: its uploader, its events and the id that it gives to a machine
    HF_HUB_DISABLE_TELEMETRY="1",  # huggingface_hub and hf_xet, when a model is downloaded
    HF_HUB_DISABLE_XET="1",  # downloads by plain HTTP: the other way keeps chunks and logs in ~/.cache/huggingface
    OTEL_SDK_DISABLED="true",  # the MCP library traces every call, and sends it where this SDK is installed
    DO_NOT_TRACK="1",  # whatever else keeps to this convention
)
sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]  # cannot be imported: OpenVINO goes on without it
