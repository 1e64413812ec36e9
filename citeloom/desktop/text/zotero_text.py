"""Wording of the connection to Zotero and of the account. Used by the assistant and the settings."""

from __future__ import annotations

from citeloom.api.importing import ZoteroAccount, ZoteroStatus
from citeloom.desktop.shell.translations import translate
from citeloom.desktop.widgets import basics


def connection_text(status: ZoteroStatus) -> tuple[bool, str, str]:
    """Return whether Zotero can be used, how it is reached, and details or the next step."""
    local = status.local
    count = sum(library.items for library in status.libraries)
    entries = translate("ZoteroText", "{count} entries in {libraries} libraries.").format(
        count=basics.number(count), libraries=basics.number(len(status.libraries))
    )
    if status.in_use == "local":
        return (
            True,
            translate("ZoteroText", "Zotero {version} is running").format(version=local.version or ""),
            entries,
        )
    if local.running and local.api == "off":
        text = translate(
            "ZoteroText",
            "In Zotero, open Settings (on a Mac: Zotero → Settings), choose Advanced, and tick"
            " “Allow other applications on this computer to communicate with Zotero”.",
        )
        return False, translate("ZoteroText", "Zotero is running, but does not allow access by other programs"), text
    if status.in_use == "sqlite":
        text = translate(
            "ZoteroText", "{entries} Open Zotero for citekeys of Better BibTeX and immediate updates."
        ).format(entries=entries)
        return True, translate("ZoteroText", "Zotero is closed; its library can still be read"), text
    if status.in_use == "web":
        user = status.web.user or ""
        return (
            True,
            translate("ZoteroText", "Your library is read from zotero.org, as {user}").format(user=user),
            entries,
        )
    return False, translate("ZoteroText", "Zotero cannot be reached"), status.next_step or status.why


def account_text(web: ZoteroAccount) -> str:
    """Return who is logged in at zotero.org, and where the key is stored."""
    if web.problem:
        return web.problem
    location = {
        "keyring": translate("ZoteroText", "The key is stored in this system’s keyring."),
        "environment": translate("ZoteroText", "The key comes from the environment variable CITELOOM_ZOTERO_API_KEY."),
    }.get(web.key or "")
    if location is None:
        return translate(
            "ZoteroText",
            "You are not logged in. That is only needed for a library or files that are not on this computer.",
        )
    if not web.user:
        return location
    return translate("ZoteroText", "You are logged in as {user}. {location}").format(user=web.user, location=location)
