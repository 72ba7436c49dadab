# SPDX-License-Identifier: GPL-3.0-or-later
"""queue - queueing models of users and servers: closed networks, single queues, number of users behind a load, and service demands
from measured rows. The models are in queue_models.py, their fit to measured rows in demands.py; observed.py reads these rows."""
from collections.abc import Callable, Iterable, Sequence
from math import floor, inf, isfinite, isinf, isnan, nan
from typing import Any, NamedTuple

from analysis import demands, queue_models, report, tables, words
from analysis.command import LOSSY, OK, Given, Option, Stop, Usage, nanoseconds, open_input, parse, real
from analysis.demands import Demands
from analysis.observed import Observed, Row, read_rows
from analysis.queue_models import METHODS, STATIONS, Network, Queue, Solution, ratio
from analysis.report import Report, reals
from analysis.tables import BadLine

DIGITS = 9  # decimals of reported figures, for exact comparisons
USERS = 1e7  # most
WORK = 1e9  # most users times stations, over all rows: takes minutes
LIST = 10000  # most values of a list
THINKS = 3  # think times that fit beside the other columns of the text
LITTLE = 0.2  # deviation of N from lambda (R + Z) from which on a row contradicts itself
TELLS = 4  # the forecast's ends may differ by so much; beyond that it tells nothing
NAMES = 172  # bytes of names of rows after which a list of them ends
PLOT = ('kind', 'n', 'z_s', 'lambda', 'q', 'r_s', 'r_asymptote_s', 'x_bound')
LITTLE_WARNING = ("the rows' users are not those that their rates and times tell (N = lambda (R + Z)): "
                  'not all of them asked, or the think time is another')


def read_list(text: str, read: Callable[[str], float]) -> list[float]:
    """Numbers or times in the given order: 1,2,5 or 100:1000:100 (FROM:TO:STEP, with TO if a step meets it)."""
    out: list[float] = []
    for part in text.split(','):
        values = [read(word) for word in part.split(':')]
        if len(values) not in (1, 3):
            raise ValueError
        start, end, by = values if len(values) == 3 else (values[0], values[0], 1.0)
        steps = floor((end - start) / by + 1e-9) if by > 0 and end >= start else LIST  # (0.1 is no exact double)
        if len(values) == 3 and steps >= LIST:
            raise ValueError
        out += [start + i * by for i in range(steps + 1)] if len(values) == 3 else values
        if len(out) > LIST:
            raise ValueError
    return out


def seconds(text: str) -> float:
    ns = nanoseconds(text)
    if ns < 0:
        raise ValueError
    return ns / 1e9


def read_pages(text: str) -> float:
    """9:15: 9 pages are 15 objects."""
    pages, objects = (real(word.lstrip()) for word in text.split(':'))
    if not (0 < pages <= 1e9 and 0 < objects <= 1e9):
        raise ValueError
    return pages / objects


def times(text: str) -> list[float]:
    return read_list(text, seconds)


def numbers(text: str) -> list[float]:
    return read_list(text, real)


