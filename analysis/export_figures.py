# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a run, from the rows of long.tsv, as other tools read them: benchmark services, change-point detection, Prometheus.
Pure."""
import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import isfinite
from typing import Any

from analysis.amounts import is_of_answered
from analysis.decided import number_text
from analysis.escape import xml
from analysis.run import distinct
from analysis.terminal import plain_numbers

SIGNS = '＝＋－＠'  # of which some programs make = + - @
NUMBER = re.compile(r'[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?')
OPENMETRICS = {'us': ('seconds', 1e-6), 'ms': ('seconds', 1e-3), 's': ('seconds', 1.0), '%': ('ratio', 0.01),
               'byte': ('bytes', 1.0)}
Table = list[list[str]]  # the first row: the names of columns


@dataclass(frozen=True, slots=True)
class Exported:
    """A figure of a condition. cell: its name by all parameters; of: by the axes of the run; value: None where it is no number, and
    why."""
    cell: str
    of: str
    parameters: Mapping[str, str]
    metric: str
    unit: str
    better: str
    value: float | None
    low: float | None
    high: float | None
    why: str

    def is_directed(self) -> bool:
        """What a change-point or a benchmark service is asked about."""
        return self.better not in ('', '-')


def number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None


def folder_name(values: Iterable[str]) -> str:
    return re.sub('[/: ]', '-', '-'.join(values))


def exported(table: Table, axes: Sequence[str]) -> Iterator[Exported]:
    head = table[0]
    names = head[head.index('experiment') + 1:head.index('metric')]
    for line in table[1:]:
        row = dict(zip(head, [*line, *[''] * len(head)]))
        if row['table'] != 'summary':
            continue
        parameters = {name: row[name] for name in names if row[name]}
        cell = folder_name(parameters.values())
        is_none = row['above'] == '1' or row['repeats'] == '0'
        yield Exported(cell, folder_name(parameters[axis] for axis in axes if axis in parameters) or cell, parameters,
                       row['metric'], row['unit'], row['better'], None if is_none else number(row['value']), number(row['low']),
                       number(row['high']), 'lower bound' if row['above'] == '1' else row['why'])


def by_cell(figures: Iterable[Exported]) -> Iterator[tuple[str, list[Exported]]]:
    """(name, figures) of each condition; a figure that is only of answered keys or requests is none."""
    for cell, group in groupby(sorted(figures, key=lambda one: one.cell), key=lambda one: one.cell):
        found = list(group)
        values = {one.metric: one.value for one in found}
        yield cell, [replace(one, value=None, low=None, high=None, why='of answered keys or requests alone')
                     if one.value is not None and is_of_answered(values, one.metric) else one for one in found]


def left_out(figures: Iterable[Exported]) -> str:
    """What has no number, and why."""
    found = sorted((one.cell, one.why) for one in figures if one.value is None and one.better and one.why not in ('', 'too few'))
    return ', '.join(f'{cell} ({len(list(group))} {why})' for (cell, why), group in groupby(found))


# --- tables with commas -------------------------------------------------------------------------------------------

def unformula(cell: str) -> str:
    """A text that a spreadsheet would take for a formula gets ' before it, also behind a semicolon, at which those of many
    countries begin a cell."""
    if cell[:1] in SIGNS and cell or re.match('[-+=@].', cell) and not NUMBER.fullmatch(cell):
        cell = f"'{cell}"
    return re.sub(f';(?=[-+=@{SIGNS}])', ";'", cell)


def csv_cell(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if '"' in cell or ',' in cell else cell


def csv_text(table: Iterable[Sequence[str]]) -> str:
    return ''.join(','.join(csv_cell(unformula(cell)) for cell in row) + '\n' for row in table)


# --- formats ------------------------------------------------------------------------------------------------------

def github(figures: Iterable[Exported]) -> list[dict[str, Any]]:
    def text(value: float | None) -> str:
        return 'null' if value is None else number_text(value)

    return [{'name': f'{one.cell} {one.metric}', 'unit': one.unit, 'value': one.value,
             **({} if one.low is None else {'range': f'{text(one.low)} to {text(one.high)}'})} for one in figures
            if one.better == 'lower']


def bencher(figures: Iterable[Exported]) -> dict[str, dict[str, Any]]:
    out: dict[str, dict[str, Any]] = {}
    for one in figures:
        if one.is_directed():
            interval = {} if one.low is None else {'lower_value': one.low, 'upper_value': one.high}
            out.setdefault(one.cell, {})[one.metric] = {'value': one.value, **interval}
    return out


def otava_row(facts: Mapping[str, Any], figures: Iterable[Exported]) -> dict[str, Any]:
    return {'time': facts.get('started'), 'version': facts.get('version'),
            **{f'{one.cell}.{one.metric}': one.value for one in figures if one.is_directed()}}


def otava(rows: Sequence[Mapping[str, Any]]) -> str:
    """A line for each run; texts in quotes."""
    def cell(value: Any) -> Any:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return plain_numbers(value)
        text = '' if value is None else str(value)
        return f"'{text}" if re.match(f'[-+=@{SIGNS}].', text) else text

    out = io.StringIO()
    write = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator='\n').writerow
    head = distinct(name for row in rows for name in row)
    write(head)
    for row in rows:
        write([cell(row.get(name)) for name in head])
    return out.getvalue()


def openmetrics(experiment: str, figures: Iterable[Exported]) -> Iterator[str]:
    def escaped(text: str) -> str:
        return text.replace('\\', '\\\\').replace('"', '\\"').replace('\n', ' ')

    for metric, group in groupby(sorted(figures, key=lambda one: one.metric), key=lambda one: one.metric):
        found = list(group)
        word, factor = OPENMETRICS.get(found[0].unit, ('', 1.0))
        name = 'thinprobe_' + re.sub('_(us|ms|percent)$|(?<!_per)_s$', '', re.sub('[^A-Za-z0-9_]', '_', metric))
        name += '' if not word or metric.endswith(word) else f'_{word}'
        yield f'# TYPE {name} gauge'
        if word:
            yield f'# UNIT {name} {word}'
        for one in found:
            labels = ','.join(f'{key}="{escaped(value)}"' for key, value in one.parameters.items())
            yield f'{name}{{experiment="{escaped(experiment)}",{labels}}} {number_text((one.value or 0.0) * factor)}'
    yield '# EOF'


def junit(facts: Mapping[str, Any], why: str | None) -> Iterator[str]:
    """A test case for each condition; why: the run is not usable, so nothing is decided by it, and its complete conditions are
    skipped."""
    of = xml(facts['experiment'])
    is_complete = [cell.get('state') == 'complete' for cell in facts['cells']]
    skipped = is_complete.count(True) if why is not None else 0
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<testsuites>'
    yield f'<testsuite name="thinprobe {of}" tests="{len(is_complete)}" failures="{is_complete.count(False)}" skipped="{skipped}">'
    for cell, complete in zip(facts['cells'], is_complete):
        inner = (f'<failure message="{xml(str(cell.get("state")))}: {cell.get("complete")} repeats"/>' if not complete else
                 '' if why is None else f'<skipped message="not usable: {xml(why)}"/>')
        flags = cell.get('flags') or []
        out = f'<system-out>{xml("; ".join(map(str, flags)))}</system-out>' if flags else ''
        yield f'<testcase classname="{of}" name="{xml(cell["name"])}">{inner}{out}</testcase>'
    yield '</testsuite>'
    yield '</testsuites>'
