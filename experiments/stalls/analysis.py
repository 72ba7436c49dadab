# SPDX-License-Identifier: GPL-3.0-or-later
"""Response times of keys beside CPU hogs: findings depend on the end of an interval, not on the value."""
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, NamedTuple

from analysis import decide, notes, words
from analysis.amounts import (Amount, Row, Rows, above, amount, ask, differ, exceeds, in_words, is_floor, level, near, number, span,
                              with_both, with_interval, yes_or_no)
from analysis.decide import Answer
from analysis.draw import (DASHED, DOTTED, LINE, MARK, PALE, Axis, Curve, Drawing, Look, Mark, Panel, Place, load_look, look,
                           over as curves_over, row_of, rows_axis)
from analysis.draw import level as level_curve
from analysis.notes import NOTHING_MEASURED, value_text
from analysis.page import Finding, View
from analysis.run import Run, distinct, is_attached
from experiments.families import trains
from experiments.families.trains import (ROLES, at_load, but_unmeasured, is_several, latency, loads_tried, order, over, protocol,
                                         role_words, rows_of, systems, unloaded, who_words, with_load)

COLUMNS = '''
include ../families/trains.py
'''
labels, resolve, begun = trains.labels, trains.resolve, trains.begun


# Percent of late keys above which an application breaks: by the lower end of the interval; it stays fast if no upper end is above.
# If no
# key was late, but too few were typed to exclude so many, or there is no interval, it "had no late key". (Also in GLOSSARY.md.)
LATE_MOST = 5
LATE, STALL = 'late_share_percent', 'mean_stall_ms'
FAIR_NEAR = 'to within 10 % + 5 ms'  # a stall is near the prediction of fair sharing


def is_held_alone(run: Run) -> bool:
    return bool(run.setting('modes') == ['hold'])


def title(run: Run) -> str:
    if is_attached(run) and not run.runs():
        name = protocol(run).get('title')
        return f'Typing into {"a window: " if protocol(run).get("window") else ""}{"?" if name is None else name}'
    return f'Typing latency under CPU load{", a key held down" if is_held_alone(run) else ""}: {notes.protocol_words(run)}'


def setup(run: Run) -> str:
    rate, seconds, repeats = run.setting('rate_per_s'), run.setting('seconds'), notes.repeats_words(run)
    return notes.sentence([
        notes.protocol_words(run), notes.link_words(run), None if rate is None else f'up to {value_text(rate)} keys a second',
        repeats and repeats + ('' if seconds is None else f' of {value_text(seconds)} s'), notes.run_words(run)])


# --- what is decided of a row -------------------------------------------------------------------------------------

def late(row: Row) -> Amount:
    return amount(row, LATE)


def late_most(row: Row) -> float | None:
    return late(row).at_most()


def late_surely_most(row: Row) -> float | None:
    a = late(row)
    return a.high if a.high is not None else max(a.both) if a.both else a.at_most()


def is_late(row: Row) -> bool | None:
    return above(row, LATE, LATE_MOST)


def is_fast(rows: Sequence[Row]) -> bool:
    """No interval reaches above the limit."""
    return all(exceeds(span(late(row).low, late(row).high), number(LATE_MOST)) is False for row in rows)


def is_never_late(rows: Sequence[Row]) -> bool:
    return all(late_most(row) == 0 for row in rows)


def is_calm(row: Row) -> bool:
    return row.get('overloaded') == 0


def is_overloaded(row: Row) -> bool:
    return (row.get('overloaded') or 0) > 0


def is_fair(row: Row) -> bool | None:
    return near(row, STALL, row.get('fair_stall_ms'), 0.1, 5)


def is_longer_than_fair(row: Row) -> bool | None:
    return exceeds(amount(row, STALL), number(row.get('fair_stall_ms')))


def splits_updates(row: Row) -> bool:
    """One update of the application reaches the screen as several."""
    return (row.get('updates_per_key') or 0) > 1.2


def is_usable(row: Row) -> bool:
    return (row.get('repeats') or 0) > 0 and (row.get('keys') or 0) > 0


def usable(rows: Rows) -> Rows:
    return [row for row in rows if is_usable(row)]


def link_ms(run: Run, size: float | None) -> float | None:
    """A key's bytes on the link, and its delay both ways."""
    rate = (run.facts.get('lab') or {}).get('rate')
    link = (rate if rate is not None else run.setting('link', '')).split(',')
    found, delay = re.match('([0-9.]+)([KMG]?)bit', link[0]), re.fullmatch('([0-9.]+)(us|ms|s)', link[1] if len(link) > 1 else '')
    if not found or size is None:
        return None
    bits_per_s = float(found[1]) * {'': 1, 'K': 1e3, 'M': 1e6, 'G': 1e9}[found[2]]
    return size * 8 / bits_per_s * 1000 + (2 * float(delay[1]) * {'us': 1e-3, 'ms': 1, 's': 1e3}[delay[2]] if delay else 0)


def key_cpu_ms(run: Run, row: Row) -> float | None:
    """CPU time of the server for a key: at least the application's, and what a key takes of the CPU without load, which has the
    display server's and the compositor's. None: it was not measured."""
    idle: Row = next((r for r in run.table('summary') if r['sinks'] == 0 and (r['app'], r['protocol']) == (row['app'],
                                                                                                           row['protocol'])), {})
    busy, own = idle.get('server_busy_percent'), row.get('cost_ms')
    return None if busy is None or own is None else max(own, busy * (row.get('period_ms') or 0) / 100)


def fits_period(run: Run, row: Row) -> bool:
    cpu, period = key_cpu_ms(run, row), row.get('period_ms')
    return cpu is not None and period is not None and period > cpu * (row['sinks'] + 1)


# --- how an application fares -------------------------------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class Fate:
    """word: good, bad, unsure, overloaded; of which row; start: the load at which it breaks. Of one of several systems: most, the
    row at the largest common load; is_on: it is late also at each higher load, and there is at least one."""
    word: str
    row: Row
    clause: str
    start: str = ''
    is_fast: bool = False
    unmeasured: Sequence[str] = ()
    system: str = ''
    most: Row | None = None
    is_on: bool = False


