# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run that looked for the most users found."""
import re
from dataclasses import replace

from analysis import notes, words
from analysis.amounts import Amount, Row, Rows, amount, exceeds, in_words, interval_words, number, span, within
from analysis.draw import DOTTED, Axis, Curve, Drawing, Look, Panel, Place, level, look, over
from analysis.notes import NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run, distinct, settings_of

COLUMNS = '''
counts repeats
table summary rows:headcount schema=capacity/1
# column               heading                       unit  source estimator decimals better
system                 Session                       -     param  -         text     -
protocol               Protocol                      -     param  -         text     -
app                    Application                   -     param  -         text     -
users                  Users                         -     param  -         0        -
state                  State                         -     -      -         text     -
repeats                Searches                      -     -      -         0        -
failed                 Failed                        -     -      -         0        lower
marked                 Flagged                       -     -      -         0        lower
mean_ms                Mean                          ms    -      -         3        lower
p50_ms                 Median                        ms    -      -         3        lower
p95_ms                 "95 %"                        ms    -      ends      3        lower
apdex                  Apdex                         -     -      ends      4        higher
late_percent           Late                          %     -      -         3        lower
all_p95_ms             "Largest 95 % of a user"      ms    -      -         3        lower
all_mean_ms            "Mean of all users"           ms    -      -         3        lower
jain                   "Jain's index"                -     -      -         4        higher
worst_over_median      "Worst / median user"         -     -      -         3        lower
median_p95_ms          "Median 95 % of the users"    ms    -      -         3        lower
keys_per_s             Keys                          1/s   -      -         3        -
server_busy_percent    "CPU busy"                    %     -      ends      3        lower
client_busy_percent    "Viewers busy"                %     -      -         3        lower
foreign_percent        "Interference"                %     -      -         3        lower
waiting                "Waiting for a CPU"           -     -      -         3        lower
available_bytes        "Memory available"            byte  -      -         0        higher
swap_in_bytes_per_s    "Swapped in"                  B/s   -      -         0        lower
link_percent           "Link used"                   %     -      -         3        lower
own_percent            "CPU used by sessions"        %     -      -         3        lower
major_faults_per_s     "Major faults"                1/s   -      -         3        lower
drops_per_s            "Dropped packets"             1/s   -      -         3        lower
client_waiting         "Viewers waiting"             -     -      -         3        lower
memory_stall_ms_per_s  "Waiting for memory"          ms/s  -      -         3        lower
more_ms                "More than alone"             ms    -      - +-3      lower
wait_ms                "Wait for a CPU per key"      ms    -      -         3        lower
wait_share_percent     "Of it waiting for a CPU"     %     -      -         3        lower
wait_over_queue        "Times a queue's wait"        -     -      -         3        lower
viewers_share_percent  "Of it viewers waiting"       %     -      -         3        lower
memory_share_percent   "Of it waiting for memory"    %     -      -         3        lower
faults_percent         "Faults per 100 keys"         -     -      -         3        lower
drops_percent          "Drops per 100 keys"          -     -      -         3        lower

table points rows:headcount schema=capacity-limit/1
system                 Session                       -     param  -         text     -
protocol               Protocol                      -     param  -         text     -
app                    Application                   -     param  -         text     -
criterion              Criterion                     -     param  -         text     -
repeats                Searches                      -     -      -         0        -
reached                "Reached a limit"             -     -      -         0        -
users                  "Most users"                  -     -      ends      2        higher
users_min              Least                         -     -      -         0        higher
users_max              Most                          -     -      -         0        higher
plan                   "Plan for"                    -     -      -         0        higher
untold                 "Limits by late ends"         -     -      -         0        lower
limit                  "Full beyond"                 -     -      -         text     -
ended                  "Why it ended"                -     -      -         text     -
jain_good              "Jain's index, last good"     -     -      -         4        higher
jain_bad               "Jain's index, first bad"     -     -      -         4        higher
worst_good             "Worst / median, last good"   -     -      -         3        lower
worst_bad              "Worst / median, first bad"   -     -      -         3        lower
forecast               Forecast                      -     -      ends      0        -
forecast_of            "Full by the forecast"        -     -      -         text     -
forecast_why           "Why no forecast"             -     -      -         text     -
forecast_from          "Forecast from users up to"   -     -      -         0        -

table compare rows:headcount schema=capacity-compare/1
system                 Session                       -     param  -         text     -
criterion              Criterion                     -     param  -         text     -
repeat                 Search                        -     param  -         0        -
name                   Resource                      -     param  -         text     -
unit                   Unit                          -     -      -         text     -
at_least               "Full from"                   -     -      -         1        -
users_good             "Last good users"             -     -      -         0        -
good                   "There, good"                 -     -      -         2        lower
users_bad              "First bad users"             -     -      -         0        -
bad                    "There, bad"                  -     -      -         2        lower
full                   Full                          -     -      -         0        -

table slope rows:headcount schema=capacity-slope/1
system                 Session                       -     param  -         text     -
criterion              Criterion                     -     param  -         text     -
name                   Resource                      -     param  -         text     -
points                 Points                        -     -      -         0        -
none                   "Without keys"                -     -      -         4        -
slope                  "By key (memory: by user)"    -     -      ends      4        lower
users                  "Full with users"             -     -      ends      1        higher
'''


