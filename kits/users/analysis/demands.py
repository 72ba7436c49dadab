# SPDX-License-Identifier: GPL-3.0-or-later
"""Service demand of a request at each resource, estimated from measured rows by least squares, with 95 % intervals. Pure.

Two sources, which can be combined. Busy times: U = X D for each resource (utilization law; Denning & Buzen 1978), a line through
the origin. Response times: stations and a delay for which the model (queue_models.py where rows have n and z, else an open M/M/1
each) gives the measured times; relative errors, from several starting points. Demands stay positive (their logarithms are
fitted)."""
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import exp, expm1, fabs, floor, inf, isfinite, isnan, log, nan, sqrt
from typing import NamedTuple

from analysis import least_squares
from analysis.observed import Observed, Row
from analysis.queue_models import STATIONS, Network, Solution, last_within, ratio, solve, solve_open
from analysis.special import t_quantile

LEVEL = 0.975  # quantile of a two-sided 95 % interval
FREE = 9  # most stations and delays that are fitted to response times
FAR = 50.0  # residual that replaces an infinite one
TURNS = 200
HALVES = 100  # steps of a bisection: a double has no more digits
LEVERED = 1e-6  # smallest 1 - leverage of a row whose residual counts: a row that alone determines a demand has no residual
NOTHING = 1e-3  # share of the shortest response time below which a delay is dropped
SHARES = (0.9, 0.5, 0.2, 0.05)  # of the shortest response time that a station has at the start
FAR_OFF = 0.2  # error of response times, as a logarithm, that no measurement noise explains
ROW_OFF = 0.2  # a response shorter than the service demands, or a utilization above 1, by more than this share is no noise
FEW_ROWS = 'more free demands than rows with a response time and a load (n and z_s, or lambda): fewer --stations, or more rows'
NO_RATES = ('busy times without rates, or all 0: give lambda (or n, z and the response time) beside each u_ column, or leave it '
            'out')


class Unknown(Exception):
    """The rows do not suffice; the text says why."""


class Estimate(NamedTuple):
    """A value in s, and the ends of its interval (NaN: none)."""
    value: float = 0.0
    low: float = nan
    high: float = nan


@dataclass(frozen=True, slots=True)
class Demands:
    stations: list[Estimate] = field(default_factory=list)  # those with a busy time first, in the order of their columns
    delay: Estimate = Estimate()
    busy: int = 0  # stations with a busy time
    rows: int = 0  # used
    response_rows: int = 0  # with a response time that was fitted; 0: busy times alone
    error: float = nan  # root mean square of log(predicted / measured) response time

    def net(self) -> Network:
        return Network([station.value for station in self.stations], self.delay.value)

    def end(self, high: bool) -> Network:
        """All demands at the one or the other ends of their intervals."""
        at = 2 if high else 1
        return Network([station[at] for station in self.stations], self.delay[at] if isfinite(self.delay[at]) else self.delay.value)


def predict(net: Network, method: str, rows: Sequence[Row]) -> list[Solution]:
    """By the model: closed where n and z_s are numbers, else open at the row's rate."""
    closed: dict[float, set[float]] = {}
    for row in rows:
        if isfinite(row.n) and isfinite(row.z_s):
            closed.setdefault(row.z_s, set()).add(row.n)
    solved = {z_s: solve(net, method, loads, z_s) for z_s, loads in closed.items()}
    return [solved[row.z_s][row.n] if isfinite(row.n) and isfinite(row.z_s) else solve_open(net, row.rate) for row in rows]


def most_users(net: Network, method: str, r_s: float, nz: float, z_s: float, most: float) -> float:
    """The largest number of users whose response time is at most r_s; 0: not even one; infinite: more than `most`. Users think for
    z_s, or for n / nz if nz is a number."""
    def most_s(n: float) -> float:
        """All others wait at the same station."""
        return n * (net.least_s() - net.delay_s) + net.delay_s

    def exceeds(n: float) -> bool:
        z = n / nz if isfinite(nz) else z_s
        surely = net.bound_s(n, z) > r_s
        return surely or (most_s(n) > r_s and solve(net, method, [n], z)[n].r_s > r_s)

    if method == 'exact' and not isfinite(nz):  # one pass tells
        end = 2 ** int(most).bit_length()
        last = end if most_s(end) <= r_s else last_within(net, z_s, r_s, end)
        return inf if last >= end else float(last)
    low, high = 0.0, 1.0
    while not exceeds(high):
        low, high = high, high * 2
        if low > most:
            return inf
    while high - low > 1:
        middle = float(floor((low + high) / 2))
        low, high = (low, middle) if exceeds(middle) else (middle, high)
    return low


