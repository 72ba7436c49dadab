# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns of a run's tables: name, heading, unit, where the number of each comes from, how repeats are combined, decimals, and
which side is better."""
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
from types import MappingProxyType
from typing import Any, NamedTuple

from analysis.figures import Figure, absent
from analysis.samples import Cell, Repeat, Run, at, number

TEXT = -1  # decimals of a column of text
ENDS = ('', '_low', '_high', '_both', '_above', '_from', '_to', '_why')  # of the names of a column's cells
TICKS_PERCENT = 1  # CPU shares by the kernel's ticks: of some seconds, both ends miss less than this share
TIMES = ('s', 'ms', 'us', 'h')
Value = Figure | float | str | None


# --- where a number comes from ------------------------------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class Row:
    """Written by the extractor of the table's rows."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the cell; of rows that an extractor writes: what names the row."""
    key: str


@dataclass(frozen=True, slots=True)
class Count:
    """A count of the cell's repeats: one of COUNTS."""
    word: str


COUNTS = ('state', 'measured', 'complete', 'failed', 'flagged', 'tried', 'reason', 'name')


@dataclass(frozen=True, slots=True)
class OfRun:
    """A value of run.json."""
    path: str


@dataclass(frozen=True, slots=True)
class Json:
    """A number or text of a JSON file of each complete repeat, or (`series`: a folder, or * for all) of its trains; `over`: the
    path of the number that it is a share of. needed: a repeat without the file ends the program."""
    file: str
    path: str
    over: str | None = None
    series: str | None = None
    needed: bool = False


@dataclass(frozen=True, slots=True)
class Extracted:
    """A figure, number or text that an extractor gives."""
    extractor: 'Extractor'
    name: str
    figure: str


Source = Row | Parameter | Count | OfRun | Json | Extracted


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    name: str
    heading: str
    unit: str
    source: Source
    estimator: str  # a name of estimates.ESTIMATORS, or one of an extractor's own figures: -, ends, ends+above, range
    decimals: int
    better: str  # lower, higher or nothing
    negative: bool = False  # may be below 0, as a change

    def ends(self) -> list[str]:
        """The names of its cells in a row."""
        extra = 7 if self.estimator == 'range' else 4 if self.estimator == 'ends+above' else \
            3 if self.estimator == 'ends' or self.estimator.endswith('+ci') else 0
        return [self.name + end for end in ENDS[:extra + 1]]

    def is_figure(self) -> bool:
        """Whether long.tsv has it."""
        return self.decimals >= 0 and isinstance(self.source, Row | Json | Extracted)


@dataclass(slots=True, eq=False)
class Table:
    name: str
    schema: str
    rows: str | None = None  # name of the extractor that writes them; None: one for each cell
    extractor: 'Extractor | None' = None
    given: bool = False  # the experiment writes the file
    optional: bool = False  # without rows there is no file
    raw: bool = False  # points of curves or single runs, not figures: not in long.tsv
    columns: list[Column] = field(default_factory=list)

    def column(self, name: str) -> Column | None:
        return next((c for c in self.columns if c.name == name), None)

    def header(self) -> list[str]:
        return ['schema', *(end for c in self.columns for end in c.ends())]


@dataclass(slots=True)
class Tables:
    tables: list[Table] = field(default_factory=list)
    counts: str = 'cells'  # what the report calls a repeat
    skip_missing: bool = False  # a repeat without a folder has not failed


# --- extractors ---------------------------------------------------------------------------------------------------

class Written(NamedTuple):
    """A row that an extractor writes: whose it is, and its values by column. parameters: those of the cell, too, and its name."""
    cell: Cell
    values: Mapping[str, Value]
    parameters: bool = True


def copied(document: Any, names: Iterable[str], others: Mapping[str, tuple[str, float]] = MappingProxyType({})) -> dict[str, Value]:
    """Values of a JSON object by their own names, and by other names the values at a path, times a factor. Numbers, booleans (0, 1)
    or texts; what is missing leaves its cell empty."""
    def value(path: str, factor: float) -> Value:
        found = at(document, path)
        return found if isinstance(found, str) else float(found) if isinstance(found, bool) else number(document, path) * factor
    return {name: value(name, 1.0) for name in names} | {name: value(*place) for name, place in others.items()}


Kept = Sequence[Sequence[Any]]  # what is kept of each repeat of each cell
Values = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Extractor:
    """Reads the files of each complete repeat, and makes figures of what it keeps of them. Each is a function of the module
    analysis/NAME_columns.py.

    check: ends the program where run.json lacks what is needed. read: what is kept of a repeat. numbers: of one repeat, those of
    the asked names. figures: of a cell. tables: rows of the tables it writes, by name ('': of any). report: keys of the report."""
    check: Callable[[Run], None] | None = None
    read: Callable[[Repeat], Any] | None = None
    numbers: Callable[[Repeat, Any, Sequence[str]], Mapping[str, float]] | None = None
    figures: Callable[[Cell, Kept, Sequence[str]], Values] | None = None
    tables: Mapping[str, Callable[[Run, Kept], Iterator[Written]]] = field(default_factory=dict)
    report: Callable[[Run, Kept], dict[str, Any]] | None = None


# --- cells of a row -----------------------------------------------------------------------------------------------

def digits(value: float, decimals: int) -> str:
    """Empty: not known."""
    return f'{value:.{max(decimals, 0)}f}' if isfinite(value) else ''


def is_beside(value: float, low: float, high: float) -> bool:
    error = 1e-9 * (abs(value) + abs(low) + abs(high))
    return low > high + error or value < low - error or value > high + error


def is_impossible(column: Column, f: Figure) -> bool:
    """What no measurement can give: an interval that does not hold its value, a time below 0, more than all of some CPUs."""
    value = f.at_least()
    if column.decimals == TEXT or isinstance(column.source, Parameter) or not isfinite(value):
        return False
    if is_beside(f.value, f.low, f.high) or f.start > f.end:
        return True
    if column.unit == '%' and 'busy_percent' in column.name:
        return not (value >= 0 and (f.end if isfinite(f.end) else value) <= 100 + TICKS_PERCENT)
    return value < 0 and not column.negative and column.unit in TIMES


def possible(table: Table, column: Column, f: Figure, warn: Callable[[str], None]) -> Figure:
    if not is_impossible(column, f):
        return f
    interval = f' ({f.low:.9g} to {f.high:.9g})' if isfinite(f.low) and isfinite(f.high) else ''
    warn(f'{table.name}.tsv: {column.name}: {f.at_least():.9g}{interval} cannot be, and is left out')
    return absent('impossible')


def figure_cells(column: Column, f: Figure) -> list[str]:
    """The cells of a figure: as many as the column has ends."""
    d, between = column.decimals, f.is_range()
    both = f'{f.both[0]:.{d}f} {f.both[1]:.{d}f}' if isfinite(f.both[0]) and isfinite(f.both[1]) else ''
    cells = (digits(f.value, d), digits(f.low, d), digits(f.high, d), both, str(int(f.above)) if f.is_known() else '',
             digits(f.start if between else nan, d), digits(f.end if between else nan, d), f.why or '')
    return list(cells[:len(column.ends())])


def only_values(estimator: str, f: Figure) -> Figure:
    """A lower bound is no figure of a column beside which nothing would say so."""
    return absent() if f.above and estimator not in ('ends+above', 'range') else f
