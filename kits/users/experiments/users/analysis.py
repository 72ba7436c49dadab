# SPDX-License-Identifier: GPL-3.0-or-later
"""Users of a web server and of VNC who send more and more requests."""
from collections.abc import Callable, Sequence
from math import fabs, floor, inf, isfinite, isnan, log10
from typing import NamedTuple

from analysis import notes, words
from analysis.amounts import (Amount, Row, Rows, above, amount, exceeds, failed_requests, interval_words, is_mostly_answered,
                              number, off, rounded, scaled)
from analysis.decide import FAILS, HOLDS, UNTOLD, Answer, line_through
from analysis.draw import DASHED, DOTTED, HEAVY, LIGHT, Axis, Curve, Drawing, Look, Panel, Place, level, look, over
from analysis.notes import NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run, distinct
from experiments.families.crowds import (invalid_requests, is_measured, is_valid, late_words, lost_requests, part, response_words,
                                         together)

COLUMNS = '''
include ../families/crowds.py
# Programs of the web server: the first, the second, the balancer.
web1_cpu_percent      "CPU of server 1"         %       cell.json:programs.0.cpu_percent         mean+ci 2 -
web2_cpu_percent      "CPU of server 2"         %       cell.json:programs.1.cpu_percent         mean+ci 2 -
balancer_cpu_percent  "CPU of the balancer"     %       cell.json:programs.2.cpu_percent         mean 2 -
web1_of_share_percent "Server 1, of its share" %        cell.json:programs.0.of_share_percent    mean 2 -
web2_of_share_percent "Server 2, of its share" %        cell.json:programs.1.of_share_percent    mean 2 -
balancer_of_share_percent "Balancer, of its share" %    cell.json:programs.2.of_share_percent    mean 2 -
web1_sent_kbyte_per_s "Sent by server 1"        kbyte/s cell.json:programs.0.written_kbyte_per_s mean 2 -
web2_sent_kbyte_per_s "Sent by server 2"        kbyte/s cell.json:programs.1.written_kbyte_per_s mean 2 -
frames_out_kbyte_per_s "Frames out"             kbyte/s cell.json:sent_kbyte_per_s               mean 2 -
frames_in_kbyte_per_s "Frames in"               kbyte/s cell.json:received_kbyte_per_s           mean 2 -

# What a request needs, by the fitted model: fitted to all rows, and to the half with the lowest rates, which foretells the others.
table slope rows:fits schema=slope/1
# column         heading                unit source estimator decimals better
part             Part                   -    param  -         text     -
fitted           "Fitted to"            -    param  -         text     -
name             Resource               -    param  -         text     -
source           From                   -    param  -         text     -
demand_ms        Needs                  ms   -      -         6        lower
low_ms           Low                    ms   -      -         6        -
high_ms          High                   ms   -      -         6        -
rows             Rows                   -    -      -         0        -
of_rows          "Of rows"              -    -      -         0        -
error_percent    "Model's error"        %    -      -         3        lower
disturbed        Disturbed              -    -      -         0        lower

table compare rows:fits schema=compare/1
part             Part                   -    param  -         text     -
fitted           "Fitted to"            -    param  -         text     -
cell             Cell                   -    param  -         text     -
used             "Known to the model"   -    -      -         0        -
lambda_per_s     Rate                   1/s  -      -         4        -
lambda_fit_per_s "Rate by model"        1/s  -      -         6        -
response_ms      "Response time"        ms   -      -         4        -
response_fit_ms  "By model"             ms   -      -         6        -
off_percent      Off                    %    -      -         3        -

table curve rows:fits schema=curve/1 raw
part             Part                   -    -      -         text     -
fitted           "Fitted to"            -    -      -         text     -
kind             Kind                   -    -      -         text     -
n                Users                  -    -      -         0        -
z_s              "Think time"           s    -      -         6        -
lambda           Rate                   1/s  -      -         6        -
q                "Requests under way"   -    -      -         6        -
r_s              "Response time"        s    -      -         9        -

# The users of the world that each row stands for, who look at each page for so long (Table 4).
table world rows:fits schema=world/1
part             Part                   -    param  -         text     -
cell             Cell                   -    param  -         text     -
users            Users                  -    param  -         0        -
think_s          "Think time"           s    param  -         6        -
lambda_per_s     "Rate, requests"       1/s  -      -         4        -
response_ms      "Response time"        ms   -      -         4        -
q                "Q, requests"          -    -      -         4        -
n_calculated     "Users by Little's law" -   -      -         4        -
pages_per_s      "Rate, pages"          1/s  -      -         4        -
q_pages          "Q, pages"             -    -      -         4        -
users_10s        "Users of 10 s"        -    -      -         2        -
users_20s        "of 20 s"              -    -      -         2        -
users_30s        "of 30 s"              -    -      -         2        -
users_40s        "of 40 s"              -    -      -         2        -
users_50s        "of 50 s"              -    -      -         2        -

# The first requests, how many came in each interval, and gaps between all of them.
table marks rows:arrivals schema=marks/1 raw
part             Part                   -    -      -         text     -
think_s          "Think time"           s    -      -         6        -
kind             Kind                   -    -      -         text     -
x                x                      -    -      -         6        -
y                y                      -    -      -         6        -
expected         Expected               -    -      -         6        -

# Requests of the first user, of the first two, and so on.
table points rows:arrivals schema=points/1
part             Part                   -    param  -         text     -
think_s          "Think time"           s    param  -         6        -
repeat           Repeat                 -    param  -         0        -
users            "Users counted in"     -    param  -         0        -
cov              "Coefficient of variation" - -     -         6        -
cov_low          "Low, if at random"    -    -      -         6        -
cov_high         "High, if at random"   -    -      -         6        -
'''
setup = notes.setup
PARTS = {'vnc': 'VNC', 'open': 'open loop'}
ASKED_FOR = {'web': 'objects', 'pages': 'pages', 'open': 'objects', 'vnc': 'keys'}
REQUEST = {'web': 'An object', 'pages': 'A page', 'vnc': 'A key'}
RESOURCES = {'cpu': "the server's CPU", 'link': 'the link', 'delay': 'delay without queueing'}
TOO_FAR = 22  # percent: the limit of queue fit, beyond which it says so itself


