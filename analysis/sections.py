# SPDX-License-Identifier: GPL-3.0-or-later
"""report.md of any experiment, and the text of report.html: Markdown in lines. Pure.

With is_page they have what only a browser can use: contents, links to files, the glossary."""
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis import notes, page
from analysis.escape import markdown, markdown_cell
from analysis.page import Analysis, Grid, Said, View
from analysis.run import Run
from analysis.terminal import plain_numbers

VOLATILE = {'taken', 'uptime_s', 'cpu_time', 'load', 'available_bytes', 'swap_free_bytes', 'says', 'missing', 'cannot', 'not_here'}


@dataclass(frozen=True, slots=True)
class Texts:
    """README.md of the experiment with what it shares, GLOSSARY.md, and the names of the figures that were drawn."""
    readme: str
    glossary: str
    figures: Sequence[str]
    is_page: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """### NAME: Title, of a section of README.md."""
    name: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    id: str
    title: str
    lines: Sequence[str]


# --- README.md ----------------------------------------------------------------------------------------------------

def section(readme: str, name: str) -> str:
    """## NAME, wherever it stands."""
    found = (part.removeprefix(f'{name}\n').strip() for part in f'\n{readme}'.split('\n## ') if part.startswith(f'{name}\n'))
    return ''.join(f'\n{text}' for text in found)


def parts(text: str) -> list[Part]:
    out = []
    for part in text.split('\n### ')[1:]:
        head, _, body = part.partition('\n')
        name, *title = head.split(':')
        out.append(Part(name, ': '.join(head.split(': ')[1:]) if title else '', body.strip()))
    return out


def figure_parts(texts: Texts) -> Iterator[Part]:
    """Those of the figures that were drawn. One of NAME-* is of each that begins so, whose titles end in the rest; its text stands
    once."""
    for part in parts('\n' + section(texts.readme, 'Figures')):
        if not part.name.endswith('*'):
            if part.name in texts.figures:
                yield part
            continue
        head = part.name.rstrip('*')
        for i, name in enumerate(sorted(figure for figure in texts.figures if figure.startswith(head))):
            yield Part(name, f'{part.title}: {name.removeprefix(head)}', 'As above.' if i else part.text)


def table_note(texts: Texts, name: str) -> str:
    return next((part.text for part in parts('\n' + section(texts.readme, 'Tables')) if part.name == name), '')


def glossary_text(glossary: str) -> str:
    """Its words, without its links."""
    text = '\n'.join(f'### {part}' for part in glossary.split('\n## ')[1:])
    return re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', text).strip()


# --- tables -------------------------------------------------------------------------------------------------------

def line_of(cells: Iterable[str]) -> str:
    return f'| {" | ".join(cells)} |'


def table_lines(grid: Grid, is_page: bool) -> Iterator[str]:
    if not grid.rows:
        return
    yield line_of(map(markdown_cell, grid.head))
    yield line_of('--:' if right else ':--' for right in grid.right)
    for i, row in enumerate(grid.rows):
        cells = list(map(markdown_cell, row))
        if grid.at is not None:
            if is_page and i in grid.breaks:
                cells[grid.at] += '<i class="breaks"></i>'
            if i < len(grid.links) and grid.links[i] is not None:
                cells[grid.at] = f'[{cells[grid.at]}]({grid.links[i]})'
        yield line_of(cells)
    yield ''
    if grid.notes:
        yield markdown(' '.join(grid.notes))
        yield ''


def plain_value(value: Any) -> str:
    if isinstance(value, bool):
        return 'yes' if value else 'no'
    if isinstance(value, list):
        return ' '.join(map(plain_value, value))
    return value if isinstance(value, str) else json.dumps(plain_numbers(value), ensure_ascii=False, separators=(',', ':'))


def leaves(value: Any) -> str:
    return ', '.join(f'{".".join(path)} {plain_value(leaf)}' for path, leaf in leaf_paths(value))