def systems(run: Run) -> list[str]:
    return distinct(row['system'] for row in run.table('points'))


def app_words(cost_ms: float | None) -> dict[str, str]:
    heavy = 'the heavy application' if cost_ms is None else f'an editor that computes {words.plain(cost_ms)} ms per redraw'
    return {'light': 'vim', 'heavy': heavy}


def words_of(run: Run, system: str) -> str:
    *protocol, app = system.split('.')
    return words.upper_first(f'{app_words(settings_of(run, system).get("cost_ms")).get(app, app)} over {".".join(protocol)}')


def criterion_words(criterion: str, threshold_ms: float) -> str:
    if criterion.startswith('p95:'):
        return f'95 % of the keys answered within {criterion[4:].removesuffix("ms")} ms'
    return f'an Apdex of {criterion[6:]} (T = {words.plain(threshold_ms)} ms)'


def labels(run: Run) -> Labels:
    return Labels(value={'app': app_words(run.setting('cost_ms')),
                         'criterion': {c: criterion_words(c, run.threshold_ms()) for c in run.setting('criteria', [])}})


def title(run: Run) -> str:
    return f'How many users fit: {words.and_list(run.setting("protocols", []))}'


def setup(run: Run) -> str:
    names = app_words(run.setting('cost_ms'))
    searches = notes.repeats_words(run) or ''
    searches = searches.replace('repeats', 'searches', 1) if 'repeats' in searches else searches.replace('repeat', 'search', 1)
    return notes.sentence([notes.link_words(run), words.and_list([names.get(app, app) for app in run.setting('apps', [])]),
                           searches, notes.run_words(run)])


# --- what the searches found --------------------------------------------------------------------------------------

def is_open_above(row: Row) -> bool:
    """One found no limit, since --most held, or since it ended for another reason."""
    return bool(row['reached'] < row['repeats'])


def most_words(row: Row) -> str:
    """For the user in front: the least and the most of the searches; both where there are two."""
    is_open, least, most = is_open_above(row), row['users_min'], row['users_max']
    if least == most:
        text = f'{"at least " if is_open else ""}{words.plain(least)}'
    else:
        text = f'{words.plain(least)} {"and" if row["repeats"] == 2 else "to"} {"at least " if is_open else ""}{words.plain(most)}'
    return f'{text} {"user" if most == 1 and not is_open else "users"}'


def planned(row: Row) -> float:
    """The number to plan for: with it, and with each fewer number that was measured, every user met the criterion in each search.
    Runs that do not have it: the least of the searches, for the user in front."""
    return float(row['plan'] if row.get('plan') is not None else row['users_min'])


def plan_words(row: Row) -> str:
    n = planned(row)
    if not n:
        return 'not one user supported'
    return f'plan for {"at least " if row["reached"] == 0 and n == row["users_min"] else ""}{words.plural(n, "user")}'