def part_words(name: str) -> str:
    return PARTS.get(name, name)


def present(run: Run) -> list[str]:
    return [name for name in run.setting('parts', []) if any(row.get('part') == name for row in run.table('summary'))]


def title(run: Run) -> str:
    return f'Response time as users send more requests: {words.and_list([part_words(name) for name in present(run)])}'


def labels(run: Run) -> Labels:
    return Labels(value={'part': {'web': 'web (objects)', 'pages': 'whole pages', 'open': 'open loop (objects)',
                                  'vnc': 'VNC (keys)'},
                         'fitted': {'all': 'all rows', 'first': 'the lowest rates'}, 'name': RESOURCES})


# --- rows and what is decided of them -----------------------------------------------------------------------------

def valid(run: Run, name: str) -> Rows:
    return [row for row in part(run, name) if is_valid(row) and (row.get('response_ms') is not None or failed_requests(row) > 0)]


def offered(row: Row) -> float:
    """The rate that users ask for: a server that thrashes answers fewer requests the more are asked."""
    return float(row['users'] / row['think_s']) if (row.get('think_s') or 0) > 0 else inf


class Ends(NamedTuple):
    """The row with the lowest and the one with the highest rate that was asked for."""
    calmest: Row
    busiest: Row


def ends(run: Run, name: str) -> Ends | None:
    rows = valid(run, name)
    return Ends(min(rows, key=offered), max(reversed(rows), key=offered)) if rows else None


def busiest(run: Run, name: str) -> Row | None:
    found = ends(run, name)
    return found.busiest if found else None


def of_all(answers: Sequence[Answer]) -> int:
    """The word of several claims together."""
    found = [answer.word for answer in answers]
    return FAILS if FAILS in found else HOLDS if all(word == HOLDS for word in found) else UNTOLD


def told(word: int, holds: str, fails: str, untold: str) -> str:
    return {HOLDS: holds, FAILS: fails}.get(word, untold)


def off_amount(answer: Answer) -> Amount:
    value, low, high = (n if isfinite(n) else None for n in answer[1:])
    return Amount(value, low=low, high=high, unit='%')