def break_words(run: Run, rows: Rows, row: Row) -> str:
    """The load at which it breaks, of rows in the order of loads; loads between two tried ones are unknown."""
    n, before = row['sinks'], next((r for r in reversed(rows) if r['sinks'] < row['sinks']), None)
    if is_attached(run) or n == 0:
        return with_load(run, n)
    if before is None or (late_most(before) != 0 and is_late(before) is not False):
        return f'at {words.plural(n, "CPU hog")} or fewer'
    text = (at_load(run, n) if before['sinks'] == n - 1 else f'between {value_text(before["sinks"] + 1)} and {value_text(n)} CPU '
            'hogs')
    return text + ('' if is_late(before) is False else f' (no key was late {with_load(run, before["sinks"])})')


def overload_words(run: Run, row: Row) -> str:
    some = (f' in {value_text(row["overloaded"])} of {value_text(row["repeats"])} repeats' if row['overloaded'] < row['repeats']
            else '')
    return f'cannot keep up {with_load(run, row["sinks"])}{some}'


def bad_fate(run: Run, calm: Rows, row: Row) -> Fate:
    start, last = break_words(run, calm, row), calm[-1]
    where = f' {with_load(run, row["sinks"])}' if re.search('between|fewer', start) else ''
    but = f', but {in_words(late(last))} {with_load(run, last["sinks"])}' if is_fast([last]) else ''
    return Fate('bad', row, f'breaks {start}: {in_words(late(row))} of keys later than {words.plain(run.threshold_ms())} '
                f'ms{where}{but}', start)


def judge(run: Run, role: str) -> Fate | None:
    rows = usable(rows_of(run, role))
    calm, full = [row for row in rows if is_calm(row)], [row for row in rows if is_overloaded(row)]
    if not rows:
        return None
    first = next((row for row in calm if is_late(row) is True), None)
    if first:
        return bad_fate(run, calm, first)
    if full:
        return Fate('overloaded', full[0], overload_words(run, full[0]))
    row = max(reversed(calm), key=lambda r: order(late_surely_most(r)))
    if not is_fast(calm) and not is_never_late(calm):
        return Fate('unsure', row, 'may have late keys: this run cannot tell')
    median = f' (median {in_words(latency(row))})' if is_attached(run) else ''
    return Fate('good', row, f'{"stays fast" if is_fast(calm) else "had no late key"} {loads_tried(run, calm)}{median}',
                is_fast=is_fast(calm), unmeasured=trains.loads_unmeasured(run, calm))


def late_bound(rows: Rows) -> float | None:
    """Upper bound of the share of late keys if none was late, with 95 % confidence for all loads together."""
    found = [ask('none', late(row), Amount(), len(rows)) for row in rows]
    return None if any(one.word == decide.UNTOLD for one in found) else max(one.high for one in found)


def good_words(run: Run, role: str, who: str, calm: Rows, row: Row) -> str:
    slowest = max(reversed([amount(r, 'latency_max_ms') for r in calm]), key=lambda a: a.at_most() or 0)
    share = 'none' if late_most(row) == 0 else level(row, LATE)
    text = (f'**{who}: {"no slow key" if is_never_late(calm) else "hardly a slow key"}.** '
            f'{words.upper_first(loads_tried(run, calm))}, {share} of the keys took longer than {words.plain(run.threshold_ms())} '
            f'ms; the slowest took {in_words(slowest)}.')
    bound, groups = late_bound(calm), {r['same_group'] for r in calm if r.get('same_group') is not None}
    if bound is not None:
        exact = any(r.get('late_interval') == 'exact' for r in calm)
        text += (f' With 95 % confidence, at most {words.percent(bound)} % are late at '
                 f'{f"each of these {len(calm)} loads" if len(calm) > 1 else "this load"}'
                 f'{", if stalls are independent of each other and take half a second" if exact else ""}.')
    if role != 'light' or calm[-1]['sinks'] < 5:
        return text
    if groups == {0}:
        text += ' It runs in its own scheduling group, which may be why; `--app light,grouped` can tell.'
    elif groups == {1}:
        text += ' The scheduler may protect programs that need little CPU; this run did not vary that.'
    return text


def bad_words(run: Run, who: str, rows: Rows, fate: Fate) -> str:
    calm, row = [r for r in rows if is_calm(r)], fate.row
    first, last = calm[0], calm[-1]
    a, b = latency(first), latency(last)
    least, most = a.at_least(), b.at_least()
    text = (f'**{who}: late {fate.start}.** {level(row, LATE)} of the keys took longer than {words.plain(run.threshold_ms())} ms '
            f'{with_load(run, row["sinks"])}')
    if last['sinks'] != row['sinks']:
        text += f', {in_words(late(last))} {with_load(run, last["sinks"])}'
    if least is None or most is None or first['sinks'] == last['sinks']:
        text += '.'
    elif yes_or_no(differ(first, last, 'latency_p50_ms')):
        text += f'. The median {"rises" if least < most else "falls"} from {in_words(a)} to {in_words(b)}.'
    else:
        text += f'. The median is {in_words(a)} {with_load(run, first["sinks"])}, {in_words(b)} {with_load(run, last["sinks"])}.'
    full = next((r for r in rows if is_overloaded(r)), None)
    return text + (f' It {overload_words(run, full)}.' if full else '')


def late_words(run: Run, role: str, fate: Fate, rows: Rows) -> str:
    who, row = words.upper_first(role_words(run, role)), fate.row
    if fate.word == 'good':
        return good_words(run, role, who, [r for r in rows if is_calm(r)], row)
    if fate.word == 'bad':
        return bad_words(run, who, rows, fate)
    if fate.word == 'overloaded':
        most = notes.most([r for r in rows if is_overloaded(r)], 'backlog_max_per_s')
        grow = '' if most is None else f' Unanswered keys grow by up to {words.short(most)} a second.'
        return (f'**{who}: {overload_words(run, row)}.**{grow} Response times are omitted: they would grow with the length of the '
                'run.')
    if late(row).is_range():
        why = ': screen updates give only a range.' + ('' if is_attached(run)
                                                       else ' The reference application (`--app heavy`) is exact.')
    else:
        why = '. More repeats narrow the interval (`--repeat 10`).'
    return (f'**{who}: this run cannot tell whether keys are late.** {level(row, LATE)} of the keys took longer than '
            f'{words.plain(run.threshold_ms())} ms {with_load(run, row["sinks"])}{why}')


def late_finding(run: Run, role: str) -> Finding | None:
    fate, rows = judge(run, role), usable(rows_of(run, role))
    if not fate:
        return None
    if fate.word == 'good':
        fate = replace(fate, row=max(reversed([r for r in rows if is_calm(r)]),
                                     key=lambda r: (order(late_most(r)), order(late_surely_most(r)))))
    return Finding(f'late-{role}', late_words(run, role, fate, rows), late(fate.row), 'bad' if fate.word == 'overloaded'
                   else fate.word, 'late-share')


