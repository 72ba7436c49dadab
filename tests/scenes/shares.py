#!/usr/bin/python3 -IB
# SPDX-License-Identifier: GPL-3.0-or-later
# shares: the interval of the share of late keys. It is right if it has the true share.
"""Says "holds"; "low" or "high" where the interval lies there; "untold" where there is no interval.
share=: percent of the keys; burst=: keys of a stall on average (1: each key for itself); differ=: sigma of the logarithms of the
repeats' shares, in percent; drift=: within a repeat the share rises from so many percent below its mean to as many above it;
outages=: so many of the repeats, of each so many, have late keys only; unequal=1: each repeat has twice the keys of the one before;
ties=: percent of the other keys that come just at the limit; "late" is later than that."""
import sys
from math import exp, isnan
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import scene  # noqa: E402
from keys_drawn import train  # noqa: E402
from analysis import key_figures  # noqa: E402

PERIOD_NS = 50000000
LATE_NS = 100000000


def draw_late(s, rng, p, keys):
    """Whether each key of a repeat is late: on its own, or in stalls that begin at random and end with each key alike."""
    burst, drift, late, is_stalled = s.number('burst', 1), s.number('drift', 0) / 100, [], rng.fraction() < p
    for i in range(keys):
        now = min(1, p * (1 + drift * (2 * i / (keys - 1) - 1)))
        if burst > 1 and now < 1:
            is_stalled = rng.fraction() >= 1 / burst if is_stalled else rng.fraction() < now / (burst * (1 - now))
        else:
            is_stalled = rng.fraction() < now
        late.append(is_stalled)
    return late


def draw_answers(s, rng, p, keys):
    ties = s.number('ties', 0) / 100
    return [2 * LATE_NS if is_late else LATE_NS if rng.fraction() < ties else LATE_NS // 2
            for is_late in draw_late(s, rng, p, keys)]


def draw(s, rng):
    share, differ, repeats = s.number('share', 5) / 100, s.number('differ', 0) / 100, int(s.number('repeats', 5))
    outages, trains = int(s.number('outages', 0)), []
    for i in range(repeats):
        p = 1 if i < outages else min(1, share * exp(differ * rng.normal() - differ ** 2 / 2))
        keys = int(s.number('keys', 200) * (2 ** (i - repeats // 2) if s.number('unequal', 0) else 1))
        trains.append(train(draw_answers(s, rng, p, keys), PERIOD_NS))
    truth = 100 * (outages + (repeats - outages) * share) / repeats
    f, _ = key_figures.late_share(trains, LATE_NS, False)
    return 'untold' if isnan(f.low) else 'low' if f.high < truth else 'high' if f.low > truth else 'holds'


if __name__ == '__main__':
    scene.main(draw)
