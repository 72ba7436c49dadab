# SPDX-License-Identifier: GPL-3.0-or-later
"""Made-up figures of repeats around a known truth, as a table has them with their intervals."""
from math import inf, nan, sqrt

from analysis.decide import Figure
from analysis.special import t_quantile

ABSENT = Figure()


def know(start, end=None):
    return Figure(start, start if end is None else end)


def estimate(values):
    """What a table has of so many repeats: nothing of none, one alone, the values of two, which have no interval, as its ends, and
    Student's interval of more."""
    n, total, squares = len(values), sum(values), sum(v * v for v in values)
    if n < 2:
        return Figure(total, total, nan, nan, 1) if n else ABSENT
    half = (max(values) - min(values)) / 2 if n == 2 else \
        t_quantile(n - 1, 0.975) * sqrt(max(0, squares - total * total / n) / (n - 1) / n)
    return Figure(total / n, total / n, total / n - half, total / n + half, n)


def draw(s, rng, truth):
    """The mean of `repeats` values that scatter by `scatter` percent of the truth; the first `disturbed` of them are three times as
    large. One repeat has no interval, and is absent."""
    n, disturbed = int(s.number('repeats', 5)), int(s.number('disturbed', 0))
    values = [truth * (1 + s.number('scatter', 5) / 100 * rng.normal()) * (3 if i < disturbed else 1) for i in range(n)]
    return Figure(nan, nan, nan, nan, n) if n < 2 else estimate(values)


def bound(f):
    """Only the lower end of it is known."""
    return Figure(f.start, inf, f.low, nan, f.repeats)
