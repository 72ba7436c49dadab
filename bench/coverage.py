#!/usr/bin/python3 -IB
# SPDX-License-Identifier: GPL-3.0-or-later
"""coverage.py [DRAWS] - how often the 95 % intervals of summarize hold the truth, by simulation of repeats whose truth is known.
(1000 draws; a table on standard output; the same numbers each time.)

Keys come at 20/s, 200 in a repeat. "alone": each key for itself; "bursts": ten keys in a row share their fate, as in a stall of
half a second; "uneven": bursts whose length is random (geometric) with mean ten; "rare stalls": once in 400 keys, 20 take ten times
as long; "repeats differ": the share of late keys is lognormal over the repeats (sigma 0.6); "latencies differ": it is that of
lognormal latencies (sigma 0.3) whose repeats differ by a factor (sigma 0.3, 0.8). low_percent: how often the upper end is below the
truth, so that a limit there would hold falsely. "differs": two runs of one law, in which each repeat has an outage of keys without
an answer with a chance of 3 in 10; held is how often they are not said to differ. Latencies are lognormal or Pareto (index 1.5),
and repeats may differ by a factor (sigma 0.1, 0.3, 0.8). "stop": repeats are added from the fifth on, until the interval is 20 or
10 % to each side (--until-sure); held is how often it holds then (of a fifth of the draws), and repeats how many there are on
average, of at most 60."""
import sys
from dataclasses import dataclass
from math import cos, erfc, exp, hypot, inf, isnan, log, nan, pi, sqrt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from analysis import decide, estimates, figures, special, spreads, sure  # noqa: E402
from analysis.estimates import Draws, Pool, pool_quantile  # noqa: E402
from analysis.figures import Figure  # noqa: E402
from analysis.numbers import nearest  # noqa: E402
from analysis.spreads import ShareRuns  # noqa: E402

KEYS, BURST, STALL, STALL_EVERY, REPEATS_MOST = 200, 10, 20, 400, 60
MS = 1e6
QUANTILES = {'p50': 0.5, 'p90': 0.9, 'p95': 0.95, 'p99': 0.99}
# sigma (0: Pareto), and that of the repeats
LAWS = {
    'lognormal 0.3': (0.3, 0), 'lognormal 0.8': (0.8, 0), 'Pareto 1.5': (0, 0), 'lognormal 0.5, repeats differ by 10 %': (0.5, 0.1),
    'lognormal 0.3, repeats differ by 30 %': (0.3, 0.3), 'lognormal 0.3, repeats differ by 80 %': (0.3, 0.8),
}
KINDS = ('alone', 'bursts', 'uneven', 'rare stalls', 'repeats differ')
APART = {'latencies differ by 30 %': 1, 'latencies differ by 80 %': 0.8 / 0.3}  # sigma of the repeats to that of the keys


class Rng:
    """SplitMix64 (Steele, Lea & Flood 2014)."""

    def __init__(self):
        self.state = 1

    def uniform(self):
        """In (0, 1)."""
        self.state = z = self.state + 0x9e3779b97f4a7c15 & 2 ** 64 - 1
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & 2 ** 64 - 1
        z = (z ^ z >> 27) * 0x94d049bb133111eb & 2 ** 64 - 1
        return (((z ^ z >> 31) >> 11) + 0.5) / 2 ** 53

    def normal(self):
        return sqrt(-2 * log(self.uniform())) * cos(2 * pi * self.uniform())


@dataclass
class Coverage:
    """Counts of draws in which the interval held the truth, and in which there was none; and the widths of the others."""
    draws: int = 0
    hits: int = 0
    bare: int = 0
    widths: float = 0
    low: int = 0  # draws in which its upper end was below the truth

    def add(self, f, truth):
        self.draws += 1
        self.hits += f.low <= truth <= f.high
        self.low += f.high < truth
        self.bare += isnan(f.low)
        self.widths += 0 if isnan(f.low) else f.high - f.low

    def held(self):
        return self.hits / (self.draws - self.bare) if self.draws > self.bare else nan

    def width(self):
        return self.widths / (self.draws - self.bare) if self.draws > self.bare else nan

    def none(self):
        return self.bare / self.draws


# --- late keys ----------------------------------------------------------------------------------------------------

