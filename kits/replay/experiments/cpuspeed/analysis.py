# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run with slower CPUs found."""
from analysis.draw import Drawing
from analysis.page import View
from analysis.run import Run
from experiments.families import replays, settings

COLUMNS = '''
include ../families/replays.py
'''
labels, setup, verdict, findings = replays.labels, replays.setup, replays.verdict, replays.findings


def title(run: Run) -> str:
    return 'A session on a slower CPU'


def views(run: Run) -> list[View]:
    return [replays.main_view(run), replays.conditions_view('marked? throttled_s waited? server_busy_percent caches')]


def drawings(run: Run) -> list[Drawing]:
    return settings.drawings(run, 'percent of one CPU', True)
