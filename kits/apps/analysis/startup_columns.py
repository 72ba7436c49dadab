# SPDX-License-Identifier: GPL-3.0-or-later
"""startup.json of each repeat: start-up times under memory pressure, the time that paging adds, the share of it that is I/O, later
events. Tables of the whole run: the effect of pressure on each application, and the delay that users feel.

T0 is the median start-up time of the same application, started in the same way, without pressure (axis "none"; under disk load,
from the same disk without other reads); its spread is the standard deviation of these starts. e = (T_startup - T0 - T_IO) /
(T_startup - T0), of medians, only where T_startup - T0 exceeds three times the spread of T0 (below, it would be a quotient of
noise), and only on axis "used": next to a running memory hog, T_IO includes the hog's own traffic. The interval of e is Student's t
over the starts, each with its own T_IO. A start that was not at rest at the time limit (settings.ceiling_s), or had no window yet,
counts with that limit as a lower bound."""
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import isfinite, isnan, nan
from typing import Any, NamedTuple

from analysis import figures, menus, spreads, trials
from analysis.columns import Extractor, Kept, Value, Values, Written, copied
from analysis.command import Stop
from analysis.figures import Figure, Statistic
from analysis.numbers import most
from analysis.samples import Cell, Repeat, Run, at, elements, number, text
from analysis.trials import Trial

GROUPS = ('started', 'broken')  # broken: the application ended by itself, or was ended
KEYS = {  # value -> key in startup.json
    'startup_ms': 'stable_ms', 'mapped_ms': 'mapped_ms', 'paint_ms': 'first_paint_ms', 't_io_ms': 't_io_ms',
    'swap_in_bytes': 'swap_in_bytes', 'swap_out_bytes': 'swap_out_bytes', 'major_faults': 'major_faults',
    'minor_faults': 'minor_faults', 'read_requests': 'read_requests'}
VALUES = (*KEYS, 'swap_in_mb', 'swap_out_mb')
# unchanged: 1 if no change of the screen was seen
EVENT_COLUMNS = {'n': ('event', 'n'), 'unchanged': ('unchanged', 'n'), 'event_ms': ('event', 'p50'),
                 'event_ms_max': ('event', 'max'), 'first_change_ms': ('first_change', 'median')}
SPREADS = 3  # of T0, that the added time must exceed for an e
MB = 1e6
START = 'start'  # name of the start itself in the list of events


class Found(NamedTuple):
    """What is kept of a repeat; the text of an event is its name."""
    starts: list[Trial]
    events: list[Trial]


def check(run: Run) -> None:
    if not all(cell.text(key) is not None for cell in run.cells for key in ('app', 'start', 'axis', 'swap')):
        raise Stop(f'{run.folder}/run.json: a cell without app, start, axis or swap')


# --- reading ------------------------------------------------------------------------------------------------------

def read_events(document: Any, start: Trial, limit_ms: float) -> Iterator[Trial]:
    """The events after the start; a name that begins with "-" is only a step on the way to an event."""
    for one in elements(document, 'events'):
        name, state, ms = text(one, 'name'), text(one, 'state'), number(one, 'stable_ms')
        if name is None:
            return
        event = Trial(start.repeat, start.number, '', text=name)
        if isfinite(ms) or state == 'ceiling':
            event.put('event', ms if isfinite(ms) else limit_ms, not isfinite(ms))
        elif state == 'no_change':
            event.put('unchanged', 1.0, False)
        event.put('first_change', number(one, 'first_change_ms'), False)
        if not name.startswith('-'):
            yield event


def read(repeat: Repeat) -> Found:
    """A start that showed no window by the time limit, or whose screen still changed then, gets that limit as a lower bound; a
    start that ended early is in no figure."""
    limit_ms = number(repeat.cell.run.json, 'settings.ceiling_s') * 1000
    events: list[Trial] = []

    def read_start(document: Any, state: str, trial: Trial) -> None:
        above = state in ('ceiling', 'no_window')
        trial.group = 'started' if above or state == 'stable' else 'broken'
        if trial.group == 'broken':
            return
        trial.values = {name: number(document, key) for name, key in KEYS.items()}
        if above:
            trial.put('startup_ms', limit_ms, True)
        trial.values |= {f'swap_{way}_mb': trial.values[f'swap_{way}_bytes'] / MB for way in ('in', 'out')}
        events.extend(read_events(document, trial, limit_ms))
    return Found(trials.read_file(repeat, 'startup.json', read_start), events)


def numbers(repeat: Repeat, found: Found, names: Sequence[str]) -> dict[str, float]:
    return {'swap_used_mb': number(repeat.json, 'memory.swap_used_bytes') / MB,
            'left_mb': number(repeat.json, 'memory.left_bytes') / MB}


