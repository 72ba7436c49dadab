# SPDX-License-Identifier: GPL-3.0-or-later
"""thinprobe report: summary, figures, findings.json, report.md and report.html of a run, or of several in one figure each.

Each step reads files and leaves files. What is one experiment's own stands in experiments/STEM: analysis.py (columns, findings,
figures) and README.md, which may link sections that several share (../families/NAME.md)."""
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from analysis import draw, join, kept, page, plot, sections, web
from analysis.command import USAGE, Given, Option, Stop, Usage, parse
from analysis.escape import for_terminal, for_terminal_json
from analysis.foreign import Refused, cannot, full_disk, need, unpack_run
from analysis.previous import with_previous
from analysis.run import Run, load, read_facts
from analysis.run_folder import facts_of, refuse_faults, words_of, work_folder
from analysis.terminal import json_text
from analysis.text import folded
from analysis.trees import analysis_of, experiment_folder, home, in_trees, programs

SYNOPSIS = ('report RUN... [-o DIR] [--label NAME,NAME...] [--fail-if CONDITIONS] [--table | --verdict | --findings | --json | '
            '--record]')
SUMMARY = '''Makes tables, figures, findings.json, report.md and report.html of a run again,
from its samples, or of a bundle. Several runs of one experiment (of other
machines, or other days) share each figure, a curve for each.'''
OPTIONS = (
    Option('output-dir', 'file', 'folder for tables and report of several runs (beside the first run), or for an unpacked bundle '
           '(beside the file)',
           'o', meta='DIR'),
    Option('label', 'text', 'names for several runs, in their order (their hosts, or days)', meta='NAME,NAME...'),
    Option('fail-if', 'text', 'exit status 5 if one holds or may hold, such as p95>150ms,late>1%; 3 if a condition has no such '
           'figure',
           meta='CONDITIONS'),
    Option('table', 'flag', 'only print the table that a run prints at its end'),
    Option('verdict', 'flag', 'only print the verdict and the notes below it'),
    Option('findings', 'flag', 'only print verdict, findings and notes'),
    Option('json', 'flag', 'only print what findings.json has'),
    Option('record', 'flag', 'only print what a calibration keeps, as JSON'),
    Option('begun', 'flag', ''),  # what is known before the first cell
    Option('cell', 'flag', ''),  # the first figures of a run of one cell
    Option('end', 'flag', ''),  # all of it, at the end of a run: prints table and verdict
)
PARTS = ('begun', 'table', 'verdict', 'findings', 'json', 'record', 'cell', 'end')


# --- a run that is asked for --------------------------------------------------------------------------------------

def checked(folder: Path) -> dict[str, Any]:
    """run.json of a run that can be reported."""
    file, facts = folder / 'run.json', facts_of(folder)
    stem = facts.get('experiment')
    if not experiment_folder(stem):
        raise Stop(f'{file}: unknown experiment {stem if stem and isinstance(stem, str) else "(no name)"}; see thinprobe list')
    if not isinstance(facts.get('cells'), list):
        raise Stop(f'{file}: an older version made this run; only its own report.html can be read')
    refuse_faults(folder, facts)
    return facts


def needs_tables(folder: Path) -> bool:
    """A run whose samples were deleted keeps its tables."""
    has_tables = (folder / 'summary.tsv').is_file() and (folder / 'schema.tsv').is_file()
    return not has_tables or any(file.name != 'cell.json' and file.is_file() for file in (folder / 'cells').glob('**/*'))


def document(folder: Path, name: str) -> Run:
    """The run's files; figures below what the experiment can resolve are known as such."""
    stem = read_facts(folder / 'run.json')['experiment']
    try:
        run = with_previous(load(folder, home() / 'data', stem, list(in_trees('data/marks.tsv'))))
    except (ValueError, TypeError, IndexError):
        raise Stop(f'{name}: cannot read its tables (*.tsv)') from None
    with words_of(name):
        resolved: Run = getattr(analysis_of(stem), 'resolve', lambda run: run)(run)
    return resolved


# --- parts that are only printed ----------------------------------------------------------------------------------