OPTIONS = (
    Option('demand', 'call', 'time that a request needs of each station', of='mva', read=times,
           meta='TIME,..., such as 50ms,40ms,30ms'),
    Option('delay', 'time', 'time of a request outside the stations (0)', low=0, high=1e15, of='mva'),
    Option('users', 'call', 'number of users', letter='n', of='mva, mm1n, fit', read=numbers, meta='N,... or FROM:TO:STEP'),
    Option('think-time', 'call', "mean think time; users: a list, or FROM:TO:STEP (fit: the last row's)", letter='z',
           of='mva, mm1n, fit, users', read=times, meta='TIME[,...]'),
    Option('users-per-second', 'real', 'instead of -z: think time in seconds = users / RATIO', low=1e-9, high=1e9,
           of='mva, mm1n, fit', meta='RATIO'),
    Option('method', 'word', "exact, or Schweitzer's approximation (exact)", of='mva, fit', words=METHODS),
    Option('tolerance', 'real', "convergence threshold of Schweitzer's iteration, in requests (0: machine precision)", low=0,
           high=1, of='mva', meta='REQUESTS'),
    Option('rate', 'call', 'requests a second', of='mm1, mmm, users', read=numbers, meta='RATE,... or FROM:TO:STEP'),
    Option('service', 'time', 'mean service time', low=1, high=1e15, of='mm1, mmm, mm1n'),
    Option('servers', 'int', 'number of servers', low=1, high=1e6, of='mmm'),
    Option('response', 'time', 'measured response time', low=0, high=1e15, of='users'),
    Option('pages', 'call', 'PAGES pages are OBJECTS requests (1:1)', of='users', read=read_pages, meta='PAGES:OBJECTS'),
    Option('column', 'text', 'column of the response time (r_s or r_ms)', of='users, fit', meta='NAME'),
    Option('first', 'int', 'fit the first ROWS rows, predict the others (all)', low=1, high=1e6, of='fit', meta='ROWS'),
    Option('stations', 'int', 'stations to fit to response times (1; 0 if busy times are given)', low=0, high=8, of='fit'),
    Option('no-delay', 'flag', 'fit no constant delay outside the stations', of='fit'),
    Option('threshold', 'time', 'predict the most users (open stream: requests a second) at this response time', low=1, high=1e15,
           of='fit'),
    Option('rows', 'file', 'write rows for a plot', of='mva, fit'),
    *report.OPTIONS,
)


class Output(NamedTuple):
    """The report of one model, and rows for a plot."""
    given: Given
    report: Report
    plot: list[tuple[str | float, ...]]

    def add_plot(self, kind: str, n: float, z_s: float, rate: float, r_s: float, net: Network | None = None) -> None:
        bounds = (n * net.longest_s() - z_s, net.bound_rate(n, z_s)) if net and isfinite(n) and isfinite(z_s) else (nan, nan)
        self.plot.append((kind, n, z_s, rate, rate * r_s, r_s, *bounds))

    def used(self, shares: Iterable[float]) -> Any:
        """Utilizations: an array in JSON and TSV, one word in text."""
        shares = list(shares)
        if (self.given['format'] or 'text') == 'text':
            return ' '.join(f'{u:.4f}' for u in shares)
        return [report.real(u, DIGITS) for u in shares]


def begin(given: Given, model: str, **settings: Any) -> Output:
    report.refuse_same_outputs(o=given['output'] or '-', rows=given['rows'])
    out = Output(given, Report('queue', given), [])
    out.report.settings = {'model': model, **settings}
    return out


def close(out: Output, rows: Any = None) -> None:
    if rows:
        tables.write_rows(rows, out.given['rows'], 'queue/1', PLOT, out.plot)
    out.report.close()


def load_text(load: float) -> str:
    """A number of users or a rate; users are whole except for Schweitzer's approximation."""
    return 'without end' if isinf(load) else words.count(int(load)) if load == floor_of(load) else words.number(load)


def floor_of(value: float) -> float:
    return float(floor(value)) if isfinite(value) else value


def users_text(n: float) -> report.Number | None:
    return report.real(n, 0 if floor_of(n) == n else 3)


# --- closed networks ----------------------------------------------------------------------------------------------

def require_users(given: Given, fractions: bool, stations: int) -> None:
    """Whole numbers of users (except for Schweitzer's approximation), not too many."""
    loads = given['users'] or []
    for n in loads:
        if not 1 <= n <= USERS or (not fractions and floor(n) != n):
            raise Usage(f'-n {n:g}: {"users" if fractions else "whole users"} from 1 to {USERS:.0f}')
    if sum(loads) * stations > WORK:
        raise Usage('-n: exact results for so many users take too long; give fewer, or --method schweitzer')


def think_time(given: Given, n: float, otherwise: float) -> float:
    think = given['think-time']
    return float(n / given['users-per-second'] if given['users-per-second'] else think[0] if think else otherwise)