# --- figures ------------------------------------------------------------------------------------------------------

def starts_of(cell: Cell, kept: Kept) -> list[Trial]:
    return [t for t in chain.from_iterable(f.starts for f in kept[cell.index]) if t.group == 'started']


def events_of(cell: Cell, kept: Kept) -> list[Trial]:
    return list(chain.from_iterable(f.events for f in kept[cell.index]))


def free_cell(run: Run, app: str | None, start: str | None) -> Cell | None:
    """Without an axis."""
    return next((c for c in run.cells if (c.text('app'), c.text('start'), c.text('axis')) == (app, start, 'none')), None)


def median_of(cell: Cell | None, kept: Kept, event: str) -> Figure:
    """Median time in ms of a start or of an event, without an interval; unknown without a cell."""
    if not cell:
        return Figure()
    if event == START:
        return trials.statistic(cell.run, starts_of(cell, kept), 'startup_ms', 'median')
    return trials.statistic(cell.run, [t for t in events_of(cell, kept) if t.text == event], 'event', 'median')


def added_share(run: Run, starts: Sequence[Trial], t0: float, spread: float) -> Figure:
    """The share e of the added time that is not I/O. A median at the time limit is only a lower bound."""
    time = trials.statistic(run, starts, 'startup_ms', 'median')
    if time.above or not (time.value - t0 > SPREADS * spread and time.value > t0):
        return Figure()
    e = (time.value - t0 - trials.statistic(run, starts, 't_io_ms', 'median').value) / (time.value - t0)
    pairs = [(t.value('startup_ms'), t.value('t_io_ms')) for t in starts if not t.above]
    own = [(ms - t0 - io) / (ms - t0) for ms, io in pairs if ms > t0 and isfinite(io)]
    # an interval would leave the slowest out
    interval = spreads.t_mean(own) if isfinite(e) and not any(t.above for t in starts) else None
    return figures.estimate(e, min(interval[0], e), max(interval[1], e)) if interval else figures.exact(e)


def unloaded(cell: Cell) -> Cell | None:
    """The cell whose starts give T0."""
    if cell.text('axis') != 'reads':
        return free_cell(cell.run, cell.text('app'), cell.text('start'))
    return next((c for c in cell.run.cells if c.text('app') == cell.text('app') and c.text('axis') == 'reads'
                 and c.number('step') == 0), None)


def late_percent(starts: Sequence[Trial], threshold_ms: float) -> float:
    """Of starts that take longer than the threshold, including starts that reached the time limit."""
    late = sum(bool(t.above) or t.value('startup_ms') > threshold_ms for t in starts)
    return 100 * late / len(starts) if starts else nan


def added_time(cell: Cell, none: Cell | None, kept: Kept) -> Figure:
    """What pressure adds to the median start; its interval from the near ends of both medians to the far ends."""
    if none is cell:
        return figures.exact(0.0)
    time, t0 = (trials.statistic(cell.run, starts_of(c, kept), 'startup_ms', 'p50') if c else Figure() for c in (cell, none))
    if t0.above:  # nothing can be compared with a lower bound
        return Figure()
    return replace(time, value=time.value - t0.value, low=time.low - t0.high, high=time.high - t0.low)


def cell_figures(cell: Cell, kept: Kept, names: Sequence[str]) -> Values:
    run, starts, none = cell.run, starts_of(cell, kept), unloaded(cell)
    of_none = starts_of(none, kept) if none else []
    t0, spread = (trials.statistic(run, of_none, 'startup_ms', name) for name in ('median', 'sd'))
    base = (nan, nan) if t0.above else (t0.value, spread.value)
    every = list(chain.from_iterable(f.starts for f in kept[cell.index]))
    return {**dict(trials.by_name(run, every, GROUPS, VALUES, names)), 'late': late_percent(starts, run.threshold_ms),
            't0_ms': base[0], 't0_spread_ms': base[1], 'added_ms': added_time(cell, none, kept),
            # next to a running memory hog, the device's traffic includes the hog's: there is no T_IO of the start
            'e': added_share(run, starts, *base) if cell.text('axis') == 'used' else Figure()}


# --- rows of cells ------------------------------------------------------------------------------------------------

