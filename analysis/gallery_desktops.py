# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/desktops.md: a section for each question of data/desktops.tsv, whose first lines say what its rows are. Pure."""
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from analysis.gallery_facts import Fact, Kept, Planned, doubt_note, find, meeting
from analysis.gallery_rules import World, check, is_there, sentences
from analysis.gallery_words import report_link, safe, short_note, slug, words_of
from analysis.run import distinct

ROWS = ('asks', 'answer', 'column', 'picture', 'paste', 'partial')


def columns(facts: Sequence[Fact]) -> list[Fact]:
    return [fact for fact in facts if fact.what == 'column']


def names(facts: Sequence[Fact]) -> list[str]:
    """The runs of a question."""
    return [str(name) for name in distinct(fact.run for fact in facts) if name]


def said(facts: Sequence[Fact], what: str) -> str:
    return ' '.join(fact.text for fact in facts if fact.what == what)


# --- its table: a line for each protocol of its runs, a column for each row `column` ------------------------------

def protocols_of(facts: Sequence[Fact], world: World) -> list[str]:
    return distinct(row.get('protocol') for c in columns(facts) for kept in world.runs if kept.name == c.run
                    for row in meeting(kept.rows(c.table), c.where))


def cell(c: Fact, protocol: str, world: World) -> str:
    kept = find(world.runs, c.run)
    if not kept:
        return 'not run yet'
    text = words_of(c.ours, kept, c.table, f'{c.where} protocol={protocol}') or ''
    return re.sub(r' \(([^()]*)\)$', r'<br>\1', text)


def protocol_words(protocol: str, runs: Sequence[Kept]) -> str:
    """What a protocol is, in these runs."""
    says = [text for kept in runs if (text := ((kept.facts.get('protocols') or {}).get(protocol) or {}).get('says'))]
    return '<br>'.join([f'`{protocol}`', *distinct(map(safe, says))])


def table_lines(facts: Sequence[Fact], world: World) -> Iterator[str]:
    of, protocols = columns(facts), protocols_of(facts, world)
    own = [kept for c in of for kept in world.runs if kept.name == c.run]
    if protocols:
        yield from (f'| protocol | {" | ".join(safe(c.text) for c in of)} |', f'|---{"|---:" * len(of)}|',
                    *(f'| {protocol_words(protocol, own)} | {" | ".join(cell(c, protocol, world) for c in of)} |'
                      for protocol in protocols), '')


# --- a question ---------------------------------------------------------------------------------------------------

class Question(NamedTuple):
    name: str
    facts: Sequence[Fact]
    answer: str
    kept: Sequence[Kept]


def kept_link(kept: Kept) -> str:
    systems = ((kept.facts.get('lab') or {}).get('server_system'), (kept.facts.get('host') or {}).get('system'))
    server = next((f', server: {system}' for system in systems if system is not None), '')
    return f'{report_link(kept)}{short_note(kept)}{doubt_note(kept)}, {(kept.facts.get("started") or "null")[:10]}{server}'


def picture_lines(facts: Sequence[Fact], world: World) -> Iterator[str]:
    for fact in facts:
        kept = find(world.runs, fact.run)
        if fact.what == 'picture' and kept and kept.has_picture(fact.table):
            yield from (f'![{fact.text}]({kept.folder}/figures/{fact.table}.svg)', '')


def ask(name: str, facts: Sequence[Fact], world: World) -> Question:
    answer = sentences(facts, world) or (
        '**Cannot tell**: no answer holds within the intervals.' if any(fact.is_rule() and is_there(fact, world) for fact in facts)
        else '**Not run yet.**')
    return Question(name, facts, answer, [kept for kept in world.runs if kept.name in names(facts)])


def question_lines(of: Question, plan: Sequence[Planned], world: World) -> Iterator[str]:
    own, partial = names(of.facts), said(of.facts, 'partial')
    yield from (f'## {of.name}', '', said(of.facts, 'asks'), '', of.answer, '')
    yield from picture_lines(of.facts, world)
    yield from table_lines(of.facts, world)
    yield from (partial, '') if partial else ()
    if own:
        yield from ('To measure this, paste:', '', '```', *(fact.text for fact in of.facts if fact.what == 'paste'))
        for name in own:
            yield from (run.with_given().replace('thinprobe run', './thinprobe run', 1) for run in plan if run.name == name)
        yield from ('```', '')
    if of.kept:
        yield from (f'Reports of the kept runs: {"; ".join(map(kept_link, of.kept))}.', '')


def unknown_rows(facts: Sequence[Fact]) -> Iterator[str]:
    return (f'{fact.at}: no row is called {fact.what}' for fact in facts if fact.what not in ROWS)


def lines(facts: Sequence[Fact], plan: Sequence[Planned], world: World, docs: str) -> Iterator[str]:
    """docs: the folder of the documents, seen from the page."""
    check(facts, world, [run.name for run in plan], unknown_rows(facts))
    by_name = sorted(facts, key=lambda fact: [one.figure for one in facts].index(fact.figure))
    questions = [ask(name, list(group), world) for name, group in groupby(by_name, key=lambda fact: fact.figure)]
    kept = {run.name for question in questions for run in question.kept}

    def doc(name: str) -> str:
        return name if docs == '.' else f'{docs}/{name}'

    yield from ('# Today\'s desktops beside each other', '',
                '<!-- Written by `thinprobe gallery` from data/{desktops,gallery}.tsv and the kept runs. -->', '')
    yield ('This page shows how long a user waits for the response to a key over the protocols of today, measured in the emulated '
           f'lab. Its questions need {len(names(facts))} runs. Made and kept so far: {len(kept)}.')
    yield from ('', '| question | answer |', '|---|---|')
    yield from (f'| [{said(one.facts, "asks")}](#{slug(one.name)}) | {safe(one.answer)} |' for one in questions)
    yield ''
    yield ('Times have 95 % intervals, in brackets or below: of one run, so another run can differ by more. A time like "1 to 2 '
           'ms" is a range: more than one update may be the answer. Late means later than 100 ms. An answer stands here only if '
           '`judge` finds that its rule (`data/desktops.tsv`) holds within the intervals. Times of different CPUs are not '
           'compared. "Not run yet" means that the run is missing: `thinprobe gallery NAME` makes and keeps it. '
           f'[Method]({doc("method.md")}) says what each figure means, and [plug-ins]({doc("../lab/protocols/README.md")}) what '
           'each protocol is.')
    yield ''
    for question in questions:
        yield from question_lines(question, plan, world)
