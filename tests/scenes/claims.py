#!/usr/bin/python3 -IB
# SPDX-License-Identifier: GPL-3.0-or-later
# claims: decides statements about figures of repeats, such as that a figure is above a limit, or N times another.
"""The first figure is `size` in truth, the second one 1: by repeats, or (number=1) a number that is known; of within, from and to.
kind=share: of so many events each is a hit with a chance of `rate` percent (exact=1: just so many are); `stated` is the second.
range=P: of the first one only a range of P percent to both sides is known; bound=B: only that it is above B; absent=1, 2: that one
is not known. Says "yes", "no" or "untold"; of a multiple whether its interval holds the truth: "in", "out", or "bare"."""
import sys
from math import inf, isnan, nan
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import scene  # noqa: E402
import repeats  # noqa: E402
from repeats import ABSENT, know  # noqa: E402
from analysis import decide  # noqa: E402
from analysis.decide import Claim, Figure  # noqa: E402


def draw_share(s, rng):
    n, rate = int(s.number('events', 1000)), s.number('rate', 2) / 100
    hits = int(rate * n + 0.5) if s.number('exact', 0) > 0 else sum(rng.fraction() < rate for _ in range(n))
    return Figure(hits, hits, nan, nan, n)


def draw_first(s, rng, size):
    spread, bound = s.number('range', 0) / 100, s.number('bound', 0)
    if spread > 0:
        return know(size * (1 - spread), size * (1 + spread))
    return know(bound, inf) if bound > 0 else repeats.draw(s, rng, size)


def draw(s, rng):
    kind, size, missing = s.word('kind', 'above'), s.number('size', 1), s.number('absent', 0)
    if kind == 'share':
        figures = [draw_share(s, rng), know(s.number('stated', 2))]
    else:
        figures = [draw_first(s, rng, size),
                   know(s.number('from', 0.9), s.number('to', 1.1)) if kind == 'within' else know(1) if s.number('number', 0) > 0
                   else repeats.draw(s, rng, 1)]
    figures = [ABSENT if missing == k else f for k, f in enumerate(figures, 1)]
    said = decide.judge(Claim(kind, int(s.number('of', 1)), *figures))
    if said.word == decide.UNTOLD or kind != 'times':
        return ('untold', 'yes', 'no')[said.word]
    return 'bare' if isnan(said.low + said.high) else 'in' if said.low <= size <= said.high else 'out'


if __name__ == '__main__':
    scene.main(draw)
