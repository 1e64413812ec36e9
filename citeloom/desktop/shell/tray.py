"""The tray icon with its menu and notifications."""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from citeloom.core.text.sanitize import one_line
from citeloom.desktop.shell.engine_status import EngineSnapshot
from citeloom.desktop.shell.icons import TrayState, app_icon, icon, tray_icon
from citeloom.desktop.shell.page import Page, PageContext
from citeloom.desktop.widgets.basics import single_shot

_REDRAW_MS = 250
_MAX_TIP = 120  # Windows cuts a tooltip at 127 characters
_NO_MARKUP = str.maketrans("<>", "‹›")  # Linux desktops render notifications as HTML, with links and images


def tray_state(engine: EngineSnapshot) -> TrayState:
    """Return the state that the tray icon shows."""
    wrong = engine.settings_problem or (engine.status and engine.status.orphaned_indexes)
    if engine.unseen_problems or engine.problem or engine.other_version or wrong:
        return TrayState.ATTENTION
    if engine.paused:
        return TrayState.PAUSED
    return TrayState.WORKING if engine.jobs or not engine.connected else TrayState.IDLE


class Tray(QObject):
    """Tray icon with its menu."""

    quit_requested = Signal()
    sync_requested = Signal()
    pause_requested = Signal(bool)

    def __init__(self, context: PageContext, pages: list[Page], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._drawn: tuple[object, ...] = ()
        self.menu = QMenu()
        self.state = self.menu.addAction("")
        self.state.setEnabled(False)
        self.menu.addSeparator()
        for page in pages[:4]:
            self._add_page(page)
        self.menu.addSeparator()
        self.sync = self._add(self.tr("Sync now"), "sync", self.sync_requested.emit)
        self.pause = self._add(
            self.tr("Pause"), "pause", lambda: self.pause_requested.emit(not context.engine_status.current.paused)
        )
        self.menu.addSeparator()
        self._add_page(pages[-1])
        self._add(self.tr("Quit"), "close", self.quit_requested.emit)

        self.icon = QSystemTrayIcon(self)
        self.icon.setContextMenu(self.menu)
        self.icon.activated.connect(self._on_activated)
        self.icon.messageClicked.connect(lambda: self._context.open_page.emit("activity", {}))
        # Progress arrives many times a second; the icon is redrawn less often.
        self._redraw = single_shot(self, _REDRAW_MS, self._draw)
        context.engine_status.changed.connect(self._on_changed)
        context.engine_status.notice.connect(self._on_notice)
        QGuiApplication.styleHints().colorSchemeChanged.connect(lambda _: self._draw())
        self._draw()

    def _add(self, text: str, icon_name: str, pressed: Callable[[], object]) -> QAction:
        action = self.menu.addAction(icon(icon_name), text)
        action.triggered.connect(lambda _: pressed())
        return action

    def _add_page(self, page: Page) -> None:
        text = self.tr("{page}…").format(page=page.title())
        self._add(text, page.icon_name, lambda: self._context.open_page.emit(page.name, {}))

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if sys.platform == "darwin":  # a click opens the menu there
            return
        if reason in (QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick):
            self._context.open_page.emit("search", {})

    def _on_changed(self) -> None:
        if not self._redraw.isActive():
            self._redraw.start()

    def _draw(self) -> None:
        now = self._context.engine_status.current
        text = now.summary()
        self.state.setText(text.replace("&", "&&"))
        paused = now.paused
        self.pause.setText(self.tr("Resume") if paused else self.tr("Pause"))
        self.pause.setIcon(icon("play" if paused else "pause"))
        for action in (self.sync, self.pause):
            action.setEnabled(now.connected)
        tip = f"CiteLoom – {text}"
        self.icon.setToolTip(tip if len(tip) <= _MAX_TIP else tip[: _MAX_TIP - 1] + "…")
        dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        state = tray_state(now)
        working = state == TrayState.WORKING and now.progress is not None
        ring = round((now.progress or 0) * 40) if working else None
        drawn = (state, ring, dark)
        if drawn != self._drawn:
            self._drawn = drawn
            self.icon.setIcon(tray_icon(state, now.progress, dark_panel=dark))

    def _on_notice(self, title: str, text: str, warning: bool) -> None:
        if self.icon.isVisible():
            text = one_line(text).translate(_NO_MARKUP)
            if warning:
                self.icon.showMessage(title, text, QSystemTrayIcon.MessageIcon.Warning)
            else:
                self.icon.showMessage(title, text, app_icon())
