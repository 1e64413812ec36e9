"""Wording of the connection to Zotero and of the account. Used by the assistant and the settings."""

from __future__ import annotations

from citeloom.api.importing import ZoteroAccount, ZoteroStatus
from citeloom.desktop.shell.translations import translate
from citeloom.desktop.widgets import basics

NEW_KEY = "https://www.zotero.org/settings/keys/new"


def connection_text(seen: ZoteroStatus) -> tuple[bool, str, str]:
    """Return whether Zotero can be used, how it is reached, and details or the next step."""
    local = seen.local
    count = sum(library.items for library in seen.libraries)
    entries = translate("ZoteroWords", "{count} entries in {libraries} libraries.").format(
        count=basics.number(count), libraries=basics.number(len(seen.libraries))
    )
    if seen.in_use == "local":
        return (
            True,
            translate("ZoteroWords", "Zotero {version} is running").format(version=local.version or ""),
            entries,
        )
    if local.running and local.api == "off":
        text = translate(
            "ZoteroWords",
            "In Zotero, open Settings (on a Mac: Zotero → Settings), choose Advanced, and tick"
            " “Allow other applications on this computer to communicate with Zotero”.",
        )
        return False, translate("ZoteroWords", "Zotero is running, but does not allow access by other programs"), text
    if seen.in_use == "sqlite":
        text = translate(
            "ZoteroWords", "{entries} Open Zotero for citekeys of Better BibTeX and immediate updates."
        ).format(entries=entries)
        return True, translate("ZoteroWords", "Zotero is closed; its library can still be read"), text
    if seen.in_use == "web":
        user = seen.web.user or ""
        return (
            True,
            translate("ZoteroWords", "Your library is read from zotero.org, as {user}").format(user=user),
            entries,
        )
    return False, translate("ZoteroWords", "Zotero cannot be reached"), seen.next_step or seen.why


def account_text(web: ZoteroAccount) -> str:
    """Return who is logged in at zotero.org, and where the key is stored."""
    if web.problem:
        return web.problem
    kept = {
        "keyring": translate("ZoteroWords", "The key is stored in this system’s keyring."),
        "environment": translate("ZoteroWords", "The key comes from the environment variable CITELOOM_ZOTERO_API_KEY."),
    }.get(web.key or "")
    if kept is None:
        return translate(
            "ZoteroWords",
            "You are not logged in. That is only needed for a library or files that are not on this computer.",
        )
    if not web.user:
        return kept
    return translate("ZoteroWords", "You are logged in as {user}. {kept}").format(user=web.user, kept=kept)
