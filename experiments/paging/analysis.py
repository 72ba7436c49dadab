# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run of paging found."""
import re
from math import inf
from typing import Any

from analysis import notes, words
from analysis.amounts import Amount, Row, Rows, above, amount, exceeds, in_words, interval_alone, level, number, range_words, scaled
from analysis.draw import (HEAVY, LIGHT, LINE, MARK, COLOURS, Axis, Curve, Drawing, Look, Mark, Panel, Place, digits, place, row_of,
                           rows_axis, stripes)
from analysis.notes import NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run

COLUMNS = '''
# Figures are over the runs of all complete repeats: each run is an eviction of its own. Times: from when the key was due.
# Means have a digit more than the times that pagein reports: a page, which shows two digits, rounds each number once.
table summary cells schema=paging/1
# column, heading, unit, source, estimator, decimals, better
cell                    Condition                          -  count:name                                -    text -
protocol                Protocol                           -  param                                     -    text -
swap                    "Swap on"                          -  param                                     -    text -
session                 Session                            -  param                                     -    text -
method                  "Paged out by"                     -  param                                     -    text -
include ../families/state.py
attempts                Attempts                           -  pagein:paged_out+kept+not_evicted.n       -    0    -
not_evicted             "Not evicted"                      -  pagein:not_evicted.n                      -    0    lower
not_in_memory           "Not in memory"                    -  pagein:not_in_memory.n                    -    0    lower
why                     "Why not evicted"                  -  pagein:why                                -    text -
in_memory_n             "Runs in memory"                   -  pagein:in_memory.n                        -    0    -
in_memory_min_ms        "In memory, least"                 ms pagein:in_memory.first_key_ms.min         -    3    lower
in_memory_mean_ms       "In memory, mean"                  ms pagein:in_memory.first_key_ms.mean        ends+above 4 lower
in_memory_p50_ms        "In memory, median"                ms pagein:in_memory.first_key_ms.p50         ends+above 3 lower
in_memory_max_ms        "In memory, largest"               ms pagein:in_memory.first_key_ms.max         ends+above 3 lower
in_memory_above         "No response"                      -  pagein:in_memory.first_key_ms.above       -    0    lower
second_in_memory_p50_ms "In memory, median"                ms pagein:in_memory.second_key_ms.p50        ends+above 3 lower
second_in_memory_max_ms "In memory, largest"               ms pagein:in_memory.second_key_ms.max        ends+above 3 lower
paged_out_n             "Runs paged out"                   -  pagein:paged_out.n                        -    0    -
paged_out_min_ms        "Paged out, least"                 ms pagein:paged_out.first_key_ms.min         -    3    lower
paged_out_mean_ms       "Paged out, mean"                  ms pagein:paged_out.first_key_ms.mean        ends+above 4 lower
paged_out_p50_ms        "Paged out, median"                ms pagein:paged_out.first_key_ms.p50         ends+above 3 lower
paged_out_max_ms        "Paged out, largest"               ms pagein:paged_out.first_key_ms.max         ends+above 3 lower
paged_out_above         "No response"                      -  pagein:paged_out.first_key_ms.above       -    0    lower
second_paged_out_p50_ms "After paging, median"             ms pagein:paged_out.second_key_ms.p50        ends+above 3 lower
second_paged_out_max_ms "After paging, largest"            ms pagein:paged_out.second_key_ms.max        ends+above 3 lower
kept_n                  "Runs kept in memory"              -  pagein:kept.n                             -    0    -
kept_min_ms             "Kept, least"                      ms pagein:kept.first_key_ms.min              -    3    lower
kept_mean_ms            "Kept, mean"                       ms pagein:kept.first_key_ms.mean             ends+above 4 lower
kept_p50_ms             "Kept, median"                     ms pagein:kept.first_key_ms.p50              ends+above 3 lower
kept_max_ms             "Kept, largest"                    ms pagein:kept.first_key_ms.max              ends+above 3 lower
kept_above              "No response"                      -  pagein:kept.first_key_ms.above            -    0    lower
second_kept_p50_ms      "Kept, median"                     ms pagein:kept.second_key_ms.p50             ends+above 3 lower
second_kept_max_ms      "Kept, largest"                    ms pagein:kept.second_key_ms.max             ends+above 3 lower
typed_n                 "Runs typed into"                  -  pagein:paged_out+kept+not_evicted.typed_ms.n            - 0 -
typed_p50_ms "While typing, median" ms pagein:paged_out+kept+not_evicted.typed_ms.median ends+above 3 lower
typed_max_ms "While typing, largest" ms pagein:paged_out+kept+not_evicted.typed_max_ms.max ends+above 3 lower
typed_above             "No response"                      -  pagein:paged_out+kept+not_evicted.typed_max_ms.above    - 0 lower
evicted_percent_min     "Evicted, at least"                %  pagein:paged_out.evicted_percent.min      -    1    -
not_evicted_percent_min "Evicted at least, where excluded" %  pagein:not_evicted.evicted_percent.min    -    1    -
swap_bytes              "In swap"                          B  pagein:paged_out.swap_bytes.mean          -    0    -
anonymous_bytes         "Private anonymous"                B  pagein:paged_out.anonymous_bytes.mean     -    0    -
file_resident_bytes     "File pages in memory"             B  pagein:paged_out.file_resident_bytes.mean -    0    -
file_others_bytes       "mapped by others too"             B  pagein:paged_out.file_others_bytes.mean   -    0    -
major_faults_min        "Major faults, at least"           -  pagein:paged_out.major_faults_least.min   -    0    -
major_faults            "Major faults"                     -  pagein:paged_out.major_faults.mean        -    1    lower
minor_faults            "Minor faults"                     -  pagein:paged_out.minor_faults.mean        -    1    lower
swap_in_bytes           "Read from swap, all programs"     B  pagein:paged_out.swap_in_bytes.mean       -    0    lower
read_percent            "Read from the device"             %  pagein:paged_out.read_percent.mean        -    1    -
kept_major_faults       "Major faults, kept"               -  pagein:kept.major_faults.mean             -    1    lower

table runs rows:pagein schema=paging-run/1 raw
cell                Condition              -  param - text -
protocol            Protocol               -  param - text -
swap                "Swap on"              -  param - text -
session             Session                -  param - text -
method              "Paged out by"         -  param - text -
repeat              Repeat                 -  param - 0    -
run                 Run                    -  -     - 0    -
state               State                  -  - - text -
first_key_ms        "First key"            ms - - 3    lower
first_key_above     "No response"          -  - - 0    lower
second_key_ms       "Second key"           ms - - 3    lower
typed_ms            "While typing, median" ms - - 3    lower
typed_max_ms        "While typing, largest" ms - - 3   lower
evicted_percent     Evicted                %  - - 1    -
swap_bytes          "In swap"              B  - - 0    -
anonymous_bytes     "Private anonymous"    B  - - 0    -
file_resident_bytes "File pages in memory" B  - - 0    -
file_others_bytes   "mapped by others too" B  - - 0    -
major_faults        "Major faults"         -  - - 0    lower
minor_faults        "Minor faults"         -  - - 0    lower
swap_in_bytes       "Read from swap"       B  - - 0    lower
read_percent        "Read from the device" %  - - 0    -
why                 Why                    -  - - text -
'''
SESSIONS = {'plain': 'unprotected', 'private': 'private copies', 'unswapped': 'not swapped', 'beside': 'own memory group',
            'low': 'memory.low', 'throttled': 'batch work throttled'}
