# SPDX-License-Identifier: GPL-3.0-or-later
"""Run folders that a command is given."""
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from analysis.command import Stop
from analysis.foreign import cannot, check_facts, check_folder
from analysis.run import read_facts


def facts_of(folder: Path) -> dict[str, Any]:
    """run.json of a folder. Stop: it has none."""
    if os.path.isdir(folder) and not os.access(folder, os.X_OK):
        raise Stop(f'{folder}: not a run folder (you may not enter it)')
    if not os.path.isfile(folder / 'run.json'):  # (False, too, where that cannot be seen)
        raise Stop(f'{folder}: not a run folder (it has no run.json)')
    return read_facts(folder / 'run.json')


def refuse_faults(folder: Path, facts: dict[str, Any]) -> None:
    """Stop: run.json, or another file of the folder, is not as in a run."""
    if wrong := check_facts(facts):
        raise Stop(f'{folder}/run.json: {wrong}')
    if wrong := check_folder(folder):
        raise Stop(f'{folder}: no run: {wrong}')


def check_run(folder: Path) -> dict[str, Any]:
    """run.json of a run folder. Stop: it is none."""
    if os.path.isfile(folder / 'ab.json'):
        raise Stop(f'{folder}: a comparison; its runs are {folder}/a and {folder}/b')
    facts = facts_of(folder)
    wrong = ('names no experiment' if not isinstance(facts.get('experiment'), str) else
             'has no condition' if not isinstance(facts.get('cells'), list) or not facts['cells'] else None)
    if wrong:
        raise Stop(f'{folder}/run.json: {wrong}')
    refuse_faults(folder, facts)
    return facts


@contextmanager
def words_of(name: str) -> Iterator[None]:
    """What of a value that is not what its column or its key says."""
    try:
        yield
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, ZeroDivisionError, OverflowError) as e:
        raise Stop(f'{name}: a value in run.json or in a table has the wrong type: {type(e).__name__}: {e}') from None


def end(_signal: int, _frame: Any) -> None:
    sys.exit(130)


@contextmanager
def work_folder(within: Path | None = None) -> Iterator[Path]:
    """A folder for temporary files, which goes with the program, also where a signal ends it: within a run, or where all have
    theirs."""
    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    where = within or os.environ.get('TMPDIR') or '/tmp'  # (another one, if that cannot be written, would be a surprise)
    try:
        folder = tempfile.TemporaryDirectory(prefix='.report.' if within else 'thinprobe-', dir=where)
    except OSError:
        raise cannot(f'cannot write to {where}', where) from None
    with folder as name:
        yield Path(name)
