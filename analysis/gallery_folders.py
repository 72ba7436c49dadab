# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the gallery keeps and makes its runs and pages."""
import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from analysis import samples
from analysis.command import USAGE, Stop
from analysis.gallery_facts import Planned
from analysis.trees import home, in_trees

FOLDER_OPTION = re.compile(r' (-o|--output-dir)[ =](\\.|[^ ])+')


class Gallery(NamedTuple):
    """What is asked for. out: where runs are kept, instead of in the trees that name them; docs: the folder of docs/papers.md."""
    plan: Sequence[Planned]
    out: Path | None
    docs: Path
    quick: bool = False
    when_quiet: bool = False
    asked: Sequence[str] = ()

    def page(self) -> Path:
        return (self.out or home() / 'docs') / 'gallery.md'

    def kept(self, run: Planned) -> Path:
        return self.out / run.name if self.out else run.tree / 'results/reference' / run.name

    def made(self, run: Planned) -> Path:
        return (self.out / 'runs' if self.out else home() / 'results/gallery') / run.name

    def go_on(self) -> str:
        return ' '.join(['thinprobe gallery --resume', *['--when-quiet'] * self.when_quiet,
                         *(['-o', shlex.quote(str(self.out))] if self.out else []), *['--quick'] * self.quick, *self.asked])

    def is_kept(self, run: Planned) -> bool:
        """Is it a kept run, and not another folder of that name?"""
        return isinstance(read_json(self.kept(run) / 'run.json').get('kept'), dict)

    def refuse_other(self, run: Planned) -> None:
        """Stop: where it will be kept is something else."""
        kept = self.kept(run)
        if kept.exists() and not self.is_kept(run):
            raise Stop(f'{kept} is no kept run, and stays; move it away, or name another folder with -o DIR', USAGE)

    def minutes(self, run: Planned) -> int:
        if not self.quick:
            return run.minutes
        plan = next(in_trees(f'experiments/{run.experiment}/plan'), None)
        found = re.search('^minutes.* quick=([0-9]+)', plan.read_text(encoding='utf-8') if plan else '', re.MULTILINE)
        return int(found[1]) if found else 0


def read_json(file: Path) -> dict[str, Any]:
    """What it says; nothing where it cannot be read."""
    try:
        facts = samples.read_json(str(file))
    except Stop:
        return {}
    return facts if isinstance(facts, dict) else {}


def write_json(file: Path, facts: Any) -> None:
    file.write_text(json.dumps(facts, indent=2, ensure_ascii=False) + '\n', encoding='utf-8', errors='replace')


def plain_command(facts: dict[str, Any]) -> str:
    """The command of a run.json, without folders of this machine."""
    return FOLDER_OPTION.sub('', str(facts.get('command') or ''), count=1)
