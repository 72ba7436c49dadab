# SPDX-License-Identifier: GPL-3.0-or-later
"""Is a percentile known well enough (--until-sure), or do more keys tell more of it? Pure.

Well enough: its interval is at most `width` (a share of the figure) to each side, and was so without the last repeat, too: a stop
at the first narrow interval picks those that are too narrow by chance, above all where repeats differ."""
from collections.abc import Sequence
from math import isnan
from typing import Any

from analysis.figures import Figure
from analysis.numbers import most, over

# untold: no number of keys tells it; known; once: narrow enough, but not without the last repeat; wide; bare: no interval yet; few:
# too few keys for the percentile. From the best to the worst.
STATES = ('untold', 'known', 'once', 'wide', 'bare', 'few')
WORDS = {'once': 'narrow enough once', 'bare': 'no interval yet', 'few': 'too few keys'}
REASONS = ('a range', 'overloaded', 'a lower bound', 'not measured')


def relative_width(f: Figure) -> float:
    """How far the interval reaches to its longer side, over the figure; NaN: no interval."""
    side = f.high - f.low
    side = max(f.high - f.value, f.value - f.low) if side > 0 else side
    return over(side, f.value) if side > 0 else side


def state(now: Figure, before: Figure, width: float) -> str:
    """before: the figure without the last repeat."""
    if now.why == 'too few':
        return 'few'
    if isnan(now.value) or now.above:
        return 'untold'
    if isnan(relative_width(now)):
        return 'bare'
    return 'wide' if relative_width(now) > width else 'known' if relative_width(before) <= width else 'once'


def reason(f: Figure) -> str:
    return ('a lower bound' if f.above else {'range': 'a range', 'overloaded': 'overloaded'}.get(f.why or '', 'not measured'))


def count_open(now: Sequence[Figure], before: Sequence[Figure], width: float) -> dict[str, Any]:
    """How many conditions are open, why the worst of them is, and in how many more keys cannot help, for each reason."""
    states = [state(n, b, width) for n, b in zip(now, before)]
    worst = max(['known', *states], key=STATES.index)
    untold = [reason(f) for f, s in zip(now, states) if s == 'untold']
    counts = [(r, untold.count(r)) for r in REASONS if r in untold]
    words = [f'{r} in {n}' + ('' if i else ' condition' if n == 1 else ' conditions') for i, (r, n) in enumerate(counts)]
    why = f'± {100 * most(map(relative_width, now), 0.0):.3g} %' if worst == 'wide' else WORDS.get(worst, '')
    return {'open': sum(STATES.index(s) > 1 for s in states), 'why': why, 'untold': ', '.join(words)}
