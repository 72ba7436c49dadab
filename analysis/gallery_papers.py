# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/gallery.md: figures and tables of docs/papers.md beside ours. Pure."""
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from analysis import words
from analysis.gallery_facts import (Fact, Kept, Planned, bracketed, doubt_note, doubts, find, flagged,
                                    has_few_repeats, is_unwatched)
from analysis.gallery_rules import WORDS, Lacking, Verdict, World, check, lacks, rule_words, said, sentences, verdict
from analysis.gallery_words import Cell, cells_of, minutes_words, report_link, safe, short_note, slug, trimmed, words_of
from analysis.run import distinct

MARKS = {'computed': 'ᶜ', 'preliminary': 'ᵖ', 'flagged': 'ᶠ', 'not usable': 'ⁿ'}
OF_FIGURES = ('since', 'partial', 'verdict', 'thumbnail', 'needs')  # facts that are no numbers


# --- docs/papers.md -----------------------------------------------------------------------------------------------

class Drawn(NamedTuple):
    """A figure or table of a paper. picture: the stem of ours."""
    name: str
    title: str
    command: str
    picture: str | None


class Paper(NamedTuple):
    title: str
    about: str
    figures: Sequence[Drawn]


def bullet(text: str, name: str) -> str:
    return next((part.removeprefix(f'{name}:') for part in text.split('\n- ')[1:] if part.startswith(f'{name}:')), '')


def read_figure(text: str) -> Drawn:
    name, _, title = text.partition('\n')[0].partition(': ')
    picture = re.search(r'`figures/([a-z-]+)\.svg`', bullet(text, 'File and column'))
    return Drawn(name, title, trimmed(bullet(text, 'Command')), picture[1] if picture else None)


def read_papers(text: str) -> list[Paper]:
    return [Paper(part.split('\n')[0], trimmed(part.split('\n\n')[1]), [read_figure(one) for one in part.split('\n### ')[1:]])
            for part in text.split('\n## ')[1:]]


def is_of(name: str, about: str) -> bool:
    """Is "Wong & Seltzer 2000" the paper of the words `about`, by its first author and its year?"""
    author = re.sub('[^A-Za-z]', '', name.split(' ')[0])
    return bool(re.search(rf'\b{author}\b', about)) and name[-4:] in about


def facts_of(figure: Drawn, paper: Paper, facts: Iterable[Fact]) -> list[Fact]:
    return [fact for fact in facts if fact.figure == figure.name and is_of(fact.paper, paper.about)]


# --- a figure -----------------------------------------------------------------------------------------------------

class Number(NamedTuple):
    """says: what the paper says; cell: ours. known: a run or a program has it."""
    run: str
    says: str
    cell: Cell
    known: bool


class Shown(NamedTuple):
    """A figure with what we have of it. heading, short: of its paper."""
    figure: Drawn
    heading: str
    short: str
    kept: Sequence[Kept]
    numbers: Sequence[Number]
    since: str
    partial: str
    lacks: Sequence[Lacking]
    is_shown: bool
    verdict: Verdict

    def anchor(self) -> str:
        return '#' + slug(f'{self.figure.name}: {self.figure.title}')

    def images(self) -> list[str]:
        """What a program computed, and what a run measured."""
        computed = next((kept.picture for kept in self.kept if kept.picture), None)
        picture = self.figure.picture
        measured = next((f'{kept.folder}/figures/{picture}.svg' for kept in self.kept if picture and kept.has_picture(picture)),
                        None)
        return [image for image in (computed, measured) if image]


def numbers_of(fact: Fact, world: World) -> list[Number]:
    kept = find(world.runs, fact.run)
    cells = [Cell(fact.ours)] if not fact.run else cells_of(fact.ours, kept, fact.table, fact.where) if kept else None
    says = safe(fact.text) + (' *(read off the figure)*' if fact.what == 'figure' else '')
    why = (f'`{fact.run}`: response times are not to be relied on' if kept and kept.facts.get('analysis_unsure') else
           'not in this run' if kept and kept.planned else f'`{fact.run}` is {"to be run again" if kept else "not run yet"}')
    return [Number(fact.run, says, Cell(*map(safe, cell)), cells is not None) for cell in ([Cell(why)] if cells is None else cells)]


