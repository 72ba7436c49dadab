#!/usr/bin/python3 -IB
# SPDX-License-Identifier: GPL-3.0-or-later
"""ab_rates.py [BLOCKS [MINUTES]] | --bound HITS N - how often `thinprobe ab` is wrong, and how soon it is right: sequences with a
look after each start, simulated, and drawn from the starts of real comparisons of a variant with itself. Prints Markdown
(tests/ab-error-rates.sh)."""
import sys
from math import fabs, log, sqrt
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TOP), str(TOP / 'tests/scenes')]
import starts  # noqa: E402
from scene import Rng  # noqa: E402
from analysis import blocks, special  # noqa: E402
from analysis.command import Stop  # noqa: E402
from analysis.sequential import HIGHER, LOWER, OPEN, Figure, decide  # noqa: E402
from analysis.tables import BadLine  # noqa: E402
from starts import Law  # noqa: E402

SEQUENCES = 1000
STARTS_MOST = 40
METRICS_MOST = 64
ALPHA = 0.05
EFFECT = log(1.1)
NUISANCES = {  # nothing differs in truth
    'normal, spread 4 %': Law(spread=4),
    'normal, spread 30 %': Law(spread=30),
    "heavy tails (Student's t, 3 degrees), spread 30 %": Law('heavy', 30),
    'differences of log-normal values, spread 30 %': Law('skewed', 30),
    'two levels, 20 % apart': Law('two', 10),
    'two levels, 60 % apart': Law('two', 30),
    'first block 12 % slower, scatter 1 %': Law(position=(12,), scatter=1),
    'first block 20 % slower, scatter 1 %': Law(position=(20,), scatter=1),
    'first block 20 % slower, scatter 2 %': Law(position=(20,), scatter=2),
    'first block 20 % slower, scatter 5 %': Law(position=(20,), scatter=5),
    'first block 50 % slower, scatter 1 %': Law(position=(50,), scatter=1),
    'first block 50 % slower, scatter 3 %': Law(position=(50,), scatter=3),
    'first block 50 % slower in half of the starts, scatter 1 %': Law(position=(50,), sometimes=50, scatter=1),
    'blocks of a start 0, 0, 10, 40 % slower, scatter 3 %': Law(position=(0, 0, 10, 40), scatter=3),
    'levels of A and of B vary by 6 % from start to start, scatter 1 %': Law(level=6, scatter=1),
    'scatter 5 %, correlated by 0.8': Law(scatter=5, correlation=0.8),
    '*provisional*: other programs delay each block by 25 %, scatter 1 %': Law(noise=25, scatter=1),
    'equal means, exponential, spread 4 %': Law('exponential', 4),
    'equal means, exponential, spread 10 %': Law('exponential', 10),
    'equal means, exponential, spread 30 %': Law('exponential', 30),
    'equal means, log-normal, spread 4 %': Law('lognormal', 4),
    'equal means, log-normal, spread 10 %': Law('lognormal', 10),
    'equal means, log-normal, spread 30 %': Law('lognormal', 30),
}
POWERS = {  # B is 10 % slower in truth
    'spread 2 %': Law(shift=10, spread=2),
    'spread 4 %': Law(shift=10, spread=4),
    'spread 8 %': Law(shift=10, spread=8),
    'heavy tails, spread 8 %': Law('heavy', 8, shift=10),
    'first block 20 % slower, spread 4 %': Law(shift=10, spread=4, position=(20,)),
    'first block 50 % slower, spread 4 %': Law(shift=10, spread=4, position=(50,)),
    '*provisional*: other programs delay each block by 25 %': Law(shift=10, noise=25, scatter=1),
}


def is_told(f):
    return f.word in (LOWER, HIGHER)


def look(figures):
    """(one or more are told, one or more are open)"""
    decide(figures, ALPHA)
    return any(map(is_told, figures)), any(f.word == OPEN for f in figures)


def draw_difference(law, start, rng):
    total = 0.0
    for a, b in zip(*starts.draw(law, start, rng)):
        total += (b - a) / starts.PAIRS
    return total


def sequence(law, metrics, rng):
    """A comparison that is looked at after each start, until one metric is called or all are decided: (called, starts)."""
    figures = [Figure(EFFECT) for _ in range(metrics)]
    for start in range(1, STARTS_MOST + 1):
        for f in figures:
            f.add(start, draw_difference(law, start, rng))
        told, undecided = look(figures)
        if told or not undecided:
            break
    return told, start


