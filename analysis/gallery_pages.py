# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the pages of the gallery from its kept runs, and leaves of each run the figures that a page shows."""
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

from analysis import gallery_desktops, gallery_papers, kept
from analysis.command import Stop
from analysis.foreign import Refused
from analysis.gallery_facts import Fact, Kept, Planned, make_table, read_facts, tsv_lines, with_least
from analysis.gallery_folders import Gallery, read_json, write_json
from analysis.gallery_rules import World
from analysis.put_file import put_file
from analysis.run import Column, read_columns, read_rows, read_text
from analysis.run_folder import words_of
from analysis.trees import home, in_trees, programs


# --- kept runs ----------------------------------------------------------------------------------------------------

def tables_named(facts: Sequence[Fact]) -> set[str]:
    """Those that facts name, and those that say what columns are."""
    others = {name for fact in facts for name in re.findall(' [a-z0-9-]+/([a-z]+)', fact.ours)}
    return {'summary', 'schema', *(fact.table for fact in facts), *others}


def read_kept(g: Gallery, run: Planned, work: Path, names: set[str]) -> Kept:
    folder, copied = g.kept(run), work / run.name
    try:
        kept.unfold(folder, copied)
    except Refused as why:
        raise Stop(f'{folder}/samples.tar.zst: {why}') from None
    texts = {file.stem: read_text(file) for file in sorted(copied.glob('*.tsv')) if file.stem in names}
    subprocess.run(['rm', '-rf', '--', copied])
    report = read_text(folder / 'report.md') if (folder / 'report.md').is_file() else ''
    found = re.search('^> (.*)$', report, re.MULTILINE)
    columns: dict[str, dict[str, Column]] = {}
    for c in read_columns(texts.get('schema', '')):
        columns.setdefault(c.table, {})[c.column] = c
    facts = read_json(folder / 'run.json')
    kept_run = Kept(
        run.name, os.path.relpath(folder, g.page().parent), facts, str(facts.get('command')),
        verdict=re.sub(r'^\*\*(.*)\*\*$', r'\1', found[1]) if found else '',
        figures=sorted(set(re.findall('figures/[a-z0-9-]*[.]svg', report))),
        tables={name: make_table(read_rows(text)) for name, text in texts.items()}, columns=columns,
        planned=facts.get('command') == run.command())
    with words_of(str(folder)):
        return with_least(kept_run)


def kept_runs(g: Gallery, work: Path, names: set[str]) -> list[Kept]:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda run: read_kept(g, run, work, names), filter(g.is_kept, g.plan)))


# --- what needs no run --------------------------------------------------------------------------------------------

def draw(g: Gallery, script: Path, words: Sequence[str], picture: str, work: Path) -> None:
    svg, to = work / 'svg', g.page().parent / picture
    try:
        subprocess.run(['gnuplot', '-c', script, work / 'rows', svg, *words], check=True)
        to.parent.mkdir(exist_ok=True)
        to.write_text(kept.slim(svg.read_text(encoding='utf-8')), encoding='utf-8')
    except (OSError, subprocess.CalledProcessError):
        raise Stop(f"cannot draw {g.page()}'s {picture}") from None


def computed(g: Gallery, work: Path) -> Iterator[Kept]:
    """What programs say that data/computed.tsv names, as the table `rows`; drawn beside the page."""
    for file in in_trees('data/computed.tsv'):
        for _, cells in tsv_lines(file):
            name, command, drawing = [*cells[:3], *[''] * (3 - len(cells))]
            if name == 'name':
                continue
            program, *options = command.split()
            done = subprocess.run([programs() / program, *options, '--tsv', '--rows', work / 'rows'],
                                  stdout=subprocess.PIPE, text=True)
            if done.returncode:
                raise Stop(f'{command} fails, which {file} names')
            picture = f'gallery/{name}.svg' if drawing else ''
            if drawing:
                script, *words = drawing.split()
                draw(g, file.parent.parent / 'plots' / script, words, picture, work)
            yield Kept(name, command=f'thinprobe {command}', picture=picture, tables={'rows': make_table(read_rows(done.stdout))})


# --- the pages ----------------------------------------------------------------------------------------------------

def write_pages(g: Gallery) -> list[Path]:
    """The pages that were written."""
    if not os.access(g.page().parent, os.W_OK):
        raise Stop(f'cannot write {g.page()}')
    facts = {'papers': read_facts('papers'), 'desktops': read_facts('desktops')}
    with tempfile.TemporaryDirectory(prefix='thinprobe-') as folder:
        programs_said = list(computed(g, Path(folder)))
        runs = kept_runs(g, Path(folder), tables_named([*facts['papers'], *facts['desktops']]))
    world, docs = World([*runs, *programs_said], not g.out), os.path.relpath(g.docs, g.page().parent)
    pages = []
    if facts['papers']:
        text = (g.docs / 'papers.md').read_text(encoding='utf-8')
        pages.append((g.page(), gallery_papers.lines(facts['papers'], g.plan, world, text, docs)))
    if facts['desktops']:
        pages.append((g.page().with_name('desktops.md'), gallery_desktops.lines(facts['desktops'], g.plan, world, docs)))
    for page, lines in pages:
        with words_of(f'{page}, of kept runs'):
            text = ''.join(f'{line}\n' for line in lines)
        put_file(str(page), text.encode(errors='replace'))
    leave_figures(g)
    return [page for page, _ in pages]


def shown_figures(run: Planned, texts: Sequence[str]) -> list[str]:
    return sorted({name for text in texts for name in re.findall(f'[("/]{re.escape(run.name)}/figures/([a-z0-9-]+)[.]svg', text)})


def leave_figures(g: Gallery) -> None:
    """Of each kept run stay the figures that a page shows; its report.md says of the others what draws them."""
    pages = [g.page(), g.page().with_name('desktops.md')] if g.out else [*home().glob('*.md'), *in_trees('docs/*.md')]
    texts = [page.read_text(encoding='utf-8') for page in pages if page.is_file()]
    for run in filter(g.is_kept, g.plan):
        folder, shown = g.kept(run), shown_figures(run, texts)
        facts = read_json(folder / 'run.json')
        if facts['kept'].get('figures') == shown:
            continue
        try:
            write_json(folder / 'run.json.new', {**facts, 'kept': {**facts['kept'], 'figures': shown}})
            os.rename(folder / 'run.json.new', folder / 'run.json')
            import_module('analysis.commands.report').report(folder, '')
            clean(folder)
            for file in (folder / 'figures').glob('*.svg'):
                if file.stem not in shown:
                    file.unlink()
        except OSError:
            raise Stop(f'cannot write to {folder}') from None


def clean(folder: Path) -> None:
    """Removes what `thinprobe report` makes of a kept run."""
    for file in [*folder.glob('*.tsv'), folder / 'findings.json', folder / 'report.html']:
        file.unlink(missing_ok=True)
