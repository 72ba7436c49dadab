# SPDX-License-Identifier: GPL-3.0-or-later
"""Words of experiments with an animation."""
from typing import Any

from analysis import notes, words
from analysis.amounts import Row
from analysis.run import Run

SHOWN = {'page': 'a page with animations', 'bar': 'a progress bar', 'caret': 'a caret'}


def system(row: Row) -> str:
    return f'{row["protocol"]}{" (pixmap)" if row.get("draw") == "pixmap" else ""}'


def mbit(value: float | None) -> str:
    return '?' if value is None else words.fixed(value, 1 if value >= 9.95 else 2 if value >= 0.0995 else 3)


def byte_words(value: float | None) -> str:
    """1 KB is 1,000 bytes, as on a link."""
    if value is None:
        return '?'
    if value >= 999500:
        return f'{words.fixed(value / 1e6, 1)} MB'
    if value >= 9950:
        return f'{words.fixed(value / 1000, 0)} KB'
    return f'{words.fixed(value / 1000, 1)} KB' if value >= 995 else f'{words.fixed(value, 0)} bytes'


def loop_rows(run: Run) -> list[dict[str, Any]]:
    return [row for row in run.measured() if (row.get('shows') or 'loop') == 'loop']


def systems(rows: list[dict[str, Any]]) -> str:
    return words.and_list([system(row) for row in rows])


def setup(run: Run, frames: str) -> str:
    s = run.settings()
    loop = (f'{frames} of {s["size"].replace("x", " x ", 1)} pixels, {words.plain(s["rate_per_s"])} a second'
            if s.get('size') and s.get('rate_per_s') and 'loop' in (s.get('shows') or ['loop']) else None)
    shown = words.and_list([SHOWN[name] for name in s.get('shows') or [] if name in SHOWN])
    return notes.sentence([loop, shown, notes.protocol_words(run), notes.link_words(run), notes.repeats_words(run)])