def line_of(run: Run, server: str) -> Callable[[float], Answer]:
    """The straight line of a server's CPU by rate, through different points."""
    points = {(row['lambda_per_s'], row[f'{server}_of_share_percent']) for row in valid(run, 'web')
              if row.get('lambda_per_s') is not None and row.get(f'{server}_of_share_percent') is not None}
    line = line_through(sorted(points))
    return lambda rate: rounded(line(rate))


def lines(run: Run) -> list[Answer]:
    return [answer for server in ('web1', 'web2') if not isnan((answer := line_of(run, server)(0)).low)]


# --- verdict and findings -----------------------------------------------------------------------------------------

def growth(run: Run, name: str) -> Finding | None:
    found = ends(run, name)
    if not found or found.calmest == found.busiest:
        return None
    low, top = found
    rises = exceeds(amount(top, 'lambda_per_s'), amount(low, 'lambda_per_s')) is True
    who = 'requests at random' if name == 'open' else words.plural(top['users'], 'user')
    model = top.get('model_response_s')
    text = (f'**{words.upper_first(part_words(name))}: the mean response goes from {response_words(low)} to '
            f'{response_words(top)}** while {who} {"raise the rate from" if rises else "ask for more, and get"} '
            f'{words.short(low.get("lambda_per_s"))} to {words.short(top.get("lambda_per_s"))} {ASKED_FOR.get(name, "requests")} a '
            f'second{late_words(top, run.threshold_ms())}. The server\'s CPU is then busy for '
            f'{words.percent(top.get("server_busy_percent"))} %')
    text += '.' if model is None else ('; a model of one queue, without fitted parameters, predicts '
                                       f'{words.with_unit(model * 1000, "ms")}.')
    return (Finding(f'growth-{name}', text, amount(top, 'response_ms'), figure='response') if is_mostly_answered(top) else
            Finding(f'growth-{name}', text, verdict='bad', figure='response'))


def straight_words(run: Run) -> str:
    found = lines(run)
    if not found:
        return ''
    how = told(of_all(found), 'all rates that is a', 'the rates that is no', 'the rates that may be a')
    return (f' CPU time by rate: over {how} straight line (R² {words.fixed(min(a.low for a in found), 3)}, at most '
            f'{words.fixed(max(a.high for a in found), 1)} points off).')


def busy_words(row: Row, server: str) -> str:
    """How busy a program was: of its share of the CPU, where it had one."""
    share = row.get(f'{server}_of_share_percent')
    return (f'{words.percent(row.get(f"{server}_cpu_percent"))} % of a CPU' if share is None
            else f'{words.percent(share)} % of its share')


def total(row: Row, *names: str) -> float | None:
    found = [row[name] for name in names if row.get(name) is not None]
    return sum(found) if found else None


def thousands(value: float | None) -> str:
    return '' if value is None else words.thousands(value)


def balance(run: Run) -> Finding | None:
    row = busiest(run, 'web')
    if row is None or row.get('web2_cpu_percent') is None:
        return None
    even = off(amount(row, 'web2_cpu_percent'), amount(row, 'web1_cpu_percent'), 10)
    head = told(even.word, 'The two web servers share', 'The two web servers do not share',
                'This run cannot tell whether the two web servers share')
    text = (f'**{head} the load evenly**: at {words.short(row.get("lambda_per_s"))} objects a second one is busy for '
            f'{busy_words(row, "web1")}, the other for {busy_words(row, "web2")}, and the balancer for '
            f'{busy_words(row, "balancer")}.{straight_words(run)} Together they send '
            f'{thousands(total(row, "web1_sent_kbyte_per_s", "web2_sent_kbyte_per_s"))} KB/s; users receive '
            f'{thousands(row.get("received_kbyte_per_s"))}.')
    return Finding('balance', text, off_amount(even), told(even.word, 'good', 'bad', 'unsure'), 'servers')