def require_think_time(given: Given, model: str) -> None:
    if given['users-per-second'] and given['think-time']:
        raise Usage('give only one of -z and --users-per-second, which sets the think time')
    if not given['users']:
        raise Usage(f'queue {model} needs -n, such as 100:1000:100')
    if len(given['think-time'] or []) > 1:
        raise Usage(f'queue {model} takes one think time: -z TIME')
    if not given['users-per-second'] and not given['think-time']:
        raise Usage(f'queue {model} needs a think time: -z TIME, or --users-per-second RATIO')


def points_table(out: Output) -> report.Table:
    out.report.main_table = 'rows'
    return out.report.table('rrrr', 'users', 'throughput', 'response', 'busiest')


def add_point(table: report.Table, n: float, rate: float, r_s: float, used: Sequence[float]) -> None:
    table.row(load_text(n), f'{words.number(rate)}/s', words.time(r_s * 1e9), f'{words.number(100 * max([0.0, *used]))} %')


def solve_loads(net: Network, method: str, points: Sequence[tuple[float, float]]) -> list[Solution]:
    """For each number of users and think time; one pass for all loads of a think time."""
    loads: dict[float, set[float]] = {}
    for n, z_s in points:
        loads.setdefault(z_s, set()).add(n)
    solved = {z_s: queue_models.solve(net, method, of, z_s) for z_s, of in loads.items()}
    return [solved[z_s][n] for n, z_s in points]


def add_points(out: Output, net: Network, method: str, last_z: float, both: bool) -> list[dict[str, Any]]:
    """Predictions for each number of users; `both`: with the figures of the other method."""
    points = [(n, think_time(out.given, n, last_z)) for n in out.given['users']]
    other = METHODS[method == METHODS[0]]
    solved = solve_loads(net, method, points)
    others = solve_loads(net, other, points) if both else solved
    table, rows = points_table(out), []
    for (n, z_s), p, o in zip(points, solved, others):
        rows.append({
            'n': users_text(n), 'z_s': report.real(z_s, 6),
            **reals(DIGITS, nz=ratio(n, z_s), **{'lambda': p.rate}, q=p.queue(), qz=ratio(p.queue(), z_s), r_s=p.r_s, x=p.rate),
            'u': out.used(p.used), **reals(DIGITS, r_least_s=net.bound_s(n, z_s), x_most=net.bound_rate(n, z_s)),
            **(reals(DIGITS, **{f'lambda_{other}': o.rate, f'q_{other}': o.queue()}) if both else {})})
        add_point(table, n, p.rate, p.r_s, p.used)
        out.add_plot('model', n, z_s, p.rate, p.r_s, net)
    return rows


def bounds(net: Network) -> dict[str, Any]:
    return reals(DIGITS, demand_max_s=net.longest_s(), x_most=net.most_rate(), r_least_s=net.least_s())


def run_mva(model: str, given: Given) -> int:
    stations, method = given['demand'] or [], given['method'] or 'exact'
    net = Network(stations, (given['delay'] or 0) / 1e9, given['tolerance'] or 0.0)
    if not stations:
        raise Usage('queue mva needs --demand, such as 50ms,40ms,30ms')
    if len(stations) > STATIONS:
        raise Usage(f'--demand: at most {STATIONS} stations')
    if not net.longest_s() > 0:
        raise Usage('--demand: at least one demand must be above 0')
    require_think_time(given, model)
    require_users(given, method == 'schweitzer', len(stations))
    out = begin(given, model, method=method, **reals(9, delay_s=net.delay_s), **reals(6, tolerance=net.tolerance))
    plot = tables.open_rows(given['rows'])
    both = all(floor(n) == n for n in given['users'])
    out.report.result = {'bounds': bounds(net), 'rows': add_points(out, net, method, 0, both)}
    most = f'at most {words.number(net.most_rate())} requests/s'
    cross = floor((net.least_s() + think_time(given, 1, 0)) / net.longest_s() + 0.5)
    out.report.say(most if given['users-per-second'] else f'{most}; the bounds cross at about {words.count(cross)} users')
    close(out, plot)
    return OK


# --- one queue ----------------------------------------------------------------------------------------------------

