# SPDX-License-Identifier: GPL-3.0-or-later
"""thinprobe gallery: runs what the gallery of the papers and the page on desktops show, keeps each run, and writes both.

Data of each tree: data/gallery.tsv, the runs; data/computed.tsv, what needs no run; data/papers.tsv, what the papers say beside
columns of both; data/desktops.tsv, questions and columns that answer them; results/reference/NAME, kept runs (analysis/kept.py)."""
import os
import signal
from collections.abc import Sequence
from pathlib import Path

from analysis.command import MISSING, OK, Given, Option, Stop, Usage, parse
from analysis.foreign import need
from analysis.gallery_facts import Planned, read_facts, read_plan
from analysis.gallery_folders import Gallery, read_json
from analysis.gallery_measure import measure_all
from analysis.gallery_pages import write_pages
from analysis.run_folder import end
from analysis.text import nearest
from analysis.trees import home

SYNOPSIS = 'gallery [NAME...] [options]'
SUMMARY = '''Makes the runs for docs/gallery.md (figures of five papers) and docs/desktops.md
(today's desktops), keeps them in results/reference/NAME, and writes both pages.
NAME: only these runs, in this order (all, missing ones first).
Exit status: 0 all runs are kept, 1 the page cannot be written, 2 wrong usage,
3 some runs are not kept, 4 something is missing here, 130 interrupted.'''
OPTIONS = (
    Option('output-dir', 'text', 'keep runs in DIR/NAME, and write the pages to DIR', 'o', meta='DIR'),
    Option('quick', 'flag', 'short runs, to test that all works; needs -o DIR'),
    Option('resume', 'flag', 'continue with the runs that are not complete'),
    Option('when-quiet', 'flag', 'before each run, wait until other programs use no CPU'),
    Option('list', 'flag', 'list the runs: minutes, figures, kept or not, command'),
    Option('page', 'flag', 'only write the pages again, from the kept runs'),
)
NUMBERED = ('text', 'table', 'caption', 'figure', 'column', 'answer')  # facts with a number of ours


# --- words --------------------------------------------------------------------------------------------------------

def is_checkout() -> bool:
    return (home() / 'bin').is_dir()


def check_words(given: Given, plan: Sequence[Planned]) -> None:
    given.refuse_repeated()
    out, is_list = given['output-dir'], given['list']
    names = [run.name for run in plan]
    for name in given.operands:
        if name not in names:
            near = nearest(name, names)
            raise Usage(f'no run {name}; {f"did you mean {near}?" if near else "thinprobe gallery --list names them"}')
    if given['page'] and (given.operands or any(given[word] for word in ('list', 'resume', 'when-quiet', 'quick'))):
        raise Usage('--page takes only -o DIR')
    if is_list and (given['resume'] or given['when-quiet']):
        raise Usage('--list takes only -o DIR, --quick and names')
    if not (out or is_list) and given['quick']:
        raise Usage('--quick needs -o DIR: short runs are not kept in this tree')
    if not (out or is_list) and not is_checkout():
        raise Usage('this is an installation: name a folder with -o DIR')


def read_words(words: list[str], plan: Sequence[Planned]) -> Given:
    try:
        given = parse(words, SYNOPSIS, SUMMARY, OPTIONS)
        check_words(given, plan)
    except Usage as wrong:
        raise Usage(f'gallery: {wrong}') from None
    return given


def make_output(out: str) -> Path:
    folder = Path(os.path.abspath(out))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise Stop(f'cannot make {folder}; name another folder with -o DIR') from None
    return folder.resolve()


def documents() -> Path:
    """The folder of docs/papers.md."""
    docs = [home() / 'docs'] if is_checkout() else [home().parent / f'doc/{name}/docs' for name in ('thinprobe-doc', 'thinprobe')]
    found = next((folder for folder in docs if (folder / 'papers.md').is_file()), None)
    if not found:
        raise Stop(f'{docs[-1]}/papers.md is missing; install thinprobe-doc', MISSING)
    return found


# --- the list -----------------------------------------------------------------------------------------------------

def count_figures() -> dict[str, int]:
    """Of each run, how many figures it has numbers of."""
    facts = [*read_facts('papers'), *read_facts('desktops')]
    figures = {(fact.run, fact.paper, fact.figure) for fact in facts if fact.figure and fact.what in NUMBERED}
    runs = [run for run, _, _ in figures]
    return {run: runs.count(run) for run in runs}


def in_order(g: Gallery, figures: dict[str, int]) -> list[Planned]:
    """Those that are not kept first, and of these the ones that show most figures for their minutes."""
    def place(run: Planned) -> tuple[bool, int]:
        return read_json(g.kept(run) / 'run.json').get('command') == run.command(), -(10000 * figures.get(run.name,
                                                                                                          0) // run.minutes)

    return sorted(g.plan, key=place)


def print_list(g: Gallery, chosen: Sequence[Planned], figures: dict[str, int]) -> None:
    for run in chosen:
        given = f'{run.given} ' if run.given else ''
        print(f'  {run.name:<20} {g.minutes(run):4d} min  figures: {figures.get(run.name, 0)}  '
              f'{"kept" if g.is_kept(run) else "":<4}  {given}{run.command(g.quick)}')
    minutes = sum(map(g.minutes, chosen))
    about = f'{minutes} min' if minutes < 60 else f'{minutes // 60} h {minutes % 60} min'
    print(f'Runs: {len(chosen)}, one after the other; about {about} on this machine.', flush=True)


# --- the command --------------------------------------------------------------------------------------------------

def main(words: list[str]) -> int:
    plan = read_plan()
    given = read_words(words, plan)
    out, figures = given['output-dir'], count_figures()
    g = Gallery(plan, Path(os.path.abspath(out)) if out else None, home() / 'docs', bool(given['quick']), bool(given['when-quiet']),
                given.operands)
    chosen = [next(run for run in plan if run.name == name) for name in given.operands] or in_order(g, figures)
    if given['list']:
        print_list(g, chosen, figures)
        return OK
    need('zstd', 'zstd')
    need('gnuplot', 'gnuplot-nox')
    g = g._replace(out=make_output(out) if out else None, docs=documents())
    if given['page']:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, end)
        print('\n'.join(map(str, write_pages(g))))
        return OK
    for run in chosen:
        g.refuse_other(run)
        if not given['resume'] and g.made(run).exists():
            raise Usage(f'gallery: {g.made(run)} is there already: go on with --resume, or remove it')
    print_list(g, chosen, figures)
    return measure_all(g, chosen)