def open_loop(run: Run) -> Finding | None:
    """Beside users who wait, each with the shortest think time."""
    row = busiest(run, 'open')
    beside = next((r for r in valid(run, 'web') if row and r.get('think_s') == row.get('think_s')), None)
    if row is None or beside is None:
        return None
    return Finding('open-loop', f'**Asked for {words.short(offered(row))} objects a second, an open loop waits '
                   f'{response_words(row)}, users who think {response_words(beside)}**: users ask for '
                   f'{words.short(beside.get("lambda_per_s"))}, since users who wait do not ask.',
                   amount(row, 'response_ms'), 'none', 'loadlines')


def whole_pages(run: Run) -> Finding | None:
    """Beside their objects one by one, each with the shortest think time."""
    page, web = busiest(run, 'pages'), busiest(run, 'web')
    if page is None or web is None or web.get('pages_per_s') is None:
        return None
    return Finding('pages', f'**A whole page takes {response_words(page)}** at {words.short(page.get("pages_per_s"))} pages a '
                   f'second; an object alone {response_words(web)} at {words.short(web["pages_per_s"])}.',
                   amount(page, 'response_ms'), 'none', 'response')


def is_undetermined(row: Row) -> bool:
    """The interval of the demand is too wide to tell anything."""
    return exceeds(number(row.get('high_ms')), scaled(number(row.get('demand_ms')), 10)) is True


def does_matter(run: Run, row: Row) -> bool:
    """A thousandth of what a request needs, or more."""
    needs = sum(r.get('demand_ms') or 0 for r in run.table('slope') if (r.get('part'), r.get('fitted')) == (row.get('part'),
                                                                                                            row.get('fitted')))
    return above(row, 'demand_ms', needs * 0.001) is True


def fitted(run: Run, name: str) -> Finding | None:
    rows = [row for row in run.table('slope') if row.get('part') == name and row.get('fitted') == 'all'
            and (row.get('name') != 'delay' or does_matter(run, row))]
    if not rows:
        return None

    def need(row: Row) -> str:
        value, low, high = (row.get(name) for name in ('demand_ms', 'low_ms', 'high_ms'))
        text = words.short(value)
        if value is not None and low is not None and high is not None and not low <= float(text) <= high:
            text = words.fixed(value, 2)  # (rounded, it would lie outside of its interval)
        return (f'{text} ms of {RESOURCES.get(row.get("name") or "", "a queue")}'
                + (' (not determined by the measurements)' if is_undetermined(row) else interval_words(low, high, 'ms')))

    first = rows[0]
    fits_badly = above(first, 'error_percent', TOO_FAR) is True
    end = '' if first.get('error_percent') is None else (
        f'; the fitted model errs by {words.short(first["error_percent"])} % in response times (root mean square)'
        + (', too much to forecast response times with these numbers' if fits_badly else ''))
    return Finding(f'demand-{name}', f'**{REQUEST.get(name, "A request")} needs** '
                   f'{words.and_list([need(row) for row in rows])}{end}.',
                   Amount(first.get('demand_ms'), low=first.get('low_ms'), high=first.get('high_ms'), unit='ms'),
                   'unsure' if is_undetermined(first) or fits_badly else 'none', 'fit')


def predicts(run: Run, row: Row, percent: float) -> Answer:
    """Is the model's response within so many percent of that of the row's condition?"""
    measured = next((r for r in run.table('summary') if r.get('cell') == row.get('cell')), row)
    return off(number(row.get('response_fit_ms')), amount(measured, 'response_ms'), percent)


def foretold(run: Run, name: str) -> Finding | None:
    """Rows that the model did not know."""
    rows = [row for row in run.table('compare') if row.get('part') == name and row.get('fitted') == 'first'
            and row.get('used') == 0]
    if not rows:
        return None
    most = max(fabs(row['off_percent']) for row in rows)
    near, rough = (of_all([predicts(run, row, percent) for row in rows]) for percent in (10, 30))
    so = '' if near == HOLDS else told(rough, ' That is a rough estimate.', ' That is too far off for a forecast.',
                                       ' Whether that is too far off for a forecast this run cannot tell.')
    each = '; '.join(f'{words.with_unit(row.get("response_fit_ms"), "ms")} at {words.short(row.get("lambda_per_s"))} a second '
                     f'(measured {words.with_unit(row.get("response_ms"), "ms")})' for row in rows)
    return Finding(f'forecast-{name}', f'**From the lowest rates alone, the model predicts the {part_words(name)} responses within '
                   f'{words.short(most)} %**: {each}.{so}', Amount(most, unit='%'), 'good' if near == HOLDS else 'bad'
                   if rough == FAILS else 'unsure', 'fit')