def require_service(given: Given, model: str) -> float:
    if given['service'] is None:
        raise Usage(f'queue {model} needs --service TIME')
    return float(given['service'] / 1e9)


def queue_figures(out: Output, q: Queue) -> dict[str, Any]:
    return {'steady': q.steady, **reals(DIGITS, x=q.rate), 'u': out.used([q.used]),
            **reals(DIGITS, q=q.queue, r_s=q.r_s, w_s=q.w_s, waits=q.waits)}


def unstable_text(rate: float, most: float) -> str:
    return (f'no steady state: {rate:.9g} requests a second come, {most:.9g} at most can be served; '
            'the queue grows without end')


def run_open(model: str, given: Given) -> int:
    service, servers, rates = require_service(given, model), given['servers'] or 1, given['rate'] or []
    if not rates:
        raise Usage(f'queue {model} needs --rate, such as 18')
    if model == 'mmm' and not given['servers']:
        raise Usage('queue mmm needs --servers M')
    for rate in rates:
        if not 0 < rate <= 1e9:
            raise Usage(f'--rate {rate:g}: above 0')
    out = begin(given, model, **reals(9, service_s=service), servers=servers)
    table, rows, unstable = out.report.table('rrrrr', 'requests', 'response', 'p95', 'in queue', 'busy'), [], inf
    out.report.main_table = 'rows'
    for rate in rates:
        q = queue_models.open_queue(rate, service, servers)
        p50, p95 = (queue_models.open_quantile(rate, service, servers, p) for p in (0.5, 0.95))
        rows.append({**reals(DIGITS, **{'lambda': rate}, load=rate * service), **queue_figures(out, q),
                     **(reals(DIGITS, blocked=q.blocked) if servers > 1 else {}), **reals(DIGITS, r_p50_s=p50, r_p95_s=p95),
                     'note': None if q.steady else unstable_text(rate, servers / service)})
        if q.steady:
            table.row(f'{words.number(rate)}/s', words.time(q.r_s * 1e9), words.time(p95 * 1e9), words.number(q.queue),
                      f'{words.number(100 * q.used)} %')
        else:
            table.row(f'{words.number(rate)}/s', 'grows without end')
            unstable = min(unstable, rate)
    out.report.result = {'rows': rows}
    if isfinite(unstable):
        out.report.warn(f'No steady state from {unstable:.9g} requests a second on: {servers / service:.9g} at most can be served; '
                        'the queue grows without end.')
    close(out)
    return OK if isinf(unstable) else LOSSY


def run_closed(model: str, given: Given) -> int:
    service = require_service(given, model)
    require_think_time(given, model)
    if given['think-time'] and not given['think-time'][0] > 0:
        raise Usage('-z 0: without think time the server is always busy; give a time above 0')
    require_users(given, False, 1)
    out = begin(given, model, **reals(9, service_s=service))
    table, rows = points_table(out), []
    for n in given['users']:
        z_s = think_time(given, n, 0)
        q = queue_models.closed_queue(int(n), z_s, service)
        rows.append({'n': report.real(n, 0), 'z_s': report.real(z_s, 6),
                     **reals(DIGITS, nz=ratio(n, z_s), **{'lambda': q.rate}, qz=ratio(q.queue, z_s)), **queue_figures(out, q)})
        add_point(table, n, q.rate, q.r_s, [q.used])
    out.report.result = {'rows': rows}
    close(out)
    return OK


# --- measured rows ------------------------------------------------------------------------------------------------

def load_rows(file: str, column: str | None) -> Observed:
    with open_input(file) as stream:
        try:
            return read_rows(stream, column)
        except BadLine as bad:
            raise bad.stop(file) from None
        except OSError as e:
            raise Stop(f'cannot read {file}: {e.strerror}') from None


def users_by_little(row: Row) -> float:
    return row.rate * (row.r_s + row.z_s)


def breaks_little(row: Row) -> bool:
    n = users_by_little(row)
    return isfinite(n) and row.n > 0 and abs(n / row.n - 1) > LITTLE


