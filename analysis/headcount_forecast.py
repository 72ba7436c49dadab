# SPDX-License-Identifier: GPL-3.0-or-later
"""Number of users that a criterion allows, predicted from measurements with few users by an M/D/m queue. Pure.

The CPU utilization is a straight line over keys per second (utilization law; the intercept is what sessions take without keys). A
key waits for other users' keys as random arrivals do at as many servers as there are CPUs, where each key costs the same: half the
wait of exponential service (Pollaczek 1930, Khinchine 1932), with an exponential tail: P(W > t) = p exp(-t / theta), theta = D / (2
m (1 - u)); the share of keys that wait is p = u^(sqrt(2 (m + 1)) - 1) (Sakasegawa 1977; exact for m = 1). User 1 does not wait for
its own keys, so u in p is the utilization by the other users. The latency of one user alone (application, frame timer, link) is
added; deviations of independent parts add in squares."""
from collections.abc import Sequence
from dataclasses import dataclass
from math import fabs, floor, hypot, inf, isfinite, isnan, nan
from typing import NamedTuple

from analysis import figures, headcount, spreads
from analysis.figures import Figure
from analysis.headcount import Limit, Search, Step
from analysis.numbers import exp, least, log, most, power, sqrt, total

ROWS_LEAST = 3
ROWS_MOST = 4096
USERS_MOST = 10000
TAIL = 0.05  # share of latencies beyond p95
# Resources whose utilization is a line over keys per second. One whose utilization does not grow is never full.
LINES = {'CPU': 'own_percent', 'viewers': 'client_busy_percent', 'link': 'link_percent'}


@dataclass(frozen=True, slots=True)
class Line:
    """A fitted line, with the 95 % interval (Student's t) of its slope; of the x values the mean, and the variance (over n)."""
    slope: float
    low: float
    high: float
    start: float
    mean_x: float
    spread: float
    n: int

    def height(self, x: float, side: int) -> float:
        """At x; side -1 or 1: the lower or upper end of its interval, 0: the line. The variance of the height at x is that of the
        slope times (Sxx / n + (x - mean)^2)."""
        return self.start + self.slope * x + side * (self.high - self.low) / 2 * sqrt(self.spread + (x - self.mean_x) ** 2)

    def reaches(self, full: float, side: int) -> float:
        """The smallest x at which the line (by `side`) is at least `full`."""
        low, high = self.mean_x, most([2 * fabs(self.mean_x), 1.0])
        if self.height(low, side) >= full:
            return low
        while self.height(high, side) < full:
            high *= 2
            if high > 1e9:
                return inf
        while low < (middle := (low + high) / 2) < high:
            low, high = (low, middle) if self.height(middle, side) >= full else (middle, high)
        return high


def first_third(s: Search, limits: Sequence[Limit]) -> list[Step]:
    """Of each repeat's curve: the rows with at most a third of the first number of users for which the criterion did not hold (or
    of the largest number, where it always held), or more until there are ROWS_LEAST; the criterion held for all of them."""
    rows: list[Step] = []
    for limit in limits:
        own = [step for step in s.steps if step.repeat == limit.repeat]
        end = max((float(step.users) for step in own), default=nan) if isnan(limit.beyond) else limit.beyond
        chosen: list[Step] = []
        for step in own:
            enough = len(chosen) >= ROWS_LEAST and step.users * 3 > end
            is_known = isfinite(step.of['own_percent']) and isfinite(step.of['keys_per_s'])
            if not enough and not step.users >= limit.beyond and is_known:
                chosen.append(step)
        rows += chosen if len(chosen) >= ROWS_LEAST else []
    return rows[:ROWS_MOST]


def fit(rows: Sequence[Step], by_keys: bool, figure: str, scale: float) -> Line | None:
    """To a figure over keys per second, or over users. None: fewer than three points, or all at the same x."""
    points = [(step.of['keys_per_s'] if by_keys else float(step.users), scale * step.of[figure]) for step in rows]
    points = [(x, y) for x, y in points if isfinite(x) and isfinite(y)]
    x, n = [p[0] for p in points], len(points)
    if n < 3:
        return None
    line = spreads.fit(x, [p[1] for p in points])
    slope = spreads.slope_interval(line)
    mean = total(v / n for v in x)
    return Line(line.slope, *slope, line.start, mean, total((v - mean) ** 2 / n for v in x), n) if slope else None


# --- the queue ----------------------------------------------------------------------------------------------------

class Queue(NamedTuple):
    cpu: Line  # share of all CPUs, 0 to 1, over keys per second of all users
    servers: float
    rate: float  # keys per second of user 1, and of each other user
    typing: float
    mean_ms: float  # latency of one user alone
    p95_ms: float
    target_ms: float  # target response time T of Apdex


def full_users(s: Search, line: Line, side: int) -> float:
    """With whom the line reaches 100 percent."""
    return 1 + (line.reaches(100, side) - headcount.rate(s.cell.run)) / headcount.typing(s.cell.run)


