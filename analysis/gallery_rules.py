# SPDX-License-Identifier: GPL-3.0-or-later
"""How figures of papers come out, and which sentences stand, by rules: rows `verdict`, `since` and `answer`. Pure.

Of each word a rule says what is to hold of the rows that are picked by table and column=value. Its conditions are joined by " and
": COLUMN < or > NUMBER, or NUMBER times COLUMN of the same row, or of rows picked by TABLE and column=value (where {column} is that
of the row); COLUMN = FROM..TO. "some" before one: at least one row, not all; a sentence is then said of
the rows for which it holds."""
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress, product
from typing import Any, NamedTuple

from analysis import decide
from analysis.amounts import Amount, amount, ends, number, scaled, span, with_both
from analysis.command import Stop
from analysis.decide import Claim
from analysis.gallery_facts import Fact, Kept, Row, Table, bracketed, conditions, doubts, find, is_usable, meeting, typed
from analysis.gallery_facts import number as cell_number
from analysis.gallery_words import COLUMN, Kinds, figure_words, sentence_words

WORDS = ('as then', 'as then, smaller', 'no longer')
NUMBER = '[0-9]+([.][0-9]+)?'
COMPARISON = re.compile(f'(?P<some>some )?(?P<column>[a-z0-9_]+) (?P<sign>[<>]) (?P<by>{NUMBER})'
                        '( (?P<than>[a-z][a-z0-9_]*)(?P<table> [a-z0-9-]+/[a-z]+)?(?P<where>( [^ =]+=[^ ]+)*))?')
RANGE = re.compile(f'(?P<some>some )?(?P<column>[a-z0-9_]+) = (?P<start>{NUMBER})[.][.](?P<end>{NUMBER})')
TIMES = ('s', 'ms', 'us', 'ns')


# --- rules as text ------------------------------------------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class Condition:
    """sign: < or >, or = of a range start..end; by: a number, or how many times the column `than`, of `run` and `table` if it is
    not of the rule's own, in rows where `where` holds."""
    column: str
    some: bool
    sign: str
    by: float = 0
    than: str = ''
    run: str = ''
    table: str = ''
    where: str = ''
    start: float = 0
    end: float = 0


def read_condition(text: str) -> Condition | None:
    """None: it is none."""
    found = COMPARISON.fullmatch(text)
    if found:
        run, _, table = (found['table'] or '').strip().partition('/')
        return Condition(found['column'], bool(found['some']), found['sign'], float(found['by']), found['than'] or '', run, table,
                         found['where'] or '')
    found = RANGE.fullmatch(text)
    if found and float(found['start']) <= float(found['end']):
        return Condition(found['column'], bool(found['some']), '=', start=float(found['start']), end=float(found['end']))
    return None


def conditions_of(rule: Fact) -> list[Condition]:
    return [found for part in rule.ours.split(' and ') if (found := read_condition(part))]


def is_understood(rule: Fact) -> bool:
    return all(map(read_condition, rule.ours.split(' and ')))


# --- the runs behind a rule ---------------------------------------------------------------------------------------

class World(NamedTuple):
    """strict: a row that a verdict needs and that a kept run lacks is an error, if the run is of today's plan."""
    runs: Sequence[Kept]
    strict: bool = False


def run_names(rule: Fact) -> list[str]:
    return sorted({rule.run, *(c.run for c in conditions_of(rule) if c.run)})


def behind(rule: Fact, world: World) -> list[Kept]:
    found = [next((kept for kept in world.runs if kept.name == name and not kept.is_quick()), None) for name in run_names(rule)]
    return [kept for kept in found if kept]


def is_there(rule: Fact, world: World) -> bool:
    """Of a run that is not kept, or a short one, or one of an older plan that lacks its rows, it decides nothing."""
    found = behind(rule, world)
    kept = find(found, rule.run)
    return len(found) == len(run_names(rule)) and kept is not None and (kept.planned
                                                                        or bool(meeting(kept.rows(rule.table), rule.where)))


def decides(rule: Fact, world: World) -> bool:
    """Nor does one of a run that its own page calls not usable."""
    return is_there(rule, world) and all(map(is_usable, behind(rule, world)))


# --- rows and figures ---------------------------------------------------------------------------------------------