def leaf_paths(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, v in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(v, dict | list):
            yield from leaf_paths(v, (*path, str(key)))
        else:
            yield (*path, str(key)), v


def facts(values: Any, prefix: str = '') -> Iterator[tuple[str, str]]:
    """Rows [what, value]: an object of plain values is one row; what changes all the time is no fact."""
    if not isinstance(values, dict):
        return
    for key, value in values.items():
        if value is None or key in VOLATILE:
            continue
        if isinstance(value, dict):
            known = {k: v for k, v in value.items() if v is not None and k not in VOLATILE}
            flat = ', '.join(f'{k} {plain_value(v)}' for k, v in known.items() if not isinstance(v, dict))
            if flat:
                yield prefix + key, flat
            for k, v in known.items():
                if isinstance(v, dict) and leaves(v):
                    yield f'{prefix}{key}.{k}', leaves(v)
        elif not isinstance(value, list):
            yield prefix + key, plain_value(value)
        elif value:
            yield prefix + key, ', '.join(leaves(v) if isinstance(v, dict) else plain_value(v) for v in value)


def fact_table(head: list[str], rows: Iterable[tuple[str, str]], is_page: bool) -> Iterator[str]:
    return table_lines(Grid(head, [False, False], [list(row) for row in rows]), is_page)


def conditions(run: Run, is_page: bool) -> Iterator[str]:
    """Experiment and run in numbers. Of the host after the run only what differs."""
    settings = dict(run.settings())
    if run.threshold_source():
        settings['threshold'] = f'{settings.get("threshold")} ({run.threshold_source()})'
    of = run.facts
    known = [(name, plain_value(of[key]) if of.get(key) not in (None, False) else '?') for name, key in
             (('command', 'command'), ('thinprobe', 'version'), ('started', 'started'), ('ended', 'ended'))]
    yield from fact_table(['setting', 'value'], [*known, *facts(settings)], is_page)
    before = list(facts(of.get('host')))
    protocols = facts(of['protocol'], 'protocol: ') if of.get('protocol') else facts(of.get('protocols'))
    yield from fact_table(['what', 'value'], [
        *protocols, *facts(of.get('chain'), 'probe: '), *facts(of.get('calibration'), 'calibration: '),
        *facts(of.get('lab'), 'lab: '), *((f'host: {name}', value) for name, value in before),
        *((f'after: {name}', value) for name, value in facts(of.get('facts_after')) if (name, value) not in before)], is_page)


# --- sections -----------------------------------------------------------------------------------------------------

def section_head(name: str, title: str, is_page: bool) -> list[str]:
    return [f'<h2 id="{name}">{title}</h2>' if is_page else f'## {title}', '']


def open_section(name: str, title: str, lines: Sequence[str], is_page: bool) -> list[Section]:
    return [Section(name, title, [*section_head(name, title, is_page), *lines])] if lines else []


def folded_section(name: str, title: str, lines: Sequence[str]) -> list[Section]:
    return ([Section(name, title, [f'<details id="{name}"><summary>{title}</summary>', '', *lines, '</details>', ''])]
            if lines else [])


def figure_lines(part: Part, run: Run, texts: Texts) -> list[str]:
    """(A kept run has only some figures beside its report.md.)"""
    kept = (run.facts.get('kept') or {}).get('figures')
    there = texts.is_page or kept is None or part.name in kept
    link = f' <a href="figures/{part.name}.svg">SVG</a>' if texts.is_page else ''
    return [f'![{part.title}](figures/{part.name}.svg)' if there else
            f'*{part.title}*: `thinprobe report` draws figures/{part.name}.svg.', '', part.text + link, '']


def titled_figure(part: Part, run: Run, texts: Texts) -> list[str]:
    return [f'### {part.title}', '', *figure_lines(part, run, texts)]


def view_lines(view: View, grid: Grid, texts: Texts) -> list[str]:
    note = table_note(texts, view.id)
    file = [f'<p class="file"><a href="{view.table}.tsv">{view.table}.tsv</a></p>', ''] if texts.is_page else []
    return [f'### {view.title}', '', *([note, ''] if note else []), *table_lines(grid, texts.is_page), *file]


def summary_lines(run: Run, texts: Texts, tables: Sequence[list[str]], aside: Sequence[Part]) -> list[str]:
    """The first table, and on a page a figure that stands beside it."""
    if not tables:
        return []
    beside = ['<div class="beside">', '<div>', ''] if aside else []
    figures = [line for part in aside for line in ['</div>', '<div class="aside">', '', *titled_figure(part, run, texts),
                                                   '</div>', '</div>', '']]
    return ['In brackets: 95 % confidence intervals. ">" means more than that.', '', *beside, *tables[0], *figures]


def sections(run: Run, analysis: Analysis, texts: Texts) -> list[Section]:
    labels = analysis.labels(run)
    shown = list(figure_parts(texts))[1:]
    grids = [(view, page.grid(run, labels, view, True, texts.is_page)) for view in analysis.views(run) if page.is_shown(run, view)]
    tables = [view_lines(view, grid, texts) for view, grid in grids if grid.rows and len(grid.head) > 2]
    aside = shown[:1] if texts.is_page and tables else []
    figures = [line for part in shown[len(aside):] for line in titled_figure(part, run, texts)]
    method = section(texts.readme, 'How it was measured').strip()
    words = glossary_text(texts.glossary) if texts.is_page else None
    return [
        *open_section('summary', 'Summary', summary_lines(run, texts, tables, aside), texts.is_page),
        *open_section('figures', 'Figures', figures, texts.is_page),
        *folded_section('results', 'Full results', [line for table in tables[1:] for line in table]),
        *folded_section('method', 'How it was measured', [method, ''] if method else []),
        *folded_section('left-out', 'Not on this machine', [f'- {markdown(text)}' for text in notes.not_here(run)]),
        *folded_section('conditions', 'Run conditions', list(conditions(run, texts.is_page))),
        *folded_section('glossary', 'Glossary', [] if words is None else [words, '']),
    ]


def runs_table(runs: Sequence[Mapping[str, Any]], is_page: bool) -> list[str]:
    heads = ('Run', 'Host', 'Started', 'State', 'Repeats', 'Kernel', 'CPU', 'Where', 'Folder')
    values = [[r.get({'Run': 'name', 'Where': 'on'}.get(head, head.lower())) for head in heads] for r in runs]
    rows = [['' if value is None else plain_value(value) for value in row] for row in values]
    return ['## Runs', '', *table_lines(Grid(list(heads), [head == 'Repeats' for head in heads], rows), is_page)]


def verdict_line(said: Said) -> str:
    text = markdown(said.verdict)
    return re.sub('^Not usable:', '**Not usable:**', text) if text.startswith('Not usable:') else f'**{text}**'


def finding_lines(said: Said, texts: Texts) -> Iterator[str]:
    for i, finding in enumerate(said.findings, 1):
        is_linked = texts.is_page and (finding.figure or '') in texts.figures
        yield f'{i}. {markdown(finding.text)}' + (f' <a href="#figure-{finding.figure}">figure</a>' if is_linked else '')


def report_lines(run: Run, analysis: Analysis, said: Said, texts: Texts) -> list[str]:
    all_ = sections(run, analysis, texts)
    first = next(figure_parts(texts), None)
    nav = '<nav><a href="#findings">Findings</a>' + ''.join(f' <a href="#{s.id}">{s.title}</a>' for s in all_) + '</nav>'
    several = run.facts.get('runs')
    return [
        f'# {markdown(page.title(run, analysis))}', '', markdown(page.setup(run, analysis)), '',
        *([nav, ''] if texts.is_page else []), '<div class="lead">',
        f'<div class="verdict{" unusable" if notes.unusable(run) is not None else ""}">', '', f'> {verdict_line(said)}', '',
        *(line for note in said.notes for line in (f'> {markdown(note)}', '>')), '', '</div>', '<div class="first">', '',
        *(figure_lines(first, run, texts) if first else []), '</div>',
        '<div class="findings">', '', *section_head('findings', 'Findings', texts.is_page), *finding_lines(said, texts), '',
        '</div>', '</div>', '', *(runs_table(several, texts.is_page) if several is not None else []),
        *(line for s in all_ for line in s.lines),
        f'Make this report again from the samples with `thinprobe report RUN{" RUN..." if several else ""}`.']
