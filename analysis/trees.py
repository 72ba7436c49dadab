# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies in the same folders of several trees: the core, and each kit below it (kits/KIT)."""
import os
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any


def home() -> Path:
    """The core's tree: that of this package."""
    return Path(os.path.abspath(next(iter(sys.modules['analysis'].__path__)))).parent


def trees() -> list[Path]:
    return [home(), *sorted(path for path in (home() / 'kits').glob('*') if path.is_dir())]


def in_trees(pattern: str) -> Iterator[Path]:
    """The files and folders of any tree that match."""
    for tree in trees():
        yield from sorted(tree.glob(pattern))


def experiment_folder(stem: Any) -> Path | None:
    """Of an experiment that says what its runs mean."""
    if not isinstance(stem, str) or not re.fullmatch('[a-z0-9-]+', stem):
        return None
    return next((path.parent for path in in_trees(f'experiments/{stem}/analysis.py')), None)


def analysis_of(stem: str) -> Any:
    """The module analysis.py of an experiment that there is."""
    return import_module(f'experiments.{stem}.analysis')


def programs() -> Path:
    """The folder of the programs: bin in a checkout, libexec of an installation."""
    folder = home() / 'bin'
    return folder if folder.is_dir() else home().parent.parent / 'libexec/thinprobe'
