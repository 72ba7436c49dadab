#!/usr/bin/python3 -IB
# SPDX-License-Identifier: GPL-3.0-or-later
# rates: decides statements about figures and counted events, such as that two figures are near each other.
"""ask=off: the first figure is `off` percent off the second in truth (in the first half of `rows`: `half`), of which up to `limit`
is near: "near" in all rows, "apart" in one, "untold".
ask=rate: events at random, `faster` percent faster than a known rate: "more", "less", "untold".
ask=model: the same in `rows`, in either direction (in the first `wrong` rows: `faster`): "apart", "untold".
ask=cov: standard deviation by mean of gaps: "above" or "below" 1, "untold".
ask=line: points of a line that rises by `rise`, with an arch of the height `bend`: "straight", "bent", "untold".
known=1: the first figure is a number, as of a model; other=1: the second figure is measured, too."""
import sys
from math import log, nan, sqrt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import scene  # noqa: E402
import repeats  # noqa: E402
from repeats import ABSENT, know  # noqa: E402
from analysis import decide  # noqa: E402
from analysis.decide import FAILS, HOLDS, Claim  # noqa: E402


def ask(kind, share, a, b):
    return decide.judge(Claim(kind, share, a, b)).word


def draw_repeats(s, rng, truth):
    """The first `disturbed` repeats are `by` percent more."""
    values = [truth * max(0, 1 + s.number('scatter', 2) / 100 * rng.normal()) for _ in range(int(s.number('repeats', 5)))]
    return repeats.estimate([v * (1 + s.number('by', 50) / 100) if i < int(s.number('disturbed', 0)) else v
                             for i, v in enumerate(values)])


def ask_off(s, rng):
    rows, words, known = int(s.number('rows', 1)), [], s.number('known', 0) > 0
    for i in range(rows):
        ratio = 1 + s.number('half' if i < rows // 2 else 'off', s.number('off', 0)) / 100
        a = know(ratio) if known else draw_repeats(s, rng, ratio)
        b = draw_repeats(s, rng, 1) if known or s.number('other', 0) > 0 else know(1)
        words.append(ask(f'off {s.number("limit", 10):g}', 1, ABSENT if i < int(s.number('lacking', 0)) else a, b))
    return 'apart' if FAILS in words else 'near' if words.count(HOLDS) == rows else 'untold'


def draw_rate(s, rng, truth):
    """A rate by the events of a second, or of several repeats, of which there are `events` on average at a rate of 1."""
    values, mean, events = [], s.number('events', 400), 0
    for _ in range(int(s.number('repeats', 1))):
        before, at = events, -log(1 - rng.fraction())
        while at < truth * mean:
            events += 1
            at -= log(1 - rng.fraction())
        values.append((events - before) / mean)
    rate = repeats.estimate(values if events else [])
    return rate._replace(low=nan, high=nan, repeats=events) if len(values) < 3 else rate


def ask_rate(s, rng):
    one = draw_rate(s, rng, 1 + s.number('faster', 0) / 100)
    word = ask('rate', 1, one, draw_rate(s, rng, 1) if s.number('other', 0) > 0 else know(1))
    return 'more' if word == HOLDS else 'less' if word == FAILS else 'untold'


def ask_model(s, rng):
    rows, apart = int(s.number('rows', 12)), False
    for i in range(rows):
        one = draw_rate(s, rng, 1 + (s.number('faster', 0) if i < int(s.number('wrong', 0)) else 0) / 100)
        apart = apart or HOLDS in (ask('rate', rows, one, know(1)), ask('rate', rows, know(1), one))
    return 'apart' if apart else 'untold'


def draw_gap(law, rng):
    """gap=: exponential, even (half to one and a half of the mean), or bursts (a half has a nineteenth of the mean of the
    others)."""
    gap = -log(1 - rng.fraction())
    if law == 'even':
        return 0.5 + rng.fraction()
    return gap * (0.1 if rng.fraction() < 0.5 else 1.9) if law == 'bursts' else gap


def ask_cov(s, rng):
    n, law = int(s.number('gaps', 1000)), s.word('gap', 'exponential')
    gaps = [draw_gap(law, rng) for _ in range(n)]
    if n < 2:
        return 'untold' if ask('rate', 1, ABSENT, ABSENT) == decide.UNTOLD else 'above'
    total, one = sum(gaps), know(1)._replace(repeats=n)
    cov = know(sqrt(max(0, sum(g * g for g in gaps) - total * total / n) / (n - 1)) / (total / n))
    return 'above' if ask('rate', 1, cov, one) == HOLDS else 'below' if ask('rate', 1, one, cov) == HOLDS else 'untold'


def ask_line(s, rng):
    claims, n = [], int(s.number('points', 7))
    for i in range(n):
        x = i / (n - 1)
        y = s.number('rise', 60) * x + s.number('bend', 0) * 4 * x * (1 - x) + s.number('scatter', 1) * rng.normal()
        claims.append(Claim('line share', 1, know(x), ABSENT if i < int(s.number('lacking', 0)) else know(y)))
    return ('untold', 'straight', 'bent')[decide.lines(claims)[0].word]


def draw(s, rng):
    return {'off': ask_off, 'rate': ask_rate, 'model': ask_model, 'cov': ask_cov, 'line': ask_line}[s.word('ask', 'off')](s, rng)


if __name__ == '__main__':
    scene.main(draw)