MIB = 1048576.0


def swap_words(swap: str) -> str:
    if swap.startswith('slow:'):
        return re.sub('([a-z]+)$', r' \1', swap[5:]) + ' a read'
    return 'swap file' if swap == 'file' else swap


def session_words(session: str) -> str:
    return SESSIONS.get(session, session)


def out_rows(run: Run) -> Rows:
    return [row for row in run.measured() if (row.get('paged_out_n') or 0) > 0]


def is_none_out(run: Run) -> bool:
    return bool(run.measured()) and not out_rows(run)


def title(run: Run) -> str:
    what = 'under memory pressure' if is_none_out(run) else 'that was paged out'
    return f'First key into a session {what}: {words.and_list(run.setting("protocols", []))}'


def setup(run: Run) -> str:
    memory, runs, repeats = run.setting('server_memory'), run.setting('runs'), notes.repeats_words(run)
    return notes.sentence([
        f'an editor in a terminal{"" if memory is None else f" on a server with {memory} of memory"}',
        f'{repeats}, each {"" if runs is None else "of " + words.plural(runs, "run") + " "}with an attempt to page the session out '
        'and as many without' if repeats else None, 'no session was paged out' if is_none_out(run) else None, notes.run_words(run)])


def labels(run: Run) -> Labels:
    return Labels(value={'swap': {row['swap']: swap_words(row['swap']) for row in run.measured()}, 'session': SESSIONS})