def rows_break_little(rows: Sequence[Row]) -> bool:
    """In more than half of the rows, users, rates and times contradict each other. Only rows whose times are means can be
    checked."""
    known = [row for row in rows if isfinite(users_by_little(row)) and row.n > 0]
    return 2 * sum(map(breaks_little, known)) > len(known)


def off_rows(rows: Sequence[Row]) -> str:
    """The rows that contradict themselves in this way, by their run or their number from 1."""
    names = ''
    for i, row in enumerate(rows, 1):
        if breaks_little(row):
            if len(names.encode(errors='surrogateescape')) > NAMES:
                return names + ', ...'
            names += (', ' if names else '') + (row.run or words.count(i))
    return names


def user_figures(row: Row, pages: float, thinks: Sequence[float]) -> dict[str, Any]:
    q, rate = row.rate * row.r_s, row.rate * pages
    out: dict[str, Any] = {'run': row.run} if row.run else {}
    if isfinite(row.n):
        out['n'] = users_text(row.n)
    out |= reals(DIGITS, **{'lambda': row.rate}, r_s=row.r_s, q=q)
    if isfinite(row.z_s):
        out |= {'z_s': report.real(row.z_s, 6),
                **reals(DIGITS, n_calculated=users_by_little(row), nz=ratio(row.n, row.z_s), qz=ratio(q, row.z_s))}
    if isfinite(row.mean_ms) and isfinite(row.sd_ms):
        out |= reals(DIGITS, cov=ratio(row.sd_ms, row.mean_ms))
    if thinks:
        out |= reals(DIGITS, lambda_pages=rate, q_pages=rate * row.r_s)
        out['web'] = [{'think_s': report.real(z, 6), 'users': report.real(rate * (row.r_s + z), DIGITS)} for z in thinks]
    return out


def users_table(out: Output, rows: Sequence[Row], pages: float, thinks: Sequence[float], single: bool) -> None:
    """A row for each think time of a single load. Of several loads a row each, with a column for each of a few think times, or for
    the first and the last of many."""
    shown = list(thinks) if len(thinks) <= THINKS else [thinks[0], thinks[-1]]
    heads = [words.time(z * 1e9) for z in shown]
    last = ['users'] if not thinks else ['think time', 'users'] if single else [f'users who think {heads[0]}', *heads[1:]]
    table = out.report.table('lrrrrr' if single else 'lrrrrrr', 'run', 'requests', 'response', 'in system', *last)
    out.report.main_table = 'rows'
    for row in rows:
        load = (row.run or load_text(row.n), f'{words.number(row.rate)}/s', words.time(row.r_s * 1e9),
                words.number(row.rate * row.r_s))
        users = [words.number(row.rate * pages * (row.r_s + z)) for z in (thinks if single else shown)]
        if not thinks:
            table.row(*load, words.number(users_by_little(row)))
        elif single:
            for z, n in zip(thinks, users):
                table.row(*load, words.time(z * 1e9), n)
        else:
            table.row(*load, *users)
    if not single and len(thinks) > THINKS:
        out.report.say(f'2 of {len(thinks)} think times; -v has all')


def run_users(file: str | None, given: Given) -> int:
    thinks, rates, response = given['think-time'] or [], given['rate'] or [], given['response']
    pages = given['pages'] or 1.0
    if file:
        if rates or response is not None:
            raise Usage('give either a file of rows, or --rate and --response')
        rows = load_rows(file, given['column']).rows
    else:
        if len(rates) != 1 or response is None or not thinks:
            raise Usage('queue users needs --rate R, --response TIME and --think-time TIME,..., or a file of measured rows')
        rows = [Row(rate=rates[0], r_s=response / 1e9)]
    out = begin(given, 'users', **reals(9, pages_per_object=pages))
    users_table(out, rows, pages, thinks, not file)
    out.report.result = {'rows': [user_figures(row, pages, thinks) for row in rows]}
    off = off_rows(rows) if file and not given['column'] else ''  # Little's law needs means; --column may be a percentile
    if off:
        out.report.warn(f'row {off}: {LITTLE_WARNING}')
    close(out)
    return LOSSY if off else OK