def draw_late(rng, kind, p):
    """Which keys of a repeat are late, each with probability p. Stalls begin at random, and one may be under way at the start."""
    begin = p / (BURST * (1 - p))  # chance that a stall begins with a key: mean gap BURST (1 - p) / p
    stalled = rng.uniform() < p
    left = 1 + int(BURST * rng.uniform()) if stalled else 0
    late = bytearray(KEYS)
    for i in range(KEYS):
        if kind in ('alone', 'repeats differ', *APART):
            late[i] = rng.uniform() < p
            continue
        late[i] = stalled
        if stalled and kind == 'bursts':
            left -= 1
            stalled = left > 0
        elif stalled:
            stalled = rng.uniform() >= 1 / BURST
        if not stalled and not late[i] and rng.uniform() < begin:
            stalled, left = True, BURST
    return late


def share_of_repeat(rng, kind, p):
    """Of a law of repeats with mean p."""
    if kind in APART:
        return erfc(-(special.normal_quantile(p) * hypot(1, APART[kind]) + APART[kind] * rng.normal()) / sqrt(2)) / 2
    return p * (exp(0.6 * rng.normal() - 0.18) if kind == 'repeats differ' else 1)


def of_late_share(kind, repeats, p, draws):
    rng, c = Rng(), Coverage()
    for _ in range(draws):
        share = ShareRuns(BURST)
        for _ in range(repeats):
            share.add_repeat(draw_late(rng, kind, share_of_repeat(rng, kind, p)))
        interval, _ = spreads.clustered_share(share)
        c.add(figures.estimate(0, 100 * interval[0], 100 * interval[1]) if interval else Figure(), 100 * p)
    return c


# --- latencies ----------------------------------------------------------------------------------------------------

def draw_latency(rng, sigma):
    return 10 * exp(sigma * rng.normal() if sigma > 0 else -log(rng.uniform()) / 1.5)


def draw_repeat(rng, law, kind):
    sigma, between = LAWS[law]
    level, ms, out = exp(between * rng.normal()), 0, []
    left = 1 + int(BURST * rng.uniform())
    if kind == 'rare stalls':
        left = 1 + int(STALL * rng.uniform()) if rng.uniform() < STALL / STALL_EVERY else 0
    for i in range(KEYS):
        stalled = False
        if kind == 'rare stalls':
            if not left and rng.uniform() * (STALL_EVERY - STALL + 1) < 1:
                left = STALL
            stalled = left > 0
            left -= stalled
        left -= i > 0 and kind == 'bursts'
        if i == 0 or kind != 'bursts' or not left:
            ms = level * draw_latency(rng, sigma)
            left = BURST if i and kind == 'bursts' else left
        out.append(nearest(ms * (10 if stalled else 1) * MS))
    return out


def share_above(law, kind, ms):
    if kind == 'rare stalls':
        share = STALL / STALL_EVERY
        return (1 - share) * share_above(law, 'alone', ms) + share * share_above(law, 'alone', ms / 10)
    sigma, between = LAWS[law]
    return erfc(log(ms / 10) / hypot(sigma, between) / sqrt(2)) / 2 if sigma > 0 else min(1, (ms / 10) ** -1.5)


def true_quantile(law, kind, q):
    low, high = 1, 1e5
    for _ in range(60):
        middle = sqrt(low * high)
        low, high = (middle, high) if share_above(law, kind, middle) > 1 - q else (low, middle)
    return low


def quantile(runs, name):
    return pool_quantile(Pool(runs, stall=BURST, kind='keys'), QUANTILES[name], MS)[0]


def difference(a, b):
    """Of two figures, from their intervals alone (Zou & Donner 2008)."""
    return figures.estimate(a.value - b.value, a.value - b.value - hypot(a.value - a.low, b.high - b.value),
                            a.value - b.value + hypot(a.high - a.value, b.value - b.low))


def of_figures(law, kind, repeats, draws, names=tuple(QUANTILES)):
    """By name of the figure; difference_of_p50: of two runs of the same law."""
    rng, before = Rng(), Figure()
    out = {name: Coverage() for name in (*names, 'difference_of_p50')}
    truth = {name: true_quantile(law, kind, QUANTILES[name]) for name in names}
    for _ in range(draws):
        runs = [draw_repeat(rng, law, kind) for _ in range(repeats)]
        found = {name: quantile(runs, name) for name in names}
        for name in names:
            out[name].add(found[name], truth[name])
        if 'p50' in names:
            out['difference_of_p50'].add(difference(found['p50'], before), 0)
            before = found['p50']
    return out


def with_outage(rng, outage):
    """Of latencies, and of those that are only known to be above 300 ms."""
    values = [nearest(10 * exp(0.3 * rng.normal()) * MS) for _ in range(KEYS)]
    lost = [nearest(300 * MS)] * outage if rng.uniform() < 0.3 else []
    at = int(rng.uniform() * (KEYS - outage + 1))
    values[at:at + len(lost)] = lost
    return values, lost


