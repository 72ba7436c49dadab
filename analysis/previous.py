# SPDX-License-Identifier: GPL-3.0-or-later
"""The run before this one: the latest complete, usable one of the same experiment, settings (display servers' too) and host that
lies beside it and began before it."""
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from analysis import notes
from analysis.command import Stop
from analysis.foreign import CONTROL, check_facts
from analysis.run import Run, alike, read_facts, read_rows, read_text, typed


def others(folder: Path) -> Iterator[Path]:
    """(Others may write there, too: a pipe would never end, a name be two lines.)"""
    for file in folder.parent.glob('*/run.json'):
        name = file.parent.name
        if not CONTROL.search(name) and '\\' not in name and file.is_file() and not file.samefile(folder / 'run.json') \
                and (file.parent / 'summary.tsv').is_file():
            yield file


def is_before(one: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """(Its tables are not looked at: what is unusable says run.json.)"""
    if check_facts(one) or not isinstance(one.get('cells') or [], list):
        return False
    return (one.get('state') == 'complete' and one.get('runs') is None and (one.get('started') or '') < (now.get('started') or '')
            and alike(one) == alike(now) and notes.unusable(Run(one, [], {})) is None)


def find(run: Run) -> Path | None:
    assert run.path
    found = []
    for file in others(run.path):
        try:
            facts = read_facts(file)
            if is_before(facts, run.facts):
                found.append((facts.get('started') or '', file.parent))
        except (Stop, OSError, TypeError, ValueError, KeyError, AttributeError):
            continue  # damaged
    return max(found)[1] if found else None


def with_previous(run: Run) -> Run:
    """The document with the summary of the run before it."""
    folder = find(run) if run.path else None
    if not folder:
        return run
    rows = typed(read_rows(read_text(folder / 'summary.tsv')), None)
    started = read_facts(folder / 'run.json').get('started') or ''
    return replace(run, tables={**run.tables, 'previous': rows}, before=started, before_name=folder.name)
