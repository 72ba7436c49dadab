# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run on a disk that is all but stopped found."""
from analysis import words
from analysis.amounts import amount
from analysis.draw import Drawing
from analysis.page import Finding, View
from analysis.run import Run
from experiments.families import replays, settings
from experiments.families.replays import base_row, seconds, timed, total_times

COLUMNS = '''
include ../families/replays.py
'''
labels, setup = replays.labels, replays.setup


def title(run: Run) -> str:
    return 'A session replayed on a very slow disk'


def verdict(run: Run) -> str:
    slow = next(iter(timed(run)), None)
    if not slow:
        return 'The replay on the slow disk is missing, so there is nothing to compare.'
    rows = (base_row(run), slow)
    if any((row.get('failed') or 0) > 0 for row in rows):
        end = 'some replays did not finish.'
    elif any(row.get('inputs_of_trace') is None or row.get('inputs_least') is None for row in rows):
        end = 'all replays finished.'
    elif all(row['inputs_least'] == row['inputs_of_trace'] for row in rows):
        end = 'all replays finished with every input delivered.'
    else:
        end = 'all replays finished, but some inputs were not delivered.'
    return f'The session takes {total_times(slow)} times as long on the slow disk; {end}'


def slower(run: Run) -> list[Finding]:
    over = run.setting('over')
    transfers, base = f', and transfers at {over}' if over else '', seconds(base_row(run).get('total_s'))
    return [Finding('slower', f'**The session takes {total_times(row)} times as long** with {words.plain(row.get("delay_ms"))} ms '
                    f'for each read and write{transfers}: {seconds(row.get("total_s"))} instead of {base}.',
                    amount(row, 'total_ratio'), figure='total') for row in timed(run)[:1]]


def findings(run: Run) -> list[Finding]:
    return [f for make in (slower, replays.delivered, replays.most_grown, replays.unanalyzed) for f in make(run)]


def views(run: Run) -> list[View]:
    return [replays.main_view(run),
            replays.conditions_view('marked? delay_ms inputs_least inputs_of_trace waited? server_busy_percent caches')]


def drawings(run: Run) -> list[Drawing]:
    return settings.drawings(run, '', False)
