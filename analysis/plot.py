# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a run by gnuplot: rows of draw.py become the tables that plots/draw.gp reads, and these figures/NAME.svg, and for
phones figures/narrow/NAME.svg. New figures replace the old ones when all are drawn; the old ones stay if gnuplot fails."""
import re
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from analysis.command import Stop
from analysis.escape import drawable
from analysis.foreign import cannot, need
from analysis.trees import home

CURVE_HEAD = 'x\ty\tlow\thigh\tx2\ty2\ttext\n'
LAYOUTS = ('wide', 'narrow')


def cell_text(value: Any) -> str:
    """(To gnuplot, text of a table is only text; all the same nothing in it begins or ends anything there.)"""
    if value is None:
        return ''
    if isinstance(value, float):
        return str(int(value)) if value == int(value) and abs(value) < 1e17 else repr(value)
    return drawable(str(value).replace("'", '’').replace('\t', ' ').replace('\n', ' '))


def write_tables(folder: Path, rows: Iterable[Sequence[Any]]) -> None:
    """Rows TABLE, fields become the files TABLE of the folder."""
    tables: dict[str, list[str]] = {}
    for name, *cells in rows:
        tables.setdefault(drawable(str(name)), []).append('\t'.join(map(cell_text, cells)) + '\n')
    folder.mkdir()
    for name, lines in tables.items():
        (folder / name).write_text((CURVE_HEAD if name.startswith('curve-') else '') + ''.join(lines), encoding='utf-8',
                                   errors='replace')


# --- the narrow drawings ------------------------------------------------------------------------------------------

def text_ends(lines: Sequence[str]) -> tuple[float, float, float]:
    """The left and right ends of the words of a drawing, and their lowest line (letters are 13 pixels high, 7.5 wide)."""
    left, right, low, x, anchor = 0.0, 380.0, 0.0, 0.0, 0.0
    is_turned = False
    for line in lines:
        found = re.search(r'<g transform="translate\(([^,)]*)[,)]([^,)]*)', line)
        if found:
            is_turned = 'rotate' in line
            anchor = 0.5 if '"middle"' in line else 1 if '"end"' in line else 0
            x, low = float(found[1]), max(low, float(found[2]))
            if is_turned:
                left = min(left, x - 13)
        elif '<text>' in line and not is_turned:
            words = re.sub('&[a-z]+;', 'x', re.sub(r'<[^>]*>|^\s+', '', line))
            wide = 7.5 * len(words)
            left, right = min(left, x - anchor * wide), max(right, x + (1 - anchor) * wide)
    return left, right, low


def fitted(svg: str) -> str:
    """A narrow drawing, cut off below its last words, and as wide as its longest line."""
    lines = svg.split('\n')
    left, right, low = text_ends(lines)
    head = [re.sub('viewBox="0 0 380 [0-9]+"', f'viewBox="{int(left)} 0 {int(right - left)} {int(low + 14)}"', line, count=1)
            for line in lines[:8]]
    return '\n'.join(head + lines[8:])


# --- drawing ------------------------------------------------------------------------------------------------------

def last_words(log: Path) -> str:
    """Of a gnuplot that failed: where all of them are warnings the last one."""
    lines = [line for line in log.read_text(encoding='utf-8', errors='replace').split('\n') if line.strip()]
    others = [line for line in lines if 'warning' not in line.lower()]
    return (others or lines or ['gnuplot ended without a word'])[-1]


def run_gnuplot(work: Path, scripts: Sequence[Path], families: Path) -> None:
    logs = [work / f'{layout}.log' for layout in LAYOUTS]
    running = []
    quoted = str(families).replace("'", "''")
    for layout, log in zip(LAYOUTS, logs):
        with open(log, 'wb') as out:
            running.append(subprocess.Popen(['gnuplot', '-e', f"layout='{layout}'; families='{quoted}'",
                                             home() / 'plots/draw.gp', *scripts],
                                            cwd=work / 'tables', stdin=subprocess.DEVNULL, stdout=out, stderr=out))
    failed = [log for process, log in zip(running, logs) if process.wait()]
    if failed:
        raise Stop(f'gnuplot failed: {last_words(failed[-1])}')


def put(work: Path, folder: Path) -> None:
    """The figures in the place of those of an earlier report."""
    (folder / 'figures/narrow').mkdir(parents=True, exist_ok=True)
    for old in [*folder.glob('figures/*.svg'), *folder.glob('figures/narrow/*.svg')]:
        old.unlink()
    for new in work.glob('figures/narrow/*.svg'):
        new.write_text(fitted(new.read_text(encoding='utf-8', errors='replace')), encoding='utf-8')
        new.rename(folder / 'figures/narrow' / new.name)
    for new in work.glob('figures/*.svg'):
        new.rename(folder / 'figures' / new.name)


def draw(folder: Path, work: Path, rows: Iterable[Sequence[Any]], script: Path | None = None, families: Path = Path()) -> None:
    """Draws the figures of a run, and those of a script of the experiment's own, which finds the tables of the run as NAME.tsv.
    work: an empty folder on the same disk."""
    need('gnuplot', 'gnuplot-nox')
    try:
        (work / 'figures/narrow').mkdir(parents=True)
        write_tables(work / 'tables', rows)
        for table in folder.glob('*.tsv') if script else ():
            text = table.read_text(encoding='utf-8', errors='replace')
            (work / 'tables' / table.name).write_text('\n'.join(map(drawable, text.split('\n'))), encoding='utf-8')
        run_gnuplot(work, [script] if script else [], families)
        put(work, folder)
    except OSError:
        raise cannot(f'cannot write to {folder}', folder) from None