# --- fair sharing: (hogs + 1) processes that each want all of a CPU get equal shares ------------------------------

def gap(row: Row) -> Amount:
    """The time between updates."""
    p, a = row.get('period_ms') or 0, amount(row, STALL)
    low, high = row.get(f'{STALL}_low'), row.get(f'{STALL}_high')
    return Amount(row[STALL] + p, low=None if low is None else max(low + p, 0), high=None if high is None else high + p,
                  both=tuple(v + p for v in a.both) if a.both else None, unit='ms')


class Fair(NamedTuple):
    """What is said of fair sharing, and by which row."""
    row: Row | None
    verdict: str
    head: str
    gets: str = ','
    more: str = ''


def stall_spread(row: Row) -> float:
    a = with_both(amount(row, STALL))
    return (a.high or 0) - (a.low or 0)


def fair_case(known: Rows, full: Rows) -> Fair:
    off = [row for row in full if is_fair(row) is False]
    untold = [row for row in full if is_fair(row) is None]
    longer = [is_longer_than_fair(row) for row in off]

    def excess_ms(row: Row) -> float:
        return float(row[STALL] - row['fair_stall_ms'])

    if any(map(splits_updates, known)):
        most = max(1 if row.get('updates_per_key') is None else row['updates_per_key'] for row in known)
        return Fair(None, 'unsure', '**Fair sharing cannot be tested here**: one update of the application reaches the screen as '
                    f'up to {words.short(most)} updates.')
    if not off and not untold:
        return Fair(full[-1], 'good', f'**Stalls are as long as fair sharing makes them, {FAIR_NEAR}.**',
                    f' and 1/{value_text(full[-1]["sinks"] + 1)} of the CPU,')
    if not off:
        return Fair(max(reversed(untold), key=stall_spread), 'unsure', '**Stalls differ too much between repeats to test fair '
                    'sharing.**')
    if all(is_longer is True for is_longer in longer):
        return Fair(max(reversed(off), key=excess_ms), 'bad', '**Stalls are longer than fair sharing explains.**',
                    more=' Something else may take CPU time, or an update may need more CPU time than was set.')
    if all(is_longer is False for is_longer in longer):
        why = (' It is in another scheduling group than the CPU hogs, which may be why.'
               if all(r.get('same_group') == 0 for r in off) else '')
        return Fair(min(off, key=excess_ms), 'none', '**The application gets more than a fair share.**', more=why)
    return Fair(None, 'unsure', '**Stalls are partly longer, partly shorter than with fair sharing**, at '
                f'{words.and_list([value_text(row["sinks"]) for row in off])} CPU hogs: too noisy to tell more.')


def fair_sharing(run: Run) -> Finding | None:
    known = [row for row in usable(rows_of(run, 'heavy'))
             if row.get(STALL) is not None and row.get('fair_stall_ms') is not None and is_calm(row)]
    full = [row for row in known if row['fair_stall_ms'] > 0]
    if not full or full[-1]['sinks'] == 0 or is_attached(run):
        return None
    case = fair_case(known, full)
    if case.row is None:
        return Finding('fair-sharing', case.head, None, case.verdict, 'mean-stall')
    row, is_ = case.row, gap(case.row)
    fair = words.with_unit(row['fair_stall_ms'] + (row.get('period_ms') or 0), 'ms')
    return Finding('fair-sharing', f'{case.head} {words.upper_first(with_load(run, row["sinks"]))}{case.gets} fair sharing would '
                   f'give one update every {fair}; measured: {in_words(is_)}{with_interval(is_)}.{case.more}', is_,
                   case.verdict, 'mean-stall')


# --- a key held down beside typed keys ----------------------------------------------------------------------------

def held(row: Row) -> Row:
    """The row with the stalls of a held key in the place of those of typed keys."""
    rest = {name: value for name, value in row.items() if not name.startswith(STALL)}
    return {**rest, **{name.removeprefix('hold_'): value for name, value in row.items() if name.startswith(f'hold_{STALL}')}}


def held_finding(run: Run, app: str, rows: list[tuple[dict[str, Any], bool | None]]) -> Finding:
    """Of several protocols, the one where they differ most."""
    several, most = is_several(run), max(row['sinks'] for row, _ in rows)
    rows = [(row, differs) for row, differs in rows if row['sinks'] == most]
    apart = [row['protocol'] for row, differs in rows if differs]
    is_told = any(differs is not None for _, differs in rows)
    row = max(reversed(rows), key=lambda one: (one[1] is True, abs(one[0][f'hold_{STALL}'] - one[0][STALL])))[0]
    if not is_told:
        text = 'too few repeats to compare held with typed keys (three are needed)'
    elif not apart:
        text = 'no difference shown between held and typed keys'
    else:
        text = f'held and typed keys differ{f" over {words.and_list(apart)}" if several else ""}'
    where = f' (over {row["protocol"]}, where the difference is largest)' if several else ''
    return Finding(f'held-{app}', f'**{words.upper_first(trains.app_words(run, app))}: {text}** {with_load(run, most)}: the mean '
                   f'stall is {level(row, f"hold_{STALL}")} with a held key, {level(row, STALL)} with typed keys{where}.',
                   amount(row, f'hold_{STALL}'), 'none' if not apart and is_told else 'unsure', 'mean-stall')


def held_keys(run: Run) -> list[Finding]:
    """With the largest load, by Welch's test for all conditions together."""
    rows = [row for row in run.measured() if row.get(STALL) is not None and row.get(f'hold_{STALL}') is not None]
    told = [(row, yes_or_no(differ(row, held(row), STALL, len(rows)))) for row in rows]
    return [held_finding(run, app, [one for one in told if one[0]['app'] == app]) for app in sorted({row['app'] for row in rows})]


# --- vim in the CPU hogs' scheduling group and in its own ---------------------------------------------------------

class Pair(NamedTuple):
    system: str
    grouped: dict[str, Any]
    alone: dict[str, Any]


def group_pairs(run: Run) -> list[Pair]:
    """With the largest load of both."""
    found = []
    for system in systems(run):
        alone, grouped = ([row for row in rows_of(over(run, system), role) if (row.get('repeats') or 0) > 0]
                          for role in ('light', 'grouped'))
        pairs = [Pair(system, g, a) for a in alone for g in grouped
                 if g['sinks'] > 0 and g['sinks'] == a['sinks'] and g.get('same_group') == 1 and a.get('same_group') == 0]
        if pairs:
            found.append(max(reversed(pairs), key=lambda pair: float(pair.grouped['sinks'])))
    return found