def most_rate(net: Network, r_s: float) -> float:
    """The highest rate of an open stream whose response time is at most r_s; 0: even a single request takes longer."""
    low, high = 0.0, net.most_rate()
    if net.least_s() > r_s:
        return 0.0
    if not isfinite(high):
        return inf
    for _ in range(HALVES):
        middle = (low + high) / 2
        low, high = (low, middle) if solve_open(net, middle).r_s > r_s else (middle, high)
    return low


# --- busy times ---------------------------------------------------------------------------------------------------

def row_rate(row: Row) -> float:
    return row.rate if isfinite(row.rate) else ratio(row.n, row.r_s + row.z_s)


def squares_left(pulls: Iterable[tuple[float, float]]) -> float:
    """Of residuals with their leverage: each counts by itself, over one minus its leverage (HC3; MacKinnon & White 1985)."""
    return sum((left / (1 - lever)) ** 2 for left, lever in pulls if 1 - lever > LEVERED)


def slope(pairs: Sequence[tuple[float, float]]) -> Estimate:
    """Of a line through the origin: total busy time over total requests, which is least squares with errors that grow with the load
    (Denning & Buzen 1978)."""
    sum_x, sum_y = sum(x for x, _ in pairs), sum(y for _, y in pairs)
    value = ratio(sum_y, sum_x)
    if not value > 0 or not isfinite(value):
        raise Unknown(NO_RATES)
    if len(pairs) < 2:
        return Estimate(value)
    own = squares_left((y - value * x, x / sum_x) for x, y in pairs)
    half = t_quantile(len(pairs) - 1, LEVEL) * sqrt(own) / sum_x
    return Estimate(value, 0.0 if half > value else value - half, value + half)


def fit_busy(rows: Sequence[Row], resources: int) -> list[Estimate]:
    return [slope([(rate, row.used[k]) for row in rows if isfinite(rate := row_rate(row)) and isfinite(row.used[k])])
            for k in range(resources)]


# --- response times -----------------------------------------------------------------------------------------------

class Problem(NamedTuple):
    """Stations, and perhaps a delay behind them, to fit to the response times of these rows."""
    rows: list[Row]
    known: list[float]  # demands of the other stations
    stations: int
    delay: bool
    method: str

    def free(self) -> int:
        return self.stations + self.delay


class Logarithms(NamedTuple):
    values: list[float]
    errors: list[float]  # standard errors; NaN: none
    squares: float


def is_fittable(row: Row) -> bool:
    return row.r_s > 0 and (row.n >= 1 if isfinite(row.z_s) else row.rate > 0)


def power(logarithm: float) -> float:
    try:
        return exp(logarithm)
    except OverflowError:
        return inf


def log_ratio(a: float, b: float) -> float:
    return log(a / b) if 0 < a / b < inf else nan


def residuals(p: Problem, values: list[float]) -> list[float]:
    demands = [power(v) for v in values]
    net = Network(p.known + demands[:p.stations], demands[p.stations] if p.delay else 0.0)
    off = [(log_ratio(at.r_s, row.r_s), at.r_s < row.r_s) for at, row in zip(predict(net, p.method, p.rows), p.rows)]
    return [value if fabs(value) < FAR else -FAR if is_less else FAR for value, is_less in off]


def standard_errors(fit: least_squares.Fit, squares: float) -> list[float]:
    """The usual ones, for equal errors of rows, or those of slope() (HC3), whichever is larger."""
    n, p = len(fit.residuals), len(fit.values)
    gram = least_squares.invert_gram(fit.slopes) if n > p else None
    if not gram or not all(gram[k][k] > 0 for k in range(p)):
        return [nan] * p
    rows = list(zip(*fit.slopes))
    levers = [sum(gram[a][b] * row[a] * row[b] for a in range(p) for b in range(p)) for row in rows]
    return [sqrt(max(gram[k][k] * squares / (n - p), squares_left(
        (least_squares.dot(gram[k], row) * left, lever) for row, left, lever in zip(rows, fit.residuals,
                                                                                    levers)))) for k in range(p)]