def plan_rule(row: Row, threshold_ms: float) -> str:
    n, repeats, bare = planned(row), row['repeats'], row.get('plan') is None
    whose = 'the user in front' if bare else 'every user'
    criterion = criterion_words(row['criterion'], threshold_ms)
    every = 'the one search' if repeats == 1 else 'both searches' if repeats == 2 else f'each of {words.plain(repeats)} searches'
    if n:
        text = f': {every} found {words.plain(n)} or more users with whom, in most tries, {whose} had {criterion}'
    else:
        some = every if repeats == 1 or row['users_max'] == 0 else f'one or more of the {words.plain(repeats)} searches'
        text = f': {criterion} was not met for {whose} in {some}'
    return f'{text} ({most_words(row)})' if bare else f'{text} (the user in front: {most_words(row)})'


def limits_of(run: Run, system: str) -> Rows:
    return [row for row in run.table('points') if row['system'] == system]


def rows_of(run: Run, system: str) -> Rows:
    return [row for row in run.table('summary') if row['system'] == system and (row.get('repeats') or 0) > 0]


def gap_words(row: Row, rows: Rows) -> str:
    """Numbers between that to plan for and the next that was measured."""
    n = planned(row)
    following = min((r['users'] for r in rows if r['users'] > n), default=None)
    if not n or following is None or following == n + 1:
        return ''
    return f'; {words.plain(n + 1)}{"" if following == n + 2 else f" to {words.plain(following - 1)}"} users were not measured'


def bold(run: Run, system: str, text: str) -> str:
    return f'**{words.upper_first(text) if not run.runs() and len(systems(run)) == 1 else f"{words_of(run, system)}: {text}"}**'


def stem(system: str) -> str:
    return re.sub('[^a-zA-Z0-9]+', '-', system)


def verdict(run: Run) -> str:
    join = '; b' if len(systems(run)) > 1 else '. B'
    parts = []
    for system in systems(run):
        row = limits_of(run, system)[0]
        limit = row.get('limit') or ''
        end = f'{join}ottleneck one step beyond these: {limit}.' if limit else '.'
        parts.append(f'{words_of(run, system)}: {plan_words(row)}{plan_rule(row, run.threshold_ms())}'
                     f'{gap_words(row, rows_of(run, system))}{end}')
    return ' '.join(parts) if parts else NOTHING_MEASURED


# --- findings -----------------------------------------------------------------------------------------------------

def users_words(row: Row | None, searches: float) -> str:
    if row is None or row.get('median_p95_ms') is None:
        return ''
    users, repeats = words.plural(row['users'], 'user'), row['repeats']
    means = ('means over the searches' if repeats == searches else f'in the one search with {users}' if repeats == 1 else
             f'means over the {words.plain(repeats)} searches with {users}')
    return (f' With {users}, 95 % of the keys of the user in front were answered within {in_words(amount(row, "p95_ms"))}, of the '
            f'median user within {words.with_unit(row["median_p95_ms"], "ms")}, and of the slowest within '
            f'{words.with_unit(row.get("all_p95_ms"), "ms")} ({means}).')


def fit(run: Run, system: str) -> Finding | None:
    limits, rows, t = limits_of(run, system), rows_of(run, system), run.threshold_ms()
    if not limits:
        return None
    first = limits[0]
    text = bold(run, system, plan_words(first)) + plan_rule(first, t) + gap_words(first, rows)
    text += ''.join(f'. {words.upper_first(plan_words(row))}{plan_rule(row, t)}{gap_words(row, rows)}' for row in limits[1:]) + '.'
    text += users_words(next((row for row in rows if row['users'] == planned(first)), None), first['repeats'])
    if first.get('untold'):
        text += (f' In {words.plain(first["untold"])} of {words.plural(first["repeats"], "search", "searches")} the limit is by '
                 'the late ends of ranges: with the early ends, more users may fit.')
    if not first['users_min'] > 0:
        text += ' In some searches even one user alone was too slow: application, display server or machine is too slow.'
    if first['reached'] == 0 and first.get('ended'):
        text += f' {words.upper_first(first["ended"].removesuffix("."))}.'
    return Finding(f'most-{stem(system)}', text, Amount(planned(first), unit='users'), 'bad' if first['users_min'] == 0
                   else 'none', 'users')


