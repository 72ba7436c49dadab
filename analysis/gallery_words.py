# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of kept runs in the texts of the gallery: a text with {column} is said of each row of a table that its fact picks.
Pure."""
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from math import fabs, inf
from typing import Any, NamedTuple

from analysis import words
from analysis.amounts import Amount, amount, in_words, scaled, with_interval
from analysis.decided import number_text
from analysis.gallery_facts import Fact, Kept, Typed
from analysis.run import Column, distinct

Kinds = Mapping[str, Column]
COLUMN = re.compile(r'\{([a-z0-9_]+)\}')
SHOWN_UNITS = {'-': '', '1/s': '/s', 'ms2': 'ms²'}


def trimmed(text: str) -> str:
    return re.sub(r'\s+', ' ', text.strip())


def safe(text: str) -> str:
    return text.replace('|', r'\|')


def slug(text: str) -> str:
    return re.sub('[^a-z0-9 _-]', '', ''.join(c.lower() if c.isascii() else c for c in text)).replace(' ', '-')


def minutes_words(minutes: float) -> str:
    return f'{words.fixed(minutes, 0)} min' if minutes < 60 else f'{int(minutes // 60)} h {int(minutes % 60)} min'


def size_words(size: float) -> str:
    return f'{words.fixed(size / 1024, 0)} KiB' if size < 10485760 else f'{words.fixed(size / 1048576, 0)} MiB'


def report_link(kept: Kept) -> str:
    return f'[{kept.name}]({kept.folder}/report.md)'


def short_note(kept: Kept) -> str:
    return ' (a short run, no result)' if kept.is_quick() else ''


# --- a value ------------------------------------------------------------------------------------------------------

def in_one_unit(a: Amount) -> Amount:
    """What has an end of 9.95 s and more, in s."""
    ends = [a.value, a.start, a.end, a.high, *(a.both or ())]
    is_long = a.unit == 'ms' and any(value is not None and fabs(value) >= 9950 for value in ends)
    return replace(scaled(a, 0.001), unit='s') if is_long else a


def ratio_words(a: Amount) -> str:
    """Without a unit: with three digits, as in the run's own tables."""
    size = fabs(a.value or 0)
    decimals = 0 if size >= 99.95 else 1 if size >= 9.95 else 2
    text = words.fixed(a.value, decimals)
    if a.both:
        return f'{text} (two repeats: {words.fixed(a.both[0], decimals)} and {words.fixed(a.both[1], decimals)})'
    return (text if a.low is None or a.high is None else f'{text} ({words.fixed(a.low, decimals)} to '
            f'{words.fixed(a.high, decimals)})')


def byte_words(row: Typed, name: str) -> str:
    low, high = row.get(f'{name}_low'), row.get(f'{name}_high')
    return f'{words.thousands(row[name])} bytes' + ('' if low is None or high is None
                                                    else f' ({words.thousands(low)} to {words.thousands(high)})')


def computed_words(value: Any) -> str:
    if isinstance(value, float):
        return number_text(value) if value == int(value) else words.fixed(value, 2)
    return 'null' if value is None else str(value)


def value_words(name: str, row: Typed, kinds: Kinds) -> str:
    if name not in row:
        return f'no column {name}'
    kind, value = kinds.get(name), row[name]
    unit, type_ = (kind.unit, kind.type) if kind else ('', '')
    unit = SHOWN_UNITS.get(unit, unit)
    if type_ == 'text':
        return value or ''
    if unit in ('B', 'bytes') and isinstance(value, float):
        return size_words(value) if unit == 'B' else byte_words(row, name)
    if not kinds:
        return computed_words(value)
    if type_ == 'int':
        return words.plain(value) + (f' {unit}' if unit else '')
    figure = replace(amount(row, name), unit=unit)
    if not unit and figure.value is not None and fabs(figure.value) >= 0.1 and not figure.above:
        return ratio_words(figure)
    figure = in_one_unit(figure)
    return in_words(figure) + with_interval(figure).replace('95 % CI ', '', 1)


def filled(text: str, of: Callable[[str], str]) -> str:
    """The text with the words of its columns."""
    return COLUMN.sub(lambda found: of(found[1]), text)


def has_value(row: Typed, column: str) -> bool:
    return column not in row or any(row.get(f'{column}{end}') is not None for end in ('', '_from', '_why'))


def rows_with(text: str, kept: Kept, table: str, where: str) -> list[Typed]:
    """The rows that have all columns of the text."""
    columns = COLUMN.findall(text)
    return [row for row in kept.typed(table, where) if all(has_value(row, column) for column in columns)]


def words_of(text: str, kept: Kept, table: str, where: str) -> str | None:
    """Its words for each row that has all of its columns; None: none has."""
    kinds = kept.kinds(table)
    return ('<br>'.join(filled(text, lambda column: value_words(column, row, kinds)) for row in rows_with(text, kept, table, where))
            or None)


