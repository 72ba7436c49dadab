# SPDX-License-Identifier: GPL-3.0-or-later
"""Measured rows, one for each load: a table with a header line; columns are found by name; separated by tabs or commas.

Columns: n, users. z_s, z_ms: their think time. lambda, rate or x: requests per second. r_s, r_ms: response time. u_NAME:
utilization of a resource, 0 to 1. mean_ms, sd_ms: of the times between arrivals. run: a name. All are optional; an empty cell means
not known (NaN)."""
import os
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import BinaryIO, NamedTuple

from analysis import tables
from analysis.command import real
from analysis.queue_models import STATIONS
from analysis.tables import BadLine

COLUMNS = 64
ROWS = 100000
NAME = 63  # bytes of a name that are kept
MEANINGS = {
    'n': ('n', 1.0), 'users': ('n', 1.0), 'z_s': ('z_s', 1.0), 'z_ms': ('z_s', 1e-3), 'lambda': ('rate', 1.0),
    'rate': ('rate', 1.0), 'x': ('rate', 1.0), 'mean_ms': ('mean_ms', 1.0), 'sd_ms': ('sd_ms', 1.0), 'run': ('run', 0.0),
}


@dataclass(slots=True)
class Row:
    run: str = ''
    n: float = nan
    z_s: float = nan
    rate: float = nan
    r_s: float = nan
    mean_ms: float = nan
    sd_ms: float = nan
    used: list[float] = field(default_factory=list)  # of each resource


class Observed(NamedTuple):
    rows: list[Row]
    resources: list[str]


class Place(NamedTuple):
    """What a column means: an attribute of a row and its unit; `used`: the utilization of that resource."""
    meaning: str
    unit: float
    used: int = -1


def cut(name: str) -> str:
    return os.fsdecode(os.fsencode(name)[:NAME])


def find_places(header: list[str], response: str | None, resources: list[str]) -> list[Place | None]:
    places: list[Place | None] = []
    for at, name in enumerate(header):
        place = None
        if name == response or (not response and name in ('r_s', 'r_ms')):
            place = Place('r_s', tables.time_unit(name) / 1e9)
        elif name.startswith('u_') and name[2:] and len(resources) < STATIONS:
            place = Place(f'u {len(resources)}', 1.0, len(resources))
            resources.append(cut(name[2:]))
        elif name in MEANINGS:
            place = Place(*MEANINGS[name])
        if place and any(p and (p.meaning == place.meaning or header[i] == name) for i, p in enumerate(places)):
            raise BadLine('two columns of the header have the same meaning')
        places.append(place)
    if response and response not in header:
        raise BadLine('the header has no such --column')
    if not any(places):
        raise BadLine('no column of the header is known: n, z_s, lambda, r_ms, u_NAME, ...')
    return places


def read_row(cells: list[str], places: list[Place | None], resources: int) -> Row:
    row = Row(used=[nan] * resources)
    for text, place in zip(cells, places):
        if not place or not text:
            continue
        if place.meaning == 'run':
            row.run = cut(text)
            continue
        try:
            value = real(text)
        except (ValueError, OverflowError):
            value = nan
        if not isfinite(value) or value < 0:
            raise BadLine('not a number from 0 on')
        if place.used < 0:
            setattr(row, place.meaning, value * place.unit)
        elif value > 1.05:  # utilizations may be rounded up a little
            raise BadLine('utilization above 1 (write 0.71 for 71 %)')
        else:
            row.used[place.used] = value
    return row


def read_rows(stream: BinaryIO, response: str | None) -> Observed:
    """`response`: name of the column of response times (ending in _s or _ms); None: r_s or r_ms."""
    if response and not tables.time_unit(response):
        raise BadLine("the name of the response time's column does not end in _ns, _us, _ms or _s")
    observed = Observed([], [])
    try:
        table = tables.read_table(stream)
    except BadLine as bad:
        raise bad if bad.line else BadLine('no rows') from None
    if not 0 < len(table.header) <= COLUMNS:
        raise BadLine('the header has more than 64 columns', table.line)
    try:
        places = find_places(table.header, response, observed.resources)
    except BadLine as bad:
        raise BadLine(str(bad), table.line) from None
    for line, cells in table.rows:
        try:
            if len(observed.rows) >= ROWS:
                raise BadLine('more than 100,000 rows')
            observed.rows.append(read_row(cells, places, len(observed.resources)))
        except BadLine as bad:
            raise BadLine(str(bad), line) from None
    if not observed.rows:
        raise BadLine('no rows')
    return observed