def little(run: Run) -> Finding | None:
    """Little's law: rate times response and think time must give back how many users there were. All are of the same users'
    requests: that checks the measurement, and tells nothing of the server."""
    answers = [off(amount(row, 'little_users'), number(row.get('users')), 10) for row in run.table('summary')
               if row.get('part') != 'open' and is_measured(row) and is_valid(row)]
    most = max((fabs(answer.value) for answer in answers if not isnan(answer.value)), default=None)
    if most is None:
        return None
    word = of_all(answers)
    return Finding('little',
                   f'**Little\'s law {told(word, "holds within", "does not hold: off by up to", "may hold or not: off by up to")} '
                   f'{words.short(most)} %**. Request rate times (response time + think time) is to give the number of users; if '
                   'not, users were missing, requests failed, or the run was too short.', Amount(most, unit='%'),
                   told(word, 'good', 'bad', 'unsure'))


def world(run: Run) -> Finding | None:
    """By the table of these users, which counts pages from objects; without it, by the pages fetched."""
    row = busiest(run, 'web')
    if row is None or row.get('pages_per_s') is None or row.get('response_ms') is None or not is_mostly_answered(row):
        return None
    computed = {'pages_per_s': row['pages_per_s'], 'users_30s': row['pages_per_s'] * (row['response_ms'] / 1000 + 30)}
    of = next((w for w in run.table('world') if w.get('part') == 'web' and w.get('cell') == row.get('cell')
               and w.get('users_30s') is not None),
              computed)
    return Finding('world', f'**{words.plural(row["users"], "simulated user")} at {words.short(of["pages_per_s"])} pages a second '
                   f'equal {words.fixed(of["users_30s"], 0)} real users** who look at each page for 30 s.', Amount(of['users_30s']),
                   figure='response')


def verdict(run: Run) -> str:
    parts = []
    for name in present(run):
        found = ends(run, name)
        if not found:
            continue
        low, top = found
        more = '' if low == top else f', at {words.short(top.get("lambda_per_s"))} a second {response_words(top)}'
        parts.append(f'{words.upper_first(part_words(name))}: at {words.short(low.get("lambda_per_s"))} '
                     f'{ASKED_FOR.get(name, "requests")} a second the mean response is {response_words(low)}{more}.')
    if parts:
        return ' '.join(parts)
    return ('No condition is valid: the load generator interfered, or users were missing.'
            if any(map(is_measured, run.table('summary'))) else NOTHING_MEASURED)


def findings(run: Run) -> list[Finding]:
    of_parts = [[make(run, name) for name in present(run)] for make in (growth, foretold, fitted)]
    all_ = [invalid_requests(run), lost_requests(run), *of_parts[0], balance(run), open_loop(run), whole_pages(run),
            *of_parts[1], *of_parts[2], world(run), little(run), together(run)]
    return [f for f in all_ if f][:5]


def views(run: Run) -> list[View]:
    return [
        View('main', 'summary', 'Response and load by think time', 'users think_s lambda_per_s response_ms p95_ms late_percent '
             'errors? timeouts? unanswered? server_busy_percent', by='part', breaks=('think_s', 'late_percent', 5)),
        View('arrivals', 'summary', 'When requests come', 'users think_s gap_ms gap_sd_ms cov cov_band poisson judged '
             'arrivals_p_of_all', by='part'),
        View('servers', 'summary', 'Web servers', 'think_s lambda_per_s web1_cpu_percent web2_cpu_percent balancer_cpu_percent '
             'web1_of_share_percent? web2_of_share_percent? balancer_of_share_percent? web1_sent_kbyte_per_s web2_sent_kbyte_per_s '
             'received_kbyte_per_s frames_out_kbyte_per_s frames_in_kbyte_per_s', only='web1_cpu_percent'),
        View('world', 'world', 'Users of the world that these stand for', 'think_s lambda_per_s response_ms q n_calculated '
             'pages_per_s q_pages users_10s users_20s users_30s users_40s users_50s', by='part'),
        View('demands', 'slope', 'What a request needs, by the fitted model',
             'name demand_ms low_ms high_ms fitted rows error_percent', by='part'),
        View('model', 'compare', 'Measured rows beside the fitted model', 'fitted lambda_per_s response_ms response_fit_ms '
             'off_percent used', by='part'),
        View('quality', 'summary', 'Quality', 'users think_s requests errors? timeouts? unanswered? link_percent late_p99_ms_max '
             'started_late_ms_max? foreign_percent_max', by='part'),
    ]


