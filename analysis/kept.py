# SPDX-License-Identifier: GPL-3.0-or-later
"""Kept runs (thinprobe gallery): run.json, report.md, some figures, and samples.tar.zst with what cannot be made again. All else is
made of that, in a copy where the samples are unpacked; figures of a kept run are small, and its page links to them."""
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from analysis import run
from analysis.command import Stop
from analysis.foreign import Refused, cannot, need, unpack
from analysis.trees import programs


def summarize(folder: Path) -> None:
    """Makes the tables of a run from its samples. Some repeats may have failed: the page says so."""
    program = programs() / 'summarize'
    if not program.is_file():
        raise Stop(f'{program} is missing; build it with: make')
    done = subprocess.run([program, '--format', 'json', '-o', folder / 'summary.json', folder], stderr=subprocess.PIPE, text=True,
                          errors='replace')
    if done.returncode not in (0, 3):
        raise Stop(done.stderr.partition('\n')[0].removeprefix('summarize: '))


def copy(kept: Path, folder: Path) -> None:
    """The folder becomes the run with its samples, and tables that lie beside them. Raises Refused."""
    archive = kept / 'samples.tar.zst'
    if archive.is_file():
        need('zstd', 'zstd')
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(kept / 'run.json', folder / 'run.json')
        if archive.is_file():
            unpack(archive, folder)
        for file in kept.glob('*.tsv'):
            if not (folder / file.name).exists():
                shutil.copyfile(file, folder / file.name)
    except OSError:
        raise Refused('a copy of the run cannot be made; is the disk full?') from None


def unfold(kept: Path, folder: Path) -> None:
    """The same, with all tables: where samples were left out they are packed, else they are made. Raises Refused."""
    copy(kept, folder)
    facts = run.read_facts(folder / 'run.json').get('kept')
    left_out = facts.get('left_out_bytes') if isinstance(facts, dict) else None
    if left_out or not (folder / 'cells').is_dir():
        return
    try:
        summarize(folder)
    except Stop as e:
        raise Refused(f'no tables can be made of it: {e}') from None


# --- small figures ------------------------------------------------------------------------------------------------

POINT = re.compile('''(?:^|(?<= ))id=.(gp[A-Za-z0-9]+)''')
STEP = re.compile(r'([ML])(-?[0-9.]+),(-?[0-9.]+) *')
SPARE = re.compile(r''' stroke-linecap="butt"| stroke-linejoin="miter"| onmouse[a-z]*="[^"]*"|<title>[^<]*</title>''')


def spot(number: str) -> str:
    return f'{float(f"{5 * float(number):.0f}") / 5:g}'


def small_path(line: str, at: list[str]) -> str:
    """at: the place where the line before ended, and then this one."""
    def step(found: re.Match[str]) -> str:
        kind, x, y = found[1], spot(found[2]), spot(found[3])
        old_x, old_y = at
        at[:] = x, y
        if kind == 'M':
            return f'M{x},{y}'
        if x == old_x:
            return '' if y == old_y else f'V{y}'
        return f'H{x}' if y == old_y else f'L{x},{y}'

    return STEP.sub(step, line)


def used_points(lines: list[str]) -> set[str]:
    """Those that the drawing uses, and those that these are made of."""
    made = {found[1]: line for line in lines if (found := POINT.search(line))}
    left = [line for line in lines if not POINT.search(line)]
    used: set[str] = set()
    while left:
        for name in re.findall('#(gp[A-Za-z0-9]+)', left.pop()):
            if name not in used:
                used.add(name)
                left.append(made.get(name, ''))
    return used


def slim_lines(lines: list[str]) -> Iterator[str]:
    used, is_drawn, group = used_points(lines), False, ''
    at = ['', '']
    for line in lines:
        point = POINT.search(line)
        if point and point[1] not in used:
            continue
        is_drawn = is_drawn or '</defs>' in line
        if group and line == '</g>':
            group = ''
            continue
        if group:
            yield group
            group = ''
        if is_drawn:
            line = SPARE.sub('', line).replace('<tspan font-family="sans-serif" >', '<tspan>')
        if re.match('<g fill="none"[^>]*>$', line):
            group = line
            continue
        if is_drawn and (' d=' in line and re.search(' d=.M', line) or re.match(r'\t*[ML]', line)):
            line = small_path(line, at).lstrip('\t')
        if line.strip(' \t'):
            yield line


def slim(svg: str) -> str:
    """A figure to a fifth of a pixel: with H and V for lines along the axes, without points that are not used, empty groups,
    defaults of SVG, and texts that only show where a page holds the drawing."""
    return ''.join(f'{line}\n' for line in slim_lines(svg.splitlines()))


def put_back(copied: Path, kept: Path) -> None:
    """Tables, report and small figures of the copy go beside the samples."""
    try:
        (kept / 'figures').mkdir(exist_ok=True)
        drawn = sorted((copied / 'figures').glob('*.svg'))
        for file in drawn:
            (kept / 'figures' / file.name).write_text(slim(file.read_text(encoding='utf-8', errors='surrogateescape')),
                                                      encoding='utf-8', errors='surrogateescape')
        for file in (kept / 'figures').glob('*.svg'):
            if file.name not in {one.name for one in drawn}:
                file.unlink()
        for file in [*copied.glob('*.tsv'), *(copied / name for name in ('findings.json', 'report.md', 'report.html'))]:
            shutil.copyfile(file, kept / file.name)
    except OSError:
        raise cannot(f'cannot write to {kept}', kept) from None