def compared(run: Run, system: str, criterion: str) -> Rows:
    return [row for row in run.table('compare') if row['system'] == system and row['criterion'] == criterion]


def sides(run: Run, system: str, criterion: str) -> list[tuple[Row, float, list[float], float | None]]:
    """The rules of a limit over the searches: those that were full in most of them first, with that number, and the users and the
    mean figure one step beyond."""
    rows = compared(run, system, criterion)
    found = []
    for key in sorted({(row['name'], row['unit'] or '') for row in rows}):
        group = [row for row in rows if (row['name'], row['unit'] or '') == key]
        full = [row for row in group if (row.get('full') or 0) > 0]
        bad = [row['bad'] for row in full if row.get('bad') is not None]
        count = sum(row.get('full') or 0 for row in group)
        if count > 0:
            found.append((group[0], count, sorted({row['users_bad'] for row in full}), sum(bad) / len(bad) if bad else None))
    return sorted(found, key=lambda side: -side[1])


def cpu_words(row: Row) -> str:
    busy = words.percent(row.get('server_busy_percent'))
    if row.get('wait_ms') is None or row.get('more_ms') is None:
        return f"the server's CPU was {busy} % busy"
    return (f'a response took {words.with_unit(row["more_ms"], "ms")} longer than with one user, and waited '
            f'{words.with_unit(row["wait_ms"], "ms")} for a CPU of the server, which was {busy} % busy')


def full(run: Run, system: str) -> Finding | None:
    limit = next((row for row in limits_of(run, system) if row.get('limit') is not None and row['reached'] > 0), None)
    if not limit:
        return None
    bad = min((row['users_bad'] for row in compared(run, system, limit['criterion']) if row.get('users_bad') is not None),
              default=None)
    row = next((r for r in rows_of(run, system) if r['users'] == bad), None)
    text = bold(run, system, f'bottleneck one step beyond: {limit["limit"]}')
    text += '' if limit.get('ended') is None else f' ({limit["ended"].removesuffix(".")})'
    text += '' if row is None or bad is None else f'. With {words.plural(bad, "user")}, {cpu_words(row)}'
    others = [f'{side["name"]}: {words.short(value)} {side["unit"]} with {words.and_list([words.plain(n) for n in users])} users, '
              f'limit {words.plain(side.get("at_least"))}' for side, _, users, value in sides(run, system, limit['criterion'])
              if side['name'] != 'CPU' and value is not None]
    text += ''.join(f'; {other}' for other in others) + '.'
    return Finding(f'full-{stem(system)}', text, amount(row or {}, 'server_busy_percent'),
                   'unsure' if 'unexplained' in limit['limit'] else 'none', 'delay')


NO_QUEUE = ('memory', 'link', 'viewers', 'alone', 'session', 'displays', 'processes', 'run queue', 'unexplained')
CAME_OUT = {'good': '', 'bad': ', which differs', 'bare': ', without an interval', 'wide': ', an interval too wide to tell',
            'open': ': a search found no limit, cannot tell', 'differ': ': the searches disagree, cannot tell'}


def came_out(row: Row) -> str:
    """Does the forecast agree with the searches? Its interval meets what they found, and holds the plan. Searches that differ by
    more than a factor of two, and an interval to more than twice its low end, would agree with anything."""
    if row.get('forecast') is None:
        return 'none'
    low, high = row.get('forecast_low'), row.get('forecast_high')
    if low is None or high is None:
        return 'bare'
    found, forecast = span(row['users_min'], None if is_open_above(row) else row['users_max']), span(low, high)
    if exceeds(found, forecast) is True or exceeds(forecast, found) is True:
        return 'bad'
    if exceeds(number(high), number(2 * max(low, 1.0))) is not False:
        return 'wide'
    if is_open_above(row):
        return 'open'
    if exceeds(number(row['users_max']), number(2 * max(row['users_min'], 1.0))) is True:
        return 'differ'
    return 'unplanned' if within(number(planned(row)), low, high) is False else 'good'


