# SPDX-License-Identifier: GPL-3.0-or-later
"""What more users do to a server, with the think time held and with the ratio of users to think time held."""
import re
from collections.abc import Callable
from dataclasses import replace
from math import fabs, floor, log10

from analysis import notes, words
from analysis.amounts import Amount, Row, Rows, amount, ask, failed_requests, interval_words, number, yes_or_no
from analysis.draw import DASHED, DOTTED, HEAVY, LIGHT, MARK, SHAPES, Axis, Curve, Drawing, Look, Panel, Place, level, over, place
from analysis.notes import NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run
from experiments.families.crowds import invalid_requests, is_valid, lost_requests, part, together

COLUMNS = '''
include ../families/crowds.py
'''
setup = notes.setup
MS = {'us': 1e-3, 'ms': 1.0, 's': 1e3}


def rate_limit(run: Run) -> float | None:
    """Requests a second that the slowest station can serve."""
    times = [re.fullmatch('([0-9.]+)(us|ms|s)', text) for text in run.setting('stations', [])]
    return min((1000 / (float(found[1]) * MS[found[2]]) for found in times if found), default=None)


def title(run: Run) -> str:
    return 'More users: with a fixed think time, and with a fixed ratio of users to think time'


def labels(run: Run) -> Labels:
    return Labels(value={'part': {
        'held-think': 'fixed think time', 'held-ratio': 'fixed users to think time',
        'cov-think': 'fixed think time, constant service', 'cov-ratio': 'fixed users to think time, constant service'}})


# --- what is decided of rows --------------------------------------------------------------------------------------

def valid(run: Run, name: str) -> Rows:
    return [row for row in part(run, name) if is_valid(row)]


def rate(row: Row) -> Amount:
    """A rate without an interval over repeats has that of chance, by its number of requests."""
    n, a = row.get('requests') or 0, amount(row, 'lambda_per_s')
    return Amount() if not n > 0 else replace(a, repeats=n) if a.low is None else a


def is_more(a: Amount, b: Amount, claims: int = 1) -> bool | None:
    return yes_or_no(ask('rate', a, b, claims))


def is_above_limit(run: Run, row: Row, share: float) -> bool | None:
    """Is its rate more than this share of what ratio or stations allow?"""
    most = run.setting('nz_per_s') if row.get('part') == 'held-ratio' else rate_limit(run)
    return is_more(rate(row), number(None if most is None else most * share))


def is_impossible(run: Run, row: Row) -> bool:
    """A station serves no faster than it can: then stations or clocks were not what they were set to."""
    return is_above_limit(run, row, 1.05) is True


def saturates(run: Run, row: Row) -> bool | None:
    return is_above_limit(run, row, 0.95)


def random_gaps(row: Row) -> Amount:
    """The coefficient of variation of as many random gaps."""
    return Amount() if row.get('gaps') is None else Amount(1.0, repeats=row['gaps'])


def is_more_even(row: Row) -> bool:
    """Than requests at random."""
    return is_more(random_gaps(row), number(row.get('cov'))) is True


def is_less_even(row: Row) -> bool:
    return is_more(number(row.get('cov')), random_gaps(row)) is True


def tests_of_model(run: Run) -> int:
    """All conditions together test it."""
    return max(1, 2 * sum(row.get('model_lambda_per_s') is not None for row in run.table('summary')))


def is_other_queue(run: Run, row: Row) -> bool | None:
    """Are more or fewer requests under way than by the model? By repeats alone."""
    model = row.get('model_concurrency')
    return yes_or_no(ask('differs', Amount(model, low=model, high=model, repeats=row.get('repeats')), amount(row, 'concurrency'),
                         tests_of_model(run)))


def is_other_rate(run: Run, row: Row) -> bool:
    """By repeats or by chance."""
    a, b, claims = rate(row), number(row.get('model_lambda_per_s')), tests_of_model(run)
    return is_more(a, b, claims) is True or is_more(b, a, claims) is True


def off(row: Row, name: str, model: str) -> float:
    return fabs((row[name] / row[model] - 1) * 100)


def from_on(rows: Rows, holds: Callable[[Row], bool]) -> Row | None:
    """The first row from which on all hold."""
    found = None
    for row in reversed(rows):
        if not holds(row):
            break
        found = row
    return found


# --- findings -----------------------------------------------------------------------------------------------------