def show(figure: Drawn, heading: str, short: str, facts: Sequence[Fact], world: World) -> Shown:
    numbers = [number for fact in facts if fact.what not in OF_FIGURES for number in numbers_of(fact, world)]
    names = {number.run for number in numbers if number.known and number.cell.label}
    kept = [one for one in world.runs if one.name in names]
    partial = next((fact.text for fact in facts if fact.what == 'partial'), '')
    return Shown(figure, heading, short, kept, numbers, sentences(facts, world), partial, lacks(facts, world), bool(names),
                 verdict(facts, world, kept))


def number_lines(of: Shown) -> Iterator[str]:
    if of.numbers and not of.is_shown:
        yield from ('| the paper |', '|---|', *(f'| {says} |' for says in distinct(number.says for number in of.numbers)), '')
    elif of.numbers:
        yield from ('| the paper | here, today | | 95 % |', '|---|---|---:|---|')
        for says, group in groupby(of.numbers, key=lambda number: number.says):
            for i, number in enumerate(group):
                yield f'| {"" if i else says} | {number.cell.label} | {number.cell.value} | {number.cell.interval} |'
        yield ''


def how_made(of: Shown) -> str:
    command = of.figure.command
    if not of.is_shown:
        return f'**Not run yet**: {command}'

    def run_words(kept: Kept) -> str:
        its = kept.facts.get('command')
        by = '' if f'`{its}`' in command or kept.is_quick() else f', by `{its}`'
        return report_link(kept) + short_note(kept) + doubt_note(kept) + by

    runs = [run_words(kept) for kept in of.kept if kept.is_run()]
    programs = [f'`{kept.command}`' for kept in of.kept if not kept.is_run() and f'`{kept.command}`' not in command]
    return (command + (f'. Kept: {", ".join(runs)}' if runs else '') + (f'. Computed by {", ".join(programs)}' if programs else '')
            + '.')


def verdict_line(of: Shown) -> str:
    found = of.verdict
    by = f', by {rule_words(found.rules[0])}' if found.rules else ''
    more = f' and {len(found.rules) - 1} more' if len(found.rules) > 1 else ''
    still = words.and_list([f'`{name}`' for name in found.awaits])
    awaits = f'; {still} {"is" if len(found.awaits) == 1 else "are"} still to be run' if found.awaits else ''
    return f'{found.bold()}{by}{more}{awaits}.' + (f' {of.since}' if of.is_shown and of.since else '')


def figure_lines(of: Shown) -> Iterator[str]:
    name, images = f'{of.figure.name}: {of.figure.title}', of.images()
    not_whole = [re.sub('[.]$', '', text) for text in (of.partial, *map(str, of.lacks)) if text]
    yield from (f'### {name}', '')
    if images:
        yield ' '.join(f'<a href="{image}"><img src="{image}" width="300" alt="{name}"></a>' for image in images) + '<br>'
    yield from (verdict_line(of), '')
    yield (f'<details><summary>{"Both in numbers, " if of.is_shown else "The paper; "}how to make it'
           f'{"; <b>not whole</b>" if of.partial or of.lacks else ""}</summary>')
    yield ''
    yield from number_lines(of)
    if not_whole:
        yield from (f'Not whole: {"; ".join(not_whole)}.', '')
    if len(of.verdict.rules) > 1:
        yield from (f'Also by {", ".join(map(rule_words, of.verdict.rules[1:]))}.', '')
    yield from (how_made(of), '', '</details>', '')


# --- a paper ------------------------------------------------------------------------------------------------------

def claim_words(paper: Paper, facts: Iterable[Fact], world: World) -> str:
    """What a paper showed, beside ours."""
    def ours(fact: Fact) -> str | None:
        kept = find(world.runs, fact.run)
        text = words_of(fact.ours, kept, fact.table, fact.where) if kept else None
        return text + bracketed(doubts([kept])) if kept and text is not None else None

    found = [(fact.text, ours(fact)) for fact in facts if fact.what == 'claim' and is_of(fact.paper, paper.about)]
    found = [one for one in found if one[1]] or found
    says, here = '; '.join(sorted({text for text, _ in found})), '; '.join(text for _, text in found if text)
    return f' It showed: {safe(says)}. Here, today: {safe(here) or "not run yet"}.' if says else ''


def figure_link(of: Shown) -> str:
    name = re.sub('^Table in ', 'T. ', of.figure.name)
    return f'[{name}]({of.anchor()}){"".join(MARKS[doubt] for doubt in of.verdict.doubts)}'


