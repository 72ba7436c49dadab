# SPDX-License-Identifier: GPL-3.0-or-later
"""What a session replayed at several settings shows, in words."""
from collections.abc import Sequence
from math import fabs
from typing import Any

from analysis import notes, numbers, words
from analysis.amounts import (Amount, Row, Rows, above, amount, ask, exceeds, interval_alone, is_floor, near, number, scaled,
                              within, yes_or_no)
from analysis.page import Finding, Labels, View
from analysis.run import Run

COLUMNS = '''
# One recorded session, replayed at several settings.
table summary cells schema=replays/1
# column            heading                       unit source                              estimator decimals better
setting             Setting                       -    param                               -         text     -
value               Value                         -    replays:value                       -         3        -
says                Setting                       -    replays:says                        -         text     -
state               State                         -    count:measured                      -         text     -
repeats             Replays                       -    count:complete                      -         0        -
failed              Failed                        -    count:failed                        -         0        lower
marked              Flagged                       -    count:flagged                       -         0        lower
reason              "Reason of the last failure"  -    count:reason                        -         text     -
total_s             "Total time"                  s    cell.json:play.total_s              mean+ci   3        lower
total_ratio         "Total time, ratio to base"   -    replays:total_ratio                 ends      5        lower
responses           Responses                     -    replays:responses                   -         0        -
missing             "Responses missing"           -    replays:missing                     -         0        lower
p25_ms              "25 %"                        ms   replays:p25                         ends      2        lower
p50_ms              Median                        ms   replays:p50                         ends      2        lower
p75_ms              "75 %"                        ms   replays:p75                         ends      2        lower
p90_ms              "90 %"                        ms   replays:p90                         ends      2        lower
max_ms              Largest                       ms   replays:max                         -         2        lower
late_percent        Late                          %    replays:late                        -         2        lower
pairs               Pairs                         -    replays:pairs                       -         0        -
ratio               "Responses, ratio to base"    -    replays:ratio                       ends      4        lower
p                   "p, Holm"                     -    replays:p                           -         6        -
verdict             "Against the base"            -    replays:verdict                     -         text     -
ratio_p25           "Ratio, 25 % of responses"    -    replays:ratio_p25                   -         4        lower
ratio_p75           "Ratio, 75 % of responses"    -    replays:ratio_p75                   -         4        lower
ratio_max           "Largest ratio of a response" -    replays:ratio_max                   -         4        lower
points              "Responses with a ratio"      -    replays:points                      -         0        -
slower              "At least 1.5 times as long"  -    replays:slower                      -         0        lower
faster              "At most 2/3 as long"         -    replays:faster                      -         0        higher
inputs_least        "Fewest inputs delivered"     -    cell.json:play.inputs               min       0        higher
inputs_of_trace     "Inputs of the session"       -    cell.json:play.inputs_of_trace      max       0        -
waited              "Waits for the screen"        -    cell.json:play.snapshots.waited     mean      1        lower
throttled_s         Throttled                     s    cell.json:facts.throttled_s         mean      3        -
load_reads_per_s    "Reads of the load"           1/s  cell.json:facts.load_reads_per_s    mean      3        -
load_read_p50_ms    "Read of the load, median"    ms   cell.json:facts.load_read_p50_ms    mean      3        lower
in_device_p90       "In the device, 90 %"         -    cell.json:facts.in_device_p90       mean      1        -
waiting_mean        "Requests that wait"          -    cell.json:facts.waiting_mean        mean      1        -
tau                 "Order kept, Kendall's tau"   -    cell.json:facts.tau                 change+ci 4        -
overtaken_percent   "Requests overtaken"          %    cell.json:facts.overtaken_percent   mean      1        -
passed_percent      "Load's reads passed"         %    cell.json:facts.passed_percent      percent+ci 2       higher
session_wait_ms     "Wait of a session's read"    ms   cell.json:facts.session_wait_ms     mean+ci   3        lower
load_wait_ms        "Wait of a load's read"       ms   cell.json:facts.load_wait_ms        mean+ci   3        -
delay_ms            "Delay of the disk"           ms   cell.json:facts.delay_ms            mean      3        -
disk_reads          "Reads of the disk"           -    cell.json:disk.reads                mean      3        -
disk_writes         "Writes of the disk"          -    cell.json:disk.writes               mean      3        -
server_busy_percent "Server CPUs busy"            %    cell.json:server_busy_percent       mean      3        -
caches              "Page cache"                  -    cell.json:caches                    same      text     -

table points rows:replays schema=replays-points/1
setting             Setting                       -    param                               -         text     -
input               Input                         -    param                               -         0        -
kind                Kind                          -    param                               -         text     -
at_s                "Time in the session"         s    param                               -         3        -
n                   Pairs                         -    -                                   -         0        -
latency_ms          "Response time"               ms   -                                   -         3        lower
base_ms             "at the base"                 ms   -                                   -         3        lower
ratio               Ratio                         -    -                                   -         4        lower

table runs rows:replays schema=replays-runs/1
setting             Setting                       -    param                               -         text     -
repeat              Repeat                        -    param                               -         0        -
total_s             "Total time"                  s    -                                   -         3        lower
inputs              "Inputs delivered"            -    -                                   -         0        higher
inputs_of_trace     "Inputs of the session"       -    -                                   -         0        -
waited              "Waits for the screen"        -    -                                   -         0        lower
updates             Updates                       -    -                                   -         0        -
bytes               Bytes                         -    -                                   -         0        -
responses           Responses                     -    -                                   -         0        -
throttled_s         Throttled                     s    -                                   -         3        -
load_reads_per_s    "Reads of the load"           1/s  -                                   -         3        -
load_read_p50_ms    "Read of the load, median"    ms   -                                   -         3        lower
in_device_p90       "In the device, 90 %"         -    -                                   -         0        -
waiting_mean        "Requests that wait"          -    -                                   -         1        -
tau                 "Order kept, Kendall's tau"   -    -                                   -         4        -
passed_percent      "Load's reads passed"         %    -                                   -         2        higher
delay_ms            "Delay of the disk"           ms   -                                   -         3        -
disk_reads          "Reads of the disk"           -    -                                   -         3        -
disk_writes         "Writes of the disk"          -    -                                   -         3        -
server_busy_percent "Server CPUs busy"            %    -                                   -         3        -
caches              "Page cache"                  -    -                                   -         text     -

table cdf rows:replays schema=replays-cdf/1 raw
setting             Setting                       -    -                                   -         text     -
latency_ms          "Response time"               ms   -                                   -         3        lower
share               "Share of responses"          -    -                                   -         5        -
'''
KINDS = {
    'hidden': 'Total time hides what the user feels', 'shown': 'Total time and some of the responses change',
    'untold': 'This run cannot tell whether total time changes',
    'unchanged': 'Total time does not change, fewer than a tenth of the responses change much',
    'total-only': 'Total time changes, fewer than a tenth of the responses change much',
    'noisy': 'Total time does not change; this run cannot tell whether responses do',
    'total-noisy': 'Total time changes; this run cannot tell whether responses do'}
