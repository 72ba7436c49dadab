# SPDX-License-Identifier: GPL-3.0-or-later
"""thinprobe bundle: a run as one file, from which report makes the same figures. What is packed stands in data/bundle.tsv of each
tree."""
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from analysis import identity, kept
from analysis.command import OK, USAGE, Given, Option, Stop, Usage, parse
from analysis.escape import for_terminal
from analysis.foreign import TAR, Refused, cannot, full_disk, need
from analysis.identity import Change, Named
from analysis.put_file import put_file
from analysis.run import FILE_MOST
from analysis.run_folder import check_run, work_folder
from analysis.terminal import show_lines
from analysis.trees import in_trees

SYNOPSIS = 'bundle RUN [-o FILE] [--anonymous] [--with-typed] [--all]'
SUMMARY = '''Packs a run into one file (RUN.tar.zst), to send or to publish: run.json,
tables, samples, reports of programs. thinprobe report FILE makes the page
again, with the same figures. First shows names of people and machines, and what
is left out: captures, logs, and files that thinprobe does not know.
Exit status: 0 packed, 1 could not, 2 wrong usage, 4 zstd is missing.'''
OPTIONS = (
    Option('output', 'file', 'the file (RUN.tar.zst)', 'o', meta='FILE'),
    Option('anonymous', 'flag', 'hosts, users, addresses, folders, window titles and commands become host-1, user-1, 192.0.2.1 and '
           'so on, in all files'),
    Option('with-typed', 'flag', 'also pack recorded sessions and screens: what was typed and seen'),
    Option('all', 'flag', 'show all names of people and machines, not only eight'),
)
SHOWN, WORDS = 8, ('experiments', 'lab', 'data', 'plots', 'report', 'analysis')  # folders with thinprobe's own words


# --- the files of a run -------------------------------------------------------------------------------------------

def patterns(run: Path) -> dict[str, re.Pattern[str]]:
    """Of files: typed, in, or made (data/bundle.tsv; tables that schema.tsv names are in)."""
    files: dict[str, list[str]] = {'typed': [], 'in': [], 'made': []}
    for table in in_trees('data/bundle.tsv'):
        for line in table.read_text(encoding='utf-8').splitlines():
            kind, _, names = line.partition('\t')
            for name in names.split(' ') if kind in files else ():
                pattern = re.escape(name).replace(r'\*', '[^/]*').replace('cells/', 'cells/[^/]+/[1-9][0-9]*/([^/~]+/)?')
                files[kind].append(pattern)
    if (run / 'schema.tsv').is_file():
        with open(run / 'schema.tsv', encoding='utf-8', errors='replace') as schema:
            tables = {line.split('\t')[1].rstrip('\n') for line in schema.read(FILE_MOST).split('\n') if '\t' in line}
        files['in'] += [f'{name}[.]tsv' for name in tables if re.fullmatch('[A-Za-z0-9_-]+', name)]
    return {kind: re.compile('|'.join(names)) for kind, names in files.items()}


def classes(run: Path) -> list[tuple[str, str]]:
    """(class, file) of the run's files; `left`: nothing knows it."""
    of = patterns(run)
    found = [str(path.relative_to(run)) for path in run.rglob('*') if path.is_file() and not path.is_symlink()]
    return [(next((kind for kind, pattern in of.items() if pattern.fullmatch(file)), 'left'), file)
            for file in sorted(found, key=os.fsencode)]


