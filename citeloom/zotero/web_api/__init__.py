"""The Web API: libraries on Zotero's servers, and the files in its storage."""

from citeloom.zotero.web_api.source import WebApi

__all__ = ["WebApi"]