SAME = {True: 'hidden', False: 'unchanged', None: 'noisy'}  # total time; have responses changed?
OTHER = {True: 'shown', False: 'total-only', None: 'total-noisy'}


# --- numbers as text ----------------------------------------------------------------------------------------------

def seconds(value: float | None) -> str:
    return '?' if value is None else f'{words.fixed(value, 0 if value >= 99.5 else 1)} s'


def times(value: float | None) -> str:
    return '?' if value is None else words.fixed(value, 0 if value >= 9.95 else 1 if value >= 1.95 else 2)


def more_percent(ratio: float) -> str:
    """A ratio of total times as percent more: +4.2, -11."""
    more = (ratio - 1) * 100
    return '0.0' if fabs(more) < 0.05 else ('+' if more > 0 else '') + words.fixed(more, 0 if fabs(more) >= 9.95 else 1)


def ends(row: Row, name: str, text: Any) -> str:
    """The interval of a column, each end in these words."""
    low, high = row.get(f'{name}_low'), row.get(f'{name}_high')
    return '' if low is None or high is None else f' (95 % CI {text(low)} to {text(high)})'


def basename(path: str) -> str:
    return path.split('/')[-1]


# --- rows, and what is decided of them ----------------------------------------------------------------------------

def measured(run: Run) -> Rows:
    """Rows with a replay. Where responses are not to be relied on, nothing is decided on them, and the rows are unsure."""
    unsure = {} if run.facts.get('analysis_unsure') is None else {'unsure': True, 'verdict': ''}
    return [{**row, **unsure} for row in run.measured()]