def per_s(row: Row) -> str:
    return words.short(row.get('lambda_per_s'))


def rates_words(low: Row, top: Row) -> str:
    a = amount(top, 'lambda_per_s')
    return (f'{words.plural(low["users"], "user")} make {per_s(low)} requests a second, {words.plain(top["users"])} make '
            f'{per_s(top)}{interval_words(a.low, a.high, "")}')


def held_think(run: Run) -> Finding | None:
    rows = valid(run, 'held-think')
    if len(rows) < 2:
        return None
    low, top, limit = rows[0], rows[-1], rate_limit(run)
    full = saturates(run, top)
    if is_impossible(run, top):
        head = 'rate is more than the slowest station allows: do not trust these figures'
    elif failed_requests(top) > 0:
        head = 'server may be saturated: requests failed'
    elif full:
        first = from_on(rows, lambda row: saturates(run, row) is True)
        since = '' if first is None or first == low else f', from {words.plain(first["users"])} users on'
        head = f'slowest station limits the rate, not the users{since}'
    else:
        head = 'server is not saturated yet' if full is False else 'server may be saturated: this run cannot tell'
    return Finding('think-held', f'**With a think time of {words.with_unit(low.get("think_s"), "s")}, the {head}.** '
                   f'{rates_words(low, top)} of at most {words.short(limit)}; requests in progress grow from '
                   f'{words.short(low.get("concurrency"))} to {words.short(top.get("concurrency"))}.',
                   amount(top, 'lambda_per_s'), figure='rate')


def held_ratio(run: Run) -> Finding | None:
    rows = valid(run, 'held-ratio')
    if len(rows) < 2:
        return None
    low, top = rows[0], rows[-1]
    nears, impossible = is_more(rate(top), rate(low)) is True, is_impossible(run, top)
    if impossible:
        head = 'exceeds that ratio, which is impossible'
    elif nears:
        head = 'approaches that ratio'
    else:
        head = 'does not approach that ratio' if is_more(rate(low), rate(top)) else 'cannot be told to approach that ratio'
    return Finding('ratio-held', f'**With a fixed ratio of users to think time ({words.short(run.setting("nz_per_s"))} per '
                   f'second), the rate {head}**: {rates_words(low, top)}.', amount(top, 'lambda_per_s'), 'good' if nears
                   and not impossible else 'unsure', 'rate')


def model(run: Run) -> Finding | None:
    rows = [row for name in ('held-think', 'held-ratio') for row in valid(run, name) if row.get('model_lambda_per_s') is not None]
    if not rows:
        return None
    most, queue, rough, rough_queue = (max(off(row, name, by) for row in rows) for name, by in (
        ('lambda_per_s', 'model_lambda_per_s'), ('concurrency', 'model_concurrency'), ('lambda_per_s', 'approximate_lambda_per_s'),
        ('concurrency', 'approximate_concurrency')))
    queues = [is_other_queue(run, row) for row in rows]
    is_tested = any(other is not None for other in queues)
    out = sum(is_other_rate(run, row) or other is True for row, other in zip(rows, queues))
    how = ('one repeat cannot tell whether this is chance.' if not out and not is_tested else
           f'{out} of {words.plural(len(rows), "condition")} {"errs" if out == 1 else "err"} by more than chance explains.')
    return Finding('model', f'**Exact mean value analysis errs by at most {words.short(most)} %** in the rate and '
                   f'{words.short(queue)} % in the requests in '
                   f"progress, without fitted parameters; {how} Schweitzer's approximation errs by up to {words.short(rough)} % "
                   "and "
                   f'{words.short(rough_queue)} %.', Amount(most, unit='%'), 'bad' if out else 'good' if is_tested
                   else 'unsure', 'rate')


def cov_words(row: Row) -> str:
    return words.fixed(row['cov'], 2)