def group_head(run: Run, pairs: list[Pair]) -> tuple[str, bool]:
    """And whether stalls are told apart. Mean stall and median by Welch's test for all protocols together."""
    told = {c: [yes_or_no(differ(p.alone, p.grouped, c, 2 * len(pairs))) for p in pairs] for c in (STALL, 'latency_p50_ms')}

    def longer(c: str, sign: int) -> list[str]:
        return [p.system for p, differs in zip(pairs, told[c])
                if differs and sign * ((amount(p.grouped, c).at_least() or 0) - (amount(p.alone, c).at_least() or 0)) > 0]

    def where(names: list[str]) -> str:
        return f' over {words.and_list(names)}' if is_several(run) else ''

    stalls, own_stalls, keys, own_keys = (longer(c, sign) for c in told for sign in (1, -1))
    if all(p.grouped['repeats'] < 3 or p.alone['repeats'] < 3 for p in pairs):
        text = "Too few repeats to tell what vim's own scheduling group does"
    elif all(differs is None for found in told.values() for differs in found):
        text = "This run cannot tell what vim's own scheduling group does"
    elif stalls:
        text = f"In the CPU hogs' scheduling group vim stalls longer than in its own{where(stalls)}"
    elif own_stalls:
        text = (f"In its own scheduling group vim stalls longer than in the CPU hogs'{where(own_stalls)}"
                + (', though it answers sooner' if keys else ''))
    elif keys:
        text = f"In the CPU hogs' scheduling group vim answers later than in its own{where(keys)}; longer stalls are not shown"
    elif own_keys:
        text = f"In its own scheduling group vim answers later than in the CPU hogs'{where(own_keys)}"
    else:
        text = "No difference shown between vim in the CPU hogs' scheduling group and in its own"
    return text, bool(stalls or own_stalls)


def grouping(run: Run) -> Finding | None:
    pairs = group_pairs(run)
    if not pairs:
        return None
    head, is_told = group_head(run, pairs)

    def said(p: Pair) -> str:
        stall, median = (f'{level(p.grouped, c)} and {level(p.alone, c)}' for c in (STALL, 'latency_p50_ms'))
        return (f' {words.upper_first(with_load(run, p.grouped["sinks"]))}{f" over {p.system}" if is_several(run) else ""}, in '
                f'their group and in its own: mean stall {stall}, median key {median}.')

    worst = max(reversed(pairs), key=lambda p: float(p.grouped.get(STALL) or 0)).grouped
    return Finding('grouping', f'**{head}.**{"".join(map(said, pairs))}', amount(worst, STALL), 'none' if is_told
                   else 'unsure', 'mean-stall')


def late_below_saturation(run: Run) -> Finding | None:
    """Late although the sum of costs, beside as many CPU hogs, is less than the period. (Beside them nothing of the CPU is
    measured.)"""
    rows = [row for row in usable(rows_of(run, 'heavy')) if row['sinks'] > 0 and is_calm(row) and fits_period(run, row)
            and is_late(row) is True]
    if not rows:
        return None
    row = rows[-1]
    return Finding('late-below-saturation', '**Keys are late although fair sharing would leave enough CPU time.** '
                   f'{level(row, LATE)} are late {with_load(run, row["sinks"])}. By arithmetic, not measured: with fair sharing, '
                   f'{value_text(row["sinks"] + 1)} × {words.with_unit(key_cpu_ms(run, row), "ms")} of CPU time, that of a key '
                   'without load, fit before the next key.', late(row), 'bad', 'late-share')


# --- without load: how much of a response the server's frame clock and the link explain ---------------------------

def idle_rows(run: Run) -> Rows:
    return next((rows for role in ROLES if (rows := [row for row in usable(rows_of(run, role)) if row['sinks'] == 0
                                                     and latency(row).is_known()])), [])


def less(a: Amount, by: float) -> Amount:
    return replace(a, value=None if a.value is None else a.value - by, start=None if a.start is None else a.start - by,
                   end=None if a.end is None else a.end - by)


def reason_words(run: Run, row: Row, floor: float | None, link: float | None) -> str:
    """Which part may be most of it, by what is left of the response without the application's own work."""
    most = latency(row).at_most()
    takes = None if most is None else most - (row.get('cost_ms') or 0)
    if floor is not None and takes is not None and is_floor(takes, 0.5, floor):
        return f" So {'all' if is_floor(takes, 0.9, floor) else 'most'} of it may be the server's own wait."
    return ' So most of it may be the link.' if link is not None and takes is not None and takes * 0.5 <= link else ''


def wait_words(run: Run, floor: float | None) -> str:
    if is_attached(run):
        return " The client cannot tell which part is the server's."
    if (floor or 0) > 0:
        return ''
    rate = protocol(run).get('frame_rate_per_s') or 0
    frame = f'; half a frame, at its {words.plain(rate)} frames/s, would be {words.with_unit(500 / rate, "ms")}' if rate > 0 else ''
    return f' No wait of the server itself is known{frame}.'


def idle_response(run: Run) -> Finding | None:
    """The parts of frame clock and link are calculated, not measured, so the text says "would"."""
    rows = idle_rows(run)
    if not rows:
        return None
    row, a = rows[0], latency(rows[0])
    when = words.upper_first(unloaded(run))
    if a.is_unresolved():
        return Finding('idle-response', f'**{when}, the response is too fast to measure**: less than the probe\'s error of '
                       f'{words.with_unit(trains.resolution(run), "ms")}.', a, figure='latency-cdf')
    floor, own = protocol(run).get('floor_ms'), row.get('cost_ms') or 0
    link = link_ms(run, row.get('wire_bytes_per_key'))
    takes = f'{in_words(less(a, own))} beyond its own {words.plain(own)} ms' if own else level(row, 'latency_p50_ms')
    parts = []
    if (floor or 0) > 0:
        parts.append(f'{protocol(run).get("floor_of") or "the mean wait for the next frame"} would be '
                     f'{words.with_unit(floor, "ms")}')
    if link is not None:
        parts.append(f'the link would add {"less than 0.01 ms" if link < 0.005 else words.with_unit(link, "ms")}')
    sums = f' By arithmetic, not measured: {"; ".join(parts)}.{reason_words(run, row, floor, link)}' if parts else ''
    return Finding('idle-response', f'**{when}, the median response takes {takes}.**{sums}{wait_words(run, floor)}', a,
                   figure='latency-cdf')