def says(row: Row) -> str:
    """How a row's setting is called."""
    return row.get('says') or '?'


def base_row(run: Run) -> Row:
    return next((row for row in measured(run) if row.get('setting') == run.setting('base')), {})


def timed(run: Run) -> Rows:
    """Settings beside the base."""
    return [row for row in measured(run) if row.get('setting') != run.setting('base') and row.get('total_ratio') is not None]


def compared(rows: Rows) -> Rows:
    return [row for row in rows if row.get('ratio') is not None]


def points(run: Run, row: Row) -> Rows:
    """Responses at a row's setting that were found at the base, too."""
    return [point for point in run.table('points') if point.get('setting') == row.get('setting') and point.get('ratio') is not None]


def counts(row: Row) -> tuple[float, float]:
    """Of its responses those that take at least 1.5 times, and at most two thirds as long."""
    return row.get('slower') or 0, row.get('faster') or 0


def distance(ratio: float) -> float:
    return fabs(numbers.log(ratio))


def change(row: Row) -> tuple[float, float]:
    """How much responses differ from the base: by how many more are slower than faster, or the other way round."""
    slower, faster = counts(row)
    return fabs(slower - faster), distance(row['ratio'])


def most(rows: Rows, size: Any) -> dict[str, Any] | None:
    """The last of the largest."""
    return max(reversed(rows), key=size, default=None)


def farthest(run: Run) -> dict[str, Any] | None:
    return most(compared(timed(run)), change)


def is_slower(row: Row) -> bool:
    return exceeds(interval_alone(row, 'ratio'), number(1)) is True


def is_faster(row: Row) -> bool:
    return exceeds(number(1), interval_alone(row, 'ratio')) is True


def moved(row: Row) -> bool | None:
    """Have responses changed by more than noise? None: cannot tell. Not where fewer than a tenth are slower or faster. Yes where,
    by an exact test, these are not alike in number (noise makes as many faster as slower), or by the interval of their ratio;
    without an interval, where a tenth more are slower than faster, or the other way round."""
    if row.get('unsure'):
        return None
    slower, faster = counts(row)
    all_ = number(row.get('points'))
    if exceeds(all_, number(10 * (slower + faster))) is not False:
        return False
    one_way = yes_or_no(ask('share', Amount(slower, repeats=slower + faster), number(50))) is True
    few_more = exceeds(all_, number(10 * fabs(slower - faster)))
    return True if one_way or is_slower(row) or is_faster(row) or (row.get('ratio_low') is None and few_more is False) else None


def total_stays(row: Row) -> bool | None:
    return within(interval_alone(row, 'total_ratio'), 0.99, 1.01)


def is_same_total(row: Row) -> bool:
    """Within 1 % (Zeldovich & Chandra 2005), by its interval, where there is one."""
    is_near = within(number(row['total_ratio']), 0.99, 1.01) is True
    return total_stays(row) is True or (row.get('total_ratio_low') is None and is_near)


def is_total_untold(row: Row) -> bool:
    """Its interval reaches to where nothing changes."""
    return row.get('total_ratio_low') is not None and total_stays(row) is not False


def kind(row: Row) -> str:
    return SAME[moved(row)] if is_same_total(row) else 'untold' if is_total_untold(row) else OTHER[moved(row)]