def wait_share(p: float, theta: float, ms: float) -> float:
    return 1.0 if ms < 0 else p * exp(-ms / theta) if theta > 0 else 0.0


def holds(q: Queue, users: int, apdex: bool, value: float, side: int) -> bool:
    """side -1, 1: by the lower or upper end of the line's interval."""
    slope = q.cpu.high if side > 0 else q.cpu.low if side < 0 else q.cpu.slope
    u = q.cpu.height(q.rate + q.typing * (users - 1), side)
    if not u < 1:
        return False
    others = min(max(u - q.rate * slope, 0.0), 1.0) if users > 1 else 0.0
    p = power(others, sqrt(2 * (q.servers + 1)) - 1)
    theta = 1000 * max(slope, 0.0) / (1 - u) / 2  # slope: service time D over number of servers m
    if apdex:
        return 1 - (wait_share(p, theta, q.target_ms - q.mean_ms) + wait_share(p, theta, 4 * q.target_ms - q.mean_ms)) / 2 >= value
    late = most([theta * log(p / TAIL) - p * theta, 0.0]) if p > TAIL else 0.0
    return q.mean_ms + p * theta + hypot(q.p95_ms - q.mean_ms, late) <= value


def most_users(q: Queue, apdex: bool, value: float, side: int) -> float:
    """0: not even one; infinite: no limit."""
    return next((users - 1.0 for users in range(1, USERS_MOST + 1) if not holds(q, users, apdex, value, side)), inf)


# --- the forecast -------------------------------------------------------------------------------------------------

class Forecast(NamedTuple):
    """of: the resource at its limit; why: there is none; most: largest number of users in the first third."""
    users: Figure
    of: str
    why: str
    most: float


def forecast(s: Search, limits: Sequence[Limit]) -> Forecast:
    """From the first third of the curves of limits of one criterion."""
    run, rows, wanted = s.cell.run, first_third(s, limits), headcount.criterion(limits[0].criterion)
    rate, typing = headcount.rate(run), headcount.typing(run)
    last = max((float(step.users) for step in rows), default=nan)

    def none(why: str) -> Forecast:
        return Forecast(Figure(), '', why, last)
    if len(rows) < ROWS_LEAST or not wanted or not typing > 0 or not rate > 0:
        return none('fewer than three numbers of users were good')
    ones = [step for step in rows if step.users == 1 and isfinite(step.of['p95_ms'])]
    if not ones:
        return none('one user alone was not measured')
    cpu = fit(rows, True, 'own_percent', 0.01)
    if not cpu or not cpu.low > 0:
        return none('the first third tells nothing: the interval of what a key takes of the CPU holds 0')
    mean, p95 = (total(step.of[name] for step in ones) / len(ones) for name in ('mean_ms', 'p95_ms'))
    q = Queue(cpu, s.servers, rate, typing, mean, p95, run.threshold_ms)
    users, name = figures.estimate(*(most_users(q, *wanted, side) for side in (0, 1, -1))), 'CPU'
    for resource, figure in list(LINES.items())[1:]:
        line = fit(rows, True, figure, 1)
        if not line or not line.low > 0:
            continue
        high, middle, low = (float(floor(found + 1e-9)) if isfinite(found) else found
                             for found in (full_users(s, line, side) for side in (-1, 0, 1)))
        # the least of what all allow: also what is not the least may be, and the least is at most the high end of each
        name = resource if middle < users.value else name
        users = figures.estimate(*(least(two) for two in ((users.value, middle), (users.low, low), (users.high, high))))
    return Forecast(users, name, '', last)


# --- what a key needs ---------------------------------------------------------------------------------------------

class Slope(NamedTuple):
    """What a key takes of a resource (memory: what a user takes), and the number of users that fill it. none: without a key."""
    name: str
    points: int
    none: float
    slope: Figure
    users: Figure


def fit_slopes(s: Search, limits: Sequence[Limit]) -> list[Slope]:
    """The fitted lines are followed by memory: a user takes what the available memory shrinks by."""
    rows, out = first_third(s, limits), []
    for name, figure in {**LINES, 'memory': 'available_bytes'}.items() if rows else ():
        memory = name == 'memory'
        line = fit(rows, not memory, figure, -1.0 / 1048576 if memory else 1)
        if not line:
            continue
        # 1 % of a CPU at 1 key/s is 10 ms of CPU time per key; the percentage is of all CPUs together
        scale = 10 * s.servers if name == 'CPU' else 1
        middle, low, high = (nan if not line.slope > 0 else line.reaches(0, side) if memory else full_users(s, line, side)
                             for side in (0, 1, -1))
        out.append(Slope(name, line.n, -line.start if memory else line.start,
                         figures.estimate(scale * line.slope, scale * line.low, scale * line.high),
                         figures.estimate(middle, low, high)))
    return out