def paper_row(figures: Sequence[Shown], columns: Iterable[str]) -> str:
    cells = [', '.join(figure_link(of) for of in figures if of.verdict.word == word) for word in columns]
    return f'| [{figures[0].short}](#{slug(figures[0].heading)}) ' + ''.join(f'| {cell} ' for cell in cells) + '|'


def thumbnail(fact: Fact, world: World, figures: Iterable[Shown]) -> str | None:
    """A picture at the head, by a fact: TABLE is RUN/PICTURE, or NAME/rows where a program draws it."""
    kept = find(world.runs, fact.run)
    if not kept:
        return None
    image = f'{kept.folder}/figures/{fact.table}.svg' if kept.is_run() else kept.picture
    link = next((of.anchor() for of in figures if of.figure.name == fact.figure and of.short == fact.paper),
                f'{kept.folder}/report.md')
    return f'[<img src="{image}" width="230" alt="{fact.text}">]({link})'


# --- the page -----------------------------------------------------------------------------------------------------

def head_lines(figures: Sequence[Shown], columns: Sequence[str]) -> Iterator[str]:
    def count(word: str) -> str:
        of_word = [of for of in figures if of.verdict.word == word]
        computed = sum('computed' in of.verdict.doubts for of in of_word)
        return f'{said(word)} **{len(of_word)}**' + (f' ({computed} of them computed)' if computed else '')

    whole = sum(of.is_shown and not of.partial and not of.lacks for of in figures)
    yield from ('# Five papers, measured again', '')
    yield ('<!-- Written by `thinprobe gallery` from docs/papers.md, data/{papers,gallery}.tsv, those of the kits, and the kept '
           'runs. -->')
    yield ''
    yield (f'Of {len(figures)} figures and tables of five papers: {", ".join(map(count, columns))}. **{whole}** are shown whole.')
    yield from ('', f'| | {" | ".join(map(said, columns))} |', f'|---{"|---" * len(columns)}|')
    for _, group in groupby(figures, key=lambda of: of.heading):
        yield paper_row(list(group), columns)
    unusable = ', ⁿ not usable' if any('not usable' in of.verdict.doubts for of in figures) else ''
    yield from ('', f'ᶜ computed by a program, not measured; ᵖ preliminary, ᶠ flagged{unusable}: as on the page of a run shown '
                'there. [How the words are found](#the-words).', '')


def kept_words(runs: Iterable[Kept]) -> str:
    def how_many(kept: Kept) -> str:
        facts = kept.facts['kept']
        return ('all of their samples' if facts['left_out_bytes'] == 0 else 'some of them' if facts['conditions'] > 0
                else 'tables alone')

    found = sorted(map(how_many, runs))
    return ', '.join(f'{len(list(group))} with {text}' for text, group in groupby(found))


WORDS_SECTION = (
    '## The words', '',
    'Verdicts are computed by rules, of which those of the word stand beside it; rules for runs that are still to be made are left '
    'out, and a condition of which each repeat was disturbed decides nothing. *As then*: a run, or a program that computes, shows '
    'what the paper found, in direction and size (at least as large, or within the range that the paper states), for all values '
    'within its 95 % intervals, or for the value itself where it has none; where one of several values is enough (`some`), they '
    'share the 5 %. *As then but smaller or in part*: it shows the direction, but not the size, or not under all conditions. *No '
    'longer*: it shows the contrary. *Cannot tell*: none of these is sure. *Nothing to compare*: what the paper compared does not '
    'exist here, or the paper gives only parameters or a picture. *Whole*: the kept runs have the axis, conditions and statistic '
    'of the paper, and its series or what stands for them; what they lack is named.', '')


def words_lines(kept: Sequence[Kept], papers_page: str) -> Iterator[str]:
    yield from WORDS_SECTION
    few, disturbed, unwatched = (sum(map(test, kept)) for test in (has_few_repeats, lambda one: flagged(one) > 0, is_unwatched))
    yield (f'Each figure has a command that makes it again, on Linux of today; what differs is in [papers]({papers_page}). The '
           'papers\' numbers are from their texts, tables and captions. Where a curve has none, words say how it runs. Ours are '
           f'read from the tables of {len(kept)} runs, which are kept in this repository ({kept_words(kept)}), or computed by a '
           f'program while this page is written. Of the runs {few} are preliminary, with fewer than five repeats, and {disturbed} '
           f'had disturbed conditions; of {unwatched} it was not watched what other programs took: each link to them under a '
           'figure says so.')
    yield ''


