"""The section Data: the data folder, its disk usage, deleting caches, and backups."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QMessageBox

from citeloom.api.maintenance import (
    CacheUsage,
    DiskUsage,
    DiskUsagePart,
    PruneCache,
    PrunedCache,
    ShowCache,
    ShowDiskUsage,
)
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.settings.backups import Backups
from citeloom.desktop.settings.rows import NumberRow
from citeloom.desktop.settings.section import Section
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, add, row
from citeloom.desktop.widgets.table import Column, RowsModel, Table

_PARTS = 7


class DataSection(Section):
    """Shows the data folder with its sizes, prunes the cache of conversions, and makes backups."""

    name = "data"
    wide = True

    def title(self) -> str:
        return self.tr("Data")

    def _build(self) -> None:
        self.question: QMessageBox | None = None
        self.where = basics.text()
        self.total = basics.text(muted=True)
        self.parts = RowsModel[DiskUsagePart](
            "name",
            Column(self.tr("What"), self._part, 28),
            Column(self.tr("Size"), lambda part: basics.size_text(part.bytes), 11, number=True, fixed=True),
            Column(self.tr("Where"), lambda part: part.path, 0),
        )
        self.table = Table(self.parts, self.tr("Disk usage"))
        self.table.setFixedHeight(self.table.verticalHeader().defaultSectionSize() * (_PARTS + 1) + basics.GAP)
        self.open_button = basics.button(
            self.tr("&Open the data folder"), lambda: self.open_folder(Path(paths.folders().data)), icon_name="folder"
        )
        self.prune_button = basics.button(
            self.tr("Delete &left-overs"),
            lambda: self._prune(everything=False),
            icon_name="remove",
            tip=self.tr("Conversions and copies that no paper of any project needs"),
        )
        self.prune_all_button = basics.button(
            self.tr("Delete &all conversions…"), self._confirm_prune_all, icon_name="remove"
        )
        min_free = NumberRow(
            "engine.min_free_mb",
            self.tr("&Stop reading when free disk space is below"),
            most=1_000_000,
            step=100,
            unit=self.tr("{number} MB"),
            zero=self.tr("Never"),
        )
        self.backups = Backups(self.context, self.banner)
        add(
            self.inside,
            row((self.where, 1), self.open_button),
            self.table,
            self.total,
            row(self.prune_button, self.prune_all_button, Stretch(1)),
            self.setting(min_free),
            self.backups,
            Stretch(1),
        )

    def shown(self) -> None:
        self.send(ShowDiskUsage(), done=self._on_disk_usage)
        self.send(ShowCache(), done=self._on_cache)

    def _on_disk_usage(self, usage: DiskUsage) -> None:
        self.where.setText(self.tr("Your projects and their index are in {folder}").format(folder=usage.data_folder))
        self.parts.set_rows(usage.parts)
        self.total.setText(
            self.tr("{total} in total; the disk has {free} left.").format(
                total=basics.size_text(usage.total), free=basics.size_text(usage.free)
            )
        )

    def _on_cache(self, usage: CacheUsage) -> None:
        size = basics.size_text(usage.left_over_bytes)
        text = self.tr("Delete &left-overs ({size})").format(size=size)
        self.prune_button.setText(text if usage.left_over else self.tr("Delete &left-overs"))
        self.prune_button.setEnabled(usage.left_over > 0)
        self.prune_all_button.setEnabled(usage.conversions > 0)

    def _part(self, part: DiskUsagePart) -> str:
        return {
            "index": self.tr("Index of the passages"),
            "catalog": self.tr("Projects, papers and log"),
            "conversions": self.tr("Converted papers"),
            "models": self.tr("Downloaded models"),
            "zotero": self.tr("Copies from Zotero"),
            "downloads": self.tr("Papers from the web"),
            "logs": self.tr("Logs"),
        }.get(part.name, part.name)

    def _confirm_prune_all(self) -> None:
        self.question = basics.ask_confirmation(
            self,
            self.tr("Delete all conversions?"),
            self.tr(
                "Your papers and their index are kept. When an index is rebuilt, or another project reads the same"
                " papers, they have to be read from their files again, which takes much longer."
            ),
            self.tr("Delete them"),
            lambda: self._prune(everything=True),
        )

    def _prune(self, *, everything: bool) -> None:
        for part in (self.prune_button, self.prune_all_button):
            part.setEnabled(False)

        def done(pruned: PrunedCache) -> None:
            text = self.tr("{count} conversions were deleted; that freed {size}.")
            size = basics.size_text(pruned.freed_bytes)
            self.banner.show_message(text.format(count=basics.number(pruned.removed), size=size))
            self.shown()

        def failed(error: CiteLoomError) -> None:
            self.banner.show_error(error)
            self.shown()

        self.send(PruneCache(everything=everything), done=done, failed=failed)
