# SPDX-License-Identifier: GPL-3.0-or-later
"""Several runs of one session as one run. What an input's response is shows in what replays have in common, so those of all runs
are analyzed together. A cell has the name of its run; where a run has several, RUN.LABEL."""
import filecmp
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis import kept
from analysis.command import USAGE, Stop
from analysis.join import One, write_facts
from analysis.run import read_facts
from analysis.trees import programs

HOW = ('trace', 'seed', 'method', 'scale', 'differ_percent', 'join_ms', 'confidence')  # of the analysis


def check(first: Path, run: Path) -> None:
    """Raises Stop if the two cannot be one run."""
    if not any(run.glob('cells/*/*/replay.rfb')):
        raise Stop(f'{run}: its replays (cells/*/*/replay.rfb) are not there; report it by itself')
    sessions = first / 'session.trace', run / 'session.trace'
    if not all(file.is_file() for file in sessions) or not filecmp.cmp(*sessions, shallow=False):
        raise Stop(f'{run}: its session (session.trace) is not that of {first}; report each by itself', USAGE)


def said(one: One, name: str) -> str:
    rows = one.settings().get('rows') or []
    return next((row['says'] for row in rows if row.get('setting') == name and row.get('says')), name)


def joined_cell(one: One, cell: dict[str, Any]) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """Its folder, its row of settings, and itself by its new name."""
    old = cell['name']
    setting = f'{one.name}.{old}' if len(one.facts['cells']) > 1 else one.name
    says = said(one, old) if setting == old else f'{said(one, old)} in {one.name}'
    return (one.path / 'cells' / old, {'setting': setting, 'value': None, 'says': says},
            {**cell, 'name': setting, 'parameters': {'setting': setting}})


def joined(folder: Path, runs: Sequence[One]) -> list[tuple[Path, dict[str, Any], dict[str, Any]]]:
    """How replays are analyzed is no property of them: as the first run's."""
    cells = [joined_cell(one, cell) for one in runs for cell in one.facts['cells']]
    facts = read_facts(folder / 'run.json')
    facts.pop('joined', None)
    facts['differs'] = {key: value for key, value in facts['differs'].items() if key not in ('rows', 'base', 'label', 'trace')}
    names = [cell['name'] for _, _, cell in cells]
    facts['settings'] |= {key: value for key, value in runs[0].settings().items() if key in HOW}
    facts['settings'] |= {'rows': [row for _, row, _ in cells], 'base': names[0], 'label': names}
    write_facts(folder, {**facts, 'cells': [cell for _, _, cell in cells], 'inputs': runs[0].facts.get('inputs') or {}})
    return cells


def with_repeats(folder: Path, which: Any) -> None:
    facts = read_facts(folder / 'run.json')
    facts['settings']['repeats'] = which(n for one in facts['runs'] if (n := one.get('repeats')) is not None)
    write_facts(folder, facts)


def is_complete(replay: Path) -> bool:
    state = read_facts(replay.parent / 'cell.json').get('state')
    return bool(state == 'complete')


def samples(folder: Path, runs: Sequence[One]) -> None:
    """Makes the tables of the joined run from the samples of all."""
    shutil.rmtree(folder / 'cells', ignore_errors=True)
    (folder / 'cells').mkdir()
    for path, row, _ in joined(folder, runs):
        os.symlink(path, folder / 'cells' / row['setting'])
    found = [file.relative_to(folder) for file in folder.glob('cells/*/*/replay.rfb') if file.parent.name[-1].isdigit()]
    files = [file for file in sorted(found, key=lambda file: (int(''.join(filter(str.isdigit, file.parts[2])) or 0), file.parts[1]))
             if is_complete(folder / file)]
    how = read_facts(folder / 'run.json')['settings']
    method = ['--method', str(how.get('method') or 'tiles')]
    if how.get('method') == 'paper':
        method += ['--scale', str(how['scale']), '--differ', str(how['differ_percent']), '--join', f'{how["join_ms"]}ms']
    done = subprocess.run([programs() / 'vncplay', 'analyze', *method, '--labels', ','.join(file.parts[1] for file in files),
                           '--format', 'json', '-o', 'analysis.json', *files], cwd=folder, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 3):
        raise Stop(f'cannot analyze the replays of {" ".join(str(one.path) for one in runs)} together')
    with_repeats(folder, max)  # summarize reads so many repeats; the report speaks of the fewest
    kept.summarize(folder)
    with_repeats(folder, min)
    shutil.rmtree(folder / 'cells')
