# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stranger wrote is data (SECURITY.md): the borders that a run folder and an archive pass before they are read."""
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from analysis.command import MISSING, Stop
from analysis.escape import for_terminal

UNPACK_GIB, UNPACK_FILES = 2, 200000  # (the largest of the kept runs has 10 MB in 1,200 files)
HEADINGS = re.compile(rb'[A-Za-z][A-Za-z0-9_]*(\t[A-Za-z][A-Za-z0-9_]*)*\Z')
NAME = re.compile(r'[\w ._,:+%@=~/-]+\Z')
CONTROL = re.compile('[\x00-\x1f\x7f]')
TAR = ('tar', '--force-local', '--zstd')


def need(command: str, package: str) -> None:
    if not shutil.which(command):
        raise Stop(f'{command} is missing; install it with: apt-get install --no-install-recommends {package}', MISSING)


# --- a disk that is full ------------------------------------------------------------------------------------------

def is_full(folder: Path) -> bool:
    """We may write there, but there is no room for 1 MiB."""
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        return False
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(1048576))
    except OSError:
        return True
    return False


def full_disk(*folders: Path | str) -> str | None:
    """Which of them is on a full disk, and the cure."""
    full = next((folder for folder in folders if is_full(Path(folder))), None)
    return f'the disk of {full} is full; make room there' if full is not None else None


def cannot(what: str, *folders: Path | str) -> Stop:
    """What could not be written: the full disk of one of the folders may be why."""
    return Stop(full_disk(*folders, tempfile.gettempdir()) or what)


# --- run.json, and the folder of a run ----------------------------------------------------------------------------

def is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_folder_name(name: str) -> bool:
    """(Of joined runs RUN/NAME.)"""
    return bool(NAME.match(name)) and not {'', '.', '..'} & set(name.split('/'))


def cell_faults(at: str, cell: Any) -> Iterator[str]:
    if not isinstance(cell, dict):
        yield f'{at} is no object'
    elif not isinstance(cell.get('name'), str):
        yield f'{at}.name is no text'
    elif not is_folder_name(cell['name']):
        yield f'{at}.name is no name of a folder'
    elif not isinstance(cell.get('parameters'), dict):
        yield f'{at}.parameters is no object'
    else:
        yield from (f'{at}.parameters.{name} is no plain value' for name, value in cell['parameters'].items()
                    if not is_plain(value) and not isinstance(value, list))


def faults(facts: Mapping[str, Any]) -> Iterator[str]:
    for name in ('started', 'state'):
        if not isinstance(facts.get(name) or '', str):
            yield f'{name} is no text'
    settings = facts.get('settings') or {}
    if not isinstance(settings, dict):
        yield 'settings is no object'
        return
    for name in ('repeats', 'threshold_ms', 'cost_ms'):
        if not is_number(settings.get(name) or 0):
            yield f'settings.{name} is no number'
    if not isinstance(settings.get('on') or '', str):
        yield 'settings.on is no text'
    kept = facts.get('kept') or {}
    if not isinstance(kept, dict) or not all(is_number(kept.get(name) or 0) for name in ('samples_bytes', 'left_out_bytes',
                                                                                       'conditions')):
        yield 'kept has no numbers'
    elif not isinstance(kept.get('figures') or [], list):
        yield 'kept.figures is no list'
    counts = facts.get('counts') or {}
    if not isinstance(counts, dict) or not all(map(is_number, counts.values())):
        yield 'counts are no numbers'
    axes = facts.get('axes')
    if axes is None:
        axes = []
    elif not isinstance(axes, list) or not axes or not all(isinstance(axis, str) and re.fullmatch('[A-Za-z][A-Za-z0-9_]*', axis)
                                                           for axis in axes):
        yield 'axes names nothing that its cells differ in'
        return
    cells = facts.get('cells') or []
    for i, cell in enumerate(cells):
        found = next(cell_faults(f'cells[{i}]', cell), None)
        if found:
            yield found
            return
    for axis in axes:
        has = [axis in cell['parameters'] for cell in cells]
        if any(has) != all(has):
            yield f'cells[{has.index(False)}].parameters has no {axis}'


def check_facts(facts: Mapping[str, Any]) -> str | None:
    """What is wrong with the structure of run.json; None: nothing."""
    return next(faults(facts), None)