# --- what is decided of rows --------------------------------------------------------------------------------------

def is_longer(row: Row) -> bool:
    return exceeds(amount(row, 'paged_out_p50_ms'), amount(row, 'in_memory_p50_ms')) is True


def is_harder(run: Run, row: Row) -> bool:
    """Longer than beside a process that takes the memory and then rests, by both intervals."""
    base: Row = next((r for r in run.table('summary') if r.get('session') == 'plain' and r.get('method') == 'hog'
                      and (r.get('protocol'), r.get('swap')) == (row.get('protocol'), row.get('swap'))), {})
    return exceeds(interval_alone(row, 'paged_out_p50_ms'), interval_alone(base, 'paged_out_p50_ms')) is True


def ratio(row: Row) -> float | None:
    """Of medians: a lower bound if the numerator is one, none if the denominator is one."""
    within, out = row.get('in_memory_p50_ms') or 0, row.get('paged_out_p50_ms')
    return out / within if within > 0 and row.get('in_memory_p50_ms_above') != 1 and out is not None else None


def times(row: Row) -> str | None:
    value = ratio(row)
    if value is None:
        return None
    return f'{"more than " if row.get("paged_out_p50_ms_above") == 1 else ""}{words.fixed(value, 0 if value >= 9.95 else 1)} times'


def most(rows: Rows, name: str) -> dict[str, Any]:
    """The row with the largest value: the last of those."""
    return max(reversed(rows), key=lambda row: -inf if row.get(name) is None else float(row[name]))


def least_kept(rows: Rows) -> dict[str, Any] | None:
    return min(rows, key=lambda row: inf if row.get('kept_p50_ms') is None else float(row['kept_p50_ms'])) if rows else None


def verdict(run: Run) -> str:
    rows = run.measured()
    plain = [row for row in out_rows(run) if row.get('session') == 'plain']
    kept = least_kept([row for row in rows if (row.get('kept_n') or 0) > 0 and row.get('session') in ('unswapped', 'beside',
                                                                                                      'low', 'throttled')])
    typed = [row for row in rows if row.get('typed_max_ms') is not None]
    if not rows:
        return NOTHING_MEASURED
    if not plain and typed:
        each = ', '.join(f'{in_words(amount(row, "typed_max_ms"))} ({session_words(row["session"])})' for row in typed)
        return f'Beside a process that tries to fill the memory, the slowest key while typing takes {each}.'
    if not plain:
        return 'No unprotected session was paged out: there is nothing to compare.'
    worst: Row = most(plain, 'paged_out_p50_ms')
    protocol = f'{worst["protocol"]}, ' if len({row['protocol'] for row in rows}) > 1 else ''
    text = (f'The first key after a session was paged out takes {level(worst, "paged_out_p50_ms")} '
            f'({protocol}{swap_words(worst["swap"])}; median)')
    longer = times(worst)
    text += ('; with the session in memory it is not known.' if longer is None else
             f', {longer} as long as with the session in memory{"." if is_longer(worst) else " (not shown to be longer)."}')
    if kept is None:
        return text
    how = ({'unswapped': 'in a memory group that may not swap', 'beside': 'given its own memory group',
            'low': 'protected by memory.low', 'throttled': 'typed into while batch work is throttled'}[kept['session']])
    text += f' A session that is {how} takes {level(kept, "kept_p50_ms")} under the same pressure'
    return text + (f', in the runs in which it was kept ({words.plain(kept["kept_n"])} of {words.plain(kept["attempts"])}).'
                   if kept['kept_n'] < kept['attempts'] else '.')


# --- findings -----------------------------------------------------------------------------------------------------

