"""Corrects the regions of docling's layout model by the column layout of the page, and orders them."""

from __future__ import annotations

from statistics import median, median_low

from citeloom.conversion.pdf.reading_order import Line, Region, RegionKind, region_of, rows


def corrected_regions(proposed: list[Region], plain: list[Region]) -> list[Region]:
    """Return the regions of a page in reading order, with typical errors of the model corrected."""
    return _join_separated_lines(_in_best_order(_split_by_column(_merge_overlapping(proposed), plain), plain))


def _in_best_order(proposed: list[Region], plain: list[Region]) -> list[Region]:
    """Return the regions in the proposed order, or in that of the plain layout if it has fewer order faults.

    Docling's reading order sometimes leaves a column half-way; the order by column gaps is then the better one.
    """
    place = {id(word): at for at, word in enumerate(w for r in plain for line in r.lines for w in line.words)}
    by_place = sorted(proposed, key=lambda region: median(place[id(w)] for line in region.lines for w in line.words))
    return min(proposed, by_place, key=_order_faults)


def _merge_overlapping(found: list[Region]) -> list[Region]:
    """Merge overlapping text regions, whose lines would otherwise be interleaved."""
    result: list[Region] = []
    for region in found:
        over = [r for r in result if _overlaps(r, region)]
        if not over:
            result.append(region)
            continue
        words = [w for r in (*over, region) for line in r.lines for w in line.words]
        union = region_of(rows(words), region.lines[0].page)
        merged = {id(r) for r in over[1:]}
        result = [union if r is over[0] else r for r in result if id(r) not in merged]
    return result


def _overlaps(one: Region, other: Region) -> bool:
    if one.kind is not RegionKind.TEXT or other.kind is not RegionKind.TEXT:
        return False
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    down = min(one.top, other.top) - max(one.bottom, other.bottom)
    smaller = min((r.x1 - r.x0) * (r.top - r.bottom) for r in (one, other))
    return across > 0 and down > 0 and across * down > 0.3 * smaller


def _split_by_column(found: list[Region], plain: list[Region]) -> list[Region]:
    """Split text regions whose lines are in different columns of the plain layout."""
    column = {id(word): at for at, region in enumerate(plain) for line in region.lines for word in line.words}
    result: list[Region] = []
    for region in found:
        if region.kind is not RegionKind.TEXT:
            result.append(region)
            continue
        parts: dict[int, list[Line]] = {}
        for line in region.lines:
            parts.setdefault(median_low(column[id(word)] for word in line.words), []).append(line)
        result.extend(map(Region, parts.values()))
    return result


def _join_separated_lines(order: list[Region]) -> list[Region]:
    """Join single lines to the paragraph they were separated from: the one directly above or below."""
    result: list[Region] = []
    for region in order:
        if result and _is_separated_line(result[-1], region):
            result[-1] = Region(result[-1].lines + region.lines, result[-1].kind)
        else:
            result.append(region)
    return result


def _is_separated_line(above: Region, below: Region) -> bool:
    last, first = above.lines[-1], below.lines[0]
    kinds = (above.kind, below.kind)
    if RegionKind.TABLE in kinds or RegionKind.FIGURE in kinds or RegionKind.HEADING in kinds:
        return False
    same = above.kind is below.kind or below.kind is RegionKind.TEXT
    near = 0 < last.y - first.y <= 1.4 * max(last.size, first.size) and abs(last.size - first.size) < 0.5
    # Aligned with it or centred under it; a line of the next column is neither.
    flush = abs(first.x0 - above.x0) < 4 * first.size
    centred = abs(first.x0 + first.x1 - last.x0 - last.x1) < 4 * first.size
    return same and near and (flush or centred) and min(len(above.lines), len(below.lines)) == 1


def _order_faults(order: list[Region]) -> int:
    """Count the regions that are read after one below them, or after one to the right of them."""
    running = [(r.x0, r.x1, r.top, r.bottom, len(r.lines)) for r in order if r.kind is not RegionKind.FIGURE]
    faults = 0
    for at, (x0, x1, top, bottom, lines) in enumerate(running):
        for later in running[at + 1 :]:
            shared = min(x1, later[1]) - max(x0, later[0])
            if shared > 0.5 * min(x1 - x0, later[1] - later[0]):
                wrong = later[3] >= top - 1
            else:
                wrong = later[1] <= x0 + 1 and later[2] > bottom and later[3] < top
            faults += wrong * min(lines, later[4])
    return faults
