# SPDX-License-Identifier: GPL-3.0-or-later
"""thinprobe gate: are the limits kept? For CI: an exit status, TAP, JUnit."""
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any

from analysis import conditions, decided, limits, two_runs
from analysis.command import LOSSY, OK, USAGE, WORSE, Given, Option, Stop, Usage, parse
from analysis.compare_words import json_word
from analysis.decided import Decided
from analysis.escape import for_terminal
from analysis.junit import junit
from analysis.put_file import put_file
from analysis.run_folder import check_run, work_folder
from analysis.terminal import show_folded, show_json, show_lines

SYNOPSIS = 'gate RUN --limits FILE | --baseline RUN [options]'
SUMMARY = '''Does RUN keep its limits, or is it worse than an earlier run?
Exit status: 0 all hold, 5 one is broken, 3 not decided, 1 could not compare,
2 wrong usage.'''
OPTIONS = (
    Option('limits', 'text', 'lines "METRIC CELLS OP VALUE", such as "p95 vnc-light-* < 150ms" or "late * <= 1%"; CELLS: names of '
           'conditions, with * and ?', meta='FILE'),
    Option('baseline', 'text', 'not worse than this run by more than --effect (10%), or 5ms', meta='RUN'),
    Option('metrics', 'text', 'with --baseline: only these, such as p50,late', meta='NAME,...'),
    Option('effect', 'text', 'with --baseline: smallest difference of interest (10%)', meta='SIZE'),
    Option('alpha', 'percent', 'with --baseline: rate of false alarms over all metrics (5)', low=0.001, high=50),
    Option('unlike', 'flag', 'with --baseline: also judge runs that differ in settings, versions or machine; otherwise they are '
           'not decided'),
    Option('tap', 'flag', 'print the Test Anything Protocol'),
    Option('json', 'flag', 'print all limits and metrics, with the reasons'),
    Option('junit', 'text', 'also write JUnit XML', meta='FILE'),
    Option('verbose', 'flag', 'also print the limits that hold'),
)
Limit = Mapping[str, Any]  # {name, verdict: holds|broken|not decided, why}
OURS = re.compile(rb'^<testsuite name="thinprobe ', re.MULTILINE)
LINES_MOST, WIDTH = 7, 80


@dataclass(frozen=True, slots=True)
class Gate:
    status: int
    limits: Sequence[Limit]
    not_judged: Sequence[str] = field(default_factory=list)

    def count(self, verdict: str) -> int:
        return sum(limit['verdict'] == verdict for limit in self.limits)


# --- what is judged -----------------------------------------------------------------------------------------------

def by_limits(run: Path, file: str) -> Gate:
    try:
        judged = conditions.judge(run, conditions.read_file(file), file)
    except Stop as stop:  # as bin/fail says it
        raise Stop(str(stop), stop.status, 'thinprobe') from None
    return Gate({limits.HOLDS: OK, limits.BROKEN: WORSE}.get(judged.word(), LOSSY), conditions.as_json(judged))


def undecided(rows: Sequence[tuple[str, str]]) -> list[Limit]:
    return [{'name': name, 'verdict': 'not decided', 'why': why} for name, why in rows]


def unlike_limits(differs: Mapping[str, Mapping[str, Any]]) -> list[Limit]:
    return undecided([(key, 'not alike: ' + ', '.join(f'{"?" if value is None else json_word(value)} ({name})'
                                                      for name, value in of.items()))
                      for key, of in differs.items()])


def metric_limit(row: Mapping[str, Any]) -> Limit:
    said = '' if row['verdict'] == 'not decided' else f'{row["verdict"]}: '
    return {'name': decided.name(row), 'verdict': row['as_limit'],
            'why': f'{said}{decided.plain(row["a"])} to {decided.plain(row["b"])}, {decided.change(row)} ({decided.interval(row)})'}


def limits_of(of: Decided, unlike: list[Limit], a: str, b: str) -> list[Limit]:
    """In the place of limits: each metric that was judged, and what could not be."""
    out = list(unlike) if of['doubt'] else []
    if of['verdict'] == 'too noisy':
        out += undecided([(name, f'{n} of {all_} repeats were disturbed by other programs') for name, n, all_ in
                          ((a, of['disturbed_a'], of['blocks_a']), (b, of['disturbed_b'], of['blocks_b'])) if n])
    out += undecided([(decided.name({**row, 'metric': 'all metrics'}), 'the same values in all repeats and metrics: one run is a '
                       'copy of the other')
                      for row in of['copied']])
    out += [{'name': name, 'verdict': 'broken', 'why': why}
            for name, why in decided.left_out(of['overloaded'], lambda row: f'overloaded, and not in {a}')]
    only = [row for row in of['one_sided'] if row['only'] == 'a' and of['verdict'] != 'too noisy']
    out += undecided([*decided.left_out(only, lambda row: f'only {a} has a value'),
                      *decided.left_out(of['too_few'], lambda row: f'{b} has too few values'),
                      *decided.left_out(of['not_compared'], lambda row: f'not compared: {decided.why_not(row, a, b)}')])
    out += [{'name': decided.name(row), 'verdict': 'not decided' if of['doubt'] else 'holds', 'why': 'the same in all repeats'}
            for row in of['the_same']]
    return out + [metric_limit(row) for row in of['metrics_decided']]


