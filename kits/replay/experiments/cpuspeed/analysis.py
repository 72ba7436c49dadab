# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run with slower CPUs found."""
from analysis.draw import Drawing
from analysis.page import Finding, View
from analysis.run import Run
from experiments.families import replays, settings

COLUMNS = '''
include ../families/replays.py
'''
labels, setup, verdict = replays.labels, replays.setup, replays.verdict


def title(run: Run) -> str:
    return 'A session on a slower CPU'


def findings(run: Run) -> list[Finding]:
    return replays.findings(run)[:6]


def views(run: Run) -> list[View]:
    return [replays.main_view(run), replays.conditions_view('marked? throttled_s waited? server_busy_percent caches')]


def drawings(run: Run) -> list[Drawing]:
    return settings.drawings(run, 'percent of one CPU', True)