# --- figures ------------------------------------------------------------------------------------------------------

RATE = Axis('requests a second', 0)
TITLES = {'web': 'web: objects of lighttpd', 'pages': 'pages: their objects in parallel', 'open': 'open loop: objects of lighttpd'}


def part_title(name: str) -> str:
    return TITLES.get(name, 'VNC: keys of refecho')


def part_short(name: str) -> str:
    return 'VNC' if name == 'vnc' else name


def values(rows: Sequence[Row], *names: str) -> list[float]:
    return [row[name] for row in rows for name in names if row.get(name) is not None]


def of_part(rows: Rows, name: str) -> Rows:
    return [row for row in rows if row.get('part') == name]


def by_rate(rows: Rows, column: str, at: Look, name: str, draw: str = 'line hover') -> list[Curve]:
    return over(((row.get('lambda_per_s'), row) for row in rows), column, at, name, draw=draw)


def response_figure(run: Run, rows: Rows) -> Drawing:
    panels = []
    limit = run.threshold_ms()
    for name in distinct(row.get('part') for row in rows):
        mine = of_part(rows, name)
        least = 10.0 ** floor(log10(min(values(mine, 'response_ms'), default=1) / 2))
        model = sorted((Place(row.get('model_lambda_per_s'), row['model_response_s'] * 1000) for row in mine
                        if row.get('model_response_s') is not None), key=lambda p: float(p.x or 0))
        panels.append(Panel(RATE, Axis('ms', least, log=True, unit='ms'), [
            *by_rate(mine, 'response_ms', look(0), 'mean', 'line bars hover'), *by_rate(mine, 'p95_ms', look(1), '95 % are faster'),
            Curve('line', model, DASHED, 'mean of one queue, not fitted: the link (web), the CPU (VNC)'),
            level(limit, DOTTED, f'{words.plain(limit)} ms')], part_title(name), grid='xy'))
    return Drawing('response', 'Response time by rate of requests', panels, across=2, high=340)


def load_figure(rows: Rows) -> Drawing:
    panels = [Panel(RATE, Axis('busy, %', 0, 100), [
        *by_rate(of_part(rows, name), 'server_busy_percent', look(0), 'CPU of the server'),
        *by_rate(of_part(rows, name), 'link_percent', look(1), 'link, from server to users')], part_title(name), grid='xy')
        for name in distinct(row.get('part') for row in rows)]
    return Drawing('load', 'How busy CPU and link are', panels, across=2, high=330)