def entries(folder: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """All that is in a folder, with its path from there. Logs of the engine, also those of both runs of a comparison, are not
    read."""
    left = ['']
    while left:
        at = left.pop()
        with os.scandir(folder / at) as found:
            for entry in found:
                path = f'{at}{entry.name}'
                if entry.is_dir(follow_symlinks=False):
                    if path in ('log', 'a/log', 'b/log'):
                        continue
                    left.append(f'{path}/')
                yield path, entry


def check_entry(path: str, entry: os.DirEntry[str]) -> str | None:
    is_folder = entry.is_dir(follow_symlinks=False)
    if not is_folder and not entry.is_file(follow_symlinks=False):
        return f'{path} is no file or folder'
    if CONTROL.search(entry.name):
        return 'a name in it has a control character'
    if is_folder and '/cells/' not in f'/{path}' and path.endswith(('.tsv', '.json', '.md', '.html', '.svg')):
        return f'{path} is a folder'
    return None


def check_folder(folder: Path) -> str | None:
    """What in it is no file or folder (a link would be read and written through), is called what is two lines of a list of files,
    is a folder in the place of a file (which would be put into it), or is a table with headings that are no names; None:
    nothing."""
    try:
        wrong = next((why for path, entry in entries(folder) if (why := check_entry(path, entry))), None)
        for file in [] if wrong else sorted(folder.glob('*.tsv')):
            with open(file, 'rb') as table:
                head = table.readline(65536).rstrip(b'\n')
            if head and not HEADINGS.match(head):
                wrong = f'{file.name} has no headings'
                break
    except OSError as e:
        wrong = f'{e.filename}: {e.strerror}'
    return for_terminal(wrong) if wrong else None


# --- archives -----------------------------------------------------------------------------------------------------

class Refused(Exception):
    """An archive that is not unpacked: its text says why."""


def listed(archive: Path) -> list[str]:
    """The names in a .tar.zst, which holds nothing but files and folders, and not too much."""
    damaged = Refused('is damaged or cut short, or no .tar.zst; copy it again')
    size, names = 0, 0
    with subprocess.Popen([*TAR, '--numeric-owner', '-tvf', archive], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env={**os.environ, 'LC_ALL': 'C'}) as process:
        assert process.stdout
        try:
            for line in process.stdout:
                if line[:1] not in (b'-', b'd'):
                    raise Refused('it holds something other than files and folders')
                size, names = size + int(line.split()[2]), names + 1
                if size > UNPACK_GIB * 2 ** 30 or names > UNPACK_FILES:
                    raise Refused(f'it has over {UNPACK_GIB} GiB or {UNPACK_FILES} files; if you trust it, unpack it with tar')
        except (ValueError, IndexError):
            raise damaged from None
        finally:
            process.stdout.close()
    if process.returncode:
        raise damaged
    text = subprocess.run([*TAR, '-tf', archive], capture_output=True, env={**os.environ, 'LC_ALL': 'C'}).stdout
    return os.fsdecode(text).splitlines()


def top_folder(names: list[str], is_run: bool) -> str:
    """The folder that all lies in, of an archive that writes nowhere else."""
    first = names[0].split('/')[0] if names else ''
    wrong = any(name.startswith('/') or '..' in name.split('/') for name in names)
    if is_run:
        wrong = wrong or bool(re.match(r'$|[-.]|.*(\\|##)', first)) or any(name.split('/')[0] != first for name in names)
        wrong = wrong or f'{first}/run.json' not in names
    if not names or wrong:
        raise Refused('no bundle of a run')
    return first


def extract(archive: Path, folder: Path) -> None:
    """Without owners and modes; no file is replaced."""
    done = subprocess.run([*TAR, '-kxf', archive, '-C', folder, '--no-same-owner', '--no-same-permissions'], capture_output=True)
    if done.returncode:
        raise Refused(full_disk(folder) or f'cannot be unpacked into {folder}')
    for path, entry in entries(folder):
        if not entry.is_file(follow_symlinks=False) and not entry.is_dir(follow_symlinks=False):
            raise Refused(f'{path} is no file or folder')
        mode = os.umask(0)
        os.umask(mode)
        os.chmod(entry.path, (0o777 if entry.is_dir() else 0o666) & ~mode)


def unpack(archive: Path, folder: Path) -> None:
    """The files of a .tar.zst into a folder, in which none is replaced; all of it is as plain as that of a run. Raises Refused."""
    top_folder(listed(archive), False)
    folder.mkdir(parents=True, exist_ok=True)
    extract(archive, folder)
    wrong = check_folder(folder)
    if wrong:
        raise Refused(wrong)


def unpack_run(archive: Path, folder: Path) -> Path:
    """The run of a bundle into a folder, where it must not be yet: its own folder. Raises Refused."""
    name = top_folder(listed(archive), True)
    to = folder / name
    if os.path.lexists(to):
        raise Refused(f'{to} is there already; choose another folder with -o')
    try:
        folder.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix='.unpack.', dir=folder))
    except OSError:
        raise Refused(full_disk(folder) or f'cannot be unpacked into {folder}') from None
    try:
        extract(archive, new)
        os.rename(new / name, to)
    finally:
        with suppress(OSError):
            shutil.rmtree(new)
    return to