def terminal_lines(lines: Sequence[str]) -> str:
    return ''.join(f'{for_terminal(line)}\n' for line in lines)


def verdict_text(said: page.Said) -> str:
    return terminal_lines([line for text in (said.verdict, *said.notes) for line in folded(page.bare(text))])


def part_text(part: str, run: Run, analysis: Any) -> str:
    if part == 'table':
        return terminal_lines(page.terminal_view(run, analysis))
    if part == 'cell':
        return terminal_lines([page.terminal_cell(run, analysis)])
    if part == 'record':
        return json_text(analysis.record(run))
    said = page.say(run, analysis)
    if part == 'verdict':
        return verdict_text(said)
    return for_terminal_json(json_text(said.as_json())) if part == 'json' else terminal_lines(page.terminal_words(said))


# --- the report ---------------------------------------------------------------------------------------------------

def readme(experiment: Path) -> str:
    """What the experiment's README links of ../families, without what stands before its sections, and the README without these
    links."""
    lines = (experiment / 'README.md').read_text(encoding='utf-8').split('\n')
    shared = sorted({found[1] for line in lines if (found := re.search(r'\]\(\.\./(families/[a-z]+\.md)\)', line))})
    texts = [(experiment.parent / name).read_text(encoding='utf-8') for name in shared]
    own = '\n'.join(line for line in lines if '](../families/' not in line)
    return ''.join(text[('\n' + text).index('\n## '):] if '\n## ' in '\n' + text else '' for text in texts) + '\n## README\n' + own


def place(folder: Path, work: Path, name: str, text: str) -> None:
    """The text becomes this file, whole."""
    try:
        with open(work / name, 'w', encoding='utf-8', errors='replace') as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.rename(work / name, folder / name)
    except OSError:
        raise cannot(f'cannot write {folder}/{name}', folder) from None


def forget_killed(folder: Path) -> None:
    """Folders of reports that were killed an hour ago."""
    for old in folder.glob('.report.*'):
        if old.is_dir() and not old.is_symlink() and old.stat().st_mtime < time.time() - 3600:
            subprocess.run(['rm', '-rf', '--', old], stderr=subprocess.DEVNULL)


def write_report(folder: Path, name: str, is_kept: bool) -> tuple[Run, Any, page.Said]:
    """Figures, findings.json, report.md and report.html from the tables."""
    if not is_kept and needs_tables(folder):
        kept.summarize(folder)
    need('gnuplot', 'gnuplot-nox')  # (of a run without a page the tables are of use)
    need('cmark-gfm', 'cmark-gfm')
    run = document(folder, name)
    if is_kept:
        run = replace(run, cells=())  # (its page has no samples beside it)
    stem = run.facts['experiment']
    analysis, experiment = analysis_of(stem), experiment_folder(stem)
    assert experiment
    with words_of(name):
        said = page.say(run, analysis)
        rows = list(draw.drawn(analysis.drawings(run), run.papers))
    with work_folder(folder) as work:
        own = experiment / 'figures.gp'
        plot.draw(folder, work, rows, own if own.is_file() else None, experiment.parent / 'families')
        place(folder, work, 'findings.json', json_text(said.as_json()))
        figures = [file.stem for file in (folder / 'figures').glob('*.svg') if re.fullmatch('[A-Za-z0-9_-]+', file.stem)]
        glossary = home() / 'GLOSSARY.md'
        texts = [sections.Texts(readme(experiment), glossary.read_text(encoding='utf-8') if glossary.is_file() else '',
                                figures, is_page)
                 for is_page in (False, True)]
        with words_of(name):
            markdown, page_markdown = (''.join(f'{line}\n' for line in sections.report_lines(run, analysis, said, text))
                                       for text in texts)
        place(folder, work, 'report.md', markdown)
        title = markdown.partition('\n')[0].removeprefix('# ')
        place(folder, work, 'report.html', web.run_page(folder, page_markdown, title))
    return run, analysis, said


