# SPDX-License-Identifier: GPL-3.0-or-later
"""What replays of a user's own session on servers of his own found. (figures.gp draws one more figure, outliers.)"""
from analysis import notes, words
from analysis.amounts import Amount, Row
from analysis.draw import Drawing
from analysis.page import Finding, View
from analysis.run import Run
from experiments.families import replays, settings
from experiments.families.replays import base_row, basename, input_words, seconds

COLUMNS = '''
include ../families/replays.py
'''
labels = replays.labels


def title(run: Run) -> str:
    return 'A session of your own, replayed'


def setup(run: Run) -> str:
    return (f'the session of {basename(run.setting("trace", "?"))}; {words.plural(len(run.setting("rows", [])), "VNC server")}; '
            f'{words.plural(run.setting("repeats", 0), "replay")} on each; {notes.run_words(run)}.')


def single(row: Row) -> str:
    """Of the only server."""
    if not row:
        return 'No replay was measured.'
    if row.get('p50_ms') is None:
        level = 'its responses could not be found'
    else:
        level = (f'half of its responses come within {words.with_unit(row["p50_ms"], "ms")}, the latest after '
                 f'{words.with_unit(row.get("max_ms"), "ms")}')
    return f'The session takes {seconds(row.get("total_s"))}, and {level}.'


def verdict(run: Run) -> str:
    return single(base_row(run)) if len(run.setting('rows', [])) == 1 else replays.verdict(run)


def seen_floor(run: Run) -> list[Finding]:
    """Of servers of others only what is seen: updates that follow each other at a frame's pace."""
    frame = run.facts.get('frame_ms')
    return [] if frame is None else replays.floor_finding(
        run, f'are half the time between updates: these come no closer than {words.with_unit(frame, "ms")}, as from a frame clock '
        f'of {words.fixed(1000 / frame, 0)} a second')


def outliers(run: Run) -> list[Finding]:
    rows = run.table('outliers')

    def said(row: Row) -> str:
        latest, usual = (words.with_unit(row.get(name), 'ms') for name in ('latency_ms', 'usual_ms'))
        repeat, setting = (notes.value_text(row.get(name)) for name in ('repeat', 'setting'))
        return f'{input_words(run, row)} took {latest} in replay {repeat} on {setting}, instead of {usual}'

    return [Finding('outliers', '**The latest responses**, compared with the median of the same input on the first server: '
                    f'{"; ".join(map(said, rows))}.', Amount(row.get('latency_ms'), unit='ms'), figure='outliers')
            for row in rows[:1]]


def findings(run: Run) -> list[Finding]:
    return [f for make in (replays.unanalyzed, replays.kinds, seen_floor, outliers, replays.most_grown, replays.delivered)
            for f in make(run)][:6]


def views(run: Run) -> list[View]:
    return [replays.main_view(run), replays.conditions_view('inputs_least inputs_of_trace waited?')]


def drawings(run: Run) -> list[Drawing]:
    return settings.drawings(run, 'server', False)