def starts(p: Problem) -> Iterable[list[float]]:
    """The shortest response time divided among the stations in different ways, with no station overloaded at the highest rate."""
    shortest = min(row.r_s for row in p.rows)
    fastest = max([rate for rate in map(row_rate, p.rows) if isfinite(rate)], default=0.0)
    for share in SHARES:
        left, begin = shortest, []
        for _ in range(p.stations):
            demand = min(share * left, 0.9 / fastest if fastest > 0 else inf)
            left -= demand
            begin.append(log(demand))
        yield [*begin, log(max(left, 0.01 * shortest))] if p.delay else begin


def fit_starts(p: Problem) -> Logarithms:
    """The best fit from several starting points."""
    fits = [least_squares.minimize(lambda values: residuals(p, values), begin, TURNS) for begin in starts(p)]
    squares = [least_squares.dot(fit.residuals, fit.residuals) for fit in fits]
    best = min(range(len(fits)), key=squares.__getitem__)
    return Logarithms(fits[best].values, standard_errors(fits[best], squares[best]), squares[best])


def fit_responses(d: Demands, rows: list[Row], stations: int | None, delay: bool, method: str) -> Demands:
    """Adds stations and a delay fitted to response times. `stations` None: none if there are busy times, else one."""
    p = Problem(rows, [s.value for s in d.stations], (0 if d.busy else 1) if stations is None else stations, delay, method)
    if not rows and d.busy:  # busy times are enough
        return d
    if p.delay and p.stations and len(rows) == p.stations:
        p = p._replace(delay=False)
    if not (p.free() <= FREE and p.stations + d.busy <= STATIONS and rows and len(rows) >= p.free()):
        raise Unknown(FEW_ROWS)
    shortest = min(row.r_s for row in rows)
    found = fit_starts(p) if p.free() else Logarithms([], [], 0.0)
    if p.delay and p.stations + d.busy and power(found.values[-1]) < NOTHING * shortest:
        p = p._replace(delay=False)
        found = fit_starts(p) if p.stations else Logarithms([], [], 0.0)
    t = t_quantile(len(rows) - p.free(), LEVEL) if len(rows) > p.free() else nan
    estimates = [Estimate(power(v), power(v - t * e), power(v + t * e)) for v, e in zip(found.values, found.errors)]
    return Demands(d.stations + estimates[:p.stations], estimates[-1] if p.delay else Estimate(), d.busy, d.rows, len(rows))


def estimate(o: Observed, method: str = 'exact', first: int = 0, stations: int | None = None, delay: bool = True) -> Demands:
    """From the first rows (0: all). Unknown: they do not suffice."""
    rows = o.rows[:first] if first else o.rows
    busy = fit_busy(rows, len(o.resources))
    fittable = [row for row in rows if is_fittable(row)]
    d = fit_responses(Demands(busy, busy=len(busy), rows=len(rows)), fittable, stations, delay, method)
    if not d.response_rows:
        return d
    off = [log_ratio(at.r_s, row.r_s) for at, row in zip(predict(d.net(), method, fittable), fittable)]
    error = sqrt(least_squares.dot(off, off) / len(off))
    return Demands(d.stations, d.delay, d.busy, d.rows, d.response_rows, error)


# --- what a fit is worth ------------------------------------------------------------------------------------------

def contradicts_rows(d: Demands, o: Observed) -> bool:
    """A fitted row's response is shorter than the demands are together, or its requests keep a station busy for more than the
    time."""
    net = d.net()
    return any(row.rate * net.longest_s() > 1 + ROW_OFF or row.r_s < (1 - ROW_OFF) * net.least_s() for row in o.rows[:d.rows])


def is_meaningless(d: Demands, o: Observed) -> bool:
    """Response times are too far from the model, or fitted rows contradict the demands."""
    return d.error > FAR_OFF or contradicts_rows(d, o)


def warning(d: Demands, o: Observed) -> str | None:
    if d.error > FAR_OFF:
        return 'the model cannot explain these response times (error_percent): demands and predictions mean nothing'
    if contradicts_rows(d, o):
        return ('rows contradict these demands: a response shorter than they are, or more requests than they allow '
                '(utilization above 1): demands and predictions mean nothing')
    if (d.response_rows and d.delay.value > 0 and isnan(d.delay.low)) or any(isnan(s.low) for s in d.stations):
        return ('these rows do not determine all demands and the delay (too few, too similar, or all at saturation): '
                'a value without interval is one of many that fit')
    return None


def error_percent(d: Demands) -> float:
    return 100 * expm1(d.error)