# --- several curves: each is judged separately, in one finding ----------------------------------------------------

def common_most(rows: Rows) -> float | None:
    """The largest load that all curves have."""
    of = [{row['sinks'] for row in rows if row['protocol'] == name} for name in {row['protocol'] for row in rows}]
    return max(set.intersection(*of), default=None) if of else None


def judged(run: Run, role: str) -> list[Fate]:
    n, found = common_most(usable(rows_of(run, role))), []
    for system in systems(run):
        part = over(run, system)
        fate, rows = judge(part, role), rows_of(part, role)
        if not fate:
            continue
        start = fate.row['sinks']
        beyond = [row for row in rows if row['sinks'] > start]
        is_on = start > 0 and bool(beyond) and all(is_usable(row) and (is_overloaded(row) or is_late(row) is True)
                                                   for row in beyond)
        found.append(replace(fate, system=system, most=next((row for row in usable(rows) if row['sinks'] == n), None), is_on=is_on))
    return found


def names(fates: Sequence[Fate]) -> str:
    return words.and_list([fate.system for fate in fates])


def is_bad(fate: Fate) -> bool:
    return fate.word in ('bad', 'overloaded')


def count_words(run: Run, some: Sequence[Fate], fates: Sequence[Fate]) -> str:
    if len(fates) == 1:
        return names(some)
    of = f'{len(fates)} {trains.systems_word(run)}'
    return f'each of the {of}' if len(some) == len(fates) else f'{len(some)} of the {of}'


def clause_words(run: Run, fates: Sequence[Fate]) -> str:
    bad, unsure = [f for f in fates if is_bad(f)], [f for f in fates if f.word == 'unsure']
    if bad:
        return f'late over {"at least " if unsure else ""}{count_words(run, bad, fates)}'
    if unsure:
        return f'this run cannot tell whether keys are late over {names(unsure)}'
    fast = [f.is_fast for f in fates]
    text = 'fast' if all(fast) else 'fast or without a late key' if any(fast) else 'no late key'
    if all(f.most is not None and f.most['sinks'] == 0 for f in fates):
        text += f' {with_load(run, 0)}'
    return f'{text} over {count_words(run, fates, fates)}' + but_unmeasured(f'{load} over {f.system}' for f in fates
                                                                            for load in f.unmeasured)


def breaks_words(run: Run, fates: Sequence[Fate]) -> str:
    bad, parts = sorted((f for f in fates if f.word == 'bad'), key=lambda f: float(f.row['sinks'])), []
    for start in sorted({f.start for f in bad}):
        group = [f for f in bad if f.start == start]
        ends = [min(end, 100) for f in group for end in (late(f.row).at_least(), late(f.row).at_most()) if end is not None]
        share = ' to '.join(distinct(words.fixed(end, 0) for end in (min(ends), max(ends))))
        parts.append(f'{start} over {names(group)} ({share} % of keys over {words.plain(run.threshold_ms())} ms '
                     f'{with_load(run, group[0].row["sinks"])})')
    return f', {words.and_list(parts)}' if parts else ''


def group_words(run: Run, fates: Sequence[Fate]) -> str:
    """Who is late from which load on, who is fast, and who cannot be told; nothing where one group is all."""
    bad = [f for f in fates if is_bad(f)]
    parts = []
    for (sinks, is_on), group in groupby(sorted(bad, key=lambda f: (f.row['sinks'], f.is_on)), lambda f: (f.row['sinks'], f.is_on)):
        parts.append(f'{words.upper_first(with_load(run, sinks))}{" and more" if is_on else ""}: {names(list(group))}.')
    for is_fast_, text in ((True, 'Fast with every load tried'), (False, 'No late key with any load tried')):
        group_ = [f for f in fates if f.word == 'good' and f.is_fast == is_fast_]
        if group_:
            parts.append(f'{text}: {words.and_list([f.system + but_unmeasured(f.unmeasured) for f in group_])}.')
    unsure = [f for f in fates if f.word == 'unsure']
    if unsure and bad:
        parts.append(f'Cannot be told: {names(unsure)}.')
    return '' if len(parts) == 1 and not bad else ''.join(f' {part}' for part in parts)


def from_to(rows: Sequence[Row], name: str) -> str:
    if len(rows) > 1 and len({level(row, name) for row in rows}) == 1:
        return f'{level(rows[0], name)} over each'
    ends = [f'{level(row, name)} over {row["protocol"]}' for row in (rows[0], rows[-1])[:len(rows)]]
    return (' and ' if len(rows) == 2 else ' to ').join(ends)


def late_several(run: Run, role: str) -> Finding | None:
    fates = judged(run, role)
    if not fates:
        return None
    rows = sorted((f.most or {} for f in fates), key=lambda row: late_most(row) or 0)
    text = f'**{words.upper_first(role_words(run, role))}: {clause_words(run, fates)}.**{group_words(run, fates)}'
    if fates[0].most is not None:
        text += (f' Keys later than {words.plain(run.threshold_ms())} ms {with_load(run, fates[0].most["sinks"])}: '
                 f'{from_to(rows, LATE)}.')
    word = 'bad' if any(map(is_bad, fates)) else 'good' if all(f.word == 'good' for f in fates) else 'unsure'
    return Finding(f'late-{role}', text, late(rows[-1]), word, 'late-share')