def servers_figure(run: Run, all_rows: Rows) -> Drawing | None:
    """Web servers behind a balancer."""
    rows = [row for row in of_part(all_rows, 'web') if row.get('web1_cpu_percent') is not None]
    if not rows:
        return None
    is_shared = any(row.get('web2_of_share_percent') is not None for row in rows)
    cpu = 'of_share_percent' if is_shared else 'cpu_percent'
    kbyte = Axis('', 0, max(values(rows, 'received_kbyte_per_s', 'frames_out_kbyte_per_s'), default=1) * 1.1)
    fits = [answer.low for answer in lines(run)]
    straight, top = line_of(run, 'web1'), max(reversed(rows), key=lambda row: float(row['lambda_per_s']))
    dots = [Place(x, y) for x in (0, *([top['lambda_per_s']] if top in valid(run, 'web') else []))
            if not isnan(y := straight(x).value)]
    both = [{**row, 'sent': total(row, 'web1_sent_kbyte_per_s', 'web2_sent_kbyte_per_s')} for row in rows
            if row.get('web2_sent_kbyte_per_s') is not None]
    frames = sorted((row for row in rows if row.get('frames_out_kbyte_per_s') is not None),
                    key=lambda row: float(row['lambda_per_s']))
    cpu_title = f'CPU, % of {"its share" if is_shared else "one"}{f"; R² {words.fixed(min(fits), 3)}" if fits else ""}'
    return Drawing('servers', 'Web servers over the rate of requests', [
        Panel(RATE, Axis('', 0), [*by_rate(rows, 'response_ms', look(0), 'mean'),
                                  *by_rate(rows, 'p95_ms', look(1), '95 % are faster')],
              'response time, ms', grid='xy'),
        Panel(RATE, Axis('', 0, 100), [
            *by_rate(rows, f'web1_{cpu}', look(2), 'server 1'), *by_rate(rows, f'web2_{cpu}', look(3), 'server 2'),
            *by_rate(rows, f'balancer_{cpu}', look(4), 'balancer'), Curve('line', dots, DOTTED)], cpu_title, grid='xy'),
        Panel(RATE, kbyte, by_rate(rows, 'received_kbyte_per_s', look(5), 'users; all servers'),
              'received by users, KB/s', grid='xy'),
        Panel(RATE, kbyte, [
            *by_rate(rows, 'web1_sent_kbyte_per_s', look(2), 'server 1'),
            *by_rate(rows, 'web2_sent_kbyte_per_s', look(3), 'server 2'),
            *by_rate(both, 'sent', look(5), 'users; all servers'),
            Curve('line', [Place(row['lambda_per_s'], row['frames_out_kbyte_per_s']) for row in frames], DASHED,
                  'frames on the link')],
            'sent, KB/s', grid='xy')], across=2, high=300)


def loadlines_figure(rows: Rows) -> Drawing | None:
    """The open loop beside users who think: what is asked for by how many requests are under way."""
    web, opened = of_part(rows, 'web'), of_part(rows, 'open')
    if not values(opened, 'concurrency'):
        return None
    upto = max(values([*web, *opened], 'concurrency')) * 1.1

    def points(mine: Rows) -> list[Place]:
        return [Place(row['concurrency'], row.get('lambda_per_s')) for row in mine if row.get('concurrency') is not None]

    def asked(mine: Rows, waiting: float) -> list[Place]:
        """The rates that are asked for, less by those who wait."""
        return [Place(0, row['users'] / row['think_s'], x2=upto, y2=row['users'] / row['think_s'] - waiting / row['think_s'])
                for row in mine]

    return Drawing('loadlines', 'Rate of requests by how many are under way', [
        Panel(Axis('requests under way', 0, upto), Axis('requests a second', 0), [
            Curve('points', points(web), Look(LIGHT, 7), 'users who think'),
            Curve('segment', asked(web, upto), DOTTED, 'load lines of users: (users − under way) / think time'),
            Curve('points', points(opened), Look(HEAVY, 9), 'open loop'),
            Curve('segment', asked(opened, 0), DASHED, 'rates of the open loop')])])


def fit_panels(rows: Rows) -> list[Panel]:
    """Response over rate; and the load lines of users who think: a row lies where line and server meet."""
    name = part_short(rows[0]['part'])
    most, upto = max(values(rows, 'lambda'), default=1), max(values(rows, 'q'), default=1) * 1.1
    known = 'first' if any(row.get('kind') == 'later' for row in rows) else 'all'
    kinds = (('all', 'fit', 'line points', Look(LIGHT, 6, size=0.5), 'model, fitted to all rows'),
             ('first', 'fit', 'line points', Look(DASHED.colour, 8, DASHED.dash, size=0.5), 'fitted to the lowest rates'),
             (known, 'measured', 'points', Look(HEAVY), 'measured'),
             (known, 'later', 'points', Look(HEAVY, 9, size=1.1), 'measured, not known to the dashed line'))

    def curves(x: str, y: str, by: float) -> list[Curve]:
        return [Curve(draw, [Place(row[x], row[y] * by) for row in rows if (row.get('fitted'), row.get('kind')) == (with_, kind)
                             and row.get(x) is not None and row.get(y) is not None], at, title_)
                for with_, kind, draw, at, title_ in kinds]

    load_lines = [Place(0, row['n'] / row['z_s'], x2=x, y2=(row['n'] - x) / row['z_s']) for row in rows
                  if (row.get('fitted'), row.get('kind')) == ('all', 'measured') and row.get('n') is not None
                  and (row.get('z_s') or 0) > 0 for x in [min(row['n'], upto)]]
    return [Panel(Axis('requests a second', 0, most * 1.05), Axis('', 0), curves('lambda', 'r_s', 1000),
                  f'{name}: mean response, ms', grid='xy'),
            Panel(Axis('requests under way', 0, upto), Axis('', 0, most * 1.15), [
                *curves('q', 'lambda', 1), Curve('segment', load_lines, DOTTED, 'load lines: (users − under way) / think time')],
                f'{name}: requests a second', grid='xy')]


