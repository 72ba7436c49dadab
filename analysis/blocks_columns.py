# SPDX-License-Identifier: GPL-3.0-or-later
"""The trains in folder `wire`: keys sent in blocks, whose latency is measured from packets alone (wire.tsv), checked against the
pixels of the same train (traces.py).

Figures: trains, keys (measured from packets), truth (percent of truth_keys whose true screen update lies in the key's range, with
its exact interval), truth_keys, exact (percent of them with a range of length 0), and p50 etc. of the keys measured from packets
(keys_columns.py)."""
from collections.abc import Sequence
from dataclasses import replace

from analysis import figures, key_figures, spreads, traces
from analysis.columns import Extractor, Kept, Values
from analysis.key_figures import Train
from analysis.numbers import over
from analysis.samples import Cell, Repeat
from analysis.traces import Check, Traces


def read(repeat: Repeat) -> tuple[Train, Check] | None:
    wire = repeat.train('wire')
    if not wire:
        return None
    train, seen = key_figures.read_train(wire), Traces()
    traces.read_wire(wire, seen)
    return replace(train, keys=traces.keys_from(train.keys, seen)), traces.check(train.keys, seen)


def cell_figures(cell: Cell, kept: Kept, names: Sequence[str]) -> Values:
    found = [one for one in kept[cell.index] if one]
    trains = [train for train, _ in found]
    keys, held, exact = (sum(check[i] for _, check in found) for i in range(3))
    low, high = spreads.share(held, keys) or spreads.NONE
    e = key_figures.estimate(trains, key_figures.threshold_ns(cell.run))
    return {**key_figures.by_name(cell.run, trains, e, names), 'trains': float(len(trains)),
            'keys': float(sum(len(t.keys) for t in trains)), 'truth_keys': float(keys), 'exact': over(100.0 * exact, keys),
            'truth': figures.estimate(over(100.0 * held, keys), 100 * low, 100 * high)}


EXTRACTOR = Extractor(read=read, figures=cell_figures)
