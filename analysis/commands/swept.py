# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a sweep is there, for its script:

swept DIR EXPERIMENT     reads lines "RUN/CELL.REPEAT<tab>there|missing", and makes cells.tsv of DIR, a row for each, and
index.html, the
                         same with links to the reports of the runs."""
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from urllib.parse import quote

from analysis import web
from analysis.command import OK, USAGE, Stop
from analysis.put_file import put_file
from analysis.run import read_facts

FACTS = ('on', 'from', 'seconds', 'figure')


def cell_row(folder: Path, line: str) -> list[str]:
    """id, state, and where, by which machine and in which time it was measured, with its first figure."""
    name, state = line.split('\t')
    run, _, cell = name.partition('/')
    stem, _, repeat = cell.rpartition('.')
    try:
        of = read_facts(folder / run / 'cells' / stem / repeat / 'cell.json').get('sweep') or {}
    except Stop:
        of = {}
    return [name, state, *(re.sub(r'[\t\n]', ' ', '' if of.get(fact) is None else str(of[fact])) for fact in FACTS)]


def markdown(text: str) -> str:
    return re.sub('([^A-Za-z0-9 .,:;%()-])', r'\\\1', text)


def page_lines(rows: Sequence[Sequence[str]], experiment: str) -> Iterator[str]:
    there = sum(row[1] == 'there' for row in rows)
    yield f'# Sweep of {experiment}: {there} of {len(rows)} cells are there'
    for run, group in groupby(sorted(rows, key=lambda row: row[0].split('/')[0]), lambda row: row[0].split('/')[0]):
        yield from ('', f'## [{markdown(run)}]({quote(run, safe="")}/report.html)', '',
                    '| cell | figure | hosts | measured by | s |', '|---|---|---|---|---:|')
        for name, state, where, by, seconds, figure in group:
            told = markdown(figure) if state == 'there' else '**missing**'
            yield f'| {markdown(name.partition("/")[2])} | {told} | {markdown(where)} | {markdown(by)} | {seconds} |'


def main(words: list[str]) -> int:
    if len(words) != 2:
        raise Stop('usage: swept DIR EXPERIMENT', USAGE)
    folder, experiment = Path(words[0]), words[1]
    rows = [cell_row(folder, line) for line in sys.stdin.read().splitlines()]
    table = [['id', 'state', *FACTS], *rows]
    put_file(str(folder / 'cells.tsv'), ''.join('\t'.join(row) + '\n' for row in table).encode(errors='replace'))
    html = web.html_of(''.join(f'{line}\n' for line in page_lines(rows, experiment)))
    put_file(str(folder / 'index.html'), web.page_html(f'Sweep of {experiment}', html).encode(errors='replace'))
    return OK