def kind_verdict(row: Row) -> str:
    """By the interval of the ratio: slower, faster, or within the limits of a response that changed."""
    if row.get('unsure') or row.get('ratio_low') is None:
        return 'unsure'
    if kind(row) == 'unchanged':
        return 'good' if within(interval_alone(row, 'ratio'), 2 / 3, 1.5) is True else 'unsure'
    return 'bad' if is_slower(row) else 'good' if is_faster(row) else 'unsure'


# --- findings -----------------------------------------------------------------------------------------------------

def judged(row: Row) -> str:
    verdict_ = row.get('verdict') or ''
    return '' if verdict_ in ('', 'too few runs') else f', {verdict_}'


def ratio_words(row: Row) -> str:
    return f'{times(row["ratio"])} times'


def row_words(row: Row) -> str:
    slower, faster = map(words.plain, counts(row))
    return (f'with {says(row)}, total time changes by {more_percent(row["total_ratio"])} %{ends(row, "total_ratio", more_percent)} '
            f"and responses take {ratio_words(row)} as long in a replay's median{ends(row, 'ratio', times)}{judged(row)}; "
            f'{slower} of {words.plain(row.get("points"))} take at least 1.5 times, {faster} at most two thirds as long')


def short_words(row: Row) -> str:
    return f'{says(row)}: {more_percent(row["total_ratio"])} % and {ratio_words(row)}{ends(row, "ratio", times)}{judged(row)}'


def late_words(run: Run, row: Row) -> str:
    """Of responses found at both, how many are late at its setting, and at the base."""
    both, limit = points(run, row), run.threshold_ms()
    if not both:
        return ''

    def count(name: str) -> str:
        return words.thousands(sum(above(point, name, limit) is True for point in both))

    return (f' Of {words.plural(len(both), "response")} found at both, {count("latency_ms")} take over {words.plain(limit)} ms, '
            f'instead of {count("base_ms")}.')


def kinds(run: Run) -> list[Finding]:
    """One of each kind that settings are of, that of most of them first; of several settings, the one with most changes first."""
    groups: dict[str, Rows] = {}
    for row in compared(timed(run)):
        groups.setdefault(kind(row), []).append(row)
    found = []
    for name, rows in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        first, *others = sorted(rows, key=change)[::-1]
        text = (f'**{KINDS[name]}** (compared with {says(base_row(run))}): {row_words(first)}.{late_words(run, first)}'
                + (f' With {"; ".join(map(short_words, others))}.' if others else ''))
        verdict_, figure = ('none', 'total') if name == 'total-only' else (kind_verdict(first), 'ratio')
        found.append(Finding(name, text, amount(first, 'ratio'), verdict_, figure))
    return found


def input_words(run: Run, row: Row) -> str:
    number_ = notes.value_text(row.get('input'))
    return (run.facts.get('inputs') or {}).get(number_) or f'the {row.get("kind")}, input {number_}'


def most_grown(run: Run) -> list[Finding]:
    far = farthest(run)
    top = most(points(run, far), lambda point: point['ratio']) if far else None
    if not far or not top or far.get('unsure') or far.get('slower') == 0:  # (none takes at least 1.5 times as long)
        return []
    start, end = (words.with_unit(top.get(name), 'ms') for name in ('base_ms', 'latency_ms'))
    text = (f'**The response to {input_words(run, top)} grows most in proportion** with {says(far)}: from {start} to {end} in '
            'the mean of its replays.')
    if far.get('max_ms') is not None:
        text += f' The longest response of all took {words.with_unit(far["max_ms"], "ms")}.'
    return [Finding('most-grown', text, top['ratio'], 'bad' if is_slower(far) else 'unsure', 'cdf')]


def floor_ms(run: Run) -> float | None:
    """A wait in each response; of others' servers half the time between updates."""
    floor: float | None = (run.facts.get('protocol') or {}).get('floor_ms')
    return floor if floor is not None else scaled(number(run.facts.get('frame_ms')), 0.5).value


