# SPDX-License-Identifier: GPL-3.0-or-later
"""What ab decides and says, for scripts; DIR is the folder of a comparison:

ab metrics STEM NAMES  whether runs of an experiment have these metrics; 1: one is none, and those that there are
ab variants DIR        the two variants in words
ab decide DIR          makes verdict.json of blocks.tsv, as judge does, with its exit status; prints which metrics are not measured
ab so-far DIR          the verdict in a line
ab noise DIR           what --noise would have to be for a provisional verdict, in percent; nothing where it would not help
ab page DIR            makes report.html, report.md, junit.xml and the figure; prints the verdict, and where the page is
ab failed STEM WHY     junit.xml of a comparison that failed"""
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from typing import Any

from analysis import ab_words, repeats
from analysis.ab_words import Compared, Disturbed
from analysis.command import OK, RUN, USAGE, Stop
from analysis.decided import number_text, variant
from analysis.foreign import cannot, is_number
from analysis.junit import junit
from analysis.put_file import put_file
from analysis.run import distinct, read_facts, read_text
from analysis.terminal import show_folded, show_lines

Blocks = list[list[str]]  # rows of blocks.tsv, without their ends; the first: the names of columns
PAIR, VARIANT, METRIC, DISTURBED = 2, 3, 5, 9


def read_blocks(folder: Path) -> Blocks:
    return [line.split('\t') for line in read_text(folder / 'blocks.tsv').split('\n') if line]


def put_lines(file: Path, lines: Sequence[str]) -> None:
    put_file(str(file), ''.join(f'{line}\n' for line in lines).encode(errors='replace'))


def check_metrics(stem: str, names: str) -> int:
    from analysis import conditions  # (here and below: most calls need none of the many that these import)
    columns = [c for c in conditions.columns_of(stem) if repeats.is_judged({'table': c.table, 'estimator': '', 'unit': c.unit,
                                                                            'better': c.better,
                                                                             'metric': c.column})]
    try:
        repeats.metrics([c.column for c in columns], names)
    except Stop as wrong:
        show_lines([str(wrong)])
        return RUN if columns else OK
    return OK


# --- noise --------------------------------------------------------------------------------------------------------

def taken(folder: Path, repeat: str) -> list[float] | None:
    """What others took of server's and client's CPUs, in percent, in each cell of a repeat. None: that cannot be told."""
    out = []
    for file in (*(folder / 'cells').glob(f'*/{repeat}/cell.json'), *(folder / 'cells').glob(f'*/{repeat}/*/cell.json')):
        try:
            facts = read_facts(file)
            out += [repeats.percent(facts, 'foreign_percent', 'steal_percent'),
                    repeats.percent(facts, 'client_foreign_percent', 'client_steal_percent')]
        except (Stop, TypeError):
            return None
    return out or None


def allow_noise(folder: Path, blocks: Blocks, most: float) -> Blocks:
    """Disturbed blocks of which other programs took no more are used all the same (2)."""
    def is_allowed(row: Sequence[str]) -> bool:
        shares = taken(folder / row[VARIANT], row[PAIR]) if row[VARIANT] in ('a', 'b') and row[PAIR].isdecimal() else None
        return shares is not None and max(shares) <= most

    flagged = [row for row in blocks[1:] if row[DISTURBED] not in ('', '0')]
    allowed = {(row[PAIR], row[VARIANT]) for row in flagged if not row[METRIC] and is_allowed(row)}
    for row in flagged:
        row[DISTURBED] = '2' if (row[PAIR], row[VARIANT]) in allowed else '1'
    put_lines(folder / 'blocks.tsv', ['\t'.join(row) for row in blocks])
    return blocks


def noise_needed(folder: Path) -> int:
    had = read_facts(folder / 'ab.json')['settings'].get('noise_percent') or 0
    repeats_there = distinct((v, path.parent.name) for v in 'ab' for path in (folder / v / 'cells').glob('*/*/cell.json'))
    shares = [share for v, repeat in repeats_there for share in taken(folder / v, repeat) or ()]
    most = ceil(max(shares, default=0) / 5) * 5
    show_lines([str(most)] if had < most <= 100 else [])
    return OK


# --- the verdict --------------------------------------------------------------------------------------------------

def known_metrics(blocks: Blocks, asked: str) -> tuple[list[str], list[str]]:
    """(columns, names that are none)"""
    columns = distinct(row[METRIC] for row in blocks[1:] if row[METRIC])
    found = {name: repeats.find_metric(columns, name) for name in asked.split(',') if name}
    names, absent = [one for one in found.values() if one], [name for name, one in found.items() if not one]
    if absent and not names and columns:
        raise Stop(f'--metrics {asked}: not measured with these options; give a new comparison what measures it, such as --wire, '
                   f'or other metrics: there are {", ".join(columns)}', USAGE)
    return names, absent if names else []