def paged(run: Run) -> Finding | None:
    """The main condition, as in the paper: another process takes the memory and then rests; if it was not measured, another
    method."""
    all_ = [row for row in out_rows(run) if row.get('session') == 'plain' and row.get('method') not in ('busy', 'typing')]
    rows = []
    for key in sorted({(row['protocol'], row['swap']) for row in all_}):
        group = [row for row in all_ if (row['protocol'], row['swap']) == key]
        rows.append(next((row for row in group if row.get('method') == 'hog'), group[0]))
    rows.sort(key=lambda row: (row.get('paged_out_p50_ms') is not None, float(row.get('paged_out_p50_ms') or 0)))
    if not rows:
        return None
    longer = [row for row in rows if is_longer(row)]
    if longer:
        top = max(reversed(longer), key=lambda row: (row.get('paged_out_p50_ms_above') == 1, -inf if ratio(row) is None
                                                     else float(ratio(row) or 0), float(row.get('paged_out_p50_ms') or 0)))
        longest = f'{times(top)} as long' if times(top) is not None else in_words(amount(top, 'paged_out_p50_ms'))
        head = f'**After paging out, the first key takes {longest if longest.startswith("more") else f"up to {longest}"}**: '
    else:
        head = '**It is not shown that the first key takes longer after paging out**: '
    each = '; '.join(f'{level(row, "paged_out_p50_ms")} over {row["protocol"]} ({swap_words(row["swap"])}, {row["method"]}; in '
                     f'memory {in_words(amount(row, "in_memory_p50_ms"))})' for row in rows)
    late = above(rows[-1], 'paged_out_p50_ms', run.threshold_ms()) is True
    return Finding('paged-out', f'{head}{each}.', amount(rows[-1], 'paged_out_p50_ms'), 'bad' if late else 'none' if longer
                   else 'unsure', 'first-key')


def harder(run: Run) -> Finding | None:
    rows = [row for row in out_rows(run) if (row.get('session'), row.get('method')) in (('plain', 'busy'), ('private', 'hog'))]
    if not rows:
        return None
    longer = sum(is_harder(run, row) for row in rows)
    if longer == len(rows):
        head = '**The first key takes longer still if memory stays scarce or more must be read**: '
    elif longer:
        head = f'**In {longer} of {words.plural(len(rows), "condition")}, the first key takes longer still**: '
    else:
        head = '**It is not shown that the first key takes longer still if memory stays scarce or more must be read**: '
    each = '; '.join(('while the other process keeps using its memory' if row['method'] == 'busy'
                      else 'with private copies of the programs')
                     + f' {level(row, "paged_out_p50_ms")} ({row["protocol"]}, {swap_words(row["swap"])})' for row in rows)
    return Finding('harder', f'{head}{each}.', amount(most(rows, 'paged_out_p50_ms'), 'paged_out_p50_ms'), 'bad' if longer
                   else 'unsure', 'first-key')


def protected(run: Run) -> Finding | None:
    rows = [row for row in run.measured() if row.get('session') in ('unswapped', 'beside', 'low')]
    best = least_kept(rows)
    if best is None:
        return None
    limit = run.threshold_ms()
    kept = [row for row in rows if row['kept_n'] > 0 and row['kept_n'] == row['attempts']]
    always = sum(exceeds(interval_alone(row, 'kept_p50_ms'), number(limit)) is False for row in kept)
    conditions = words.plural(len(rows), 'condition')
    if always:
        head = f'**Protection works{f" in {always} of {conditions}" if always < len(rows) else ""}**: '
    elif kept:
        head = '**Protection keeps the session in memory, but the first key may still be late**: '
    else:
        head = '**Protection works only at times**: ' if best['kept_n'] > 0 else '**No protection worked**: '

    def said(row: Row) -> str:
        group = (((run.facts.get('unswapped') or {}).get(row['protocol']) or {}).get('group_bytes') if row['session'] == 'unswapped'
                 else None)
        text = session_words(row['session']) + (f' ({words.fixed(group / MIB, 0)} MiB)' if group else '') + ', '
        if row['kept_n'] == 0:
            text += 'kept in no run'
        else:
            text += f'{level(row, "kept_p50_ms")}, the latest {in_words(amount(row, "kept_max_ms"))}'
            text += ('' if row['kept_n'] == row['attempts'] else f', but kept only in {words.plain(row["kept_n"])} of '
                     f'{words.plain(row["attempts"])} runs')
        return f'{text} ({row["protocol"]})'

    late = any(above(row, 'kept_p50_ms', limit) is True for row in kept)
    verdict_ = 'good' if always else 'bad' if late else 'unsure' if best['kept_n'] > 0 else 'bad'
    return Finding('protected', f'{head}{"; ".join(map(said, rows))}, while another process uses more memory than the server has.',
                   amount(best, 'kept_p50_ms'), verdict_, 'first-key')


