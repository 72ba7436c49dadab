# SPDX-License-Identifier: GPL-3.0-or-later
"""How many users fit: which number of users is measured next, and what is known in the end. Pure.

A criterion holds with a number of users by most of its measurements; two of at most three that agree are enough. First larger
numbers are measured, until the criterion is broken; then the middle of the gap; then both sides of it, until they are sure. A
side that turns out otherwise moves the gap, or opens it to more users again. At last the same for the slowest user, where only
the upper side must be sure.
"""
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import floor, inf, isnan, nan
from typing import BinaryIO, NamedTuple

from analysis import tables
from analysis.command import real
from analysis.tables import BadLine

LATE, EARLY, SLOWEST = range(3)  # ends: of the user in front the one against the criterion, and the other; the worst user
UNMEASURED_MOST = 3  # a number of users that gave no figure so often is not measured again
CRITERIA_MOST = 16
NAME_BYTES = 31
COLUMNS = ('users', 'p95_ms', 'p95_from_ms', 'all_p95_ms', 'apdex', 'apdex_to', 'all_apdex', 'own_percent', 'ended', 'resource')


class Try(NamedTuple):
    """One measurement. p95 in ms and apdex by LATE, EARLY, SLOWEST (p95 infinite, of the slowest apdex 0, if not known; LATE NaN:
    it was not measured, and does not count)."""
    users: int
    p95: tuple[float, float, float]
    apdex: tuple[float, float, float]
    own_percent: float = nan  # of the server's CPUs that the sessions took
    ended: str = ''  # not "": why no session could be added, so that nothing was measured
    resource: str = ''


class Criterion(NamedTuple):
    """At least `limit` of apdex; otherwise a p95 of at most `limit` ms."""
    name: str
    apdex: bool
    limit: float

    def is_broken(self, t: Try, end: int) -> bool:
        return not t.apdex[end] >= self.limit if self.apdex else not t.p95[end] <= self.limit

    def is_measured(self, t: Try) -> bool:
        return bool(t.ended) or not isnan((t.apdex if self.apdex else t.p95)[LATE])


class Bounds(NamedTuple):
    """Smallest number with which the criterion does not hold, and the next smaller measured one; 0: none."""
    good: int = 0
    bad: int = 0
    untold: bool = False  # at `bad` the other end of a range would have held


class Votes(NamedTuple):
    held: int
    broke: int
    untold: bool
    ended: bool

    def are_sure(self) -> bool:
        return self.ended or self.held == 2 or self.broke == 2


@dataclass(slots=True)
class Search:
    criteria: Sequence[Criterion]
    most: int  # users
    tries: list[Try] = field(default_factory=list)  # in the order of measurement


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
    return Votes(held, broke, untold, ended)


def find_bounds(s: Search, c: Criterion, slowest: bool) -> Bounds:
    """slowest: of the worst user, in place of the user in front."""
    good = 0
    for n in sorted({t.users for t in s.tries if c.is_measured(t)}):
        votes = count_votes(s, c, slowest, n)
        if votes.ended or votes.held <= votes.broke:
            return Bounds(good, n, votes.untold)
        good = n
    return Bounds(good)


def add_users(s: Search, n: int) -> int:
    """Twice as many, but only one more than the sessions' CPU time allows; at first one more."""
    owns = {t.users: t.own_percent for t in s.tries if not isnan(t.own_percent)}
    one, now, more = owns.get(1, nan), owns.get(n, nan), 2.0 * n
    if now > one:
        room = 1 + (100 - one) / (now - one) * (n - 1)
        more = floor(max(room, 0)) + 1 if room < more else more
    if n < 4 or more <= n:
        more = n + 1
    return int(min(more, s.most))


def narrow_gap(s: Search, c: Criterion, slowest: bool) -> int:
    """Where the gap of a criterion is measured next; 0: it is known."""
    b = find_bounds(s, c, slowest)
    if b.bad - b.good > 1:
        return (b.good + b.bad) // 2
    if b.bad and not count_votes(s, c, slowest, b.bad).are_sure():
        return b.bad
    return b.good if b.good and not slowest and not count_votes(s, c, slowest, b.good).are_sure() else 0


def count_unmeasured(s: Search, users: int = 0) -> int:
    """Measurements, of so many users (0: all), that give no figure of a criterion and no reason."""
    return sum((not users or t.users == users) and not all(c.is_measured(t) for c in s.criteria) for t in s.tries)


def find_next(s: Search) -> int:
    bounds = [(c, find_bounds(s, c, False)) for c in s.criteria]
    for _, b in bounds:
        if not b.bad and b.good < s.most:
            return add_users(s, b.good) if b.good else 1
    steps = [narrow_gap(s, c, False) for c in s.criteria]
    slower = (narrow_gap(s, c, True) for c, b in bounds if find_bounds(s, c, True).good < b.good)
    return next((n for n in steps if n), 0) or next((n for n in slower if n), 0)


def choose_next(s: Search) -> int:
    """0: all is known that can be measured."""
    users = find_next(s)
    return 0 if users and count_unmeasured(s, users) >= UNMEASURED_MOST else users


def find_end(s: Search, users: int) -> Try | None:
    """The first measurement with so many users that ended without figures."""
    return next((t for t in s.tries if t.users == users and t.ended), None)


def parse_criteria(text: str) -> list[Criterion]:
    """Of a list with commas. ValueError: it is none."""
    out = []
    for name in text.removesuffix(',').split(','):
        apdex = name.startswith('a')
        head, tail = ('apdex:', '') if apdex else ('p95:', 'ms')
        if not name.startswith(head) or not name.endswith(tail) or len(os.fsencode(name)) > NAME_BYTES:
            raise ValueError
        limit = tables.strtod(name[len(head):len(name) - len(tail)])
        if not limit > 0 or (apdex and limit > 1):
            raise ValueError
        out.append(Criterion(name, apdex, limit))
    if len(out) > CRITERIA_MOST:
        raise ValueError
    return out


def read_try(cells: Sequence[str | None]) -> Try:
    users = tables.count(cells[0])
    unknown = {3: inf, 6: 0.0}
    p95, p95_from, all_p95, apdex, apdex_to, all_apdex, own = (
        real(cell) if cell else unknown.get(i, nan) for i, cell in enumerate(cells[1:8], 1))
    if not users:
        raise ValueError
    if isnan(p95) and not isnan(p95_from):
        p95 = inf  # a lower bound
    return Try(users, (p95, p95 if isnan(p95_from) else p95_from, all_p95),
               (apdex, apdex if isnan(apdex_to) else apdex_to, all_apdex), own, cells[8] or '', cells[9] or '')


def read(stream: BinaryIO) -> list[Try]:
    """A table of capacity-try/1."""
    out = []
    for line, cells in tables.read_schema(stream, 'capacity-try/1', COLUMNS, len(COLUMNS)):
        try:
            out.append(read_try(cells))
        except (ValueError, OverflowError):
            raise BadLine('', line) from None
    return out