def decide(folder: Path) -> int:
    from analysis import judge
    settings = read_facts(folder / 'ab.json')['settings']
    blocks = read_blocks(folder)
    if any(len(row) <= DISTURBED for row in blocks):
        raise Stop(f'{folder}/blocks.tsv: a row is too short')
    names, absent = known_metrics(blocks, settings.get('metrics') or '')
    show_lines([', '.join(absent)] if absent else [])
    if settings.get('noise_percent'):
        allow_noise(folder, blocks, settings['noise_percent'])
    more = ['--metrics', ','.join(names)] if names else []
    try:
        return judge.main([str(folder / 'blocks.tsv'), '--effect', settings['effect'], '--alpha', str(settings['alpha_percent']),
                           *more, '--json', '-o', str(folder / 'verdict.json')])
    except Stop as stop:
        raise Stop(str(stop), stop.status, 'judge') from None


# --- the page -----------------------------------------------------------------------------------------------------

def disturbed(folder: Path, verdict: dict[str, Any], most: float) -> Iterator[Disturbed]:
    for one in verdict.get('disturbed') or []:
        pair, v = str(one['pair']), one['variant']
        if v in ('a', 'b') and pair.isdecimal():  # (they become the path of a file)
            why, used = repeats.why_disturbed(folder / v, pair), one.get('used') is True
            if most >= 10 and not used and why.endswith(': over 3 %'):
                why = f'{why.removesuffix("3 %")}{number_text(most)} %'
            yield Disturbed(one['start'], f'{pair}{v.upper()}', why, used)


def read_compared(folder: Path) -> Compared:
    ab, verdict = read_facts(folder / 'ab.json'), read_facts(folder / 'verdict.json')['result']
    settings = ab['settings']
    if not all(map(is_number, (ab['starts'], ab['measured_s'], settings['pairs'], settings['alpha_percent'],
                               settings.get('noise_percent') or 0))):
        raise TypeError
    if len({row['cell'] for row in verdict['metrics_decided']}) == 1:  # a single condition is not named with each metric
        for row in (*verdict['metrics_decided'], *verdict['plan']):
            row['cell'] = ''
    failed = [row[VARIANT] for row in read_blocks(folder)[1:] if row[1] == '0']
    return Compared(ab, verdict, read_facts(folder / 'a/run.json'), read_facts(folder / 'b/run.json'),
                    {v: failed.count(v) for v in sorted(set(failed))},
                    list(disturbed(folder, verdict, settings.get('noise_percent') or 0)))


@contextmanager
def page_folder(folder: Path) -> Iterator[Path]:
    """A folder for temporary files, on the disk of the page."""
    try:
        work = Path(tempfile.mkdtemp(prefix='.page.', dir=folder))
    except OSError:
        raise cannot(f'cannot write to {folder}', folder) from None
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def make_page(folder: Path) -> int:
    from analysis import draw, plot, web
    try:
        of = read_compared(folder)
        answer, cases, rows = ab_words.answer(of), ab_words.test_cases(of), list(draw.drawn(ab_words.drawings(of)))
        pages = [f'{v}/report.html' for v in 'ab' if (folder / v / 'report.html').exists()]
        list(ab_words.page(of, [], pages))
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError, ZeroDivisionError):
        raise Stop(f'{folder}: its files cannot be read') from None
    with page_folder(folder) as work:
        plot.draw(folder, work, rows)
    figures = ['figures/differences.svg'] if (folder / 'figures/differences.svg').is_file() else []
    lines = list(ab_words.page(of, figures, pages))
    put_lines(folder / 'report.md', lines)
    html = web.page_html(lines[0].removeprefix('# '), web.dressed(web.html_of('\n'.join(lines) + '\n'), folder), 'verdict')
    put_file(str(folder / 'report.html'), html.encode(errors='replace'))
    put_lines(folder / 'junit.xml', list(junit(str(of.ab['experiment']), cases)))
    show_folded([answer])
    show_lines([f'Report: {folder}/report.html'])
    return OK


def variants(folder: Path) -> int:
    ab = read_facts(folder / 'ab.json')
    show_lines(f'{v.upper()}: {variant(ab.get(v) or {})}' for v in 'ab')
    return OK


def so_far(folder: Path) -> int:
    show_lines([ab_words.so_far(read_facts(folder / 'verdict.json')['result'])])
    return OK


def main(words: list[str]) -> int:
    match words:
        case ['metrics', stem, names]:
            return check_metrics(stem, names)
        case ['failed', stem, why]:
            show_lines(junit(stem, [{'name': 'all', 'verdict': 'error', 'why': why}]))
            return OK
        case [('variants' | 'decide' | 'so-far' | 'noise' | 'page') as word, name]:
            folder = Path(os.path.abspath(name))
            return ({'variants': variants, 'decide': decide, 'so-far': so_far, 'noise': noise_needed,
                     'page': make_page}[word](folder))
    raise Stop(f'usage: {__doc__.partition(chr(10))[2].strip()}' if __doc__ else 'usage', USAGE)