def typed_words(row: Row) -> str:
    return f'{in_words(amount(row, "typed_max_ms"))} (median {in_words(amount(row, "typed_p50_ms"))})'


def throttled(run: Run) -> Finding | None:
    """The same hog, throttled after a key and not throttled: continuous typing, and the first key after a pause."""
    rows = [row for row in run.measured() if row.get('session') == 'throttled']
    if not rows:
        return None
    first = rows[0]

    def row_of_(session: str, method: str) -> Row:
        return next((r for r in run.measured() if (r.get('session'), r.get('method'), r.get('protocol'), r.get('swap')) ==
                     (session, method, first['protocol'], first['swap'])), {})

    t, p, tb, pb = (row_of_(*one) for one in (('throttled', 'typing'), ('plain', 'typing'), ('throttled', 'busy'),
                                              ('plain', 'busy')))
    parts = []
    if t.get('typed_max_ms') is not None:
        parts.append(f'beside a process that tries to fill the memory, the slowest key takes {typed_words(t)}'
                     + ('' if p.get('typed_max_ms') is None else f', without throttling {typed_words(p)}'))
    if tb.get('paged_out_p50_ms') is not None:
        parts.append(f'after a pause that paged the session out, the first key takes {level(tb, "paged_out_p50_ms")}'
                     + ('' if pb.get('paged_out_p50_ms') is None else f', without throttling {level(pb, "paged_out_p50_ms")}'))
    late = above(t, 'typed_max_ms', run.threshold_ms())
    known = t.get('typed_max_ms') is not None
    return Finding('throttled', f'**Throttling batch work while a user types** ({first["protocol"]}, {swap_words(first["swap"])}): '
                   f'{"; ".join(parts)}.',
                   amount(t, 'typed_max_ms') if known else amount(tb, 'paged_out_p50_ms'),
                   'none' if not known else 'unsure' if late is None else 'bad' if late else 'good', 'first-key')


def proof(run: Run) -> Finding | None:
    rows, back = out_rows(run), [row for row in run.measured() if (row.get('not_evicted') or 0) > 0]
    if not rows and not back:
        return None
    least = min((row['evicted_percent_min'] for row in rows if row.get('evicted_percent_min') is not None), default=None)
    if rows:
        faults = min(row['major_faults_min'] for row in rows)
        text = (f'**Paging out was verified**: at least {words.percent(least)} % of the private anonymous memory of editor and '
                f'terminal was in swap, and each had at least {words.plural(faults, "major fault")} after the key.')
    else:
        text = '**No run was paged out**.'
    if back:
        each = '; '.join(f'{words.plain(row["not_evicted"])} of {words.plain(row["attempts"])} runs ({row["protocol"]}, '
                         f'{swap_words(row["swap"])}, {session_words(row["session"])}, {row["method"]})' for row in back)
        text += f' Runs excluded because too little memory was in swap, or it came back from the swap cache: {each}.'
    return Finding('evicted', text, Amount(least, unit='%'), 'good' if not back else 'unsure', 'timeline')


def second(run: Run) -> Finding | None:
    rows = [row for row in out_rows(run) if row.get('second_paged_out_p50_ms') is not None
            and row.get('in_memory_p50_ms') is not None]
    if not rows:
        return None
    limit, name = run.threshold_ms(), 'second_paged_out_p50_ms'
    late = [above(row, name, limit) for row in rows]
    slow = [row for row in rows if exceeds(amount(row, name), scaled(amount(row, 'in_memory_p50_ms'), 2)) is True
            and above(row, name, 20) is True]
    conditions = words.plural(len(rows), 'condition')
    if True in late:
        head = f'**The second key is late, too, in {late.count(True)} of {conditions}**: '
    elif None in late:
        head = '**This run cannot tell whether the second key is late**: '
    elif slow:
        head = f'**The second key takes over twice as long as in memory in {len(slow)} of {conditions}**: '
    elif all(above(row, 'paged_out_p50_ms', limit) is True for row in rows):
        head = '**By the median, only the first key is late**: '
    else:
        head = '**By the median, the second key is not late**: '
    values = [row[name] for row in rows]
    span_ = (words.with_unit(max(values), 'ms') if words.short(min(values)) == words.short(max(values))
             else range_words(min(values), max(values), 'ms'))
    latest = max(reversed([amount(row, 'second_paged_out_max_ms') for row in rows]), key=lambda a: a.at_most() or 0)
    return Finding('second-key', f'{head}after the first key has brought the pages back, the second takes {span_}'
                   f'{" or more" if any(row.get(f"{name}_above") == 1 for row in rows) else ""}, the latest {in_words(latest)}.',
                   amount(most(rows, name), name), 'bad' if True in late else 'unsure' if None in late or slow else 'good')


