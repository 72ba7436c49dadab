# SPDX-License-Identifier: GPL-3.0-or-later
"""What try makes of its keys, for scripts; RUN is its run folder:

tried part CELL KIND N OF     cell.json of part N of a run, and its median in a line on standard error; 1: nothing of it is of use
tried run RUN NAME=VALUE...   run.json, of what the script knows
tried say RUN STATUS NO_PAGE [--json]
                              what all of it means, and the limits; NO_PAGE: why there is no report.html
tried limits RUN              lines "NAME MS STATUS": 0 holds, 5 does not, 3 cannot be told, as where a range is on both sides"""
import json
import os
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from analysis import conditions, kept, try_words
from analysis import limits as rules
from analysis.command import OK, RUN, USAGE, Stop
from analysis.put_file import put_file
from analysis.run import number_or_text, read_facts, read_rows, read_text, typed
from analysis.run_folder import work_folder
from analysis.terminal import json_text, plain_numbers, show_json, show_lines
from analysis.text import complain, folded
from analysis.trees import home
from analysis.try_words import Given, Tried

HELD = {rules.HOLDS: True, rules.BROKEN: False}
STATUS = {True: 0, False: 5, None: 3}


def reports_of(run: Path) -> list[dict[str, Any]]:
    return [read_facts(file) for file in sorted((run / 'cells').glob('*/*/keyrepeat.json'), key=lambda file: int(file.parent.name))]


def summary(folder: Path) -> list[dict[str, Any]]:
    return typed(read_rows(read_text(folder / 'summary.tsv')), None)


# --- limits -------------------------------------------------------------------------------------------------------

def ask(folder: Path, limit: str) -> bool | None:
    """Whether a limit holds; None: that cannot be told."""
    try:
        return HELD.get(conditions.judge(folder, limit, 'limits').word())
    except Stop:
        return None


def ask_share(run: Path, work: Path, ms: float) -> tuple[bool | None, bool]:
    """Whether at most a tenth of the keys is late at another threshold, and whether that share has an interval."""
    folder = work / f'{ms:g}'
    try:
        facts = read_facts(run / 'run.json')
        folder.mkdir()
        os.symlink((run / 'cells').absolute(), folder / 'cells')
        (folder / 'run.json').write_text(json.dumps(plain_numbers({**facts, 'settings': {**facts['settings'],
                                                                                         'threshold_ms': ms}})), encoding='utf-8')
        kept.summarize(folder)
        return ask(folder, 'late_share_percent * <= 10%'), all(row.get('late_share_percent_low') is not None
                                                               for row in summary(folder))
    except (Stop, OSError):
        return None, False


def held(run: Path, work: Path, kind: str, ms: float) -> bool | None:
    """What the interval of the 90 % value does not decide, the share of keys over the limit does; also without such a value."""
    word = ask(run, f'p90 * <= {ms:g}ms') if kind else None
    return word if try_words.held_by_value(kind, word) else try_words.held_by_share(*ask_share(run, work, ms))


def judge_limits(run: Path) -> list[tuple[str, float, bool | None]]:
    kind = next((k for row in summary(run) if (k := try_words.p90_kind(row))), '')
    rows = typed(read_rows(read_text(home() / 'data/thresholds.tsv')), {'value': 'real'})
    with work_folder() as work:
        return try_words.in_turn([(row['name'], row['value'], held(run, work, kind, row['value'])) for row in rows
                                  if row['name'] in try_words.LIMITS])


# --- the commands -------------------------------------------------------------------------------------------------

def part(cell: Path, kind: str, n: str, of: str) -> int:
    try:
        report = read_facts(cell / 'keyrepeat.json')
        if not try_words.is_of_use(report):
            return RUN
        made = try_words.cell(report, kind, int(n))
        said = (f'part {n} of {of}: {report["result"]["keys_answered"]} keys, median '
                f'{try_words.median_words(report["result"].get("latency_from_due_ms") or {})}')
    except (Stop, KeyError, TypeError, AttributeError, ValueError):
        return RUN
    put_file(str(cell / 'cell.json'), json_text(made).encode(errors='replace'))
    complain('try', said)
    return OK


def make_run(run: Path, words: Sequence[str]) -> int:
    of: dict[str, Any] = dict(word.split('=', 1) for word in words if '=' in word)
    reports = reports_of(run)
    of |= {name: int(of[name]) for name in ('seconds', 'total', 'whole', 'took')}
    of |= {name: value if isinstance(value := number_or_text(of[name]), float) else None for name in ('rtt', 'own')}
    of |= {name: json.loads(of[name]) for name in ('host', 'calibration')}
    of['server'] = of['server'] or re.sub('[\x00-\x1f\x7f]', '?', str(reports[0]['settings'].get('server')))
    given = Given(**of, is_root=os.geteuid() == 0, ended=time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime()))
    put_file(str(run / 'run.json'), json_text(try_words.run_facts(given, reports)).encode(errors='replace'))
    return OK


def say(run: Path, status: str, no_page: str, as_json: bool) -> int:
    rows = summary(run)
    of = Tried(rows[0], read_facts(run / 'run.json'), reports_of(run), judge_limits(run), str(run), int(status), no_page)
    said = try_words.result(of)
    if as_json:
        show_json(said)
        return OK
    sentences, lines = try_words.text_lines(said, no_page)
    show_lines([line for text in sentences for line in folded(text, 79)] + lines)
    return OK


def limits(run: Path) -> int:
    show_lines(f'{name} {ms:g} {STATUS[word]}' for name, ms, word in judge_limits(run))
    return OK


def main(words: list[str]) -> int:
    does: Callable[[], int]
    match words:
        case ['part', cell, kind, n, of]:
            return part(Path(cell), kind, n, of)
        case ['run', run, *more]:
            does = lambda: make_run(Path(run), more)  # noqa: E731
        case ['say', run, status, no_page, *more] if more in ([], ['--json']):
            does = lambda: say(Path(run), status, no_page, bool(more))  # noqa: E731
        case ['limits', run]:
            does = lambda: limits(Path(run))  # noqa: E731
        case _:
            raise Stop('usage: tried part CELL KIND N OF | run RUN NAME=VALUE... | say RUN STATUS NO_PAGE [--json] | limits RUN',
                       USAGE)
    try:
        return does()
    except (KeyError, TypeError, AttributeError, ValueError, IndexError):
        raise Stop(f'the figures are in {words[1]}/summary.tsv, but cannot be said') from None