class Picked(NamedTuple):
    """row: None where the run lacks it; doubtful: each repeat was disturbed, or it is not to be compared with the rule's own
    run."""
    row: Row | None
    doubtful: bool
    kinds: Kinds

    def figure(self, rule: Fact, column: str) -> Amount:
        """None where it has an interval, but too few repeats for that, nor what was measured once and has none. Of two both are its
        ends: decide.py knows. (A least or largest value is of all.)"""
        row = typed(self.row or {}, self.kinds)
        if self.doubtful or is_of_too_few(row, column, self.kinds):
            return Amount()
        found = amount(row, column)
        if any(isinstance(value, str) for value in (found.value, found.start, found.end, found.low, found.high)):
            raise refused(rule, f'{column} is no number')
        return with_both(found)


def refused(rule: Fact, why: str) -> Stop:
    return Stop(f'{rule.at}: {why}')


def is_of_too_few(row: Mapping[str, Any], column: str, kinds: Kinds) -> bool:
    if f'{column}_low' in row:
        return row[f'{column}_low'] is None and row.get(f'{column}_both') is None and 'max' not in column
    better = kinds[column].better if column in kinds else ''
    return row.get('repeats') == 1 and better in ('lower', 'higher') and not re.search('min|max', column)


def is_same(cell: str | None, value: Any) -> bool:
    """A cell of a table, and a parameter of a condition."""
    if cell is None or cell == value:
        return True
    return not isinstance(value, bool) and cell_number(cell) == value


def is_disturbed(row: Row, kept: Kept) -> bool:
    """Has each repeat a flag of the conditions that a row is of, those with its parameters?"""
    cells = [cell for cell in kept.facts.get('cells') or []
             if all(is_same(row.get(name), value) for name, value in (cell.get('parameters') or {}).items())]
    flags = [(len(cell.get('flags') or []), cell.get('complete') or 0) for cell in cells]
    return bool(cells) and all(n > 0 and n >= complete for n, complete in flags)


def frame_rate(row: Row, kept: Kept) -> Any:
    """(A run of several protocols has no `protocol`.)"""
    own = (kept.facts.get('protocols') or {}).get(row.get('protocol') or '') or kept.facts.get('protocol') or {}
    return own.get('frame_rate_per_s')


def cpu_model(kept: Kept) -> Any:
    return ((kept.facts.get('host') or {}).get('cpu') or {}).get('model')


def are_unlike(row: Row, a: Kept, b: Kept, unit: str) -> bool:
    """Are two runs not to be compared? Their display servers had different frame clocks, which are part of each response, or, of a
    time, their machines had different CPUs."""
    def differ(of_a: Any, of_b: Any) -> bool:
        return of_a is not None and of_b is not None and of_a != of_b

    return differ(frame_rate(row, a), frame_rate(row, b)) or (unit in TIMES and differ(cpu_model(a), cpu_model(b)))


def pick(rule: Fact, world: World, run: str, table: str, where: str, column: str) -> list[Picked]:
    kept, base = find(world.runs, run), find(world.runs, rule.run)
    assert kept and base
    head = (kept.tables.get(table) or Table()).head
    for name in [column, *(name for name, _, _ in conditions(where))]:
        if name not in head:
            raise refused(rule, f'{run}/{table} has no column {name}')
    kinds = kept.kinds(table)
    unit = kinds[column].unit if column in kinds else ''
    rows = meeting(kept.rows(table), where)
    if not rows and world.strict and kept.planned:
        raise refused(rule, f'{run}/{table} has no row {where}')
    return ([Picked(row, is_disturbed(row, kept) or are_unlike(row, kept, base, unit), kinds) for row in rows]
            or [Picked(None, False, kinds)])


def unit_in(kinds: Kinds, column: str) -> str:
    unit = kinds[column].unit if column in kinds else ''
    return '' if unit == '-' else unit


def others(rule: Fact, world: World, c: Condition, own: Picked) -> list[Picked]:
    """The rows whose column `than` a picked row is compared with."""
    row = own.row or {}
    where = COLUMN.sub(lambda found: row.get(found[1], ''), c.where)
    run, table = c.run or rule.run, c.table or rule.table
    other = find(world.runs, run)
    units = {unit_in(own.kinds, c.column), unit_in(other.kinds(table) if other else {}, c.than)} - {''}
    if len(units) > 1:
        raise refused(rule, f'{c.column} and {c.than} have different units')
    return [own] if not where and not c.table and c.than in row else pick(rule, world, run, table, where, c.than)


