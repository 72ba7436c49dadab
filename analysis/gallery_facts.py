# SPDX-License-Identifier: GPL-3.0-or-later
"""What the pages of the gallery are made of: facts (rows of data/papers.tsv and data/desktops.tsv), the plan (data/gallery.tsv),
and kept runs, with their tables as text."""
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from analysis import notes
from analysis.run import Column, Run, number_or_text
from analysis.trees import home, in_trees

Row = Mapping[str, str]  # cells as they are
Typed = dict[str, Any]  # numbers, other text, None for an empty cell
RESPONSES = re.compile(r'(p[0-9]+_|max_ms|late_|ratio|points|slower|faster)')


# --- facts --------------------------------------------------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class Fact:
    """A row. at: FILE:LINE; run and table: of RUN/TABLE; ours: a text with {column}, or a rule."""
    id: int
    at: str
    paper: str
    figure: str
    what: str
    text: str
    run: str
    table: str
    where: str
    ours: str

    def is_rule(self) -> bool:
        return self.what == 'verdict' or (self.what in ('since', 'answer') and self.ours != '')


def tsv_lines(file: Path) -> list[tuple[int, list[str]]]:
    """Lines that are no comments, with their numbers."""
    lines = file.read_text(encoding='utf-8').split('\n')
    return [(n, line.split('\t')) for n, line in enumerate(lines, 1) if line and not line.startswith('#')]


def make_fact(number: int, at: str, cells: Sequence[str]) -> Fact:
    paper, figure, what, text, table, where, ours = [*cells[:7], *[''] * (7 - len(cells))]
    run, _, name = table.partition('/')
    return Fact(number, at, paper, figure, what, text, run, name.partition('/')[0], where, ours)


def read_facts(page: str) -> list[Fact]:
    """Of papers or desktops, whose questions have no paper."""
    rows = [(f'{os.path.relpath(file, home())}:{n}', cells if page == 'papers' else ['', *cells])
            for file in in_trees(f'data/{page}.tsv') for n, cells in tsv_lines(file) if cells[0] not in ('paper', 'question')]
    return [make_fact(number, at, cells) for number, (at, cells) in enumerate(rows, 1)]


# --- the plan -----------------------------------------------------------------------------------------------------

class Planned(NamedTuple):
    """A run that the gallery makes. given: a variable that must be set, with an example; release: of the server's system; tree:
    whose data name it."""
    name: str
    experiment: str
    minutes: int
    options: str
    given: str
    release: str
    tree: Path

    def command(self, quick: bool = False) -> str:
        return f'thinprobe run {self.experiment}{f" {self.options}" if self.options else ""}{" --quick" if quick else ""}'

    def with_given(self) -> str:
        return f'{self.given} {self.command()}' if self.given else self.command()


def read_plan() -> list[Planned]:
    plan = []
    for file in in_trees('data/gallery.tsv'):
        for _, cells in tsv_lines(file):
            if cells[0] != 'name':
                name, experiment, minutes, options, given, release = [*cells[:6], *[''] * (6 - len(cells))]
                plan.append(Planned(name, experiment, int(minutes), options, given, release, file.parent.parent))
    return plan


# --- kept runs ----------------------------------------------------------------------------------------------------

class Table(NamedTuple):
    head: Sequence[str] = ()
    rows: Sequence[Row] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept run; or, without run.json (facts), what a program computed, as the table `rows`. folder, picture: seen from the page.
    planned: its command is today's plan."""
    name: str
    folder: str = ''
    facts: Mapping[str, Any] = field(default_factory=dict)
    command: str = ''
    picture: str = ''
    verdict: str = ''
    figures: Sequence[str] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    columns: Mapping[str, Mapping[str, Column]] = field(default_factory=dict)
    planned: bool = True

    def is_run(self) -> bool:
        return bool(self.facts)

    def is_quick(self) -> bool:
        return (self.facts.get('settings') or {}).get('quick') is True

    def is_unsure(self) -> bool:
        """Its own page calls its response times not to be relied on."""
        return self.facts.get('analysis_unsure') is not None

    def run(self) -> Run:
        return Run(self.facts, (), {})

    def kinds(self, table: str) -> Mapping[str, Column]:
        return self.columns.get(table) or {}

    def rows(self, table: str) -> list[Row]:
        """Without responses that are not to be relied on."""
        rows = list((self.tables.get(table) or Table()).rows)
        if not self.is_unsure():
            return rows
        return ([{name: '' if RESPONSES.match(name) else cell for name, cell in row.items()} for row in rows]
                if table == 'summary' else [])

    def typed(self, table: str, where: str) -> list[Typed]:
        return [typed(row, self.kinds(table)) for row in meeting(self.rows(table), where)]

    def has_picture(self, name: str) -> bool:
        return any(figure.endswith(f'/{name}.svg') for figure in self.figures)


