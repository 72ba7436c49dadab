# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU competition in all trains of a cell (its repeats and their trains in subfolders), from their cell.json.

Figures: disturbed_percent (largest sum of foreign and stolen CPU time of one train); cost_ms (CPU time of a redraw: as measured in
the last train, otherwise the parameter); fair_stall_ms (mean stall with a fair share of the CPU beside `sinks` CPU hogs);
same_group (1: the application and the CPU hogs compete in one scheduling group, 0: not). Texts: session, app, sinks: their
scheduling group, "autogroup=... nice=... policy=... cpus=... cgroup=..."; a value that differs between trains is "varies"."""
import re
from collections.abc import Sequence
from math import isfinite, isnan, nan
from typing import Any

from analysis.columns import Extractor, Kept, Values
from analysis.numbers import most
from analysis.samples import Cell, number, text

COMPETES = ('session', 'app', 'sinks')
# a cpu cgroup of the lab: in one, the kernel does not look at autogroups
LAB_GROUP = re.compile('/thinprobe-[0-9a-f]{6}-')


def word_after(words: str, name: str) -> str | None:
    """The word that begins with this name, from there to its end."""
    found = re.search(re.escape(name) + '[^ ]*', words)
    return found[0] if found else None


def merged(kept: str, words: str | None) -> str:
    """The scheduling group of a train merged into what is kept. The session leader's pid may differ between trains, and is left
    out."""
    out = []
    for word in (words or '').split():
        name, equals, _ = word.partition('=')
        if equals and name != 'session':
            varies = kept and word_after(kept, name + '=') != word_after(words or '', name + '=')
            out.append(f'{name}=varies' if varies else word)
    return ' '.join(out) or kept


def same_group(cell: Cell, train: Any) -> float:
    """NaN: not known."""
    app, sinks = text(train, 'autogroup.app'), text(train, 'autogroup.sinks')
    if not app and cell.text('app') == 'own':  # the session's server is the application
        app = text(train, 'autogroup.session')
    if not app or not sinks:
        return nan
    return float(word_after(app, 'cgroup=') == word_after(sinks, 'cgroup=')
                 and (bool(LAB_GROUP.search(app)) or word_after(app, 'autogroup-') == word_after(sinks, 'autogroup-')))


def last_known(values: Sequence[float]) -> float:
    return next((v for v in reversed(values) if not isnan(v)), nan)


def figures(cell: Cell, kept: Kept, names: Sequence[str]) -> Values:
    trains = [t.json for repeat in cell.repeats for t in (repeat, *repeat.trains)]
    cost, period = (last_known([number(t, key) for t in trains]) for key in ('cost_ms', 'period_ms'))
    words = dict.fromkeys(COMPETES, '')
    for train in trains:
        words = {key: merged(old, text(train, f'autogroup.{key}')) for key, old in words.items()}
    # Mean stall with a fair share: keys come every period; with n CPU hogs an application gets 1 / (n + 1) of the CPU, so a redraw
    # takes cost * (n + 1), which is the interval between two redraws once it is longer than the period.
    fair = cost * (cell.number('sinks') + 1) - period
    return {'disturbed_percent': most(number(t, 'foreign_percent') + number(t, 'steal_percent', 0.0) for t in trains),
            'same_group': last_known([same_group(cell, t) for t in trains]),
            'cost_ms': cost if isfinite(cost) else cell.number('cost_ms'),
            'fair_stall_ms': max(0.0, fair) if isfinite(fair) else nan, **words}


EXTRACTOR = Extractor(figures=figures)