def claims_of(rule: Fact, world: World, c: Condition, own: Picked) -> Iterator[Claim]:
    """The claims of a condition on one of the rows that its rule picks."""
    a = ends(own.figure(rule, c.column))
    if c.sign == '=':
        yield Claim('within', 1, a, ends(span(c.start, c.end)))
        return
    than = [scaled(one.figure(rule, c.than), c.by) for one in others(rule, world, c, own)] if c.than else [number(c.by)]
    for b in map(ends, than):
        yield Claim('above', 1, a, b) if c.sign == '>' else Claim('above', 1, b, a)


def asked(rule: Fact, world: World, c: Condition) -> list[list[Claim]]:
    """The claims of a condition, by row."""
    return [list(claims_of(rule, world, c, own)) for own in pick(rule, world, rule.run, rule.table, rule.where, c.column)]


# --- what is decided ----------------------------------------------------------------------------------------------

class Decided(NamedTuple):
    """The word that is said, and the word whose rules hold."""
    word: str
    by: str


def decided(rules: Sequence[Fact], world: World, is_whole: bool) -> Decided | None:
    """Of the rules of a figure, or of one of a sentence. Those of a run that is not there, or not usable, are left out: they lower
    no word. None: all are."""
    claims = [claim._replace(rule=i, part=part, says=WORDS.index(rule.text) if rule.text in WORDS else 0, some=int(c.some),
                             whole=int(is_whole))
              for i, rule in enumerate(rules, 1) if decides(rule, world)
              for part, c in enumerate(conditions_of(rule), 1) for claim in chain(*asked(rule, world, c))]
    if not claims:
        return None
    said = (*WORDS, 'cannot tell')
    word, by = decide.rules(claims)
    return Decided(said[word], said[by])


@dataclass(frozen=True, slots=True)
class Lacking:
    """What a figure needs to be whole, and which of its conditions lack it."""
    text: str
    table: str
    lack: Sequence[str]
    there: bool

    def __str__(self) -> str:
        if not self.there:
            return self.text
        more = f' and {len(self.lack) - 1} more' if len(self.lack) > 1 else ''
        return f'{self.text} (`{self.table}` lacks {f"`{self.lack[0]}`" if self.lack[0] else "the columns"}{more})'


def lacking(fact: Fact, world: World) -> Lacking | None:
    """Of a row `needs`, of which each column is to have a value in a row of each condition."""
    columns = COLUMN.findall(fact.ours)
    choices = [[f'{name}={value}' for value in values.split('|')] for name, _, values in conditions(fact.where)]
    kept = next((kept for kept in world.runs if kept.name == fact.run and not kept.is_quick()), None)

    def has(where: str) -> bool:
        return kept is not None and any(all(row.get(c) is not None or row.get(f'{c}_from') is not None for c in columns)
                                        for row in kept.typed(fact.table, where))

    lack = [where for where in map(' '.join, product(*choices)) if not has(where)]
    return Lacking(fact.text, f'{fact.run}/{fact.table}', lack, kept is not None) if lack else None


def lacks(facts: Sequence[Fact], world: World) -> list[Lacking]:
    return [found for fact in facts if fact.what == 'needs' and (found := lacking(fact, world))]


def rules_of(facts: Sequence[Fact]) -> list[Fact]:
    return [fact for fact in facts if fact.what == 'verdict']


@dataclass(frozen=True, slots=True)
class Verdict:
    """rules: those of its word; awaits: the runs of those that were left out; doubts: of runs behind a rule, and of those that the
    figure shows."""
    word: str
    rules: Sequence[Fact] = ()
    awaits: Sequence[str] = ()
    doubts: Sequence[str] = field(default_factory=list)

    def bold(self) -> str:
        return f'**{said(self.word)}**{bracketed(self.doubts)}'


def said(word: str) -> str:
    return word.replace(', smaller', ' but smaller or in part')


def rule_words(rule: Fact) -> str:
    return f'`{rule.run}/{rule.table}{f" {rule.where}" if rule.where else ""}: {rule.ours}`'


