# SPDX-License-Identifier: GPL-3.0-or-later
"""thinprobe compare: the same conditions of several runs side by side, each run against the first."""
import os
from pathlib import Path

from analysis import two_runs
from analysis.command import OK, Option, Stop, Usage, parse
from analysis.compare_words import count_line, other_lines, table_lines, unlike_lines
from analysis.decided import Decided
from analysis.run_folder import check_run, work_folder
from analysis.terminal import show_folded, show_json, show_lines
from analysis.two_runs import Runs

SYNOPSIS = 'compare RUN RUN... [options]'
SUMMARY = '''What has changed between runs of one experiment? First says what was not alike,
then compares each run with the first, by the repeats of each condition. Figures
for which single repeats are too short, such as p95, by all repeats together.
Exit status: 0, also if nothing could be compared, 1 no run could be read, 2 wrong usage.
To choose between two builds: thinprobe ab measures them in turns.'''
OPTIONS = (
    Option('metrics', 'text', 'only these, such as p50,late (times, shares and rates)', meta='NAME,...'),
    Option('effect', 'text', 'smallest difference of interest (10%), or 5ms', meta='SIZE'),
    Option('alpha', 'percent', 'rate of false alarms, over all metrics and conditions (5)', low=0.001, high=50),
    Option('strict', 'flag', 'refuse runs that were not alike'),
    Option('json', 'flag', 'print what judge reports, an object for each run'),
)


def print_one(of: Decided, a: str, b: str) -> None:
    show_lines(['', f'{b} against {a}', count_line(of, a, b), *table_lines(of['metrics_decided'], a, b), *other_lines(of, a, b)])


def compare(runs: Runs, asked: two_runs.Asked, as_json: bool) -> None:
    if not as_json:
        show_folded(unlike_lines(runs.differs))
    first = runs.runs[0]
    with work_folder() as work:
        for other, of, _ in two_runs.each_against_first(runs, asked, work):
            if as_json:
                show_json({'a': str(first.path), 'b': str(other.path), 'not_alike': runs.differs, **of})
            else:
                print_one(of, first.name, other.name)


def main(words: list[str]) -> int:
    given = parse(words, SYNOPSIS, SUMMARY, OPTIONS)
    given.refuse_repeated()
    if len(given.operands) < 2:
        raise Usage('needs two run folders or more')
    folders = [Path(word) for word in given.operands]
    facts = [check_run(folder) for folder in folders]
    runs = two_runs.open_runs([Path(os.path.abspath(folder)) for folder in folders], facts)
    if given['strict'] and runs.differs:
        raise Stop(f'the runs were not alike: {", ".join(sorted(runs.differs))}')
    compare(runs, two_runs.read_asked(given['effect'], given['alpha'], given['metrics']), bool(given['json']))
    return OK