def floor_finding(run: Run, what: str) -> list[Finding]:
    """Where the floor is most of the base's median response."""
    floor, row = floor_ms(run), base_row(run)
    if floor is None or row.get('p50_ms') is None or is_floor(row['p50_ms'], 0.5, floor) is not True:
        return []
    return [Finding('floor', f'**Of the median response with {says(row)}, {words.with_unit(row["p50_ms"], "ms")}, '
                    f'{words.with_unit(floor, "ms")} {what}**. So ratios between settings are nearer to 1 than those of what '
                    'server and application did.', Amount(floor, unit='ms'), 'unsure')]


def server_floor(run: Run) -> list[Finding]:
    return floor_finding(run, 'are half a frame of the display server, for which a response waits on average')


def known(rows: Sequence[Row], name: str) -> list[float]:
    return [row[name] for row in rows if row.get(name) is not None]


def delivered(run: Run) -> list[Finding]:
    failed, rows = [row for row in run.table('summary') if (row.get('failed') or 0) > 0], measured(run)
    if not rows:
        return []
    n, missing = sum(known(rows, 'repeats')), sum(known(rows, 'missing'))
    of, least = max(known(rows, 'inputs_of_trace'), default=None), min(known(rows, 'inputs_least'), default=None)
    if failed:
        each = '; '.join(f'{says(row)}: {row.get("reason") or "?"}' for row in failed)
        text = f'**{words.plural(sum(known(failed, "failed")), "replay")} failed** ({each}). The other {words.plain(n)}'
    else:
        text = '**' + {1: 'The replay', 2: 'Both replays'}.get(int(n), f'All {words.plain(n)} replays')
    text += f' came to {"its" if n == 1 else "their"} end{"" if failed else "**"}'
    if of is None:
        text += '.'
    elif least == of:
        text += f', with all {words.plain(of)} inputs of the session delivered.'
    else:
        text += f', with {words.plain(least)} of {words.plain(of)} inputs delivered in the worst of them.'
    if missing > 0:
        text += (f' Responses of the base that were not found at another setting: {words.plain(missing)}. They have no ratio, and '
                 'are in no percentile there.')
    return [Finding('delivered', text, least, 'good' if not failed and least == of else 'bad', 'total')]


def load(run: Run) -> list[Finding]:
    """The load's reads."""
    name = 'load_reads_per_s'
    rows = [row for row in measured(run) if row.get(name) is not None]
    if not rows:
        return []
    is_off = any(near(row, name, row.get('value'), 0.05, 0) is False for row in rows)

    def said(row: Row) -> str:
        read = row.get('load_read_p50_ms')
        return (f'{words.fixed(row[name], 1 if row[name] < 100 else 0)} reads/s ({says(row)}'
                + ('' if read is None else f', median {words.with_unit(read, "ms")}') + ')')

    head = '**The disk did not give the load what was asked for**: it made' if is_off else '**The load made**'
    return [Finding('load', f'{head} {words.and_list(list(map(said, rows)))}.', Amount(rows[-1][name], unit='/s'),
                    'unsure' if is_off else 'none')]


def throttled(run: Run) -> list[Finding]:
    """Time without the CPU."""
    rows = [row for row in measured(run) if (row.get('throttled_s') or 0) >= 0.05]
    each = words.and_list([f'{seconds(row["throttled_s"])} ({says(row)})' for row in rows])
    return [Finding('throttled', f'**The quota stopped the session** for {each}, when it wanted more CPU time.',
                    Amount(rows[-1]['throttled_s'], unit='s'))] if rows else []


def unanalyzed(run: Run) -> list[Finding]:
    failed, unsure = run.facts.get('analysis_failed'), run.facts.get('analysis_unsure')
    texts = []
    if failed is not None:
        texts.append(f'**Total times only**: the replays could not be analyzed ({failed}). '
                     'Try again with `thinprobe vncplay analyze`.')
    if unsure is not None:
        texts.append(f'**The response times are not to be relied on**: {unsure.removesuffix(".")}.')
    return [Finding('analysis', text, None, 'unsure') for text in texts]