def fit_figure(run: Run) -> Drawing | None:
    rows = run.table('curve')
    panels = [panel for name in distinct(row.get('part') for row in rows) for panel in fit_panels(of_part(rows, name))]
    return Drawing('fit', 'Measured rows beside a fitted model', panels, across=2, high=340) if panels else None


class Counted(NamedTuple):
    """Of a part whose arrivals were counted: the think time nearest to that of the paper (6.25 s), and the shortest."""
    part: str
    near_s: float
    shortest_s: float


def counted_curves(rows: Rows, title_: str, colour: str) -> list[Curve]:
    """Of one think time: the band of requests at random, each repeat, and the mean, only at users that every repeat has: a mean of
    some would jump."""
    repeats = [[row for row in rows if row.get('repeat') == n] for n in sorted({row['repeat'] for row in rows})]
    halves = [(row['users'], row['cov_high'] - row['cov']) for row in repeats[0]]
    means = []
    for users in sorted({row['users'] for row in rows}):
        found = [row['cov'] for row in rows if row['users'] == users]
        if len(found) == len(repeats):
            means.append(Place(users, sum(found) / len(found)))
    return [Curve('band', [Place(users, low=max(0, 1 - half), high=1 + half) for users, half in halves], Look(colour)),
            *(Curve('line', [Place(row['users'], row.get('cov')) for row in one], Look(colour, width=0.4), 'each repeat')
              for one in repeats),
            Curve('line', means, Look(colour, width=2), title_),
            level(1, DOTTED, 'requests at random (a Poisson process); shaded: 95 in 100 of such')]


def cov_figure(run: Run) -> Drawing | None:
    """When requests come, as one user after the other is counted in."""
    rows = run.table('points')
    of = []
    for name in distinct(row.get('part') for row in rows):
        times = [row['think_s'] for row in of_part(rows, name)]
        of.append(Counted(name, min(times, key=lambda z: fabs(z - 6.25)), min(times)))
    near = ', '.join(f'{words.plain(one.near_s)} s ({part_short(one.part)})' for one in of)
    shortest = ', '.join(f'{words.plain(one.shortest_s)} s ({part_short(one.part)})' for one in of)
    panels = []
    for one in of:
        kinds = [(one.near_s, f"think time nearest to the paper's 6.25 s, not scaled: {near}", LIGHT),
                 *([(one.shortest_s, f'the shortest think time: {shortest}', HEAVY)] if one.shortest_s != one.near_s else [])]
        curves = [curve for z, title_, colour in kinds
                  for curve in counted_curves([row for row in of_part(rows, one.part) if row['think_s'] == z], title_, colour)]
        panels.append(Panel(Axis('users counted in', 0), Axis('', 0), curves, part_title(one.part), grid='xy'))
    return Drawing('cov', 'Coefficient of variation of the times between requests', panels, across=2, high=340) if panels else None


def drawings(run: Run) -> list[Drawing]:
    """Response and load over the rate of requests, measured rows beside a model (fit), and cov of arrivals, a panel a part; what
    each web server does (servers). The arrivals of one cell are drawn by figures.gp."""
    rows = run.measured()
    return [d for d in (response_figure(run, rows), load_figure(rows), servers_figure(run, rows), loadlines_figure(rows),
                        fit_figure(run), cov_figure(run)) if d]