def forecast_words(row: Row, threshold_ms: float) -> str:
    text = f'{criterion_words(row["criterion"], threshold_ms)}: '
    if row.get('forecast') is None:
        return f'{text}none ({row.get("forecast_why") or "?"})'
    end = CAME_OUT.get(came_out(row), f', but the plan is {words.plural(planned(row), "user")}')
    return (f'{text}{words.plural(row["forecast"], "user")}'
            f'{interval_words(row.get("forecast_low"), row.get("forecast_high"), "users", words.plain)}, found '
            f'{most_words(row)}{end}')


def foretold(run: Run, system: str) -> Finding | None:
    rows = [row for row in limits_of(run, system) if row['users_max'] > 0]
    if not rows:
        return None
    good = [row for row in rows if came_out(row) == 'good']
    first = next((row for row in rows if row.get('forecast') is not None), None)
    if first is None:
        text = f'{bold(run, system, "no forecast")}: {rows[0].get("forecast_why") or "?"}'
    else:
        head = (f'the forecast from the first third of the curve agrees with searches and plan for {len(good)} of '
                f'{words.plural(len(rows), "criterion", "criteria")}')
        text = (f'{bold(run, system, head)}, for the user in front. '
                f'{"; ".join(forecast_words(row, run.threshold_ms()) for row in rows)}')
        text += ('' if first.get('forecast_of') == 'CPU' else f'. By the forecast, {first.get("forecast_of")} is the first '
                 'bottleneck')
        if first['reached'] != 0 and any(word in (first.get('limit') or '') for word in NO_QUEUE):
            text += f'. The forecast holds for CPUs only, and the bottleneck found is {first["limit"]}'
    bad = any(came_out(row) == 'bad' for row in rows)
    return Finding(f'forecast-{stem(system)}', f'{text}.', replace(amount(first or {}, 'forecast'), unit='users'),
                   'bad' if bad else 'good' if len(good) == len(rows) else 'unsure', 'users')


def needs(run: Run, system: str) -> Finding | None:
    row = next((r for r in run.table('slope') if r['system'] == system and r.get('name') == 'CPU' and r.get('users') is not None
                and exceeds(span(r.get('slope_low'), r.get('slope_high')), number(0)) is True), None)
    if not row:
        return None
    rate = words.with_unit(row['slope'], 'ms')
    return Finding(f'need-{stem(system)}', f'{bold(run, system, f"a key needs {rate} of CPU time")}'
                   f'{interval_words(row.get("slope_low"), row.get("slope_high"), "ms")} by the first third of the curve. By this '
                   f'slope, the CPU would be saturated with {words.short(row["users"])} users.',
                   Amount(row['slope'], low=row.get('slope_low'), high=row.get('slope_high'), unit='ms'), 'none', 'resources')


def fair(run: Run, system: str) -> Finding | None:
    """The largest of several users' figures is larger by chance alone, so only that they are alike can be told."""
    row = next((r for r in limits_of(run, system) if r.get('worst_good') is not None and r['users_max'] > 1), None)
    if not row:
        return None
    alike = not row['worst_good'] > 1.25
    how = 'response times are alike for all users' if alike else 'this run cannot tell whether response times differ between users'
    beyond = '.' if row.get('worst_bad') is None else f'; one step beyond, {words.fixed(row["worst_bad"], 2)} times.'
    return Finding(f'fair-{stem(system)}', f'{bold(run, system, how)}. With the most users for the user in front '
                   f'({criterion_words(row["criterion"], run.threshold_ms())}), the 95th percentile of the slowest user is '
                   f'{words.fixed(row["worst_good"], 2)} times that of the median user{beyond}', Amount(row['worst_good']),
                   'good' if alike else 'unsure')


def findings(run: Run) -> list[Finding]:
    return [f for make in (fit, full, foretold, needs, fair) for system in systems(run) if (f := make(run, system))][:5]


