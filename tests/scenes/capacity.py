#!/usr/bin/python3 -IB
# SPDX-License-Identifier: GPL-3.0-or-later
# capacity: searches for the largest number of users whose p95 is at most 100 ms, on a made-up server.
"""Said: right, near (10 %, or one user), low or high; "all-right" or "all-wrong" of the number with which the slowest user meets
the criterion, too; "open" if no limit was reached; "untold"; "long" for over 40 measurements."""
import sys
from math import exp, inf
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import scene  # noqa: E402
from analysis import search  # noqa: E402
from analysis.search import Search, Try  # noqa: E402


def measure(s, n, first, rng):
    """One measurement with n users; `first`: no other was before with that number."""
    fit, spread = s.number('fit', 20), s.number('range', 0)
    p95 = (30 if n <= fit else 300) if s.number('step', 0) > 0 else 100 * (n / (fit + 0.5)) ** s.number('power', 2)
    p95 *= exp(s.number('noise', 0) / 100 * rng.normal())
    if 100 * rng.fraction() < s.number('disturbed', 0) or (first and n == s.number('wrong', 0)):
        p95 *= 10
    if first and n == s.number('pass', 0):
        p95 = 1
    if n >= s.number('unanswered', inf):
        p95 = inf
    full = 'memory is full' if n >= s.number('full', inf) else ''
    slow = max(p95, 200) if n > s.number('slowest', inf) else p95
    late, early = p95, min(p95, 20) if n > fit - spread else p95
    if spread > 0 and early < p95:
        late = slow = 900
    else:
        early = late
    return Try(n, (late, early, slow), (1, 1, 1), 100 * n / (fit + 2), full, '')


def draw(s, rng):
    found = Search(search.parse_criteria('p95:100ms'), int(s.number('most', 64)))
    truth = s.number('fit', 20) - s.number('range', 0)
    slowest = s.number('slowest', truth)
    truth = min(truth, s.number('full', inf) - 1, s.number('unanswered', inf) - 1, found.most)
    while len(found.tries) < 200 and (n := search.choose_next(found)):
        found.tries.append(measure(s, n, all(t.users != n for t in found.tries), rng))
    b = search.find_bounds(found, found.criteria[0], False)
    off = b.good - truth
    every = search.find_bounds(found, found.criteria[0], True).good
    return ' '.join(['right near' if off == 0 else 'near' if abs(off) <= max(1, truth / 10) else 'low' if off < 0 else 'high',
                     'all-right' if every == min(slowest, truth) else 'all-wrong', '' if b.bad else 'open',
                     'untold' if b.untold else '', 'long' if len(found.tries) > 40 else ''])


if __name__ == '__main__':
    scene.main(draw)