# --- fits ---------------------------------------------------------------------------------------------------------

class Forecast(NamedTuple):
    """Largest load whose mean response time stays below --threshold, and what it is by the ends of the demands' intervals."""
    unit: str
    value: float
    low: float
    high: float


def forecast(given: Given, d: Demands, method: str, last_z: float) -> Forecast | None:
    """All demands at the low ends of their intervals allow the highest load, at the high ends the lowest."""
    if not given['threshold']:
        return None
    limit, z_s = given['threshold'] / 1e9, think_time(given, 1, last_z)

    def largest(net: Network) -> float:
        return (demands.most_users(net, method, limit, given['users-per-second'] or nan, z_s, USERS) if isfinite(z_s)
                else demands.most_rate(net, limit))

    known = all(isfinite(s.low) and isfinite(s.high) for s in d.stations)
    return Forecast('users' if isfinite(z_s) else 'requests a second', largest(d.net()),
                    largest(d.end(True)) if known else nan, largest(d.end(False)) if known else nan)


def forecast_text(f: Forecast, limit: str, rows: Sequence[Row]) -> str:
    """With its ends, and from which rows it is extrapolated."""
    value, low, high = map(load_text, (f.value, f.low, f.high))
    if isnan(f.low):
        return f'Cannot tell how many {f.unit} stay below {limit}: the rows tell no interval ({value} by the fit alone).'
    if not f.high <= TELLS * f.low:
        return f'Cannot tell how many {f.unit} stay below {limit}: {low} to {high}. Measure more rows, with higher loads.'
    loads = [load for row in rows if not isnan(load := row.n if f.unit == 'users' else row.rate)]
    far = f', an extrapolation from {min(loads):.4g} to {max(loads):.4g}' if loads and f.value > max(loads) else ''
    return f'{value} (95 %: {low} to {high}) {f.unit} stay below {limit} on average{far}.'


def say_fit(out: Output, d: Demands, o: Observed, most: Forecast | None) -> None:
    fits, warning, given = not demands.is_meaningless(d, o), demands.warning(d, o), out.given
    if warning:
        out.report.warn(warning)
    if not given['column'] and rows_break_little(o.rows[:d.rows]):
        out.report.warn(LITTLE_WARNING)
    if fits and most and isfinite(most.value):
        out.report.say(forecast_text(most, words.time(given['threshold']), o.rows[:d.rows]))
    if fits and isfinite(d.error):
        out.report.say(f'The model is off by {words.number(demands.error_percent(d))} % (root mean square of {d.response_rows} '
                       'rows). Service demands of a request:')
    else:
        out.report.say(f'Service demands of a request{"" if fits else ", which do not fit"}, from {d.rows} rows:')

    def say(e: demands.Estimate, of: str) -> None:
        value, low, high = (words.time(v * 1e9) for v in e)
        out.report.say(f'  {value} of {of} (95 %: {low} to {high})')

    for k, station in enumerate(d.stations):
        say(station, o.resources[k] if k < d.busy else 'one queue')
    if d.delay.value > 0:
        say(d.delay, 'a request at no station')
    out.report.main_table = 'rows'


def fitted_demands(d: Demands, o: Observed) -> dict[str, Any]:
    return {
        'rows_used': d.rows, 'response_rows': d.response_rows,
        'demands': [{'name': o.resources[k] if k < d.busy else 'queue', 'from': 'busy time' if k < d.busy else 'response time',
                     **reals(DIGITS, demand_s=s.value, low_s=s.low, high_s=s.high)} for k, s in enumerate(d.stations)],
        'delay': reals(DIGITS, delay_s=d.delay.value, low_s=d.delay.low, high_s=d.delay.high),
        'error_percent': report.real(demands.error_percent(d), 3), 'note': demands.warning(d, o)}


