#!/usr/bin/python3 -IB
# SPDX-License-Identifier: GPL-3.0-or-later
# rules: decides by intervals whether a run's figure agrees with a paper's.
"""In each row one figure is `size` times the other one; the paper has it `then` times as large. number=1: the other one is a number
that is known; bound=1: of the one only the lower end is. Says "then", "smaller", "contrary" or "untold"."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import scene  # noqa: E402
import repeats  # noqa: E402
from analysis import decide  # noqa: E402
from analysis.decide import CONTRARY, SAME, Claim, Figure  # noqa: E402


def scale(f, by):
    return Figure(f.start * by, f.end * by, f.low * by, f.high * by, f.repeats)


def draw(s, rng):
    rows, ours, base = int(s.number('rows', 1)), [], []
    for i in range(rows):
        one = repeats.draw(s, rng, s.number('half' if i < rows // 2 else 'size', s.number('size', 1)))
        ours.append(repeats.bound(one) if s.number('bound', 0) > 0 else one)
        base.append(repeats.ABSENT if i < int(s.number('lacking', 0)) else repeats.know(1) if s.number('number', 0) > 0
                    else repeats.draw(s, rng, 1))
    claims = []
    for word in range(3):
        for one, other in zip(ours, base):
            paper = scale(other, s.number('then', 2) if word == SAME else 1)
            a, b = (paper, one) if word == CONTRARY else (one, paper)
            claims.append(Claim('above', 1, a, b, rule=word + 1, says=word, some=int(s.number('some', 0)),
                                whole=int(s.number('whole', 1))))
    return ('then', 'smaller', 'contrary', 'untold')[decide.rules(claims)[0]]


if __name__ == '__main__':
    scene.main(draw)
