# SPDX-License-Identifier: GPL-3.0-or-later
"""How many users fit: which number of users is measured next, and what is known in the end. Pure.

A criterion holds with a number of users by most of its measurements; two of at most three that agree are enough. First larger
numbers are measured, until the criterion is broken; then the middle of the gap; then both sides of it, until they are sure. A side
that turns out otherwise moves the gap, or opens it to more users again. At last the same for the slowest user, where only the upper
side must be sure."""
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, inf, isnan, nan
from typing import NamedTuple

from analysis.command import real

UNMEASURED_MOST = 3  # a number of users that gave no figure so often is not measured again
CRITERIA_MOST = 16
LATE, EARLY, SLOWEST = range(3)  # of the user in front the end against the criterion, and the other; the worst user


class Try(NamedTuple):
    """One measurement. p95: infinite, of the slowest Apdex: 0 if not known; LATE NaN: it was not measured, and does not count. own:
    percent of the server's CPUs that the sessions took. ended, resource: why no session could be added, so that nothing was
    measured."""
    users: int
    p95_ms: tuple[float, float, float]
    apdex: tuple[float, float, float]
    own_percent: float = nan
    ended: str = ''
    resource: str = ''


class Criterion(NamedTuple):
    """Such as p95:100ms (at most), apdex:0.85 (at least)."""
    name: str
    is_apdex: bool
    limit: float

    def is_broken(self, t: Try, end: int) -> bool:
        return not t.apdex[end] >= self.limit if self.is_apdex else not t.p95_ms[end] <= self.limit

    def is_measured(self, t: Try) -> bool:
        return bool(t.ended) or not isnan(t.apdex[LATE] if self.is_apdex else t.p95_ms[LATE])


@dataclass(frozen=True, slots=True)
class Search:
    tries: Sequence[Try]  # in the order of measurement
    criteria: Sequence[Criterion]
    most: int  # users


class Votes(NamedTuple):
    held: int
    broke: int
    untold: bool
    ended: bool
    sure: bool


def count_votes(s: Search, c: Criterion, slowest: bool, users: int) -> Votes:
    held = broke = 0
    untold = ended = False
    for t in s.tries:
        if t.users != users or not c.is_measured(t):
            continue
        if t.ended:
            ended = True
        elif held == 2 or broke == 2:
            continue
        elif c.is_broken(t, SLOWEST if slowest else LATE):
            broke += 1
            untold = untold or (not slowest and not c.is_broken(t, EARLY))
        else:
            held += 1
    return Votes(held, broke, untold, ended, ended or held == 2 or broke == 2)


class Bounds(NamedTuple):
    """bad: smallest number with which the criterion does not hold; good: the next smaller measured one; 0: none. untold: at `bad` the
    other end of a range would have held."""
    good: int = 0
    bad: int = 0
    untold: bool = False


def find_bounds(s: Search, c: Criterion, slowest: bool) -> Bounds:
    """slowest: of the worst user, in place of the user in front."""
    good = 0
    for n in sorted({t.users for t in s.tries if t.users > 0 and c.is_measured(t)}):
        votes = count_votes(s, c, slowest, n)
        if votes.ended or votes.held <= votes.broke:
            return Bounds(good, n, votes.untold)
        good = n
    return Bounds(good)


def find_own(s: Search, users: int) -> float:
    return next((t.own_percent for t in reversed(s.tries) if t.users == users and not isnan(t.own_percent)), nan)


def add_users(s: Search, n: int) -> int:
    """Twice as many, but only one more than the sessions' CPU time allows; at first one more."""
    one, now, more = find_own(s, 1), find_own(s, n), 2.0 * n
    if now > one:
        more = min(more, floor(1 + (100 - one) / (now - one) * (n - 1)) + 1.0)
    if n < 4 or more <= n:
        more = n + 1.0
    return int(more) if more < s.most else s.most


def narrow_gap(s: Search, c: Criterion, slowest: bool) -> int:
    """Where the gap of a criterion is measured next; 0: it is known."""
    b = find_bounds(s, c, slowest)
    if b.bad - b.good > 1:
        return (b.good + b.bad) // 2
    if b.bad and not count_votes(s, c, slowest, b.bad).sure:
        return b.bad
    return b.good if b.good and not slowest and not count_votes(s, c, slowest, b.good).sure else 0


def count_unmeasured(s: Search, users: int = 0) -> int:
    """Measurements, of so many users (0: all), that give no figure of a criterion and no reason."""
    return sum(not all(c.is_measured(t) for c in s.criteria) for t in s.tries if not users or t.users == users)


def find_next(s: Search) -> int:
    for c in s.criteria:
        b = find_bounds(s, c, False)
        if not b.bad and b.good < s.most:
            return add_users(s, b.good) if b.good else 1
    gap = next((n for c in s.criteria if (n := narrow_gap(s, c, False))), 0)
    return gap or next((n for c in s.criteria if find_bounds(s, c, True).good < find_bounds(s, c, False).good
                        and (n := narrow_gap(s, c, True))), 0)


def choose_next(s: Search) -> int:
    """0: all is known that can be measured."""
    following = find_next(s)
    return following if following and count_unmeasured(s, following) < UNMEASURED_MOST else 0


def find_end(s: Search, users: int) -> Try | None:
    """The first measurement with so many users that ended without figures."""
    return next((t for t in s.tries if t.users == users and t.ended), None)


def parse_criteria(text: str) -> list[Criterion]:
    """Of a list with commas. ValueError: something else."""
    names = text.removesuffix(',').split(',')
    criteria = []
    for name in names:
        found = re.fullmatch(r'apdex:\s*([^\s]+)|p95:\s*([^\s]+)ms', name)
        if not found or len(name) > 31 or len(names) > CRITERIA_MOST:
            raise ValueError
        limit = real(found[1] or found[2])
        if not limit > 0 or (found[1] and limit > 1):
            raise ValueError
        criteria.append(Criterion(name, bool(found[1]), limit))
    return criteria


COLUMNS = ('users', 'p95_ms', 'p95_from_ms', 'all_p95_ms', 'apdex', 'apdex_to', 'all_apdex', 'own_percent', 'ended', 'resource')


def read_try(cells: Sequence[str | None]) -> Try:
    """From the cells of COLUMNS. ValueError: a cell is no number."""
    missing = (nan, nan, inf, nan, nan, 0.0, nan)
    p95, early, slowest, apdex, apdex_early, apdex_slowest, own = (
        real(text) if text else other for text, other in zip(cells[1:8], missing))
    users = int(cells[0] or 0)
    if users < 1:
        raise ValueError
    if isnan(p95) and not isnan(early):
        p95 = inf  # a lower bound
    return Try(users, (p95, p95 if isnan(early) else early, slowest), (apdex, apdex if isnan(apdex_early) else apdex_early, apdex_slowest),
               own, cells[8] or '', cells[9] or '')