def fitted_rows(out: Output, d: Demands, method: str, o: Observed) -> list[dict[str, Any]]:
    rows, net = [], d.net()
    for i, (row, p) in enumerate(zip(o.rows, demands.predict(net, method, o.rows))):
        fitted = i < d.rows
        rows.append({
            **({'run': row.run} if row.run else {}), 'fitted': fitted, 'n': report.real(row.n, 3), 'z_s': report.real(row.z_s, 6),
            **reals(DIGITS, lambda_measured=row.rate, **{'lambda': p.rate}, r_measured_s=row.r_s, r_s=p.r_s),
            'off_percent': report.real(100 * (ratio(p.r_s, row.r_s) - 1), 3), 'q': report.real(p.queue(), DIGITS),
            **({'u_measured': out.used(row.used)} if d.busy else {}), 'u': out.used(p.used)})
        out.add_plot('measured' if fitted else 'later', row.n, row.z_s, demands.row_rate(row), row.r_s)
        out.add_plot('fit', row.n, row.z_s, p.rate, p.r_s, net)
    return rows


def threshold_figures(given: Given, most: Forecast) -> dict[str, Any]:
    out: dict[str, Any] = reals(9, r_s=given['threshold'] / 1e9)
    for key, unit, decimals in (('users', 'users', 0), ('rate', 'requests a second', 9)):
        value, low, high = most[1:] if most.unit == unit else (nan, nan, nan)
        out |= reals(decimals, **{key: value, f'{key}_low': low, f'{key}_high': high})
    return out


def run_fit(file: str | None, given: Given) -> int:
    method = given['method'] or 'exact'
    if not file:
        raise Usage('queue fit needs a file of measured rows (n, z_s, lambda, r_ms, u_NAME)')
    if given['users-per-second'] and given['think-time']:
        raise Usage('give only one of -z and --users-per-second')
    require_users(given, method == 'schweitzer', STATIONS)
    o = load_rows(file, given['column'])
    try:
        d = demands.estimate(o, method, given['first'] or 0, given['stations'], not given['no-delay'])
    except demands.Unknown as why:
        raise Stop(f'{file}: {why}') from None
    last_z = next((row.z_s for row in reversed(o.rows) if isfinite(row.z_s)), nan)
    if given['users'] and not isfinite(think_time(given, 1, last_z)):
        raise Usage('a prediction for users needs a think time: -z TIME, or --users-per-second RATIO')
    out = begin(given, 'fit', method=method, file=file, column=given['column'])
    plot = tables.open_rows(given['rows'])
    most = forecast(given, d, method, last_z)
    say_fit(out, d, o, most)
    out.report.result = {**fitted_demands(d, o), 'bounds': bounds(d.net()), 'rows': fitted_rows(out, d, method, o)}
    if given['users']:
        out.report.result['foretold'] = add_points(out, d.net(), method, last_z, False)
    if most:
        out.report.result['threshold'] = threshold_figures(given, most)
    close(out, plot)
    return LOSSY if demands.is_meaningless(d, o) or (not given['column'] and rows_break_little(o.rows[:d.rows])) else OK


def main(argv: list[str]) -> int:
    given = parse(argv, 'queue mva | mm1 | mmm | mm1n | users [FILE] | fit FILE [options]',
                  'Computes queueing models of users and servers, and fits demands to measured rows.', OPTIONS)
    models: dict[str, Callable[[str, Given], int]] = {'mva': run_mva, 'mm1': run_open, 'mmm': run_open, 'mm1n': run_closed}
    readers: dict[str, Callable[[str | None, Given], int]] = {'users': run_users, 'fit': run_fit}
    if not given.operands:
        raise Usage('which model? mva, mm1, mmm, mm1n, users or fit')
    model, *files = given.operands
    if model not in models and model not in readers:
        raise Usage(f'{model}: mva, mm1, mmm, mm1n, users or fit')
    given.refuse_operands(1 + (model in readers))
    foreign = given.foreign(model)
    if foreign:
        raise Usage(f'--{foreign.name} does not belong to queue {model}')
    return readers[model](files[0] if files else None, given) if model in readers else models[model](model, given)
