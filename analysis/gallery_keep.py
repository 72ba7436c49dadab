# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps a run of the gallery: what cannot be made again, and its report."""
import filecmp
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from analysis import table_file
from analysis.command import Stop
from analysis.gallery_folders import Gallery, plain_command, read_json, write_json
from analysis.gallery_facts import Planned
from analysis.gallery_pages import clean
from analysis.run import read_rows, read_text
from analysis.text import complain
from analysis.trees import in_trees

SAMPLES_MOST = REST_MOST = 300 << 10  # bytes of a kept run
MADE_AGAIN = {'cells', 'figures', 'log', 'run.json', 'summary.json', 'findings.json', 'report.md', 'report.html'}


def pack(run: Path, new: Path, names: Sequence[str]) -> int:
    """samples.tar.zst of these files, without tries that do not count (REPEAT~) and pictures of screens, of which cell.json says
    how they differ; its bytes. (From a file: zstd knows its size. For a pipe it allocates more memory than a 32-bit process
    has.)"""
    if not names:
        return 0
    tar = new / 'samples.tar'
    subprocess.run(['tar', '-cf', tar, '--exclude=*~', '--exclude=picture.png', '--sort=name', '--mtime=@0',
                    '--owner=0', '--group=0', '--numeric-owner', '-C', run, '--', *names], check=True)
    subprocess.run(['zstd', '-qf', '--rm', '--ultra', '-22', '--long=27', tar], check=True)
    return (new / 'samples.tar.zst').stat().st_size


def tables_made(run: Path, experiment: str) -> set[str]:
    """Those that are made of samples, and not given by the experiment."""
    file = next(in_trees(f'experiments/{experiment}/analysis.py'), None)
    given = {t.name for t in table_file.read_tables(str(file)).tables if t.given} if file else set()
    return {row[1] for row in read_rows(read_text(run / 'schema.tsv')) if len(row) > 1} - given | {'schema', 'long'}


def pack_samples(run: Path, new: Path, facts: dict[str, Any], tables: Sequence[str], parts: Sequence[str]) -> dict[str, Any]:
    """Packed are the samples, and what no program makes of them; where that is larger than SAMPLES_MOST, all tables and the samples
    of as many of the first conditions as fit. Returns how much that is."""
    cells = [f'cells/{cell["name"]}' for cell in facts['cells'] if (run / 'cells' / cell['name']).is_dir()]
    every = packed = pack(run, new, ['cells', *parts])
    low, high = 0, len(cells)
    if every > SAMPLES_MOST:
        parts = [*parts, *tables]
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if pack(run, new, [*parts, *cells[:middle]]) <= SAMPLES_MOST else (low, middle)
        high, packed = low, pack(run, new, [*parts, *cells[:low]])
    left = 0 if every <= SAMPLES_MOST else max(every - packed, 1)
    return {'samples_bytes': packed, 'left_out_bytes': left, 'conditions': high}


def make(run: Path, new: Path) -> bool:
    """`new` becomes the kept run. False: it cannot be reported, as a line has said."""
    new.mkdir(parents=True, exist_ok=True)
    facts = read_json(run / 'run.json')
    made, names = tables_made(run, facts['experiment']), sorted(file.name for file in run.iterdir()
                                                                if not file.name.startswith('.'))
    tables = [name for name in names if name.endswith('.tsv') and name[:-4] in made]
    packed = pack_samples(run, new, facts, tables, [name for name in names if name not in MADE_AGAIN and name not in tables])
    facts['command'] = plain_command(facts)
    if (facts.get('lab') or {}).get('server_root') is not None:
        facts['lab'] = {**facts['lab'], 'server_root': re.sub('.*/', '', facts['lab']['server_root'])}
    write_json(new / 'run.json', {**facts, 'kept': packed})
    try:
        import_module('analysis.commands.report').report(new, '')
    except Stop as why:
        complain('thinprobe', str(why))
        return False
    for name in tables:
        # (long.tsv names the folder)
        if name != 'long.tsv' and not ((new / name).is_file() and filecmp.cmp(run / name, new / name, shallow=False)):
            raise Stop(f'{run}: {name} differs when it is made from the packed samples; nothing is kept')
    clean(new)
    return True


def forget_killed(folder: Path) -> None:
    """What galleries that were killed an hour ago were packing."""
    for old in folder.glob('.new.*'):
        if old.is_dir() and not old.is_symlink() and old.stat().st_mtime < time.time() - 3600:
            shutil.rmtree(old, ignore_errors=True)


def warn_of_size(g: Gallery, run: Planned, new: Path) -> None:
    rest = sum(file.stat().st_size for file in new.rglob('*') if file.is_file() and file.name != 'samples.tar.zst')
    if rest > REST_MOST:
        complain('thinprobe', f'{g.kept(run)} has {rest >> 10} KiB beside its samples, more than {REST_MOST >> 10}')
    left = read_json(new / 'run.json')['kept']['left_out_bytes']
    if left:
        complain('thinprobe', f'{run.name}: samples of {left >> 10} KiB are left out; they are in {g.made(run)}')


def keep(g: Gallery, run: Planned) -> None:
    """Keeps the run that was made, if it is another than the kept one."""
    made, kept = g.made(run), g.kept(run)
    if read_json(kept / 'run.json').get('started', '') == read_json(made / 'run.json').get('started'):
        return
    forget_killed(kept.parent)
    room = f'make room, then: {g.go_on()}'
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix='.new.', dir=kept.parent))
    except OSError:
        raise Stop(f'cannot write to {kept.parent}; {room}') from None
    try:
        new = work / run.name
        try:
            is_made = make(made, new)
        except (OSError, subprocess.CalledProcessError):
            is_made = False
        if not is_made:
            raise Stop(f'cannot keep {run.name} in {kept}; {room}')
        warn_of_size(g, run, new)
        g.refuse_other(run)
        try:
            if kept.exists():
                shutil.rmtree(kept)
            os.rename(new, kept)
        except OSError:
            raise Stop(f'cannot write to {kept}; {room}') from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f'kept: {kept}', flush=True)