def views(run: Run) -> list[View]:
    return [
        View('main', 'summary', 'The user in front, and the machine', 'users p95_ms median_p95_ms all_p95_ms apdex '
             'server_busy_percent waiting',
             by='system', breaks=('users', 'p95_ms', run.threshold_ms())),
        View('most', 'points', 'The most users',
             'criterion plan users users_min users_max reached repeats? limit forecast worst_good worst_bad', by='system'),
        View('sides', 'compare', 'On both sides of the limit', 'criterion repeat name unit at_least users_good good users_bad bad '
             'full', by='system'),
        View('needs', 'slope', 'What a key or a user needs, by the first third', 'criterion name points none slope users',
             by='system'),
        View('steps', 'summary', 'All steps', 'users repeats? mean_ms p50_ms late_percent worst_over_median jain own_percent '
             'more_ms wait_ms',
             by='system', floor='p50_ms'),
    ]


# --- figures ------------------------------------------------------------------------------------------------------

def drawings(run: Run) -> list[Drawing]:
    """The user in front over the number of users; how much longer keys took; how busy the machines were."""
    rows = [row for row in run.table('summary') if row.get('state') == 'measured']
    found = [{**p, 'limit_ms': float(p['criterion'][4:].removesuffix('ms'))} for p in run.table('points')
             if p['criterion'].startswith('p95:')]
    users = [row['users'] for row in rows] + [p[c] for p in found for c in ('users', 'forecast') if p.get(c) is not None]
    most = max(users + [1.0])
    x = Axis('users', 0, most * 1.05 + 0.5, step=1 if most <= 16 else None)
    apps = app_words(run.setting('cost_ms'))
    names = distinct(row['system'] for row in rows)

    def system_words(system: str) -> str:
        protocol, _, app = system.partition('.')
        return f'{apps.get(app, app)}, {protocol}'

    def line_of(system: str, column: str, at: Look, name: str, draw: str = 'line hover') -> list[Curve]:
        return over(((row['users'], row) for row in rows if row['system'] == system), column, at, name, draw=draw)

    def whose(system: str) -> str:
        return f', {system_words(system)}' if len(names) > 1 else ''

    front: list[Curve] = []
    delay: list[Curve] = []
    busy: list[Curve] = []
    waiting: list[Curve] = []
    for i, system in enumerate(names):
        own = look(i)
        front += line_of(system, 'p95_ms', own, system_words(system), 'line bars hover')
        front += [Curve('spans points', [Place(p[c], p['limit_ms'], p.get(f'{c}_low'), p.get(f'{c}_high')) for p in found
                                         if p['system'] == system and p.get(c) is not None], Look(own.colour, shape, size=size),
                        name)
                  for c, name, shape, size in (('users', 'the most users, found', 4, 1.2),
                                               ('forecast', 'forecast from the first third', 2, 1.4))]
        delay += line_of(system, 'more_ms', own, f'a key{whose(system)}')
        delay.append(Curve('line points', [Place(row['users'], row['wait_ms']) for row in rows if row['system'] == system
                                           and row['users'] > 1 and row.get('wait_ms') is not None], Look(own.colour, 8, 2),
                           f'of that, waiting for a CPU{whose(system)}'))
        busy += line_of(system, 'server_busy_percent', replace(own, shape=7), f'server{whose(system)}')
        busy += line_of(system, 'client_busy_percent', replace(own, shape=6, dash=3), 'viewers')
        waiting += line_of(system, 'waiting', replace(own, shape=8, dash=2), 'waiting for a CPU of the server')
    t = run.threshold_ms()
    front.append(level(t, DOTTED, f'{words.plain(t)} ms'))
    top = max([row['p95_ms'] for row in rows if row.get('p95_ms') is not None] + [p['limit_ms'] for p in found] + [t]) * 1.15
    return [
        Drawing('users', 'Response time of the user in front over the number of users',
                [Panel(x, Axis('95 % of the keys within, ms', 0, top), front)]),
        *([Drawing('delay', 'How much longer keys took than with one user alone',
                   [Panel(x, Axis('mean of all users, ms more', 0), delay)])]
          if any(row.get('more_ms') is not None for row in rows) else []),
        Drawing('resources', 'How busy server and viewers were', [
            Panel(x, Axis('percent of the CPUs', 0, 105), busy), Panel(x, Axis('processes that wait for a CPU', 0), waiting)],
                across=1, high=300)]