# --- what an experiment's analysis.py has unless it defines its own -------------------------------------------------

def labels(run: Run) -> Labels:
    return Labels()


def setup(run: Run) -> str:
    own = run.setting('trace', run.setting('script'))
    session = f'the session of {basename(own)}' if own else 'a short session' if run.setting('quick') else 'the whole session'
    return (f'{run.setting("app", "?")}, {session}; {(run.facts.get("protocol") or {}).get("says") or "VNC"}; '
            f'{words.plural(run.setting("repeats", 0), "replay")} per setting; {notes.run_words(run)}.')


def moved_words(row: Row) -> str:
    """What responses do."""
    if row.get('ratio') is None:
        return 'responses were not compared'
    (slower, faster), all_ = counts(row), words.plain(row.get('points'))
    if slower >= faster:
        return f'{words.plain(slower)} of {all_} responses take at least 1.5 times as long'
    return f'{words.plain(faster)} of {all_} responses take at most two thirds of the time'


def total_times(row: Row) -> str:
    return times(row['total_ratio']) + (' (no interval)' if row.get('total_ratio_low') is None else ends(row, 'total_ratio', times))


def within_unsure(row: Row) -> str:
    return ' (no interval)' if row.get('total_ratio_low') is None else ''


def verdict(run: Run) -> str:
    """Where total time changes, and where it hides what responses do."""
    base, rows = says(base_row(run)), timed(run)
    shown = most([row for row in rows if not is_same_total(row) and not is_total_untold(row)],
                 lambda row: distance(row['total_ratio']))
    hidden = most([row for row in compared(rows) if kind(row) == 'hidden'], change)
    wide = most([row for row in rows if is_total_untold(row) and total_stays(row) is not True],
                lambda row: numbers.over(row.get('total_ratio_high') or 0, row['total_ratio_low']))
    noisy = next((row for row in compared(rows) if kind(row) == 'noisy'), None)
    if not rows:
        return 'There is nothing to compare: no setting was measured beside the base.'
    if shown:
        return (f'With {says(shown)} the session takes {total_times(shown)} times as long as with {base}, and {moved_words(shown)}.'
                + (f' With {says(hidden)} total time changes by at most 1 %{within_unsure(hidden)}, but {moved_words(hidden)}.'
                   if hidden else ''))
    if hidden:
        return (f"With {says(hidden)} the session's total time differs by at most 1 % from that with {base}"
                f'{within_unsure(hidden)}, but {moved_words(hidden)}.')
    if wide:
        return (f'This run cannot tell whether a setting changes total time by more than 1 %: with {says(wide)} the session takes '
                f'{total_times(wide)} times as long as with {base}, and {moved_words(wide)}.')
    if len(compared(rows)) < len(rows):
        return 'No setting is seen to change total time by more than 1 %; responses were not all compared.'
    if noisy:
        slower, faster = map(words.plain, counts(noisy))
        return (f'This run cannot tell whether a setting changes responses: with {says(noisy)} {slower} of '
                f'{words.plain(noisy.get("points"))} take at least 1.5 times as long, and {faster} at most two thirds.')
    return 'No setting is seen to change total time by more than 1 %, or a tenth of the responses by half.'


def findings(run: Run) -> list[Finding]:
    return [f for make in (kinds, server_floor, most_grown, delivered, load, throttled, unanalyzed) for f in make(run)][:6]


def main_view(run: Run) -> View:
    verdict_ = 'verdict ' if run.facts.get('analysis_unsure') is None else ''
    return View('main', 'summary', 'Total and response times',
                f'says repeats? total_s total_ratio p50_ms p75_ms p90_ms max_ms late_percent ratio {verdict_}missing?')


def conditions_view(columns: str) -> View:
    return View('more', 'summary', 'Conditions', f'says failed? {columns}')
