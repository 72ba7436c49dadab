#!/usr/bin/python3 -IB
# SPDX-License-Identifier: GPL-3.0-or-later
# sure: adds repeats until a percentile is known well enough (--until-sure). It is right if the interval has the true value.
"""Says "holds" or "misses", "open" where the run did not stop, "untold" where no number of keys tells it; and "early" where that
was at the least of repeats."""
import sys
from math import erfc, exp, hypot, log, sqrt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import scene  # noqa: E402
from keys_drawn import train  # noqa: E402
from analysis import key_figures, sure  # noqa: E402
from analysis.figures import Figure  # noqa: E402
from analysis.numbers import nearest  # noqa: E402

REPEATS_MOST = 30
QUANTILES = {'p50': 0.5, 'p90': 0.9, 'p95': 0.95, 'p99': 0.99}
PERIOD_NS = 50000000
LOST_NS = 10000000000
LATE_NS = 100000000


def latency_ms(s, rng, level):
    """Of a key, or of a stall of `burst` keys. sigma 0: Pareto (index 1.5)."""
    sigma = s.number('sigma', 0.3)
    log_ms = sigma * rng.normal() if sigma > 0 else -log(1 - rng.fraction()) / 1.5
    return 10 * level * exp(log_ms) * (10 if rng.fraction() < s.number('second', 0) / 100 else 1)


def share_above(s, ms):
    """Share of the keys that take longer."""
    sigma, second, differ = s.number('sigma', 0.3), s.number('second', 0) / 100, s.number('differ', 0) / 100
    return sum(share * (erfc(log_ms / sqrt(2) / hypot(sigma, differ)) / 2 if sigma > 0 else exp(-1.5 * max(0, log_ms)))
               for share, log_ms in ((1 - second, log(ms / 10)), (second, log(ms / 100))))


def true_quantile(s, q):
    low, high = 1e-3, 1e9
    for _ in range(60):
        middle = sqrt(low * high)
        low, high = (middle, high) if share_above(s, middle) > 1 - q else (low, middle)
    return low


def draw_repeat(s, rng):
    level, burst, lost = exp(s.number('differ', 0) / 100 * rng.normal()), s.number('burst', 1), s.number('lost', 0) / 100
    ms, answers = 0, []
    for i in range(int(s.number('keys', 200))):
        if i == 0 or rng.fraction() * burst < 1:
            ms = latency_ms(s, rng, level)
        answers.append(None if rng.fraction() < lost else nearest(ms * 1e6))
    return train(answers, PERIOD_NS, nearest(1e6 * s.number('range', 0)), LOST_NS, s.number('overloaded', 0) > 0)


def draw(s, rng):
    name, least, width = s.word('percentile', 'p90'), int(s.number('repeats', 5)), s.number('width', 20) / 100
    trains, now, state = [], Figure(), ''
    while len(trains) < least or (len(trains) < REPEATS_MOST and sure.STATES.index(state) > sure.STATES.index('known')):
        trains.append(draw_repeat(s, rng))
        before, now = now, Figure()
        if len(trains) + 1 >= least:
            now = key_figures.estimate(trains, LATE_NS, [name]).of[name]
        state = sure.state(now, before, width)
    holds = now.low <= true_quantile(s, QUANTILES[name]) <= now.high
    said = 'untold' if state == 'untold' else 'open' if state != 'known' else 'holds' if holds else 'misses'
    return said + (' early' if len(trains) == least else '')


if __name__ == '__main__':
    scene.main(draw)