def naive_rate(looks, rng):
    """The same looks by a t test for one look, which ends at the first p < 5 %."""
    called = 0
    for _ in range(SEQUENCES):
        f = Figure(1.0)
        for n in range(looks):
            f.moments.add(rng.normal())
            m = f.moments
            if m.n >= 3 and 2 * special.t_upper(m.n - 1, fabs(m.mean) / m.sd() * sqrt(m.n)) < ALPHA:
                called += 1
                break
    return 100 * called / SEQUENCES


def print_laws(laws, with_starts, rng):
    for what, law in laws.items():
        cells = []
        for metrics in (1, 4, 12):
            called, lengths = zip(*(sequence(law, metrics, rng) for _ in range(SEQUENCES)))
            cells.append(f' {100 * sum(called) / SEQUENCES:.1f} %' + (f', {sorted(lengths)[SEQUENCES // 2]}'
                                                                      if with_starts else ''))
        print(f'| {what} |{" |".join(cells)} |', flush=True)


def print_simulated():
    rng = Rng(20261126)
    print('| what disturbs | called: 1 metric | 4 metrics | 12 metrics |\n|---|---:|---:|---:|')
    print_laws(NUISANCES, False, rng)
    few, more, most = (naive_rate(looks, rng) for looks in (40, 28, 10))
    print(f'\nFor comparison: an ordinary t test after each start gives a false alarm in {most:.1f} % of the comparisons of 10 '
          f'starts, in {more:.1f} % of\nthose of 28, and in {few:.1f} % of those of 40.')
    print('\n| B is 10 % slower | found, starts: 1 metric | 4 metrics | 12 metrics |\n|---|---:|---:|---:|')
    print_laws(POWERS, True, rng)


def resampled(series, pool, shift, rng):
    """One sequence drawn from real starts: each with a random sign, so that no metric differs in truth; `shift` is added to the
    first metric. (told, first told, starts)"""
    figures, told, start = [Figure(s.figure.effect) for s in series], False, 0
    while start < STARTS_MOST:
        start += 1
        k, sign = int(rng.fraction() * pool), -1 if rng.fraction() < 0.5 else 1
        for i, (f, s) in enumerate(zip(figures, series)):
            f.add(start, sign * s.figure.values[k] + (0 if i else shift))
        told, undecided = look(figures)
        if not undecided:
            break
    return told, is_told(figures[0]) and figures[0].mean > 0, start


def keep_whole(t):
    """The metrics that have a difference in every start, the median latency first; and the number of starts."""
    pool = max((s.figure.n for s in t.series), default=0)
    whole = [s for s in t.series if pool and s.figure.n == pool and not s.constant and not s.same_as]
    return sorted(whole, key=lambda s: s.metric != 'latency_p50_ms')[:METRICS_MOST], pool


def print_resampled(file, minutes):
    with open(file, 'rb') as stream:
        t = blocks.read(stream)
    blocks.compare(t, blocks.Effect(relative=0.1, points=1))
    series, pool = keep_whole(t)
    if not series:
        raise Stop(f'{file}: no metric has a difference in every start')
    print(f'The table draws from {pool} starts. It judges {"several metrics, of which the first is " if len(series) > 1 else ""}'
          f'{series[0].metric}.\n\n| truth | called or found, of {SEQUENCES} | median starts | minutes |\n|---|---:|---:|---:|')
    rng = Rng(31)
    for shifted in (0, 1):
        told, first, lengths = zip(*(resampled(series, pool, shifted * EFFECT, rng) for _ in range(SEQUENCES)))
        hits, median = sum(first if shifted else told), sorted(lengths)[SEQUENCES // 2]
        print(f'| {"median of B 10 % longer" if shifted else "B is A"} | {100 * hits / SEQUENCES:.1f} % '
              f'{"found" if shifted else "called"} | {median} | {minutes * median:.1f} |')


def main(words):
    if not words:
        print_simulated()
    elif len(words) == 3:  # the upper bound of a share that was seen, in percent (Clopper & Pearson 1934)
        hits, n = map(int, words[1:])
        print(f'{100 * special.beta_quantile(0.95, hits + 1, n - hits):.1f}' if hits < n else '100.0')
    else:
        print_resampled(words[0], float(words[1]) if len(words) > 1 else 0)


if __name__ == '__main__':
    try:
        main(sys.argv[1:])
    except (Stop, BadLine, OSError) as wrong:
        sys.exit(f'ab_rates: {wrong}')