def findings(run: Run) -> list[Finding]:
    """(The second key also has a table.)"""
    return [f for make in (paged, harder, protected, throttled, proof, second) if (f := make(run))][:5] if run.measured() else []


def views(run: Run) -> list[View]:
    return [
        View('medians', 'summary', 'First key',
             'swap session method in_memory_p50_ms paged_out_p50_ms paged_out_max_ms kept_p50_ms not_evicted', by='protocol'),
        View('typing', 'summary', 'While somebody types', 'swap session method typed_n typed_p50_ms typed_max_ms typed_above '
             'evicted_percent_min second_paged_out_p50_ms second_kept_p50_ms', by='protocol', only='typed_max_ms'),
        View('range', 'summary', 'First key: least, mean and largest',
             'swap session method in_memory_min_ms in_memory_mean_ms in_memory_max_ms paged_out_min_ms paged_out_mean_ms '
             'paged_out_max_ms kept_min_ms kept_mean_ms kept_max_ms', by='protocol'),
        View('residency', 'summary', 'In memory before the key, and read after it',
             'swap session method evicted_percent_min swap_bytes file_resident_bytes file_others_bytes major_faults '
             'major_faults_min minor_faults read_percent swap_in_bytes', by='protocol'),
        View('second', 'summary', 'Second key',
             'swap session method second_in_memory_p50_ms second_in_memory_max_ms second_paged_out_p50_ms second_paged_out_max_ms '
             'second_kept_p50_ms second_kept_max_ms', by='protocol'),
        View('excluded', 'summary', 'Excluded runs',
             'swap session method attempts not_evicted? not_evicted_percent_min why not_in_memory? failed?', by='protocol'),
    ]


# --- figures ------------------------------------------------------------------------------------------------------

PAPERS = (('Linux, hardware of 1999', 330, 1170, 3000), ('Windows NT TSE, 1999', 2430, 4026, 11850))
STATES = (('in_memory', 'in memory', 0.2, LIGHT), ('paged_out', 'paged out', -0.2, HEAVY),
          ('kept', 'kept in memory', -0.2, COLOURS[2]))


def condition(row: Row) -> str:
    session = {'plain': '', 'private': ', private copies'}.get(row['session'], f', {row["session"]}')
    return f'{row["protocol"]}, {swap_words(row["swap"])}{session}, {row["method"]}'


