# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements that a program makes several times within a repeat (pagein's runs, startup's starts): one record for each, and
figures over those of a cell.

Names of figures are GROUPS.VALUE.STATISTIC ("paged_out.first_key_ms.p50") or GROUPS.n. GROUPS: the groups of trials, joined by "+".
STATISTIC: n, min, mean, sd, max, median, p50 (the median with its interval, which also holds that of the repeats' medians), above
(number of values that are lower bounds). A value that is a lower bound is kept, and a figure that it reaches is a lower bound,
too."""
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from math import inf, isfinite, nan
from typing import Any

from analysis import figures, spreads
from analysis.columns import Value
from analysis.command import Stop
from analysis.estimates import of_run
from analysis.figures import Figure, Sample, Statistic
from analysis.numbers import nearest
from analysis.samples import Repeat, Run, elements, text

SCALE = 1e6  # samples hold whole numbers: millionths


@dataclass(slots=True)
class Trial:
    """number: of the trial in its repeat, from 1; text: why it is in its group, or the name of an event; above: the values that are
    lower bounds."""
    repeat: int
    number: int
    group: str
    values: dict[str, float] = field(default_factory=dict)
    above: set[str] = field(default_factory=set)
    text: str = ''

    def value(self, name: str) -> float:
        return self.values.get(name, nan)

    def put(self, name: str, value: float, above: bool) -> None:
        self.values[name] = value
        self.above |= {name} if above else set()


def read_file(repeat: Repeat, file: str, read: Callable[[Any, str, Trial], None]) -> list[Trial]:
    """The elements of result.runs; `read` gets each, and its state."""
    document = repeat.document(file)
    if document is None:
        raise Stop(f'{repeat.folder}/{file}: missing')
    out: list[Trial] = []
    for n, element in enumerate(elements(document, 'result.runs'), 1):
        state = text(element, 'state')
        if state is None:
            break
        out.append(Trial(repeat.number, n, state))
        read(element, state, out[-1])
    return out


def medians(run: Run, values: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """The median's interval, of (repeat, value). Trials of one repeat may be more alike than those of different ones, so it holds
    that of the repeats' own medians, too."""
    own = [spreads.quantile([v for _, v in group], 0.5) for _, group in groupby(values, key=lambda pair: pair[0])]
    f, of_repeats = of_run(run, 'median+ci', [v for _, v in values]), of_run(run, 'median+ci', own)
    if isfinite(f.low) and isfinite(of_repeats.low):
        return min(f.low, of_repeats.low), max(f.high, of_repeats.high)
    return f.low, f.high


SIMPLE: dict[str, Callable[[Sample], Statistic]] = {
    'mean': figures.mean, 'sd': figures.deviation, 'min': figures.minimum, 'max': figures.maximum,
    'median': lambda sample: figures.quantile(sample, 0.5), 'p50': lambda sample: figures.quantile(sample, 0.5)}
STATISTICS = ('n', 'above', *SIMPLE)


def statistic(run: Run, trials: Sequence[Trial], value: str, name: str) -> Figure:
    """Of a value over trials; its `above`: it is a lower bound."""
    there = [t for t in trials if isfinite(t.value(value))]
    numbers = [(t.repeat, float(nearest(t.value(value) * SCALE))) for t in there]
    bounds = [t.value(value) for t in there if value in t.above]
    if name in ('n', 'above'):
        return figures.exact(float(len(there) if name == 'n' else len(bounds)))
    sample = Sample(sorted(int(v) for _, v in numbers), nearest(min(bounds) * SCALE) if bounds else inf)
    found = SIMPLE[name](sample)
    low, high = medians(run, numbers) if name == 'p50' else spreads.NONE
    # beyond the least lower bound, only that it is larger is known
    return replace(figures.bounded(Statistic(found.value / SCALE, found.above)), low=low / SCALE,
                   high=high / SCALE if high / SCALE < min(bounds, default=inf) else nan)


def by_name(run: Run, trials: Sequence[Trial], groups: Sequence[str], values: Sequence[str],
            names: Sequence[str]) -> Iterator[tuple[str, Figure]]:
    """The figures of these names; of others nothing."""
    for name in names:
        words, _, rest = name.partition('.')
        wanted = words.split('+')
        value, _, which = rest.partition('.')
        chosen = [t for t in trials if t.group in wanted]
        if not set(wanted) <= set(groups):
            continue
        if rest == 'n':
            yield name, figures.exact(float(len(chosen)))
        elif value in values and which in STATISTICS:
            yield name, statistic(run, chosen, value, which)


def row(trial: Trial, values: Sequence[str]) -> dict[str, Value]:
    """The first columns of a trial's row."""
    return {'repeat': float(trial.repeat), 'run': float(trial.number), **{name: trial.value(name) for name in values}}
