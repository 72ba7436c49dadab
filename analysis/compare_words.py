# SPDX-License-Identifier: GPL-3.0-or-later
"""What compare says of two runs. Pure."""
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis import decided
from analysis.decided import Decided, Decision
from analysis.notes import value_text

HEADS = ('condition and metric', '', '', 'change', 'interval', 'verdict')


def unlike_lines(differs: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield 'not alike:' if differs else 'alike in all that the runs record'
    for key, values in differs.items():
        yield f'  {key}: ' + ', '.join(f'{name} {"?" if value is None else json_word(value)}' for name, value in values.items())


def json_word(value: Any) -> str:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, separators=(',', ':'))
    return value_text(value)


def verdicts(of: Decided) -> list[str]:
    """Of all conditions and metrics. (Where a run has no undisturbed repeat, that a figure is only in the other is none.)"""
    words = [row['verdict'].replace('too noisy', 'not decided') for row in of['metrics_decided']]
    words += ['no difference'] * len(of['the_same']) + ['worse'] * len(of['overloaded'])
    return words + ['not decided' for row in of['one_sided'] if row['only'] == 'a' and of['verdict'] != 'too noisy']


def count_line(of: Decided, a: str, b: str) -> str:
    words = verdicts(of)
    if words:
        return ', '.join(f'{sum(word.startswith(one) for word in words)} {one}' for one in ('worse', 'better', 'no difference',
                                                                                            'not decided'))
    disturbed = [f'all repeats of {name}' for name, n, all_ in ((a, of['disturbed_a'], of['blocks_a']),
                                                                (b, of['disturbed_b'], of['blocks_b']))
                 if n == all_]
    return 'nothing was compared: ' + (f'{" and ".join(disturbed)} were disturbed by other programs' if disturbed else
                                       'no figure is one of both runs that can be compared')


def table_lines(rows: Sequence[Decision], a: str, b: str) -> Iterator[str]:
    """Columns as wide as their cells; the second to the fourth to the right."""
    cells = [(decided.name(row), *(decided.with_unit(decided.plain(row[v]), row['unit']) for v in 'ab'), decided.change(row),
              decided.interval(row), row['verdict'].replace(' of that size', '')) for row in rows]
    if not cells:
        return
    cells.insert(0, (HEADS[0], a, b, *HEADS[3:]))
    widths = [max(len(row[i]) for row in cells) for i in range(len(HEADS))]
    for row in cells:
        yield ('  '.join(cell.rjust(wide) if 1 <= i <= 3 else cell.ljust(wide)
                         for i, (cell, wide) in enumerate(zip(row, widths))).rstrip(' '))


def other_lines(of: Decided, a: str, b: str) -> Iterator[str]:
    """What stands in no row of the table."""
    for name, n, all_ in ((a, of['disturbed_a'], of['blocks_a']), (b, of['disturbed_b'], of['blocks_b'])):
        if n:
            yield f'{name}: {n} of {all_} repeats were disturbed by other programs'
    for only, name in (('a', a), ('b', b)):
        rows = [row for row in of['one_sided'] if row['only'] == only]
        if rows:
            yield f'only {name}: {decided.cells(rows)}'
    for name, why in decided.left_out(of['not_compared'], lambda row: decided.why_not(row, a, b)):
        yield f'not compared ({why}): {name}'
    if of['overloaded']:
        yield f'overloaded, and only in {b}: {decided.cells(of["overloaded"])}'
    for name, _ in decided.left_out(of['not_judged'], lambda row: ''):
        yield f'not judged, without an interval: {name}'
    for key, text in (('copied', 'the same values in all repeats, so one run is a copy of the other'),
                      ('too_few', f'too few values of {b}'), ('the_same', 'the same in all repeats')):
        if of[key]:
            yield f'{text}: {decided.cells(of[key])}'