def folded(title: str, *rows: str) -> Iterator[str]:
    yield from (f'<details><summary>{title}</summary>', '', *rows, '', '</details>', '')


def run_row(kept: Kept) -> str:
    facts = kept.facts
    packed, n = facts['kept'], len(facts.get('cells') or [])
    part = f', of {words.plain(packed["conditions"])} of {words.plural(n, "condition")}' if packed['left_out_bytes'] > 0 else ''
    took = minutes_words(rounded(facts['measured_s'] / 60))
    return (f'| {report_link(kept)} | `{facts.get("command")}` | {(facts.get("ended") or "null")[:10]} | {took} '
            f'| {words.fixed(packed["samples_bytes"] / 1024, 0)} KiB{part} |')


def rounded(value: float) -> float:
    return float(words.fixed(value, 0))


def run_lines(kept: Sequence[Kept], plan: Sequence[Planned]) -> Iterator[str]:
    all_minutes, took = sum(run.minutes for run in plan), rounded(sum(one.facts['measured_s'] / 60 for one in kept))
    yield from ('## The runs', '')
    yield (f'`thinprobe gallery` makes {len(plan)} runs, one after the other, in about {minutes_words(all_minutes)}. Those kept '
           f'here are {len(kept)}, and took {minutes_words(took)}. Of each, this repository has the report and as many samples as '
           'said there. `thinprobe report FOLDER` makes the tables, the other figures and `report.html` from them; that page has '
           'each figure for phones, too, and is light or dark as the browser is. If the samples take more than 300 KiB, only those '
           'of the first conditions stay, as many as fit, with the tables that were made of all samples.')
    yield ''
    if kept:
        yield from folded(words.plural(len(kept), 'kept run'), '| kept | command | on | took | samples |',
                          '|---|---|---|---:|---:|', *map(run_row, kept))
    left = [run for run in plan if [one.facts.get('command') for one in kept if one.name == run.name] != [run.command()]]
    if left:
        yield from folded(f'{words.plural(len(left), "run")} to make, for the first time or anew', '| to run | command | about |',
                          '|---|---|---:|', *(f'| {run.name} | `{run.with_given()}` | {minutes_words(run.minutes)} |'
                                              for run in left))


def unknown_figures(facts: Iterable[Fact], papers: Sequence[Paper]) -> Iterator[str]:
    for fact in facts:
        if fact.figure and not any(facts_of(figure, paper, [fact]) for paper in papers for figure in paper.figures):
            yield f'{fact.at}: docs/papers.md has no {fact.figure} of {fact.paper}'


def lines(facts: Sequence[Fact], plan: Sequence[Planned], world: World, papers_text: str, docs: str) -> Iterator[str]:
    """docs: the folder of the documents, seen from the page."""
    papers = read_papers(papers_text)
    check(facts, world, [run.name for run in plan], unknown_figures(facts, papers))
    shown: list[tuple[Paper, list[Shown]]] = []
    for i, paper in enumerate(papers, 1):
        short = next((fact.paper for fact in facts if is_of(fact.paper, paper.about)), paper.title)
        shown.append((paper, [show(figure, f'{i}. {paper.title}', short, facts_of(figure, paper, facts), world)
                              for figure in paper.figures]))
    figures = [of for _, of_paper in shown for of in of_paper]
    kept = [one for one in world.runs if one.is_run()]
    columns = [*WORDS, 'cannot tell', 'nothing to compare']
    columns += ['not run yet'] if any(of.verdict.word == 'not run yet' for of in figures) else []
    yield from head_lines(figures, columns)
    pictures = [text for fact in facts if fact.what == 'thumbnail' and (text := thumbnail(fact, world, figures))]
    yield from [*pictures, ''] if pictures else []
    for i, (paper, of_paper) in enumerate(shown, 1):
        yield from (f'## {i}. {paper.title}', '', paper.about + claim_words(paper, facts, world), '')
        for of in of_paper:
            yield from figure_lines(of)
    beyond = [one for one in kept if not any(one.name == used.name for of in figures for used in of.kept)]
    if beyond:
        yield from ('## Beyond the papers', '', *(f'- {report_link(one)}: {one.verdict}{short_note(one)}' for one in beyond), '')
    yield from words_lines(kept, 'papers.md' if docs == '.' else f'{docs}/papers.md')
    yield from run_lines(kept, plan)