def find(runs: Sequence[Kept], name: str) -> Kept | None:
    return next((kept for kept in runs if kept.name == name), None)


def typed(row: Row, kinds: Mapping[str, Column]) -> Typed:
    return {name: (cell or None) if name in kinds and kinds[name].type == 'text' else number_or_text(cell)
            for name, cell in row.items()}


def number(cell: str | None) -> float | None:
    value = number_or_text(cell or '')
    return value if isinstance(value, float) else None


# --- which rows ---------------------------------------------------------------------------------------------------

def conditions(where: str) -> Iterator[tuple[str, bool, str]]:
    """(column, must it be so?, "value|value") of "column=value|value column!=value ..."."""
    for word in where.split(' '):
        found = re.match('([^=!]*)(!?)=(.*)$', word)
        if found:
            yield found[1], not found[2], found[3]


def is_one_of(cell: str | None, values: Sequence[str]) -> bool:
    value = number(cell)
    return cell in values or (value is not None and value in [number(v) for v in values])


def meeting(rows: Sequence[Row], where: str) -> list[Row]:
    out = list(rows)
    for column, wanted, values in conditions(where):
        if values == 'max':
            most = max((v for row in out if (v := number(row.get(column))) is not None), default=None)
            out = [row for row in out if most is not None and number(row.get(column)) == most]
        else:
            out = [row for row in out if is_one_of(row.get(column), values.split('|')) == wanted]
    return out


# --- tables -------------------------------------------------------------------------------------------------------

def make_table(lines: Sequence[Sequence[str]]) -> Table:
    head = lines[0] if lines else []
    return Table(head, [dict(zip_longest(head, row[:len(head)], fillvalue='')) for row in lines[1:]])


def with_least(kept: Kept) -> Kept:
    """Of a run with trains of keys the summary with NAME_least, below which its own page shows no number."""
    if kept.facts.get('chain') is None:
        return kept
    rows = [{'protocol': None, **typed(row, {})} for row in kept.rows('summary')]
    resolved = import_module('experiments.families.trains').resolve(Run(kept.facts, (), {'summary': rows})).table('summary')
    least = [{name: repr(value) for name, value in row.items() if name.endswith('_least')} for row in resolved]
    more = sorted({name for row in least for name in row})
    table = kept.tables.get('summary') or Table()
    summary = Table([*table.head, *more], [{**row, **{name: of.get(name, '') for name in more}}
                                           for row, of in zip(table.rows, least)])
    return replace(kept, tables={**kept.tables, 'summary': summary})


# --- what speaks against a kept run, as on its own page -----------------------------------------------------------

def has_few_repeats(kept: Kept) -> bool:
    return notes.preliminary(kept.run()) is not None


def is_unwatched(kept: Kept) -> bool:
    return notes.unwatched(kept.run()) is not None


def why_preliminary(kept: Kept) -> list[str]:
    return [text for text in (notes.repeats_words(kept.run()) if has_few_repeats(kept) else None,
                              'interference unknown' if is_unwatched(kept) else None) if text]


def is_usable(kept: Kept) -> bool:
    return not (kept.is_run() and notes.is_disturbed(kept.run()))


def flagged(kept: Kept) -> int:
    return len(notes.flagged_cells(kept.run()))


def doubt_note(kept: Kept) -> str:
    why, n = why_preliminary(kept), flagged(kept)
    found = [f'preliminary: {", ".join(why)}' if why else '', '' if is_usable(kept) else 'not usable',
             'response times not to be relied on' if kept.facts.get('analysis_unsure') else '',
             f'{n} of the conditions flagged' if n else '']
    return f' ({"; ".join(filter(None, found))})' if any(found) else ''


def doubts(runs: Sequence[Kept]) -> list[str]:
    """What speaks against any of them."""
    found = {'preliminary': any(why_preliminary(kept) for kept in runs), 'not usable': not all(map(is_usable, runs)),
             'flagged': any(flagged(kept) and is_usable(kept) for kept in runs)}
    return [word for word, is_so in found.items() if is_so]


def bracketed(found: Sequence[str]) -> str:
    return f' ({", ".join(found)})' if found else ''