# --- the same as rows of a table ----------------------------------------------------------------------------------

class Cell(NamedTuple):
    label: str
    value: str = ''
    interval: str = ''


class Piece(NamedTuple):
    """A column of a text, and what stands around it up to the next separator."""
    column: str
    before: str
    after: str


SEPARATORS = (re.compile(r'^(.*?)(?:\)[;,]? and |\)[;,]? ?| \(|[;,] and |[;,] )(.*)$'), re.compile('^(.*?)(?: and | to )(.*)$'))


def divided(text: str) -> tuple[str, str]:
    """What stands behind one column, and before the next."""
    found = next((found for pattern in SEPARATORS if (found := pattern.match(text))), None)
    return (found[1], found[2]) if found else (text, '')


def pieces(text: str) -> list[Piece]:
    out: list[Piece] = []
    before = ''
    for part in re.findall(r'\{[a-z0-9_]+\}|[^{]+', text):
        if part.startswith('{'):
            out.append(Piece(part[1:-1], before, ''))
            before = ''
        elif not out:
            before = part
        else:
            after, before = divided(part)
            out[-1] = out[-1]._replace(after=after)
    return out


def is_measure(column: str, kinds: Kinds) -> bool:
    return column not in kinds or kinds[column].type != 'text'


def cell_of(piece: Piece, head: str, row: Typed, kinds: Kinds, is_only: bool) -> Cell | None:
    around = [re.sub('[:;,]$', '', trimmed(part)) for part in (piece.before, piece.after)]
    name = ' … '.join(filter(None, around))
    if not name and not is_only:
        heading = kinds[piece.column].heading if piece.column in kinds else ''
        name = ''.join(c.lower() if c.isascii() else c for c in heading or piece.column)
    found = re.match(r'^([^(]*?)( \((.*)\))?$', value_words(piece.column, row, kinds))
    return Cell(': '.join(filter(None, (head, name))), found[1], found[3] or '') if found else None


def cells_of(text: str, kept: Kept, table: str, where: str) -> list[Cell] | None:
    """A number of each row in a cell of its own. In the text "HEAD: WORDS {column} WORDS; ..." the head names the row, with columns
    in it. None: no row has all of its columns."""
    kinds = kept.kinds(table)
    found = re.match('^([^;(]*): (.*)$', text)
    head, rest = (found[1], found[2]) if found else ('', text)
    out: list[Cell] = []
    for row in rows_with(text, kept, table, where):
        def said(column: str, row: Typed = row) -> str:
            return value_words(column, row, kinds)

        named = filled(head, lambda column: re.sub(r' \(.*', '', said(column), count=1))
        parts = pieces(filled(rest, lambda column: f'{{{column}}}' if is_measure(column, kinds) else said(column)))
        out += [cell for part in parts if (cell := cell_of(part, named, row, kinds, len(parts) == 1))]
    return out or None


# --- a range over rows --------------------------------------------------------------------------------------------

def range_of(column: str, rows: Sequence[Typed], kinds: Kinds) -> str:
    """A column's range over these rows, in words."""
    if not is_measure(column, kinds):
        return words.and_list(sorted({str(row[column]) for row in rows if row.get(column) is not None}))
    figures = [figure for row in rows if (figure := amount(row, column)).is_known()]
    if not figures:
        return 'not known'
    low = min(value for figure in figures if (value := figure.at_least()) is not None)
    high = max(inf if (value := figure.at_most()) is None else value for figure in figures)
    ends = distinct([low, high] if high < inf else [low])
    text = ' to '.join(words.plain(value) if value == int(value) else words.short(value) for value in ends)
    unit = kinds[column].unit if column in kinds else ''
    return ('' if high < inf else 'more than ') + text + (f' {unit}' if unit not in ('', '-') else '')


def figure_words(column: str, rows: Sequence[Typed], kinds: Kinds) -> str:
    """A column of one row, or its range over several."""
    return value_words(column, rows[0], kinds) if len(rows) == 1 else range_of(column, rows, kinds)


def sentence_words(fact: Fact, runs: Sequence[Kept], holds: Sequence[bool] | None = None) -> str | None:
    """holds: of which rows it is said (None: of all). Returns None where its run is not there, or its single row lacks a column."""
    if '{' not in fact.text:
        return fact.text
    kept = next((kept for kept in runs if kept.name == fact.run), None)
    if not kept:
        return None
    rows, kinds = kept.typed(fact.table, fact.where), kept.kinds(fact.table)
    rows = list(compress(rows, holds)) if holds else rows
    if len(rows) == 1 and not all(has_value(rows[0], column) for column in COLUMN.findall(fact.text)):
        return None
    return filled(fact.text, lambda column: figure_words(column, rows, kinds))
