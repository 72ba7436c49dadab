# SPDX-License-Identifier: GPL-3.0-or-later
"""Times between the requests of users.

Figure users_by_little of a repeat: its rate times response and think time, the number of users by Little's law. Figure
cov_independent: the coefficient of variation (CoV) of the same number of independent users, from the parameters users and think_s,
the run's setting `spread` (distribution of think times) and the mean response time; unknown where there is no formula. Rows, from
arrivals.tsv: `points`: for each complete repeat, the CoV of the requests of the first user, of the first two users, and so on
(`arrivals --sources`); `marks`: for each cell's first complete repeat, the other rows, which plots/arrivals.gp draws."""
from collections.abc import Iterator, Sequence
from math import isfinite, isnan, nan, sqrt

from analysis.columns import Extractor, Kept, Values, Written
from analysis.numbers import over, total
from analysis.samples import Cell, Layout, Repeat, Run, number, text

ROWS = Layout('arrivals/1', '$kind %x %y %expected %low %high')


def read(repeat: Repeat) -> float:
    """Mean response time in ms."""
    return number(repeat.document('vusers.json'), 'result.response_ms.mean')


def numbers(repeat: Repeat, mean_ms: float, names: Sequence[str]) -> dict[str, float]:
    rate = number(repeat.document('vusers.json'), 'result.rate_per_s')
    return {'users_by_little': rate * (mean_ms / 1e3 + repeat.cell.number('think_s'))}


def user_cov(uniform: bool, n: float, think: float, response: float) -> float:
    """The CoV of n independent users. Each sends the next request after a constant response time and a think time. For N such
    renewal processes in equilibrium, superposed, a gap is longer than x when one user's own interval is longer and no other user is
    due within x (Cox & Smith 1954): P(gap > x) = S(x) G(x)^(N - 1), where S(x) = P(interval > x) and G(x) is the integral of S from
    x on, divided by the mean interval. The first two moments of this distribution give the CoV. With m = response + think and s =
    think / m: nobody sends a request within the response time, so up to it S = 1 and G = 1 - x/m; beyond it the integrals are those
    of the think time alone, times s^(n - 1). Think times are uniform from 0 to twice the mean (CoV without response time: sqrt((2N
    - 1)/(2N + 1))) or exponential (CoV 1). NaN: fewer than one user, no think time, response time below 0 or not known."""
    m = response + think
    if not n >= 1 or not think > 0 or not response >= 0 or not isfinite(m):
        return nan
    s = think / m
    within = m * m * ((1 - s ** n) / n - (1 - s ** (n + 1)) / (n + 1))
    behind = response * think / n + think * think * (4 / (2 * n * (2 * n + 1)) if uniform else 1 / (n * n))
    moment = 2 * (within + s ** (n - 1) * behind)
    return sqrt(max(0.0, moment * n * n / (m * m) - 1))


def cell_figures(cell: Cell, kept: Kept, names: Sequence[str]) -> Values:
    spread, known = text(cell.run.json, 'settings.spread'), [mean for mean in kept[cell.index] if not isnan(mean)]
    response_s = over(total(known), len(known)) / 1e3
    return {'cov_independent': user_cov(spread == 'uniform', cell.number('users'), cell.number('think_s'), response_s)
            if spread in ('uniform', 'exp') else nan}


def rows(repeat: Repeat, sources: bool) -> Iterator[tuple[str, float, float, float, float, float]]:
    for row in zip(*repeat.table('arrivals.tsv', ROWS, False) or []):
        if (row[0] == 'sources') == sources:
            yield row


def write_points(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        for repeat in cell.repeats:
            for _, x, y, _, low, high in rows(repeat, True):
                yield Written(cell, {'repeat': float(repeat.number), 'users': x, 'cov': y, 'cov_low': low, 'cov_high': high})


def write_marks(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        for repeat in cell.repeats[:1]:
            for kind, x, y, expected, _, _ in rows(repeat, False):
                yield Written(cell, {'kind': kind, 'x': x, 'y': y, 'expected': expected})


EXTRACTOR = Extractor(read=read, numbers=numbers, figures=cell_figures, tables={'points': write_points, 'marks': write_marks})
