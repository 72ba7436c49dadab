# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost of each step of an animation, and whether its frames are sent again when they repeat.

cell.json has steps.NAME for each step; figures are NAME.FIGURE (steps.py), and relative to new frames:
    NAME.share_percent      bytes of a frame on the wire, in percent of a frame never shown before in the same session
    NAME.verdict            share_percent of at least AGAIN: "again"; at most CACHED: "cached"; between: "in part"; "unclear" where
    its
                            interval has another at one end
    NAME.users_MBIT         whole number of users with such an animation that a link of MBIT Mbit/s carries
The comparison is with new frames and not with the size of a picture, because protocols compress, some with losses: only having
cached the frame makes the difference."""
from collections.abc import Iterator, Sequence
from math import floor, isfinite, isnan, nan

from analysis import spreads, steps
from analysis.columns import Extractor, Kept, Value, Values, Written
from analysis.command import decimal
from analysis.numbers import over, total
from analysis.samples import Cell, Repeat, Run, at

AGAIN = 80.0
CACHED = 20.0


def of_step(repeat: Repeat, name: str, figure: str) -> float | None:
    return steps.figure(at(repeat.json, f'steps.{name}'), figure)


def bytes_per_frame(repeat: Repeat, name: str) -> float:
    return steps.value(at(repeat.json, f'steps.{name}'), 'bytes_per_frame')


def number_of(repeat: Repeat, path: str) -> float | None:
    """NAME.FIGURE; None: no such figure."""
    name, _, figure = path.partition('.')
    if figure != 'share_percent':
        return of_step(repeat, name, figure)
    fresh = bytes_per_frame(repeat, 'banner-fresh' if name == 'banner' else 'fresh')
    return 100 * (bytes_per_frame(repeat, name) / fresh) if fresh > 0 else nan


def numbers(repeat: Repeat, kept: None, names: Sequence[str]) -> dict[str, float]:
    return {name: value for name in names if (value := number_of(repeat, name)) is not None}


def known(cell: Cell, path: str) -> list[float]:
    values = [number_of(repeat, path) for repeat in cell.repeats]
    return [v for v in values if v is not None and isfinite(v)]


def mean(cell: Cell, path: str) -> float:
    values = known(cell, path)
    return over(total(values), len(values))


def users(cell: Cell, name: str, mbit: str) -> float:
    each = mean(cell, f'{name}.mbit_per_s')
    return float(floor(decimal(mbit)[0] / each)) if each > 0 else nan


def verdict(share_percent: float) -> str | None:
    if isnan(share_percent):
        return None
    return 'again' if share_percent >= AGAIN else 'cached' if share_percent <= CACHED else 'in part'


def judge(cell: Cell, path: str) -> str | None:
    """The verdict of the mean; "unclear" where the ends of its interval, or two repeats, have more than one."""
    shares = known(cell, path)
    if not shares:
        return verdict(mean(cell, path))
    low, high = spreads.t_mean(shares) or (min(shares), max(shares))
    return verdict(mean(cell, path)) if verdict(low) == verdict(high) else 'unclear'


def cell_figures(cell: Cell, kept: Kept, names: Sequence[str]) -> Values:
    out: dict[str, Value] = {f'{name}.verdict': judge(cell, f'{name}.share_percent') for name in ('loop', 'banner')}
    for name, dot, mbit in (path.partition('.users_') for path in names):
        if dot:
            out[f'{name}.users_{mbit}'] = users(cell, name, mbit)
    return out


def write(run: Run, kept: Kept) -> Iterator[Written]:
    """The course of two steps of each cell's first repeat."""
    for cell in run.cells:
        for name in ('fresh', 'loop') if cell.repeats else ():
            yield from step_rows(cell, name)


def step_rows(cell: Cell, name: str) -> Iterator[Written]:
    repeat = cell.repeats[0]
    step = at(repeat.json, f'steps.{name}')
    seconds = steps.value(step, 'seconds')
    series = steps.read_series(repeat, name, steps.value(step, 'from_ns')) if not isnan(seconds) else steps.Series(0, [], [])
    for p in range(1, len(series.bytes)):  # the first bin is not complete
        from_s = (series.first + p) * steps.BIN_S
        if from_s + steps.BIN_S > seconds:
            break
        yield Written(cell, {'step': name, 'time_s': from_s, 'mbit_per_s': series.bytes[p] * steps.BIN_MBIT_PER_S,
                             'cpu_percent': series.cpu_percent[p]})


EXTRACTOR = Extractor(numbers=numbers, figures=cell_figures, tables={'': write})
