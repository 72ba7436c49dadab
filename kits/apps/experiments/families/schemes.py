# SPDX-License-Identifier: GPL-3.0-or-later
"""What figures of schemes beside a job share: names and colours of the schemes, and how long tasks run at a time."""
from collections.abc import Sequence

from analysis import words
from analysis.amounts import Row, Rows
from analysis.draw import COLOURS, Axis, Curve, Drawing, Look, Panel, Place, bars
from analysis.run import Run, distinct

# Greys without a scheme, a hue for each kind of them, from light to dark by the ratio.
SCHEME_COLOURS = {
    'alone': '#c8c8c8', 'baseline': '#666666', 'autogroup': '#E69F00', 'nice': '#009E73',
    'L': '#a9d3f0', 'M': '#56a4dc', 'H': '#0060a0', 'L+iso': '#f2b08a', 'M+iso': '#D55E00', 'H+iso': '#8a3600',
    'hostL': '#a8dcc8', 'hostM': '#3cb48c', 'hostH': '#00694c',
    'vmL': '#dcb8d0', 'vmM': '#CC79A7', 'vmH': '#8b3a68', 'vmL+iso': '#c5c69a', 'vmM+iso': '#8f9138', 'vmH+iso': '#55571a',
    'vmL+iso-irq': '#b0d4d0', 'vmM+iso-irq': '#4aa39a', 'vmH+iso-irq': '#1d5f58'}
ORDINARY = {'alone': 'without the job', 'baseline': 'baseline', 'autogroup': 'autogroups', 'nice': 'nice 19'}
JOBS = {'parallel': 'job: xz with several threads', 'quanta': 'job: threads that hand over every 100 µs',
        'bursts': 'job: threads that compute for about 1 ms and wait for each other', 'pipes': 'job: pipelines of two processes'}
KINDS = {'other': 'what is not the job', 'video': 'video playback', 'launch': 'launch of an application',
         'single': 'job with one thread', 'quanta': 'job: threads that hand over'}


def scheme_look(name: str) -> Look:
    return Look(SCHEME_COLOURS.get(name, '#000000'))


def scheme_title(name: str) -> str:
    return ORDINARY.get(name, f'vamp {name}' if name in SCHEME_COLOURS else name)


def job_title(job: str) -> str:
    return JOBS.get(job, job)


def beside(rows: Rows, job: str) -> Rows:
    return [row for row in rows if row.get('job') in (job, 'none')]


def place_of(word: str, names: Sequence[str]) -> int | None:
    """On an axis of words."""
    return names.index(word) + 1 if word in names else None


def bars_of(rows: Rows, places: Sequence[float | None], name: str, c: str, wide: float) -> list[Curve]:
    """The bars of one scheme, with a place for each of the rows."""
    points: list[tuple[float, Row]] = [(x, row) for x, row in zip(places, rows) if row.get('scheme') == name and x is not None]
    return bars(points, c, wide, scheme_look(name), scheme_title(name))


def scheme_bars(rows: Rows, word: str, names: Sequence[str], c: str) -> list[Curve]:
    """A bar for each scheme at each of the places of an axis of words; word: the column with the row's place there."""
    schemes = distinct(row.get('scheme') for row in rows)
    wide = 0.86 / max(len(schemes), 1)
    middles = [place_of(row[word], names) for row in rows]
    curves = []
    for i, name in enumerate(schemes):
        by = (i - (len(schemes) - 1) / 2) * wide
        curves += bars_of(rows, [None if x is None else x + by for x in middles], name, c, wide * 0.88)
    return curves


def quanta(run: Run) -> Drawing | None:
    """How long tasks run at a time: a curve for each kind."""
    rows = run.table('quanta')
    if not rows:
        return None
    curves = []
    for i, kind in enumerate(distinct(row.get('kind') for row in rows)):
        mine = [row for row in rows if row.get('kind') == kind]
        count = mine[0].get('n')
        curves.append(Curve('line', [Place(row['ms'], row['share']) for row in mine], Look(COLOURS[i % len(COLOURS)], width=2),
                            KINDS.get(kind, f'job: {kind}') + ('' if count is None else f' ({words.thousands(count)})')))
    which = 'under the baseline' if any(row.get('kind') == 'other' for row in rows) else 'each alone'
    return Drawing('quanta', f'Time for which a task runs until another one does, {which}',
                   [Panel(Axis('ms', 0.001, log=True), Axis('share of all that are no longer', 0, 1), curves)])