def write_starts(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        for t in starts_of(cell, kept):
            yield Written(cell, {**trials.row(t, tuple(KEYS)), 'startup_above': float(bool(t.above))})


def write_events(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        events = events_of(cell, kept)
        for name in dict.fromkeys(t.text for t in events):
            same = [t for t in events if t.text == name]
            yield Written(cell, {'event': name, **{column: trials.statistic(run, same, *of)
                                                   for column, of in EVENT_COLUMNS.items()}})


# --- tables of the run --------------------------------------------------------------------------------------------

def pressure(cell: Cell) -> float:
    """Of memory: grows with the memory in swap, or as less memory is left."""
    return -cell.number('step') if cell.text('axis') == 'left' else cell.number('step')


def start_kind(run: Run, kept: Kept) -> str:
    """Which starts the tables use: "warm" (files in memory), or "cold" if the run has no warm ones."""
    warm = any(c.text('start') == 'warm' and isfinite(median_of(c, kept, START).value) for c in run.cells)
    return 'warm' if warm else 'cold'


def most_pressed(run: Run, kept: Kept, app: str, axis: str | None, event: str) -> Cell | None:
    """The cell with the heaviest memory pressure of a kind (axis None: of both, "left" before "used"): the last swap device, and
    its hardest step that was measured."""
    hardest: Cell | None = None
    start = start_kind(run, kept)
    for cell in run.cells:
        kind = cell.text('axis')
        if (cell.text('app') != app or cell.text('start') != start or isnan(median_of(cell, kept, event).value)
                or kind not in ((axis,) if axis else ('used', 'left'))):
            continue
        if not hardest:
            hardest = cell
        elif hardest.text('axis') != kind:
            hardest = cell if kind == 'left' else hardest
        elif hardest.text('swap') != cell.text('swap') or pressure(cell) > pressure(hardest):
            hardest = cell
    return hardest


def write_applications(run: Run, kept: Kept) -> Iterator[Written]:
    """Rows like Table 1 of the paper, with the start under the heaviest pressure of each kind."""
    for app in elements(run.json, 'settings.apps'):
        if not isinstance(app, str):
            break
        cells = {'t0_warm': free_cell(run, app, 'warm'), 't0_cold': free_cell(run, app, 'cold'),
                 **{axis: most_pressed(run, kept, app, axis, START) for axis in ('used', 'left')}}
        steps = {axis: cell.number('step') if (cell := cells[axis]) else nan for axis in ('used', 'left')}
        facts = ('kind', 'version', 'program_bytes', 'files_bytes', 'rss_bytes', 'anonymous_bytes')
        yield Written(run.cells[0], {
            'app': app, **copied(at(run.json, f'applications.{app}'), facts),
            **{f'{name}_ms': median_of(cell, kept, START) for name, cell in cells.items()},
            **{f'{axis}_step': step for axis, step in steps.items()}}, False)


@dataclass(frozen=True, slots=True)
class Felt:
    """An action's median time without pressure, and under the heaviest."""
    action: menus.Action
    none: Figure
    pressed: Figure
    under: Cell | None

    def slowest_ms(self) -> float:
        return self.none.value if isnan(self.pressed.value) else self.pressed.value


def felt_row(run: Run, f: Felt) -> Written:
    """high: the action belongs to U_ah, the actions of all users that take longer than the threshold."""
    model = at(run.json, 'settings.model')
    times = menus.Times(*(number(model, f'times_s.{name}') for name in menus.Times._fields))
    index = menus.selection_s(times, f.action.path, f.action.shortcut)
    expected = index + times.mental
    row: dict[str, Value] = {
        'app': f.action.application, 'event': f.action.path, 'count': f.action.count, 'shortcut': f.action.shortcut,
        'high': float(most([f.none.value, f.pressed.value]) > run.threshold_ms), 't_index_s': index, 't_think_s': times.mental}
    for ms, names in ((f.none, ('t_handle_s', 't_total_s', 'felt_s')),
                      (f.pressed, ('pressed_handle_s', 'pressed_total_s', 'pressed_felt_s'))):
        handle = ms.value / 1000
        total = expected + handle
        felt = nan if isnan(total) else menus.felt_delay_s(total, expected + number(model, 'tolerance_s'), number(model, 'beta'))
        row |= {name: figures.bounded(Statistic(value, ms.above)) for name, value in zip(names, (handle, total, felt))}
    return Written(f.under or run.cells[0], row, f.under is not None)


def write_felt(run: Run, kept: Kept) -> Iterator[Written]:
    """The actions that every class of users performs and that were measured, the slowest first."""
    found = []
    for action in menus.common_actions(at(run.json, 'settings.model')):
        under = most_pressed(run, kept, action.application, None, action.path)
        free = free_cell(run, action.application, start_kind(run, kept))
        felt = Felt(action, median_of(free, kept, action.path), median_of(under, kept, action.path), under)
        if isfinite(felt.none.value) or isfinite(felt.pressed.value):
            found.append(felt)
    for felt in sorted(found, key=lambda f: -f.slowest_ms()):
        yield felt_row(run, felt)


EXTRACTOR = Extractor(check=check, read=read, numbers=numbers, figures=cell_figures,
                      tables={'runs': write_starts, 'events': write_events, 'applications': write_applications, 'felt': write_felt})
