# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of one experiment against the first of them, by the repeats of each condition: what compare prints, and gate of a
baseline."""
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from analysis import blocks, join, judge, kept, pooled, repeats
from analysis.blocks import Effect
from analysis.command import USAGE, Stop
from analysis.decided import Decided
from analysis.escape import for_terminal
from analysis.foreign import Refused, cannot, full_disk
from analysis.join import One
from analysis.report import Number
from analysis.repeats import PooledRow, Row
from analysis.run import cleaned, distinct
from analysis.verdict import Question

NO_EFFECT = ('repeats', 'until_sure', 'label', 'set_load_timeout')  # on figures


class Asked(NamedTuple):
    """What is asked of the figures; doubt: why nothing is decided."""
    effect: Effect
    alpha: float
    metrics: str | None
    doubt: str | None = None


@dataclass(frozen=True, slots=True)
class Runs:
    """Of runs that were given: with names by which they are told apart, and what was not alike."""
    runs: Sequence[One]
    differs: Mapping[str, Mapping[str, Any]]

    def decisive(self) -> dict[str, Mapping[str, Any]]:
        """What may change their figures."""
        return {key: value for key, value in self.differs.items() if key not in NO_EFFECT}


def open_runs(folders: Sequence[Path], facts: Sequence[dict[str, Any]]) -> Runs:
    runs = [One(folder, cleaned(one)) for folder, one in zip(folders, facts)]
    stems = sorted({one.facts['experiment'] for one in runs})
    if len(stems) > 1:
        raise Stop(f'runs of several experiments: {",".join(stems)}')
    try:
        runs = [replace(one, name=name) for one, name in zip(runs, join.made_names(runs))]
        differs = join.differences(runs, sorted({key for one in runs for key in one.settings()}))
    except (TypeError, ValueError, KeyError, AttributeError):
        raise Stop('a run.json cannot be read') from None
    return Runs(runs, differs)


# --- rows of a run ------------------------------------------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of a run: of each repeat, and of all that were not disturbed together; why: a repeat has none."""
    rows: Sequence[Row]
    pooled: Sequence[PooledRow]
    why: str = ''


@contextmanager
def room(work: Path) -> Iterator[None]:
    """Where no file can be written the disk may be full."""
    try:
        yield
    except OSError:
        raise cannot(f'cannot write to {work}', work) from None


def samples_of(run: One, work: Path) -> Path:
    """The folder with the samples: of a kept run they are packed."""
    archive = run.path / 'samples.tar.zst'
    if (run.path / 'cells').is_dir() or not archive.is_file():
        return run.path
    try:
        kept.copy(run.path, work)
    except Refused as e:
        raise Stop(full_disk(work) or f'{archive}: {e}') from None
    return work


def repeat_names(folder: Path) -> list[str]:
    found = {path.name for path in (folder / 'cells').glob('*/*') if path.is_dir() and not path.is_symlink()}
    return sorted((name for name in found if re.fullmatch('[1-9][0-9]*', name)), key=int)


def measure(run: One, variant: str, work: Path) -> Measured:
    with room(work):
        source = repeats.open_source(samples_of(run, work / f'kept-{variant}'))
    rows: list[Row] = []
    calm, why = [], []
    for repeat in repeat_names(source.folder):
        try:
            with room(work):
                own = repeats.rows_of(source, repeat, '1', variant, work / 'block')
        except Refused as e:
            if full := full_disk(work):
                raise Stop(full) from None
            why += [str(e)] if str(e) else []
            continue
        rows += own
        calm += [repeat] if own[0].disturbed == '0' else []
    try:
        with room(work):
            together = repeats.pooled_rows(source, calm, variant, work / 'block') if calm else []
    except Refused:
        together = []
    return Measured(rows, together, next(iter(why), ''))


def measured(run: One, variant: str, work: Path) -> Measured:
    found = measure(run, variant, work)
    if not found.rows:
        raise Stop(f'{run.path}: no repeat can be summed up: {found.why or "its samples may have been deleted"}')
    facts = run.facts.get('kept')
    if not (run.path / 'cells').is_dir() and isinstance(facts, dict) and facts.get('left_out_bytes'):
        said = f'{run.path}: compared by the {facts.get("conditions") or 0} conditions whose samples are kept'
        sys.stderr.write(f'thinprobe: compare: {for_terminal(said)}\n')
    return found


# --- what is decided ----------------------------------------------------------------------------------------------

def with_numbers(value: Any) -> Any:
    """Texts of numbers as numbers."""
    if isinstance(value, Number):
        return float(value)
    if isinstance(value, dict):
        return {key: with_numbers(v) for key, v in value.items()}
    return [with_numbers(v) for v in value] if isinstance(value, list) else value


def asked_metrics(rows: Sequence[Row], names: str | None) -> str | None:
    try:
        return names and repeats.metrics(distinct(row.metric for row in rows if row.metric), names)
    except Stop as wrong:
        raise Stop(f'--metrics {wrong}', USAGE) from None


def decide(a: Measured, b: Measured, asked: Asked) -> tuple[Decided, int]:
    """What judge decides of two runs, and the exit status."""
    rows = [*a.rows, *b.rows]
    q = Question(asked_metrics(rows, asked.metrics), asked.alpha, True, bool(asked.doubt))
    table = blocks.make(enumerate(rows, 2))
    blocks.compare_runs(table, asked.effect)
    pooled.place(enumerate([*a.pooled, *b.pooled], 2), table)
    pooled.compare(table, asked.effect)
    v = judge.reached(table, q)
    result: Decided = with_numbers(judge.verdict_result(table, v, q, asked.doubt))
    return result, judge.status_of(v)


def read_asked(effect: str | None, alpha: float | None, metrics: str | None) -> Asked:
    """Of the options; alpha in percent."""
    return Asked(judge.parse_effect(effect or '10%', 1), (5 if alpha is None else alpha) / 100, metrics)


def each_against_first(runs: Runs, asked: Asked, work: Path) -> Iterator[tuple[One, Decided, int]]:
    os.makedirs(work, exist_ok=True)
    first = measured(runs.runs[0], 'a', work)
    for other in runs.runs[1:]:
        yield other, *decide(first, measured(other, 'b', work / 'other'), asked)