def first_key(run: Run) -> Drawing:
    """Every run a dot, a row for each condition."""
    cells, runs, limit = run.measured(), run.table('runs'), run.threshold_ms()
    names = [row.get('cell') for row in cells]
    rows = [condition(row) for row in cells] + [name for name, *_ in PAPERS]

    def y_of(row: Row) -> float | None:
        return float(len(rows) - names.index(row.get('cell'))) if row.get('cell') in names else None

    curves = []
    for state, name, by, colour in STATES:
        dots = [(Place(row['first_key_ms'], y + by), (row.get('first_key_above') or 0) > 0) for row in runs
                if row.get('state') == state and row.get('first_key_ms') is not None and (y := y_of(row)) is not None]
        medians = [(row[f'{state}_p50_ms'], (y_of(row) or 0) + by) for row in cells if row.get(f'{state}_p50_ms') is not None]
        shown = [p for row in cells if (p := place((y_of(row) or 0) + by, row, f'{state}_p50_ms', 'median')) and p.y is not None]
        curves += [Curve('points', [p for p, is_bound in dots if not is_bound], Look(colour, size=0.4), name),
                   Curve('points', [p for p, is_bound in dots if is_bound], Look(colour, 8), 'later than that'),
                   Curve('segment', [Place(x, y - 0.16, x2=x, y2=y + 0.16) for x, y in medians], Look(colour, width=2.5), 'median'),
                   Curve('hover', [Place(p.y, p.x, text=p.text) for p in shown], Look(colour, 7, size=0.1))]
    curves += [
        Curve('points', [Place(row['typed_max_ms'], y) for row in runs if row.get('typed_max_ms') is not None
                         and (y := y_of(row)) is not None],
              Look(COLOURS[3], 9, size=0.5), 'latest key of one who types on'),
        # (a cross where a row begins: the mean)
        Curve('segment points', [Place(mean, y, x2=end, y2=y) for name, low, mean, high in PAPERS for y in [row_of(name, rows)]
                                 for end in (low, high)],
              Look(MARK, 2), '1999: least, mean, largest'),
        Curve('points', [Place(50, row_of(name, rows)) for name, *_ in PAPERS], Look(MARK, 6), 'in memory, 1999'),
        Curve('line', [Place(limit, 0)], Look(LINE, dash=2), f'{words.plain(limit)} ms')]
    times_ms = [row[c] for row in runs for c in ('first_key_ms', 'typed_max_ms') if row.get(c) is not None]
    below = any(row.get('first_key_ms') is not None and row['first_key_ms'] < 1 for row in runs)
    x = Axis('response time, ms from when the key was due', 0.1 if below else 1, 1.3 * max([*times_ms, 12000]), log=True, unit='ms')
    return Drawing('first-key', 'Response time of the first key',
                   [Panel(x, rows_axis(rows), curves, marks=[*stripes(rows), Mark(x=limit, dash=2)])])


PANELS = (('server, MB', True, (('group_bytes', 'all that the server runs', LINE), ('group_swap_bytes', 'in swap', HEAVY))),
          ('session, MB', True, (('resident_bytes', 'editor and terminal in memory', LIGHT), ('swap_bytes', 'in swap', HEAVY))),
          ('major faults', False, (('major_faults', 'faults of editor and terminal', COLOURS[3]),
                                   ('group_major_faults', 'all that the server runs', LINE))))


def timeline(run: Run) -> Drawing | None:
    """One run that was paged out, over time."""
    rows = [row for row in run.table('timeline') if row.get('event') is None and row.get('time_ms') is not None]
    if not rows:
        return None
    echo, second_ = (next((row['time_ms'] for row in run.table('timeline') if row.get('event') == event), None)
                     for event in ('echo', 'second'))
    around = echo if echo is not None else 100.0
    panels = []
    for name, is_level, columns in PANELS:
        for is_whole in (True, False):
            scale = 1000.0 if is_whole else 1.0
            curves = []
            for c, label, colour in columns:
                # of counters
                before = next((row[c] for row in reversed(rows) if row['time_ms'] <= 0 and row.get(c) is not None), 0.0)
                shown = [row for row in rows if row.get(c) is not None and (is_whole or -2 * around < row['time_ms'] < 3 * around)]
                curves.append(Curve('line' if is_level else 'steps', [
                    Place(row['time_ms'] / scale, row[c] / MIB if is_level else max(0.0, row[c] - before)) for row in shown],
                                    Look(colour), label))
            head = ('' if name != 'server, MB' else 'the whole run' if is_whole else f'response after {digits(echo, 3)} ms'
                    if echo else '')
            x = (Axis('seconds from the key', min(row['time_ms'] for row in rows) / 1000,
                      max(row['time_ms'] for row in rows) / 1000) if is_whole else
                 Axis('ms from the key', -0.35 * around, 1.6 * around))
            marks = [Mark(x=0)] + ([] if echo is None else [Mark(x=echo / scale, dash=2)])
            if second_ is not None and (is_whole or second_ < 1.6 * around):
                marks.append(Mark(x=second_ / scale, colour=MARK))
            panels.append(Panel(x, Axis(name, 0), curves, head, marks))
    return Drawing('timeline', 'One run that was paged out, over time', panels, across=2, high=205)


def drawings(run: Run) -> list[Drawing]:
    return [d for d in (first_key(run), timeline(run)) if d]