def randomness(run: Run) -> Finding | None:
    rows = [row for row in valid(run, 'cov-ratio') if row.get('cov') is not None]
    if len(rows) < 2:
        return None
    low, top = rows[0], rows[-1]
    first = from_on(rows, lambda row: not is_more_even(row) and not is_less_even(row))
    head = 'times between requests vary like those of requests' if first else 'requests do not arrive'
    since = (f'; from {words.plain(first["users"])} users on, the coefficient does not differ significantly from 1.'
             if first else '.')
    interval = interval_words(top.get('cov_low'), top.get('cov_high'), '', lambda value: words.fixed(value, 2))
    tested = [row for row in rows if first and row['users'] >= first['users'] and row.get('poisson') is not None
              and (row.get('judged') or 0) > 0]
    each = words.and_list([f'{words.plain(row["poisson"])} of {words.plural(row["judged"], "repeat")} with '
                           f'{words.plural(row["users"], "user")}'
                           for row in tested])
    theory = [fabs(row['cov'] - row['cov_independent']) for row in rows if row.get('cov_independent') is not None]
    return Finding('randomness', f'**With more users, {head} at random times (Poisson).** The coefficient of variation of '
                   f'interarrival times goes from {cov_words(low)} with {words.plural(low["users"], "user")} to '
                   f'{cov_words(top)}{interval} with {words.plain(top["users"])}{since}'
                   + (f' No test rejects random times in {each}.' if tested else '')
                   + (f' The theory of independent users errs by at most {words.fixed(max(theory), 3)}.' if theory else ''),
                   amount(top, 'cov'), 'good' if first else 'unsure', 'cov')


def not_held(run: Run) -> Finding | None:
    rows = [row for row in valid(run, 'cov-think') if row.get('cov') is not None]
    if len(rows) < 2:
        return None
    top = rows[-1]
    think = '' if top.get('think_s') is None else f' of {words.plain(top["think_s"] * 1000)} ms'
    verdict_, so = (('good', 'less than at random times.') if is_more_even(top) else
                    ('bad', 'above 1, although theory predicts a value below 1.') if is_less_even(top) else
                    ('unsure', 'not below 1 by more than chance, so it does not show that the server is saturated.'))
    return Finding('randomness-think-held', f'**With a fixed think time{think}, the coefficient of variation is {cov_words(top)}** '
                   f'with {words.plain(top["users"])} users: {so}', amount(top, 'cov'), verdict_, 'cov')


def verdict(run: Run) -> str:
    think, ratio = valid(run, 'held-think'), valid(run, 'held-ratio')
    parts = []
    if len(think) > 1:
        top = think[-1]
        what = ('the rate is more than the server allows: do not trust it' if is_impossible(run, top) else
                'more users saturate the server' if saturates(run, top) else
                f'{words.plain(top["users"])} users do not surely saturate the server')
        parts.append(f'With a fixed think time, {what} ({per_s(top)} of at most {words.short(rate_limit(run))} requests a second).')
    if len(ratio) > 1:
        parts.append(f'With a fixed ratio of users to think time, {words.plain(ratio[-1]["users"])} users reach {per_s(ratio[-1])} '
                     f'of at most {words.short(run.setting("nz_per_s"))} requests a second.')
    if parts:
        return ' '.join(parts)
    return ('Too few conditions are valid: the load generator interfered, or users were missing.' if run.measured()
            else NOTHING_MEASURED)


def findings(run: Run) -> list[Finding]:
    makers = (invalid_requests, lost_requests, held_think, held_ratio, model, randomness, not_held, together)
    return [f for make in makers if (f := make(run))][:5]


def views(run: Run) -> list[View]:
    return [
        View('main', 'summary', 'Rate and queue by users',
             'users think_s lambda_per_s model_lambda_per_s concurrency model_concurrency errors? timeouts? unanswered?',
             by='part'),
        View('response', 'summary', 'Response by users', 'users think_s response_ms p95_ms late_percent', by='part'),
        View('arrivals', 'summary', 'When requests come', 'users think_s cov cov_band cov_independent poisson judged '
             'arrivals_p_of_all', by='part'),
        View('quality', 'summary', 'Quality',
             'users repeats? marked? requests server_busy_percent late_p99_ms_max generator_cpu_percent_max', by='part'),
    ]


# --- figures ------------------------------------------------------------------------------------------------------

WAYS = (('held-think', 'fixed think time', HEAVY, 7), ('held-ratio', 'fixed users to think time', LIGHT, 5))
FIGURES = (('rate', 'Requests a second', 'lambda_per_s', 'lambda', 1.0),
           ('queue', 'Requests under way at the server', 'concurrency', 'q', 1.0),
           ('response', 'Response time', 'response_ms', 'r_s', 1000.0))


def starts_with(row: Row, kind: str) -> bool:
    return bool((row.get('part') or '').startswith(kind))