def more_words(rows: Rows, name: str, n: int, more: str) -> str:
    """By how much each exceeds the first, of rows in the order of a figure, of n. The intervals are for all pairs of the n
    together, since the data decide which is the first."""
    if len(rows) < 2:
        return ''
    first, told = rows[0]['protocol'], [(row['protocol'], differ(rows[0], row, name, n * (n - 1) // 2)) for row in rows[1:]]

    def by(answer: Answer) -> str:
        if answer.value != answer.value:
            return ''
        low, high = (None if end != end else end for end in (answer.low, answer.high))
        a = Amount(answer.value, low=low, high=high, unit=words.unit_of(name))
        return f'by {in_words(a)}{with_interval(a)} '

    apart = [f'{by(answer)}over {who}' for who, answer in told if answer.word == decide.HOLDS]
    alike, untold = ([who for who, answer in told if answer.word == word] for word in (decide.FAILS, decide.UNTOLD))
    return ''.join(f' {text}.' for text in (
        f'{words.upper_first(more)} than over {first}: {words.and_list(apart)}' if apart else '',
        f'{words.and_list(alike)} cannot be told apart from {first}' if alike else '',
        f'Without intervals, {words.and_list([first, *untold])} cannot be compared' if untold else '') if text)


def none_over(run: Run, rows: Rows, what: str) -> str:
    """Systems that are not among the rows."""
    there = {row['protocol'] for row in rows}
    absent = [system for system in systems(run) if system not in there]
    return f' No {what} over {words.and_list(absent)}.' if absent else ''


def stall_rows(run: Run) -> tuple[Rows, Rows]:
    """For the application with a known cost, if it was measured: those with the largest common load, and those of them of which a
    redraw arrives as several updates, so that the time between updates shows no stalls."""
    of_roles = ([row for row in usable(rows_of(run, role)) if row.get(STALL) is not None] for role in reversed(ROLES))
    all_: Rows = next((rows for rows in of_roles if any(map(is_calm, rows))), [])
    n = common_most(all_)
    rows = sorted((row for row in all_ if row['sinks'] == n and is_calm(row)), key=lambda row: float(row[STALL]))
    return [row for row in rows if not splits_updates(row)], [row for row in rows if splits_updates(row)]


def fair_words(full: Rows, off: Rows, wide: Rows) -> str:
    def over_(rows: Rows) -> str:
        return words.and_list([row['protocol'] for row in rows])

    fair = sorted({row['fair_stall_ms'] for row in full})
    each = [words.with_unit(ms, 'ms') + (f' over {over_([row for row in full if row["fair_stall_ms"] == ms])}' if len(fair) > 1
                                         else '') for ms in fair]
    text = f' Fair sharing would give a mean stall of {words.and_list(each)}'
    text += f'; different over {over_(off)}' if off else ''
    text += f'; too variable to tell over {over_(wide)}' if wide else ''
    return text + ('.' if off or wide else f'; all agree with it {FAIR_NEAR}.')


def stalls_several(run: Run) -> Finding | None:
    rows, split = stall_rows(run)
    if not rows:
        return None
    full = [row for row in rows if (row.get('fair_stall_ms') or 0) > 0]
    off, wide = ([row for row in full if is_fair(row) is answer] for answer in (False, None))
    text = (f'**The mean stall {with_load(run, rows[0]["sinks"])} is '
            f'{from_to(rows, STALL)}.**{more_words(rows, STALL, len(rows + split), "longer")}'
            f'{none_over(run, rows + split, "mean stall")} The jitter is '
            f'{from_to(sorted(rows, key=lambda row: order(row.get("jitter_sd_ms"))), "jitter_sd_ms")}.'
            f'{fair_words(full, off, wide) if full else ""}')
    if split:
        text += (' One update of the application reaches the screen as several over '
                 f'{words.and_list([row["protocol"] for row in split])}, so that the time between updates shows no stalls.')
    return Finding('mean-stall', text, amount(rows[-1], STALL), 'unsure' if off or wide else 'none', 'mean-stall')


def idle_several(run: Run) -> Finding | None:
    rows = sorted(idle_rows(run), key=lambda row: order(latency(row).at_most()))
    if not rows:
        return None
    rest = ' Medians with load are not compared.' if any(row['sinks'] > 0 for row in run.table('summary')) else ''
    return Finding('idle-response', f'**{words.upper_first(unloaded(run))}, the median response is '
                   f'{from_to(rows, "latency_p50_ms")}.**{more_words(rows, "latency_p50_ms", len(rows), "slower")}'
                   f'{none_over(run, rows, "such median")}{rest}', latency(rows[-1]),
                   figure='latency-cdf')


# --- what is said in all ------------------------------------------------------------------------------------------

def no_load(run: Run) -> str:
    """Hogs that got less than a quarter of a CPU between them were no load, by whatever limit."""
    rows = [row for row in run.measured() if row['sinks'] > 0 and row.get('load_share_percent') is not None
            and row['load_share_percent'] < 25]
    if not rows:
        return ''
    shares = [row['load_share_percent'] for row in rows]
    loads = words.and_list([value_text(n) for n in sorted({row['sinks'] for row in rows})])
    return (' But the CPU hogs themselves got only '
            f'{" to ".join(sorted({words.percent(min(shares)), words.percent(max(shares))}))} % of a CPU with {loads}: that was '
            'not the load asked for.')


def verdict(run: Run) -> str:
    parts = []
    for role in ROLES:
        if is_several(run):
            fates = judged(run, role)
            parts += [f'{who_words(run, role)}: {clause_words(run, fates)}{breaks_words(run, fates)}.'] if fates else []
        else:
            fate = judge(run, role)
            parts += [f'{who_words(run, role)} {fate.clause}.'] if fate else []
    return (' '.join(parts) or NOTHING_MEASURED) + no_load(run)


def findings(run: Run) -> list[Finding]:
    if is_several(run):
        found = [late_several(run, 'light'), grouping(run), late_several(run, 'heavy'), stalls_several(run), *held_keys(run),
                 idle_several(run)]
    else:
        found = [late_finding(run, 'light'), grouping(run), late_finding(run, 'heavy'), *held_keys(run), fair_sharing(run),
                 late_below_saturation(run), idle_response(run)]
    return [f for f in (*found, trains.probe(run)) if f][:5]


def views(run: Run) -> list[View]:
    return [
        View('main', 'summary', 'Response time by load', f'protocol? sinks {LATE} latency_p50_ms latency_p90_ms latency_max_ms',
             by='app', breaks=('sinks', LATE, LATE_MOST)),
        View('updates', 'summary', 'Screen updates', f'protocol? sinks {STALL} hold_{STALL} fair_stall_ms largest_gap_ms '
             'jitter_sd_ms hold_jitter_sd_ms updates_per_key', by='app'),
        View('stages', 'stages', 'Where the time of a key goes (means)', 'protocol? sinks stage mean_ms p50_ms p90_ms max_ms keys',
             by='app'),
        View('wire', 'summary', 'On the wire', f'protocol? sinks wire_updates_5ms wire_updates wire_updates_20ms wire_{STALL} '
             f'wire_jitter_sd_ms hold_wire_{STALL} hold_wire_jitter_sd_ms wire_bytes_per_key', by='app'),
        View('blocks', 'summary', 'From the wire alone (keys in drained blocks)',
             'protocol? sinks wire_keys wire_exact_percent wire_latency_p50_ms',
             by='app', only='wire_keys'),
        View('run', 'summary', 'Quality', 'protocol? sinks repeats? marked? keys skipped_keys? lateness_max_us left_late_max_ms '
             'server_busy_percent disturbed_percent_max', by='app'),
    ]


# --- figures: response times of keys beside CPU hogs --------------------------------------------------------------

class Group(NamedTuple):
    """A panel: its curves, which are rows of one application or system, with looks and names, moved a little apart."""
    title: str
    role: str
    curves: list[tuple[str, Look, Rows, float]]


def load_name(run: Run) -> str:
    return 'load' if is_attached(run) else 'CPU hogs'


def load_axis(run: Run) -> Axis:
    loads = distinct(row['sinks'] for row in run.table('summary'))
    most = max(loads, default=0) or 20
    if is_attached(run):
        label = 'load on the server, in the numbers of who set it' if is_attached(run, every=True) else (
            'load: CPU hogs, or in front of a window the numbers of who set it')
    else:
        label = 'CPU hogs' if is_several(run) else 'CPU hogs: processes beside the session that want all the CPU they can get'
    return Axis(label, -0.03 * most, 1.03 * most, tics=[(n, words.plain(n)) for n in loads] if len(loads) < 12 else ())


def role_title(run: Run, role: str) -> str:
    return 'the heavy application' if role == 'heavy' and trains.costs(run) else role_words(run, role)


def apart(run: Run, curves: list[tuple[str, Look, Rows]]) -> list[tuple[str, Look, Rows, float]]:
    n, most = len(curves), max((row['sinks'] for row in run.table('summary')), default=0)
    return [(*curve, 0 if n < 2 else (i - (n - 1) / 2) * 0.0084 * most * min(4 / n, 1)) for i, curve in enumerate(curves)]


def groups(run: Run) -> list[Group]:
    """A curve for each application; of several protocols a panel for each application, and in it a curve for each protocol."""
    of = {role: rows for role in ROLES if (rows := rows_of(run, role))}
    if is_several(run):
        return [Group(role_title(run, role), role, apart(run, [
            (system, look(i), [row for row in rows if row['protocol'] == system]) for i, system in enumerate(systems(run))]))
            for role, rows in of.items()]
    looks = {'light': look(0), 'heavy': look(1), 'grouped': look(2)}
    return [Group('', list(of)[-1] if of else '',
                  apart(run, [(role_title(run, role), looks[role], rows) for role, rows in of.items()]))]


def shown(group: Group, column: str) -> list[Curve]:
    return [c for name, at, rows, by in group.curves for c in curves_over(((row['sinks'] + by, row) for row in rows),
                                                                          column, at, name)]


def late_share(run: Run) -> Drawing:
    panels = [Panel(load_axis(run), Axis('late keys, %', -2, 104), [*shown(group, LATE), Curve('points', [
        Place(row['sinks'] + by, row[LATE]) for _, _, rows, by in group.curves for row in rows if is_overloaded(row)
        and row.get(LATE) is not None],
        Look('#000000', 6, size=1.8), 'overloaded: falls further and further behind')], group.title) for group in groups(run)]
    return Drawing('late-share', f'Late keys: no response within {words.plain(run.threshold_ms())} ms', panels, across=2)


def medians(run: Run) -> Drawing:
    limit = run.threshold_ms()
    panels = [Panel(load_axis(run), Axis('median response time, ms', 0), [*shown(group, 'latency_p50_ms'), level_curve(
        limit, DOTTED, f'{words.plain(limit)} ms')], group.title) for group in groups(run)]
    return Drawing('median', 'Median response time', panels, across=2)


class Way(NamedTuple):
    """How a column begins, and what its curves and panels are called."""
    start: str
    title: str
    shape: int = 7
    dash: int = 1


def way_curves(group: Group, mode: Way, ways: list[Way], column: str) -> list[Curve]:
    curves = []
    for name, at, rows, by in group.curves:
        for way in ways:
            own = at if len(ways) < 2 else replace(at, shape=way.shape, dash=way.dash)
            curves += curves_over(((row['sinks'] + by, row) for row in rows), mode.start + way.start + column, own, name,
                                  f'{name}, {way.title}' if len(ways) > 1 else '')
    return curves


def one_scale(panels: Sequence[tuple[bool, Panel]]) -> list[Panel]:
    """Panels of vim end at one height, which has room for intervals, unless those of few repeats would flatten the curves."""
    rows = [p for is_vim, panel in panels if is_vim for curve in panel.curves for p in curve.rows]
    tops = [high for p in rows if (high := p.y if p.high is None else p.high) is not None]
    most = max((p.y for p in rows if p.y is not None), default=0)
    end = min(max(tops) * 1.05, 2.5 * most) if tops and sum(is_vim for is_vim, _ in panels) > 1 else 0
    return [replace(panel, y=replace(panel.y, end=end)) if is_vim and end > 0 else panel for is_vim, panel in panels]


def over_load_ways(run: Run, name: str, title_: str, y: Axis, column: str, more: Mapping[str, list[Curve]]) -> Drawing:
    """Typed and held keys have panels of their own; packets are dashes beside pixels. more: further curves of the panels of a
    role."""
    is_held = any(row.get(f'hold_{STALL}') is not None for row in run.table('summary'))
    has_packets = is_held or True in (run.setting('wire'), *((run.facts.get('differs') or {}).get('wire') or {}).values())
    ways = [Way('', 'pixels'), Way('wire_', 'packets', 6, 2)][:1 + has_packets]
    modes = [Way('', 'a key held down' if is_held_alone(run) else 'typed keys'), Way('hold_', 'a key held down')][:1 + is_held]
    x = load_axis(run)
    # the paper's text: from that load on its Windows server could not be used
    marks = [Mark(15, text='TSE, 2000: unusable', colour=MARK, dash=3)] if not is_attached(run) and (x.end or 0) > 15.5 else []
    panels = [(group.role in ('light', 'grouped'), Panel(
        x, y, [*way_curves(group, mode, ways, column), *more.get(group.role, more[''])],
        ': '.join(text for text in (group.title, mode.title if has_packets else '') if text), marks)) for group in groups(run)
              for mode in modes]
    legend = [Curve('line hover', [], Look(LINE, way.shape, way.dash), way.title) for way in ways] if has_packets else []
    return Drawing(name, title_, one_scale(panels), across=2, legend=legend)


def fair_line(run: Run) -> Curve:
    rows = [row for row in rows_of(run, 'heavy') if row.get('fair_stall_ms') is not None]
    most = max((row['sinks'] for row in rows), default=0)
    # where it begins to rise
    begins = [(row['period_ms'] / row['cost_ms'] - 1, 0.0) for row in rows if (row.get('cost_ms') or 0) > 0]
    points = sorted({*((row['sinks'], row['fair_stall_ms']) for row in rows), *(p for p in begins if 0 < p[0] < most)})
    of = {row['cost_ms'] for row in run.table('summary') if row.get('cost_ms') is not None}
    period = run.table('summary')[0].get('period_ms')
    sums = (f': {words.plain(min(of))} ms × ({load_name(run)} + 1) − {words.plain(50 if period is None else period)} ms'
            if len(of) == 1 else '')
    return Curve('line', [Place(*p) for p in points], DASHED, f'fair sharing{sums}')


def stall_figures(run: Run) -> list[Drawing]:
    none = level_curve(0, Look(PALE, dash=1))
    schedule = max((row['schedule_jitter_ms'] for row in run.table('summary') if row.get('schedule_jitter_ms') is not None),
                   default=0)
    in_keys = [level_curve(schedule, DOTTED, f'in the keys themselves, whose schedule jitters by {words.fixed(schedule, 1)} '
                           'ms')] if schedule > 0 else []
    return [over_load_ways(run, 'mean-stall', 'Mean stall: time between updates beyond the period of the keys',
                           Axis('mean stall, ms'), STALL, {'': [none], 'heavy': [none, fair_line(run)]}),
            over_load_ways(run, 'jitter', 'Jitter: standard deviation of the time between updates', Axis('jitter, ms', 0),
                           'jitter_sd_ms', {'': in_keys})]


SHARES = ((0, '0'), (0.25, '25 %'), (0.5, '50 %'), (0.75, '75 %'), (0.9, '90 %'), (1, '100 %'))


def key_curves(run: Run, rows: Rows, at: Look, load: float) -> list[Curve]:
    """Of one load; dashed, the low ends of ranges."""
    title_ = 'load as it is' if trains.is_load_as_it_is(run) else value_text(load)
    return [Curve('steps', [Place(row['latency_ms'], row['share']) for row in rows if row.get('bound') != 'low'],
                  replace(at, width=1.6), title_),
            Curve('steps', [Place(row['latency_ms'], row['share']) for row in rows if row.get('bound') == 'low'],
                  replace(at, width=0.8, dash=3))]


def every_key(run: Run) -> Drawing:
    """A panel for each application and protocol, a curve for each load."""
    cdf, limit, floor, costly = run.table('cdf'), run.threshold_ms(), protocol(run).get('floor_ms') or 0, trains.costly(run)
    loads, ms = distinct(row['sinks'] for row in cdf), [row['latency_ms'] for row in cdf if (row.get('latency_ms') or 0) > 0]
    of: dict[Any, Rows] = {}
    for row in cdf:
        if row.get('latency_ms') is not None:
            of.setdefault((trains.role_of(row, costly), row['protocol'], row['sinks']), []).append(row)
    x = Axis('ms after the key was due', min([min(ms, default=1) / 1.4] + ([floor / 1.3] if floor > 0 else [])),
             max(max(ms, default=1) * 1.3, limit * 1.6), log=True, unit='ms')
    marks = [Mark(limit, text=f'{words.plain(limit)} ms', dash=2)]
    if floor > 0:
        marks.append(Mark(floor, text=protocol(run).get('floor_of') or 'half a frame', dash=3, colour='#777777'))
    panels = [Panel(x, Axis('keys answered by then', 0, 1.02, tics=SHARES), [
        curve for i, n in enumerate(loads) for curve in key_curves(run, of.get((role, system, n), []),
                                                                   load_look(i, len(loads)), n)],
        f'{f"{system}: " if is_several(run) else ""}{role_title(run, role)}', marks)
        for role, system in distinct((trains.role_of(row, costly), row['protocol']) for row in run.table('summary'))]
    by = '' if trains.is_load_as_it_is(run) else ', by load' if is_attached(run) else ', by number of CPU hogs'
    return Drawing('latency-cdf', f'Response time of every key{by}', panels, high=400)


STAGES = (('due_sent', 'due → sent', '#bbbbbb'), ('sent_wire', 'sent → on the wire', '#56B4E9'),
          ('wire_app', 'on the wire → in the application', '#009E73'), ('app_drawn', 'in the application → drawn', '#D55E00'),
          ('drawn_wire', 'drawn → response on the wire', '#0072B2'), ('wire_wire', 'on the wire → response on the wire', '#CC79A7'),
          ('wire_pixels', 'response on the wire → pixels', '#E69F00'))


def stages_figure(run: Run) -> Drawing:
    """Where the time of a key goes: a panel for each application and protocol, a row for each load."""
    rows = run.table('stages')
    loads, known = [value_text(n) for n in distinct(row['sinks'] for row in rows)], {row['stage'] for row in rows}

    def boxes(app: str, system: str, stage: str) -> list[Place]:
        mine = [(row, row_of(value_text(row['sinks']), loads) or 0) for row in rows
                if (row['app'], row['protocol'], row['stage']) == (app, system, stage) and row.get('to_ms') is not None]
        return [Place(row.get('from_ms'), y - 0.32, x2=row['to_ms'], y2=y + 0.32) for row, y in mine]

    x, y = Axis('ms after the key was due, mean of all keys', 0), rows_axis(loads, load_name(run))
    panels = [Panel(x, y, [Curve('box', boxes(app, system, stage), Look(colour), name) for stage, name, colour in STAGES],
                    f'{f"{system}: " if is_several(run) else ""}{trains.app_words(run, app)}')
              for app, system in distinct((row['app'], row['protocol']) for row in rows)]
    return Drawing('stages', 'Where the time of a key goes', panels,
                   legend=[Curve('box', [], Look(colour), name) for stage, name, colour in STAGES if stage in known])


def is_one_dot(run: Run) -> bool:
    """Over the one load in front of a window each figure would be a dot."""
    return (is_attached(run) and 'cdf' in run.tables and not is_several(run)
            and len({row['sinks'] for row in run.table('summary')}) == 1)


def drawings(run: Run) -> list[Drawing]:
    over_load = [] if is_one_dot(run) else [late_share(run), medians(run), *stall_figures(run)]
    return over_load + ([every_key(run)] if 'cdf' in run.tables else []) + ([stages_figure(run)] if 'stages' in run.tables else [])