def copied(run: Path, files: Sequence[str], to: Path, with_typed: bool) -> None:
    """What was typed has names in run.json and in findings."""
    for file in files:
        (to / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(run / file, to / file)
    facts = json.loads((run / 'run.json').read_bytes())
    if not with_typed and 'inputs' in facts:
        (to / 'findings.json').unlink(missing_ok=True)
        write_facts(to / 'run.json', {key: value for key, value in facts.items() if key != 'inputs'})


def write_facts(file: Path, facts: dict[str, Any]) -> None:
    file.write_text(json.dumps(facts, indent=2, ensure_ascii=False) + '\n', encoding='utf-8', errors='surrogatepass')


def unkept(run: Path, to: Path) -> Path:
    """A kept run, unpacked; with all its samples it is a run like others."""
    try:
        kept.copy(run, to)
    except Refused as e:
        raise Stop(full_disk(to.parent) or f'{run}/samples.tar.zst: {e}') from None
    facts = json.loads((to / 'run.json').read_bytes())
    of = facts.get('kept')
    if not (isinstance(of, dict) and of.get('left_out_bytes')):
        facts.pop('kept', None)
    write_facts(to / 'run.json', facts)
    return to


# --- what names people and machines -------------------------------------------------------------------------------

def read(file: Path) -> str:
    return file.read_bytes().decode(errors='surrogateescape')


def packed_files(folder: Path) -> list[str]:
    """run.json first."""
    files = sorted((str(path.relative_to(folder)) for path in folder.rglob('*') if path.is_file()), key=os.fsencode)
    return sorted(files, key=lambda file: file != 'run.json')


def names_of(folder: Path, run: Path) -> list[tuple[Named, int]]:
    of = json.dumps(str(run), ensure_ascii=False)[1:-1]
    found = [one for file in packed_files(folder) for one in identity.names_in(file, read(folder / file), of)]
    return identity.told([*found, Named('folder', of.rpartition('/')[2], 'the run')])


def own_words() -> Callable[[str, bool], bool]:
    """Whether a value may mean something else: it is a word of thinprobe, too (a host that is called run), also in any letter case;
    or it is too short."""
    texts: list[str] = []

    def is_common(value: str, any_case: bool = False) -> bool:
        if not re.search(r'[^\W\d_]', value) or len(value) < 3 or re.fullmatch('[0-9.]+e[-+]?[0-9]+', value):
            return True
        if not texts:
            text = '\n'.join(read(path) for folder in WORDS for path in in_trees(f'{folder}/**/*') if path.is_file())
            texts.extend((text, text.lower()))
        value = value.lower() if any_case else value
        return value in texts[any_case] and bool(re.search(rf'(?<!\w){re.escape(value)}(?!\w)', texts[any_case]))

    return is_common


def changes_of(told: Sequence[tuple[Named, int]], anonymous: bool) -> tuple[list[Change], list[str]]:
    """Words for what is told, in JSON and in tables; and the lines that tell it."""
    words, is_common = identity.Words({one.value for one, _ in told}, {}, {}), own_words()
    changes, lines = [], []
    for (kind, value, place), times in told:
        if kind in ('folder', 'text') and is_common(value, False):
            continue
        word = words.word(kind, value)
        is_own = anonymous and kind not in ('address', 'path') and is_common(value, True)
        where = 2 if not is_own else 0 if is_common(value, False) else 1
        said = (f' -> {word}' if anonymous else '') + (' (only as such)' if not where else '')
        more = f' and {times - 1} more' if times > 1 else ''
        lines.append(f'  {kind:<9} {value[:60]}{said}  ({place}{more})')
        raw = value.replace('\\"', '"').replace('\\\\', '\\')  # in a table
        changes += [Change(one, word, where) for one in dict.fromkeys((value, raw))]
    return changes, lines


def shown(lines: Sequence[str], everything: bool) -> Iterator[str]:
    if lines:
        yield 'Names of people or machines in this bundle; check them before you pass it on:'
    yield from lines if everything else lines[:SHOWN]
    if not everything and len(lines) > SHOWN:
        yield f'  and {len(lines) - SHOWN} more (--all)'


def rename(folder: Path, changes: Sequence[Change]) -> Path:
    """The folder with these words in all files, also in names of folders: its new name."""
    for file in packed_files(folder):
        text = identity.renamed(file, read(folder / file), changes)
        (folder / file).write_bytes(text.encode(errors='surrogateescape'))
    for cell in sorted((folder / 'cells').iterdir()):
        new = identity.renamed('', cell.name, changes)
        if new != cell.name:
            if (cell.parent / new).exists():
                raise OSError
            cell.rename(cell.parent / new)
    return folder.rename(folder.parent / identity.renamed('', folder.name, changes))


# --- the file -----------------------------------------------------------------------------------------------------

def when(text: bytes) -> Any:
    try:
        facts = json.loads(text)
        return [facts.get(key) for key in ('started', 'ended', 'experiment')]
    except (ValueError, AttributeError, RecursionError):
        return None


def is_free(file: str, folder: Path) -> bool:
    """It is not there, or a bundle of this run. (A folder may be a stranger's, with a link of that name.)"""
    if not os.path.lexists(file):
        return True
    if os.path.islink(file) or not os.path.isfile(file):
        raise Stop(f'{file} is here already, and no file; remove it, or name another with -o')
    there = subprocess.run([*TAR, '-xOf', file, '--', f'{folder.name}/run.json'], capture_output=True).stdout
    return bool(when(there) == when((folder / 'run.json').read_bytes()))


def free_name(folder: Path) -> str:
    n = 1
    while not is_free(name := f'{folder.name}{"" if n == 1 else f"-{n}"}.tar.zst', folder):
        n += 1
    return name


def pack(folder: Path, to: Path) -> bytes:
    words: list[str | Path] = ['-cf', to, '-C', folder.parent, '--sort=name', '--owner=0', '--group=0', '--numeric-owner',
                               '--', folder.name]
    if subprocess.run([*TAR, *words], stderr=subprocess.DEVNULL).returncode:
        raise cannot(f'cannot pack in {to.parent}', to.parent)
    return to.read_bytes()


def left_out(found: Sequence[tuple[str, str]], with_typed: bool) -> str:
    files = [file for kind, file in found if kind == 'left' or kind == 'typed' and not with_typed]
    named = [file for file in files if not file.startswith('log/')][:3]
    return (f'left out, files: {len(files)}' + (f': {", ".join(named)}' if named else '') + (', ...' if len(files) > len(named) > 0
                                                                                             else '') if files else '')


def check_words(given: Given) -> tuple[Path, str | None]:
    """The run, and the file that is asked for."""
    given.refuse_repeated()
    if len(given.operands) > 1:
        raise Usage(f'one run at a time; {given.operands[1]} is a second')
    if not given.operands or not given.operands[0]:
        raise Usage('needs a run folder')
    if given['anonymous'] and given['with-typed']:
        raise Usage('--anonymous with --with-typed: what was typed may name anybody; choose one')
    run, out = Path(given.operands[0]), given['output']
    check_run(run)
    if not (run / 'cells').is_dir() and not (run / 'samples.tar.zst').is_file():
        raise Stop(f'{run}: its samples are not there, so there is nothing to pack')
    need('zstd', 'zstd')
    if out and os.path.exists(out) and not os.path.isfile(out):
        raise Stop(f'-o {out}: is no file', USAGE)
    if out and os.path.islink(out):
        if not os.path.isdir(os.path.dirname(os.path.realpath(out))):
            raise Stop(f'-o {out}: is a link into a folder that is not there', USAGE)
        out = os.path.realpath(out)
    return Path(os.path.abspath(run)), out


def bundle(run: Path, out: str | None, given: Given, work: Path) -> str:
    """The name of the file."""
    name = re.sub(r'[\x00-\x1f\x7f\\]', '_', run.name).replace('##', '__')  # report takes no others
    name = f'_{name}' if name[:1] in ('.', '-') else name
    source = run if (run / 'cells').is_dir() else unkept(run, work / 'kept' / name)
    found, typed = classes(source), bool(given['with-typed'])
    folder = work / 'in' / name
    try:
        copied(source, [file for kind, file in found if kind == 'in' or typed and kind == 'typed'], folder, typed)
        changes, lines = changes_of(names_of(folder, run), bool(given['anonymous']))
    except OSError:
        raise cannot(f'cannot copy {run} to {work.parent}', work) from None
    show_lines(shown(lines, bool(given['all'])))
    if left := left_out(found, typed):
        sys.stderr.write(f'thinprobe: bundle: {for_terminal(left)}\n')
    try:
        folder = rename(folder, changes) if given['anonymous'] else folder
    except OSError:
        raise cannot(f'cannot rename in {work.parent}', work) from None
    out = out or free_name(folder)
    put_file(out, pack(folder, work / 'packed'))
    return out


def main(words: list[str]) -> int:
    given = parse(words, SYNOPSIS, SUMMARY, OPTIONS)
    run, out = check_words(given)
    with work_folder() as work:
        file = bundle(run, out, given, work)
    size = subprocess.run(['du', '-h', '--', file], capture_output=True, text=True, errors='replace').stdout.partition('\t')[0]
    show_lines([f'{file}: {size}'])
    return OK
