# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run with several disk schedulers found."""
from itertools import product
from typing import Any

from analysis import words
from analysis.amounts import Row, amount, differ, exceeds, number, yes_or_no
from analysis.draw import Axis, Drawing
from analysis.page import Finding, View
from analysis.run import Run
from experiments.families import replays, settings
from experiments.families.replays import ends, known, says

COLUMNS = '''
include ../families/replays.py
'''
LABEL = "scheduler of the session's disk"
labels, setup, verdict = replays.labels, replays.setup, replays.verdict


def title(run: Run) -> str:
    return 'Disk schedulers for a session beside a heavy disk load'


def is_apart(rows: list[dict[str, Any]]) -> bool:
    """Two orders differ where the intervals of Kendall's tau lie apart."""
    alone: list[Row] = [{**row, 'repeats': None} for row in rows]
    return any(yes_or_no(differ(a, b, 'tau')) is True for a, b in product(alone, repeat=2))


def percents(value: float | None) -> str:
    return '?' if value is None else f'{words.fixed(value, 0)} %'


def order_words(row: Row) -> str:
    def two(value: float) -> str:
        return words.fixed(value, 2)

    return (f'with {says(row)} {percents(row.get("passed_percent"))}{ends(row, "passed_percent", percents)}, tau {two(row["tau"])}'
            f'{ends(row, "tau", two)}')


def order(run: Run) -> list[Finding]:
    rows = [row for row in run.measured() if row.get('tau') is not None]
    if not rows:
        return []
    takes, most = run.setting('takes'), max(known(rows, 'in_device_p90'), default=None)
    is_overfull, is_bare = exceeds(number(most), number(takes)) is True, any(row.get('tau_low') is None for row in rows)
    differs = is_apart(rows)
    if len(rows) < 2:
        head = '**Order of the requests**'
    elif differs:
        head = '**The schedulers issue the requests in different orders**'
    elif is_bare:
        head = '**Too few repeats to tell whether the orders of the requests differ**'
    else:
        head = '**No difference between the orders of the requests is shown**'
    waiting = sorted((row.get('waiting_mean') for row in rows), key=lambda n: (n is not None, n or 0.0))
    waits = ' to '.join(sorted({words.fixed(n, 0) for n in (waiting[0], waiting[-1])}))
    text = (f"{head}. Of the load's waiting reads, a read of the session overtakes: {'; '.join(map(order_words, rows))}. "
            "(Kendall's tau is 1 if requests are served in order of arrival, 0 in random order.)"
            + (' How many requests the device held is not known' if most is None else
               f' The device held at most {words.plain(most)} requests in nine of ten cases')
            + (f', above the configured limit of {words.plain(takes)} requests' if is_overfull else '')
            + f", and {waits} requests waited in the scheduler's queue on average.")
    first = max(reversed(rows), key=lambda row: -1.0 if row.get('passed_percent') is None else float(row['passed_percent']))
    return [Finding('order', text, amount(first, 'passed_percent'),
                    'unsure' if is_overfull else 'good' if differs else 'unsure' if is_bare else 'none', 'order')]


def findings(run: Run) -> list[Finding]:
    return [*order(run), *replays.findings(run)][:6]


def views(run: Run) -> list[View]:
    return [replays.main_view(run),
            View('order', 'summary', 'Order of the requests',
                 'says in_device_p90 waiting_mean tau overtaken_percent passed_percent session_wait_ms load_wait_ms'),
            replays.conditions_view('marked? load_reads_per_s load_read_p50_ms waited? server_busy_percent caches')]


def drawings(run: Run) -> list[Drawing]:
    if not run.measured():
        return []
    return [*settings.drawings(run, LABEL, False),
            *settings.setting_bars(run, 'order', 'Reads of the load that a read of the session goes before', 'passed_percent',
                                   Axis('of those that waited when it came, %', 0, 105), settings.settings_axis(run, LABEL, False))]
