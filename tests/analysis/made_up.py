# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of made-up rows, and what an experiment says of them; programs of analysis/ in this process."""
import sys
from unittest.mock import patch

import pytest

from analysis import command
from analysis.run import Run
from analysis.trees import analysis_of


def level(name, value, low, high):
    """A figure with its interval."""
    return {name: value, f'{name}_low': low, f'{name}_high': high}


def numbers(row):
    """As a table's rows are read."""
    return {key: float(value) if isinstance(value, int) and not isinstance(value, bool) else value for key, value in row.items()}


def row(*parts, **more):
    """A row of three repeats, completed."""
    out = {'repeats': 3, 'state': 'complete'}
    for part in parts:
        out |= part
    return numbers(out | more)


class Said:
    """What an experiment says of these rows."""

    def __init__(self, stem, summary=(), run=None, **tables):
        facts = {'cells': [], **(run or {})}
        facts['settings'] = {'repeats': 3, **facts.get('settings', {})}
        self.analysis = analysis_of(stem)
        self.run = Run(facts, [], {'summary': list(summary), **{name: [numbers(r) for r in rows] for name, rows in tables.items()}})

    def verdict(self):
        return self.analysis.verdict(self.run)

    def one(self, name):
        """A finding's verdict and text."""
        return '\n'.join(f'{f.verdict}: {f.text}' for f in self.analysis.findings(self.run) if f.id == name)

    def all(self):
        return [f'{f.id} {f.verdict}: {f.text}' for f in self.analysis.findings(self.run)]

    def curves(self, figure):
        return [curve for drawing in self.analysis.drawings(self.run) if drawing.name == figure
                for panel in drawing.panels for curve in panel.curves]

    def of(self, function):
        """What a function that makes one finding says."""
        finding = getattr(self.analysis, function)(self.run)
        return f'{finding.verdict}: {finding.text}' if finding else ''


def has(said, *texts):
    for text in texts:
        assert text in said


def lacks(said, *texts):
    assert said
    for text in texts:
        assert text not in said


def ended(capfd, name, *words, status=0):
    """What a program prints that ends with this status: (out, err)."""
    capfd.readouterr()
    with patch.object(sys, 'argv', [name, *map(str, words)]), pytest.raises(SystemExit) as end:
        command.run(name)
    said = capfd.readouterr()
    assert end.value.code == status, said
    return said


def refusal(capfd, name, *words, status=2):
    """The one line by which a program refuses these words."""
    out, err = ended(capfd, name, *words, status=status)
    assert not out and err.count('\n') == 1 and err.startswith(f'{name}: '), err
    return err