def verdict(facts: Sequence[Fact], world: World, shown: Sequence[Kept]) -> Verdict:
    """Of a figure by its facts. Conditions that a kept run lacks lower its word, a run that is not there does not."""
    rules, lack = rules_of(facts), lacks(facts, world)
    found = decided(rules, world, not lack) if rules else None
    held: list[Fact] = []
    awaits: set[str] = set()
    if found:
        of_word = [rule for rule in rules if rule.text == found.by]
        held = [rule for rule in of_word if decides(rule, world)]
        awaits = {name for rule in of_word if not is_there(rule, world) for name in run_names(rule)}
        awaits -= {kept.name for kept in world.runs if kept.planned}
        word = found.word if any(one.there for one in lack) else found.by
    else:
        word = ('nothing to compare' if not rules else 'cannot tell' if any(is_there(rule, world) for rule in rules)
                else 'not run yet')
    used = {kept.name: kept for rule in rules if is_there(rule, world) for kept in behind(rule, world) if kept.is_run()}
    is_computed = bool(held) and not any(kept.is_run() for rule in held for kept in behind(rule, world))
    return Verdict(word, held, sorted(awaits), ['computed'] * is_computed + doubts([*used.values(), *shown]))


def holding(rule: Fact, world: World) -> list[bool]:
    """Of each row that a rule picks: do its conditions "some" hold of it? (The others hold of all rows, if the rule holds.)"""
    holds = [True for _ in pick(rule, world, rule.run, rule.table, rule.where, conditions_of(rule)[0].column)]
    for c in conditions_of(rule):
        if c.some:
            by_row = asked(rule, world, c)
            share = sum(map(len, by_row))
            holds = [so and any(decide.judge(claim._replace(share=share)).word == decide.HOLDS for claim in claims)
                     for so, claims in zip(holds, by_row)]
    return holds


def distinct_rows(picked: Iterable[Picked]) -> list[Picked]:
    out: list[Picked] = []
    for one in picked:
        out += [] if one in out else [one]
    return out


def than_words(rule: Fact, world: World, holds: Sequence[bool]) -> str:
    """In words the figures that these rows of a rule are compared with."""
    c = next(c for c in conditions_of(rule) if c.than)
    own = compress(pick(rule, world, rule.run, rule.table, rule.where, c.column), holds)
    found = distinct_rows(other for one in own for other in others(rule, world, c, one))
    return figure_words(c.than, [typed(one.row or {}, one.kinds) for one in found], found[0].kinds)


def told(fact: Fact, world: World) -> str | None:
    """A sentence in words, of the rows for which its rule holds."""
    holds = holding(fact, world) if fact.is_rule() and '{' in fact.text else None
    if holds and '{than}' in fact.text:
        fact = replace(fact, text=fact.text.replace('{than}', than_words(fact, world, holds)))
    return sentence_words(fact, world.runs, holds)


def sentences(facts: Sequence[Fact], world: World) -> str:
    """A sentence stands where its rule holds, if it has one; of several with rules of the same rows, the first."""
    standing: dict[Any, Fact] = {}
    for fact in facts:
        if fact.what not in ('since', 'answer'):
            continue
        if not fact.is_rule():
            standing[fact.id] = fact
        elif (found := decided([fact], world, True)) and found.by == WORDS[0]:
            standing.setdefault((fact.run, fact.table, fact.where), fact)
    return ' '.join(text for fact in standing.values() if (text := told(fact, world)) is not None)


# --- wrong data ---------------------------------------------------------------------------------------------------

def check(facts: Sequence[Fact], world: World, planned: Sequence[str], more: Iterator[str]) -> None:
    """Stop: a fact says nothing, or names what is not there; `more`: what a page has against one."""
    names = {*planned, *(kept.name for kept in world.runs)}
    for fact in facts:
        if fact.run and fact.run not in names:
            raise refused(fact, f'data/gallery.tsv has no run {fact.run}')
    for why in more:
        raise Stop(why)
    for fact in facts:
        for word in fact.where.split(' '):
            if word and not re.match('[^=!]+!?=.', word):
                raise refused(fact, f'what is {word}?')
    for fact in facts:
        if fact.what == 'needs' and not COLUMN.search(fact.ours):
            raise refused(fact, 'which {column} does it need?')
    for fact in facts:
        if fact.is_rule():
            check_rule(fact, world)


def check_rule(rule: Fact, world: World) -> None:
    if rule.what == 'verdict' and rule.text not in WORDS:
        raise refused(rule, f'no verdict is called {rule.text}')
    if not is_understood(rule):
        raise refused(rule, f'what is {rule.ours}?')
    if is_there(rule, world):
        for c in conditions_of(rule):
            asked(rule, world, c)