def by_baseline(run: str, baseline: str, given: Given) -> Gate:
    folders = [Path(baseline), Path(run)]
    runs = two_runs.open_runs([Path(os.path.abspath(folder)) for folder in folders], [check_run(folder) for folder in folders])
    decisive = runs.decisive()
    doubt = f'the runs were not alike: {", ".join(sorted(decisive))}' if decisive and not given['unlike'] else None
    asked = two_runs.read_asked(given['effect'], given['alpha'], given['metrics'])._replace(doubt=doubt)
    with work_folder() as work:
        _, of, status = next(two_runs.each_against_first(runs, asked, work))
    unlike = unlike_limits(decisive)
    for limit in [] if doubt else unlike:
        sys.stderr.write(for_terminal(f'{limit["name"]}: {limit["why"]}') + '\n')
    return Gate(status, limits_of(of, unlike, baseline, run),
                [name for name, _ in decided.left_out(of['not_judged'], lambda row: '')])


# --- what is printed ----------------------------------------------------------------------------------------------

def tap_lines(gate: Gate) -> Iterator[str]:
    yield 'TAP version 13'
    yield f'1..{len(gate.limits)}'
    for i, limit in enumerate(gate.limits, 1):
        end = ' # TODO not decided' if limit['verdict'] == 'not decided' else ''
        yield f'{"ok" if limit["verdict"] == "holds" else "not ok"} {i} - {limit["name"].replace("#", "")}{end}'
        yield f'# {limit["why"]}'


def answer(gate: Gate) -> str:
    n, broken, undecided_n = len(gate.limits), gate.count('broken'), gate.count('not decided')
    if gate.status == OK:
        return f'All {n} hold.'
    if not broken:
        return f'{undecided_n} of {n} are not decided.'
    return f'{broken} of {n} do not hold.' + (f' {undecided_n} more not decided.' if undecided_n else '')


def limit_lines(gate: Gate, everything: bool) -> list[str]:
    """What does not hold first: in 7 lines, or, of too many for that, those that fit."""
    order = ('broken', 'not decided')
    rows = sorted(gate.limits, key=lambda limit: order.index(limit['verdict']) if limit['verdict'] in order else len(order))
    lines = [f'{"BROKEN" if row["verdict"] == "broken" else row["verdict"]}: {row["name"]} ({row["why"]})' for row in rows
             if everything or row['verdict'] != 'holds']
    if everything or sum(ceil(len(line) / (WIDTH - 4)) for line in lines) <= LINES_MOST:
        return lines
    shown = [f'{line[:WIDTH - 3]}...' if len(line) > WIDTH else line for line in lines[:LINES_MOST - 1]]
    more = len(lines) - len(shown)
    return [*shown, f'{f"and {more} more" if more else "in full"}: --verbose, --json or --tap']


def show_gate(gate: Gate, given: Given) -> None:
    if given['json']:
        show_json({'limits': gate.limits, 'not_judged': gate.not_judged, 'status': gate.status})
    elif given['tap']:
        show_lines(tap_lines(gate))
    else:
        lines = [answer(gate)]
        if gate.not_judged:
            lines.append(f'Not judged, without an interval: {", ".join(gate.not_judged)}')
        show_folded([*lines, *limit_lines(gate, bool(given['verbose']))])


# --- the command --------------------------------------------------------------------------------------------------

def forget(junit_file: str) -> None:
    """That of an earlier gate would pass for that of this one, however it ends."""
    path = Path(junit_file)
    try:
        if path.is_file() and not path.is_symlink() and OURS.search(path.read_bytes()):
            path.unlink()
    except OSError:
        pass


def check_words(given: Given) -> None:
    given.refuse_repeated()
    if given['tap'] and given['json']:
        raise Stop('--tap and --json: choose one', USAGE)
    if not given.operands:
        raise Usage('needs a run folder')
    if len(given.operands) > 1:
        raise Usage(f'one run at a time; {given.operands[1]} is a second')


def check_question(given: Given, run: str) -> None:
    if bool(given['limits']) == bool(given['baseline']):
        raise Stop('give --limits FILE or --baseline RUN, one of them', USAGE)
    if given['baseline'] and os.path.isdir(given['baseline']) and os.path.samefile(run, given['baseline']):
        raise Stop(f'--baseline {given["baseline"]}: is the run itself', USAGE)
    more = next((name for name in ('effect', 'metrics', 'alpha', 'unlike') if given[name] is not None), None)
    if given['limits'] and more:
        raise Stop(f'--{more} is for --baseline', USAGE)


def main(words: list[str]) -> int:
    given = parse(words, SYNOPSIS, SUMMARY, OPTIONS)
    if given['junit']:
        forget(given['junit'])
    check_words(given)
    run = given.operands[0].rstrip('/') or '/'
    facts = check_run(Path(run))
    check_question(given, run)
    gate = by_limits(Path(run), given['limits']) if given['limits'] else by_baseline(run, given['baseline'], given)
    if not gate.limits:
        raise Stop('no condition and metric is in both runs')
    show_gate(gate, given)
    if given['junit']:
        put_file(given['junit'], ''.join(f'{line}\n' for line in junit(facts['experiment'], gate.limits)).encode(errors='replace'))
    return gate.status