def measured_curve(rows: Rows, column: str, name: str, scale: float, at: Look) -> Curve:
    def one(value: float | None) -> float | None:
        return None if value is None else value / scale

    points = [p for row in rows if (p := place(row.get('users'), row, column, name + (', ms' if scale != 1 else '')))
              and p.y is not None]
    return Curve('bars hover', [replace(p, y=one(p.y), low=one(p.low), high=one(p.high)) for p in points], at, f'{name}: measured')


def way_curves(run: Run, held: Rows, name: str, column: str, by: str, scale: float) -> list[Curve]:
    curves = []
    for way, what, colour, shape in WAYS:
        computed = [row for row in run.table(f'model-{way}') if row.get('kind') == 'model']
        curves += [Curve('line', [Place(row.get('n'), row[by]) for row in computed if row.get(by) is not None],
                         Look(colour, dash=2), f'{what}: computed (exact mean value analysis)'),
                   measured_curve([row for row in held if row['part'] == way], column, what, scale, Look(colour, shape))]
        if name == 'rate' and way == 'held-think':
            curves.append(Curve('line', [Place(row.get('n'), row['x_bound']) for row in computed if row.get('x_bound') is not None],
                                replace(DASHED, dash=3), 'most that think time or the slowest station allow'))
    return curves


def held_figure(run: Run, held: Rows, name: str, title_: str, column: str, by: str, scale: float) -> Drawing:
    curves, nz, limit = way_curves(run, held, name, column, by, scale), run.setting('nz_per_s'), rate_limit(run)
    think = [row for row in held if row['part'] == 'held-think']
    least = min((row['concurrency'] for row in held if (row.get('concurrency') or 0) > 0), default=1)
    y = {'rate': Axis('requests a second', 0), 'queue': Axis('requests', 10.0 ** floor(log10(least * 0.99)), log=True),
         'response': Axis('s', max([*(row['think_s'] for row in think), 0]) * -1.1)}[name]
    if name == 'rate':
        curves.append(level(nz, Look(LIGHT, dash=4), f'users / think time: {words.plain(nz)} per second'))
    if name == 'response' and (limit is not None or not think):
        asymptotes = [Place(0, -row['think_s'], x2=row['users'], y2=row['users'] / (limit or 1) - row['think_s']) for row in think]
        curves += [Curve('segment', asymptotes, replace(DASHED, dash=3), 'asymptote: users × slowest station − think time'),
                   level(0, replace(DASHED, dash=1))]
    return Drawing(name, title_, [Panel(Axis('users', 0, max([*(row['users'] for row in held), 1]) * 1.03), y, curves, grid='xy')])


def cov_figure(counted: Rows) -> Drawing:
    users = [row['users'] for row in counted]
    ratio = sorted((row for row in counted if row['part'] == 'cov-ratio'), key=lambda row: float(row['users']))
    think = [row for row in counted if row['part'] == 'cov-think']
    y = Axis('standard deviation by mean', 0, max([*(row['cov'] for row in counted if row.get('cov') is not None), 1]) + 0.3)
    curves = [
        Curve('band', [Place(row['users'], low=1 - row['cov_band'], high=1 + row['cov_band']) for row in ratio
                       if row.get('cov_band') is not None],
              Look(MARK), '1 ± 1.96/√n: 95 of 100 such conditions, if requests come at random'),
        Curve('line', [Place(row['users'], row['cov_independent']) for row in ratio if row.get('cov_independent') is not None],
              Look(LIGHT, dash=2), 'theory: independent users'),
        *over(((row['users'], row) for row in ratio), 'cov', Look(LIGHT, SHAPES[1]), 'fixed users to think time'),
        *over(((row['users'], row) for row in think), 'cov', Look(HEAVY, SHAPES[0]), 'fixed think time'), level(1, DOTTED)]
    return Drawing('cov', 'When requests come: coefficient of variation of the times between them',
                   [Panel(Axis('users', min(users), max(users) * 1.05, log=True), y, curves, grid='xy')])


def drawings(run: Run) -> list[Drawing]:
    """Rate, queue and response over the number of users, measured and by mean value analysis; and cov of arrivals. Where N/Z is
    held, figures.gp draws the rate near it (convergence) and over the requests under way (loadlines)."""
    held, counted = ([row for row in run.measured() if starts_with(row, kind)] for kind in ('held-', 'cov-'))
    return [*([held_figure(run, held, *one) for one in FIGURES] if held else []), *([cov_figure(counted)] if counted else [])]