def of_differs(q, outage, repeats, draws):
    """Of two runs of one law, whether they are not said to differ."""
    def figure():
        values, lost = zip(*(with_outage(rng, outage) for _ in range(repeats)))
        f, _ = pool_quantile(Pool(list(values), list(lost), stall=BURST, kind='keys'), q, MS)
        return decide.Figure(f.value, inf if f.above else f.value, f.low, f.high)

    rng, c = Rng(), Coverage()
    for _ in range(draws):
        word = decide.differs(figure(), figure(), 1).word
        c.add(Figure() if word == decide.UNTOLD else figures.estimate(0, 0, float(word == decide.FAILS)), 1)
    return c


def of_stop(law, kind, name, width, draws):
    """Where repeats are added until the percentile is known to `width` of itself, as --until-sure does; and how many it took on
    average."""
    rng, c, repeats = Rng(), Coverage(), 0
    truth = true_quantile(law, kind, QUANTILES[name])
    for _ in range(draws):
        runs, now, before = [], Figure(), Figure()
        while len(runs) < 5 or (len(runs) < REPEATS_MOST and sure.state(now, before, width) != 'known'):
            runs.append(draw_repeat(rng, law, kind))
            if len(runs) > 3:
                before, now = now, quantile(runs, name)
        repeats += len(runs)
        c.add(now, truth)
    return c, repeats / draws


def of_values(estimator, law, slow, n, draws):
    """The median (or mean) of n single values: of a law, or (law None) of two modes, `slow` percent ten times as long."""
    rng, c = Rng(), Coverage()
    # the quantile of the quick ones (sigma 0.05) where slow ones bring the share to a half
    truth = 10 if law else 10 * exp(0.05 * (0.5659 if slow < 35 else 0.9674))
    sigma = LAWS[law][0] if law else 0
    if estimator == 'mean+ci':
        truth = 10 * exp(sigma * sigma / 2)
    for _ in range(draws):
        values = [draw_latency(rng, sigma) if law else (100 if rng.uniform() < slow / 100 else 10) * exp(0.05 * rng.normal())
                  for _ in range(n)]
        c.add(estimates.estimate(estimator, values, Draws(300, 1)), truth)
    return c


def line(figure, truth, keys, repeats, c):
    held, width = (f'{100 * c.held():.1f}', f'{c.width():.2f}') if c.none() < 1 else ('', '')  # otherwise no interval was there
    print(figure, truth, keys, f'{repeats:.3g}', held, width, f'{100 * c.none():.0f}', f'{100 * c.low / c.draws:.1f}',
          sep='\t', flush=True)


def main(draws):
    print('figure\ttruth\tkeys\trepeats\theld_percent\tmean_width\tnone_percent\tlow_percent')
    for kind in KINDS:
        for repeats in (3, 5, 7, 10, 20):
            for p in (0.005, 0.01, 0.05, 0.2) if kind != 'rare stalls' else ():
                line('late_share', f'{100 * p:g}', kind, repeats, of_late_share(kind, repeats, p, draws))
            for law in LAWS if kind not in ('uneven', 'repeats differ') else ():
                for name, c in of_figures(law, kind, repeats, draws).items():
                    line(name, law, kind, repeats, c)
    for kind in APART:
        for repeats in (3, 5, 7, 10, 20):
            for p in (0.005, 0.01, 0.05, 0.2):
                line('late_share', f'{100 * p:g}', kind, repeats, of_late_share(kind, repeats, p, draws))
    for name, outage in (('p95', 40), ('p50', KEYS)):
        for repeats in (3, 5):
            line('differs', name, f'outages of {outage}', repeats, of_differs(QUANTILES[name], outage, repeats, draws))
    for n in range(3, 13):
        for law in list(LAWS)[:2]:
            line('median_of_values', law, '', n, of_values('median+ci', law, 0, n, draws))
        for slow in (30, 40):
            line('median_of_values', 'two modes', f'{slow} % slow', n, of_values('median+ci', None, slow, n, draws))
    for n in (*range(3, 12), *range(12, 41, 7)):
        for law in list(LAWS)[:2]:
            line('mean_of_values', law, '', n, of_values('mean+ci', law, 0, n, draws))
    for law in LAWS:
        for name in QUANTILES:
            for width in (0.2, 0.1):
                c, mean = of_stop(law, 'alone', name, width, (draws + 4) // 5)
                line(name, law, f'alone, stop at {100 * width:g} %', mean, c)


if __name__ == '__main__':
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