def report_of(folder: Path, part: str, is_kept: bool, name: str) -> str:
    """What is printed of a run in a folder of its own, called so."""
    if part == 'begun':
        facts = read_facts(folder / 'run.json')
        with words_of(name):
            return terminal_lines(analysis_of(facts['experiment']).begun(Run(facts, [], {})))
    if part not in ('', 'end'):
        run = document(folder, name)
        with words_of(name):
            return part_text(part, run, analysis_of(run.facts['experiment']))
    where = Path(name)
    if not os.access(where, os.W_OK):
        raise Stop(f'cannot write to {where}; copy it to a folder that you own')
    forget_killed(folder)
    run, analysis, said = write_report(folder, name, is_kept)
    if is_kept:
        kept.put_back(folder, where)
    if not part:
        return re.sub('[\x00-\x1f\x7f]', '?', f'{where}/report.html') + '\n'
    with words_of(name):
        return terminal_lines([*page.terminal_view(run, analysis), '']) + verdict_text(said)


def report(folder: Path, part: str) -> str:
    facts = checked(folder)
    if part == 'record' and not hasattr(analysis_of(facts['experiment']), 'record'):
        raise Stop(f'--record: {folder} is a run of {facts["experiment"]}, and only a calibration is kept (thinprobe calibrate)',
                   USAGE)
    folder = folder.resolve()
    if not facts.get('kept'):
        return report_of(folder, part, False, str(folder))
    with work_folder() as work:
        copied = work / folder.name  # the tables name the folder
        try:
            kept.unfold(folder, copied)
        except Refused as e:
            raise Stop(full_disk(work.parent) or f'{folder}/samples.tar.zst: {e}') from None
        return report_of(copied, part, True, str(folder))


# --- the command --------------------------------------------------------------------------------------------------

def check_words(given: Given) -> str:
    """The part that is asked for."""
    names = [option.name for option in given.options]
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice:
        raise Usage(f'--{twice} is given twice')
    parts = [part for part in PARTS if given[part]]
    if len(parts) > 1:
        raise Usage(f'--{parts[0]} and --{parts[1]}: one of them')
    if not given.operands or not given.operands[0]:
        raise Usage('needs a run folder')
    if parts and given['fail-if']:
        raise Usage(f'--{parts[0]} and --fail-if: one of them')
    n, label = len(given.operands), given['label']
    labels = label.split(',') if label else []
    if label and (n < 2 or len(set(labels)) != n or len(labels) != n
                  or not all(re.fullmatch('[A-Za-z0-9:_-]+', one) for one in labels)):
        raise Stop(f'--label {label}: want {n} different names of letters, digits, : _ and -, one for each of several runs', USAGE)
    if n == 1 and given['output-dir'] and not Path(given.operands[0]).is_file():
        raise Stop('-o works only with several runs; the report of one goes into its folder', USAGE)
    return parts[0] if parts else ''


def the_run(given: Given, part: str, work: Path) -> Path:
    """The folder of the run that is to be reported: it is given, or is in a bundle, or becomes that of several."""
    words = [Path(word) for word in given.operands]
    to = Path(given['output-dir']) if given['output-dir'] else None
    if len(words) > 1:
        # a part is only printed: the report of these runs stays
        if part not in ('', 'end') and not to:
            to = work / 'joined'
        with words_of(' '.join(given.operands)):
            return join.join(words, to, given['label'], checked, needs_tables)
    if not words[0].is_file():
        return words[0]
    need('zstd', 'zstd')
    try:
        return unpack_run(words[0], to or words[0].parent)
    except Refused as e:
        raise Stop(f'{words[0]}: {e}') from None


def fail_if(*words: str | Path) -> int:
    return subprocess.run([programs() / 'fail', *words]).returncode


def main(words: list[str]) -> int:
    given = parse(words, SYNOPSIS, SUMMARY, OPTIONS)
    part = check_words(given)
    # (of one run it is not used, and one that is killed would leave it)
    with work_folder() if len(given.operands) > 1 else nullcontext(Path()) as work:
        folder = the_run(given, part, work)
        if given['fail-if'] and (status := fail_if('check', checked(folder)['experiment'], given['fail-if'])):
            return status
        text = report(folder, part)
    sys.stdout.write(text)
    sys.stdout.flush()
    return fail_if('judge', folder, given['fail-if']) if given['fail-if'] else 0
