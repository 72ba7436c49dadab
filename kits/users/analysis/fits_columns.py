# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of the queueing models that `queue fit` fitted to a run: RUN/fit/PART-all.json, fitted to all measured rows of a part (text
parameter `part` of the cells), and PART-first.json, fitted to the rows with the lowest rates to predict the others. Tables:
    slope       service demand of a request at each resource
    compare     each measured row beside the model
    curve       the same as points of a curve: measured (later: not used for the fit), fit
    world       from RUN/fit/PART-users.json (`queue users`): number of real users that each row stands for
A part without such a file has no rows."""
from collections.abc import Iterator
from itertools import takewhile
from typing import Any, NamedTuple

from analysis.columns import Extractor, Kept, Value, Written, copied
from analysis.samples import Cell, Run, at, elements, number, text, truth

FITTED = ('all', 'first')
DEMAND = {'demand_ms': ('demand_s', 1e3), 'low_ms': ('low_s', 1e3), 'high_ms': ('high_s', 1e3)}
COMPARED = {'cell': ('run', 1.0), 'used': ('fitted', 1.0), 'lambda_per_s': ('lambda_measured', 1.0),
            'lambda_fit_per_s': ('lambda', 1.0), 'response_ms': ('r_measured_s', 1e3), 'response_fit_ms': ('r_s', 1e3)}
REAL_USERS = {'users': ('n', 1.0), 'cell': ('run', 1.0), 'think_s': ('z_s', 1.0), 'lambda_per_s': ('lambda', 1.0),
              'response_ms': ('r_s', 1e3), 'pages_per_s': ('lambda_pages', 1.0),
              **{f'users_{10 * (i + 1)}s': (f'web.{i}.users', 1.0) for i in range(5)}}


def rows_of(document: Any) -> list[Any]:
    """The measured rows, each of which has the name of a cell."""
    return list(takewhile(lambda row: text(row, 'run') is not None, elements(document, 'result.rows')))


class Fit(NamedTuple):
    cell: Cell  # first cell of the part
    json: Any  # the whole report of queue
    names: dict[str, Value]  # part and fitted

    def row(self, values: dict[str, Value]) -> Written:
        return Written(self.cell, {**self.names, **values}, False)


def fits(run: Run) -> Iterator[Fit]:
    for cell in run.cells:
        part = cell.text('part')
        for fitted in FITTED if part is not None and cell.is_first('part') else ():
            document = run.document(f'fit/{part}-{fitted}.json')
            if document is not None:
                yield Fit(cell, document, {'part': part, 'fitted': fitted})


def write_demands(run: Run, kept: Kept) -> Iterator[Written]:
    for fit in fits(run):
        rows = {text(row, 'run') for row in rows_of(fit.json)}
        disturbed = any(cell.flagged for cell in run.cells if cell.name in rows)
        common: dict[str, Value] = {**copied(at(fit.json, 'result'), ('error_percent',), {'rows': ('rows_used', 1.0)}),
                  'of_rows': float(len(rows_of(fit.json))), 'disturbed': float(disturbed)}
        for demand in takewhile(lambda d: text(d, 'name') is not None, elements(fit.json, 'result.demands')):
            yield fit.row({**copied(demand, ('name',), {'source': ('from', 1.0), **DEMAND}), **common})
        delay = copied(at(fit.json, 'result.delay'), (), DEMAND | {'demand_ms': ('delay_s', 1e3)})
        yield fit.row({**delay, **common, 'name': 'delay', 'source': 'response time'})


def write_comparison(run: Run, kept: Kept) -> Iterator[Written]:
    for fit in fits(run):
        for row in rows_of(fit.json):
            yield fit.row(copied(row, ('off_percent',), COMPARED))


def write_curve(run: Run, kept: Kept) -> Iterator[Written]:
    for fit in fits(run):
        for row in rows_of(fit.json):
            measured = copied(row, ('n', 'z_s'), {'lambda': ('lambda_measured', 1.0), 'r_s': ('r_measured_s', 1.0)})
            yield fit.row({**measured, 'kind': 'measured' if truth(row, 'fitted') else 'later',
                           'q': number(row, 'lambda_measured') * number(row, 'r_measured_s')})
            yield fit.row({**copied(row, ('n', 'z_s', 'lambda', 'q', 'r_s')), 'kind': 'fit'})


def write_real_users(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        part = cell.text('part')
        for row in rows_of(run.document(f'fit/{part}-users.json')) if part is not None and cell.is_first('part') else ():
            yield Written(cell, {'part': part, **copied(row, ('q', 'n_calculated', 'q_pages'), REAL_USERS)}, False)


EXTRACTOR = Extractor(tables={'slope': write_demands, 'compare': write_comparison, 'curve': write_curve, 'world': write_real_users})
