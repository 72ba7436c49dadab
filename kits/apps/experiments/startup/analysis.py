# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run of start-ups found. A step of "used" is MB of an idle hog in swap; of "left" memory left beside one that keeps
touching its own, in percent of what the application has in memory at rest; of "loads" CPU hogs; of "reads" reads a second."""
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import isfinite
from typing import Any

from analysis import notes, words
from analysis.amounts import (Amount, Row, Rows, above, amount, exceeds, interval_alone, interval_words, multiple, near, number,
                              scaled, span)
from analysis.draw import COLOURS, DOTTED, HEAVY, LIGHT, LINE, SHAPES, Axis, Curve, Drawing, Look, Panel, Place, level, look, over
from analysis.notes import NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run, bare, distinct, of_run

COLUMNS = '''
# Medians over the starts of all complete repeats. Axis used: step is MB of an idle hog in swap; left: memory left beside one that
# keeps touching its own, in percent of what the application has in memory at rest; loads: sinks; reads: reads a second.
table summary cells schema=startup/1
# column, heading, unit, source, estimator, decimals, better
cell                Condition               -  count:name                              -          text -
app                 Application             -  param                                   -          text -
start               Start                   -  param                                   -          text -
axis                Pressure                -  param                                   -          text -
swap                "Swap on"               -  param                                   -          text -
step                Step                    -  param                                   -          0    -
include ../../../../experiments/families/state.py
runs                Starts                  -  startup:started.n                       -          0    -
broken              Broken                  -  startup:broken.n                        -          0    lower
ceiling             "At the ceiling"        -  startup:started.startup_ms.above        -          0    lower
swap_used_mb        "In swap"               MB startup:swap_used_mb                    mean       3    -
left_mb             "Memory left"           MB startup:left_mb                         mean       3    -
startup_ms          Start-up                ms startup:started.startup_ms.p50          ends+above 3    lower
startup_ms_min      min                     ms startup:started.startup_ms.min          -          3    lower
startup_ms_max      max                     ms startup:started.startup_ms.max          ends+above 3    lower
late_percent        Late                    %  startup:late                            -          2    lower
mapped_ms           Window                  ms startup:started.mapped_ms.median        -          3    lower
paint_ms            "First paint"           ms startup:started.paint_ms.median         -          3    lower
t0_ms               T0                      ms startup:t0_ms                           -          3    -
t0_spread_ms        "T0, spread"            ms startup:t0_spread_ms                    -          3    -
added_ms            "Over T0"               ms startup:added_ms                        ends+above +-3  lower
t_io_ms             T_IO                    ms startup:started.t_io_ms.median          - +-3  -
file_ms             "To write such a file"  ms cell.json:file_ms                       logmean+ci 3    -
reads_per_s         "Reads there were"      /s cell.json:facts.load_reads_per_s        mean       1    -
e                   e                       -  startup:e                               ends       4    -
swap_in_mb          "Swapped in"            MB startup:started.swap_in_mb.p50          ends       3    -
swap_out_mb         "Swapped out"           MB startup:started.swap_out_mb.median      -          3    -
major_faults        "Major faults"          -  startup:started.major_faults.median     -          1    -
minor_faults        "Minor faults"          -  startup:started.minor_faults.median     -          1    -
read_requests       "Read requests"         -  startup:started.read_requests.median    -          1    -
foreign_percent_max "Interference, at most" %  cell.json:foreign_percent               max        3    lower

table events rows:startup schema=startup-events/1
cell            Condition            -  param -          text -
app             Application          -  param -          text -
start           Start                -  param -          text -
axis            Pressure             -  param -          text -
swap            "Swap on"            -  param -          text -
step            Step                 -  param -          0    -
event           Event                -  param -          text -
n               Times                -  - -          0    -
unchanged       "No change seen"     -  - -          0    -
event_ms        "To content at rest" ms - ends+above 3    lower
event_ms_max    max                  ms - ends+above 3    lower
first_change_ms "First change"       ms - -          3    lower

table runs rows:startup schema=startup-run/1 raw
cell             Condition          -  param - text -
app              Application        -  param - text -
start            Start              -  param - text -
axis             Pressure           -  param - text -
swap             "Swap on"          -  param - text -
step             Step               -  param - 0    -
repeat           Repeat             -  param - 0    -
run              Run                -  -     - 0    -
startup_ms       Start-up           ms - - 3    lower
startup_above    "At the ceiling"   -  - - 0    lower
mapped_ms        Window             ms - - 3    lower
paint_ms         "First paint"      ms - - 3    lower
t_io_ms          T_IO               ms - - +-3  -
swap_in_bytes    "Swapped in"       B  - - 0    -
swap_out_bytes   "Swapped out"      B  - - 0    -
major_faults     "Major faults"     -  - - 0    -
minor_faults     "Minor faults"     -  - - 0    -
read_requests    "Read requests"    -  - - 0    -

table applications rows:startup schema=startup-applications/1	# used, left: start-up at the hardest step on the last device
app             Application               -  param -          text -
kind            Kind                      -  param -          text -
version         Version                   -  -     -          text -
program_bytes   Program                   B  -     -          0    -
files_bytes     "All it maps"             B  -     -          0    -
rss_bytes       "Memory at rest"          B  -     -          0    -
anonymous_bytes "Own of it"               B  -     -          0    -
t0_warm_ms      "T0, warm"                ms -     ends+above 3    lower
t0_cold_ms      "T0, cold"                ms -     ends+above 3    lower
used_step       "MB in swap"              MB -     -          0    -
used_ms         "Start-up then"           ms -     ends+above 3    lower
left_step       "Memory left, of its own" %  -     -          0    -
left_ms         "Start-up then"           ms -     ends+above 3    lower

table felt rows:startup schema=startup-felt/1 optional	# events of all classes of users; pressed: at the hardest step
app              Application          - param -          text -
event            Event                - param -          text -
count            "An hour, all users" - -     -          0    -
shortcut         Shortcut             - -     -          text -
high             "In U_ah"            - -     -          0    -
t_index_s        T_index              s -     -          2    lower
t_think_s        T_think              s -     -          2    lower
t_handle_s       T_handle             s -     ends+above 6    lower
t_total_s        T_total              s -     ends+above 3    lower
felt_s           Felt                 s -     ends+above 3    lower
axis             Pressure             - param -          text -
swap             "Swap on"            - param -          text -
step             Step                 - param -          0    -
pressed_handle_s "T_handle, pressure" s -     ends+above 6    lower
pressed_total_s  "T_total, pressure"  s -     ends+above 3    lower
pressed_felt_s   "Felt, pressure"     s -     ends+above 3    lower

# Written by menus.sh: the tree of each application's menus, and the profiles held against it.
table models given schema=menu-model/1 optional
application     Application                     - - - text -
events          "Events (F_a)"                  - - - 0    -
menus           Menus                           - - - 0    -
depth           Depth                           - - - 0    -
degree          Degree                          - - - 0    -
mean_degree     "Mean degree"                   - - - 2    -
shortcuts       "With a shortcut"               - - - 0    -
mean_depth      "Mean depth of an event"        - - - 2    -
mean_depth_keys "With shortcuts at the root"    - - - 2    -
asked           "Asked for, all classes"        - - - 0    -
common          "By each class (U_a)"           - - - 0    -

table profiles given schema=menu-profile/1 optional
class           Class                           - - - text -
application     Application                     - - - text -
event           Event                           - - - text -
count           "An hour"                       - - - 0    -
shortcut        Shortcut                        - - - text -
place           Where                           - - - text -
tree_path       "In the menus"                  - - - text -
tree_depth      "Its depth"                     - - - 0    -
tree_shortcut   "Shortcut there"                - - - text -
common          "In U_a"                        - - - 0    -
'''
GROWTH = 1.3  # times, from the first step to the last
Text = Callable[[float], str]


def title(run: Run) -> str:
    return 'Start-up of applications under memory pressure'


def swap_words(swap: str) -> str:
    if swap.startswith('slow:'):
        return re.sub('([a-z]+)$', r' \1', swap[5:]) + ' a read'
    return 'fast file' if swap == 'file' else swap


def setup(run: Run) -> str:
    swaps = words.and_list([swap_words(swap) for swap in run.setting('swaps', [])])
    apps, memory = words.and_list(run.setting('apps', [])), notes.value_text(run.setting('server_memory'))
    return notes.sentence([f'{apps} on a server with {memory} of memory, swap on {swaps}', notes.repeats_words(run),
                           notes.run_words(run)])


def labels(run: Run) -> Labels:
    return Labels(value={
        'swap': {swap: swap_words(swap) for swap in run.setting('swaps', [])},
        'axis': {'used': 'swap in use', 'left': 'memory left', 'loads': 'CPU hogs', 'reads': 'disk reads'},
        'place': {'menu': 'menu', 'dialog': 'dialog behind an item', 'none': 'not in the menus', 'no menu': 'no menu'}})


# --- starts, each beside one without pressure -----------------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class Start:
    """A condition with a start-up time. t0: that of the same without pressure, or without other reads, by its interval; times:
    start-up by t0, and its interval; first: the easiest step of the same kind of pressure; is_open: another one, which only
    reached the ceiling, may be slower."""
    row: Row
    t0: Amount
    times: Amount
    first: Row
    is_open: bool = False

    def text(self, name: str) -> str:
        return str(self.row[name])

    def step(self) -> float:
        return float(self.row['step'])

    def hardness(self) -> float:
        return -self.step() if self.row['axis'] == 'left' else self.step()

    def is_above(self) -> bool:
        return self.row.get('startup_ms_above') == 1

    def by(self) -> float:
        return self.times.value or 0.0

    def exceeds_first(self, by: float) -> bool | None:
        return exceeds(interval_alone(self.row, 'startup_ms'), scaled(interval_alone(self.first, 'startup_ms'), by))

    def exceeds_t0(self, by: float) -> bool | None:
        return exceeds(interval_alone(self.row, 'startup_ms'), scaled(self.t0, by))

    def figure(self) -> Amount:
        """times, of which only the lower end is known where a start reached the ceiling."""
        is_above = self.is_above() or self.is_open
        return replace(self.times, above=is_above, high=None if is_above else self.times.high)

    def twice(self) -> str:
        """Over twice T0: "bad" by the whole interval, "good" if not even its far end is."""
        word = self.exceeds_t0(2)
        return 'bad' if word is True else 'good' if word is False and not self.is_open else 'unsure'


def quotient(a: Amount, b: Amount) -> Amount:
    """How many times the second one the first is, to nine decimals."""
    answer = multiple(a, b)
    value, low, high = (round(v, 9) if isfinite(v) else None for v in (answer.value, answer.low, answer.high))
    return Amount(value, low=low, high=high, unit='times')


def started(run: Run) -> Rows:
    return [row for row in run.measured() if row.get('startup_ms') is not None]


def starts(run: Run) -> list[Start]:
    rows = started(run)

    def is_base(row: Row, other: Row) -> bool:
        if row['axis'] == 'reads':
            return (other['app'], other['axis'], other['step']) == (row['app'], 'reads', 0)
        return (other['app'], other['axis'], other['start']) == (row['app'], 'none', row['start'])

    def kind(row: Row) -> tuple[Any, ...]:
        return row['app'], row['swap'], row['axis'], row['start']

    easiest: dict[tuple[Any, ...], Row] = {}
    for row in sorted((row for row in rows if row.get('t0_ms') is not None), key=lambda row: float(row['step'])):
        if row['axis'] == 'left' or kind(row) not in easiest:  # the last is the easiest there
            easiest[kind(row)] = row
    found = []
    for row in rows:
        base: Row = next((other for other in rows if is_base(row, other)), {})
        t0 = amount(base, 'startup_ms')
        times = quotient(amount(row, 'startup_ms'), Amount(row.get('t0_ms'), low=t0.low, high=t0.high))
        found.append(Start(row, span(t0.low, t0.high), times, easiest.get(kind(row), {})))
    return found


def step_words(row: Row) -> str:
    step = words.plain(row['step'])
    if row['axis'] == 'none':
        return 'no pressure'
    if row['axis'] == 'used':
        return f'{step} MB in swap'
    if row['axis'] == 'left':
        return f'{step} % of its memory left'
    if row['axis'] == 'loads':
        return words.plural(row['step'], 'CPU hog')
    reads = row.get('reads_per_s')
    if row['step'] == 0 or reads is None:
        return f'{"no" if row["step"] == 0 else "unknown"} other reads on its disk'
    return f'{words.fixed(reads, 1 if reads < 100 else 0)} other reads a second on its disk'


def time_words(ms: float) -> str:
    return f'{words.short(ms / 1000)} s' if ms >= 995 else words.with_unit(ms, 'ms')


def times_words(value: float) -> str:
    return words.fixed(value, 0 if value >= 9.95 else 1)


def fixed2(value: float) -> str:
    return words.fixed(value, 2)


def least_most(values: Iterable[float], text: Text) -> str:
    return ' to '.join(distinct(text(value) for value in (min(ordered), max(ordered)))) if (ordered := list(values)) else ''


def more(row: Row, name: str) -> str:
    return 'more than ' if row.get(f'{name}_above') == 1 else ''


def more_times(start: Start) -> str:
    return f'{more(start.row, "startup_ms")}{times_words(start.by())} times'


def times_range(some: Sequence[Start]) -> str:
    """With a lower bound among them, the most is one, too."""
    return least_most((start.by() for start in some), times_words) + (' or more' if any(start.is_above() for start in some) else '')


def up_to(start: Start) -> str:
    return 'more than' if start.is_above() else 'at least' if start.is_open else 'up to'


def times_level(start: Start) -> str:
    figure = start.figure()
    return f'{times_words(start.by())} times T0{interval_words(figure.low, figure.high, "", times_words)}'


# --- courses: the starts of an application and device, by a kind of pressure ----------------------------------------

@dataclass(frozen=True, slots=True)
class Course:
    """steps: from the easiest to the hardest."""
    app: str
    swap: str
    steps: Sequence[Start]

    def grows(self) -> str:
        """By the intervals: growth is over 1.3 times from the first step to the last; none, where even the far ends of all steps
        are below that."""
        if self.steps[-1].exceeds_first(GROWTH) is True:
            return 'grows'
        return 'flat' if all(start.exceeds_first(GROWTH) is False for start in self.steps) else 'untold'

    def rises(self) -> bool:
        return self.steps[-1].exceeds_first(1) is True

    def growth_most(self) -> list[float | None]:
        return [quotient(amount(start.row, 'startup_ms'), amount(start.first, 'startup_ms')).high for start in self.steps]

    def breaks(self) -> float | None:
        """The first step from which on, at all that are harder, start-up surely takes more than twice T0."""
        first = None
        for start in reversed(self.steps):
            if start.twice() != 'bad':
                break
            first = start.step()
        return first


def courses(run: Run, axis: str) -> list[Course]:
    found = starts(run)
    how = 'warm' if axis != 'reads' and any(start.row['start'] == 'warm' for start in found) else 'cold'
    mine = [start for start in found if start.row['axis'] == axis and start.row['start'] == how and start.times.value is not None]
    return [Course(app, swap, sorted((s for s in mine if (s.text('swap'), s.text('app')) == (swap, app)), key=Start.hardness))
            for swap, app in sorted({(start.text('swap'), start.text('app')) for start in mine})]


def steps_of(some: Iterable[Course]) -> list[Start]:
    return [start for course in some for start in course.steps]


def worst(some: Iterable[Course]) -> Start:
    found = steps_of(some)
    return replace(max(reversed(found), key=Start.by), is_open=any(start.is_above() for start in found))


def late_words(run: Run) -> str:
    rows, limit = started(run), run.threshold_ms()
    late = sum(above(row, 'startup_ms', limit) is True for row in rows)
    return f' The median start surely takes longer than {time_words(limit)} in {late} of {words.plural(len(rows), "condition")}.'


def none_words(run: Run) -> str:
    rows = [row for row in run.measured() if row.get('startup_ms') is None]
    each = words.and_list([f'{row["app"]} with {step_words(row)}' for row in rows])
    return f' No start ended in {words.plural(len(rows), "condition")}: {each}.' if rows else ''


def verdict(run: Run) -> str:
    none, used = none_words(run), courses(run, 'used')
    memory, other = courses(run, 'left') + used, courses(run, 'loads') + courses(run, 'reads')
    if not started(run):
        return none.removeprefix(' ') or NOTHING_MEASURED
    if not memory and not other and any(row['axis'] != 'none' for row in started(run)):
        return f'No time of a start without pressure is known: there is nothing to compare with.{none}'
    if not memory and not other:
        return f'Only without pressure did starts end.{none}' if none else 'Only starts without pressure were measured.'
    top = worst(memory or other)
    figure, row = top.figure(), top.row
    where = f' and swap on {swap_words(row["swap"])}' if len(run.setting('swaps', [])) > 1 else ''
    interval = ' (no interval)' if figure.low is None else interval_words(figure.low, figure.high, 'times', times_words)
    text = (f'{"Under memory pressure " if memory else ""}{row["app"]} needs {up_to(top)} {times_words(top.by())} times as long to '
            f'start: {more(row, "startup_ms")}{time_words(row["startup_ms"])} instead of {time_words(row["t0_ms"])}, with '
            f'{step_words(row)}{where}{interval}.')
    if used:
        text += (f' Beside a hog that fills the memory, then sleeps, start-up takes {times_range(steps_of(used))} times as long as '
                 'without pressure.')
    return text + late_words(run) + none


# --- findings -------------------------------------------------------------------------------------------------------

def in_use_words(several: Sequence[Course], grow: Sequence[Course], is_flat: bool) -> str:
    """One step when memory is full, or growth with swap in use?"""
    if grow:
        return f'**Start-up time grows with swap in use** for {words.and_list(distinct(c.app for c in grow))}. All applications: '
    if is_flat and all(c.steps[0].exceeds_t0(1) is True for c in several):
        return '**Start-up slows down once memory is full, not further with more swap in use**: '
    ends_ = [end for course in several for end in course.growth_most()]
    known = [end for end in ends_ if end is not None]
    most = f' by a factor of at most {fixed2(max(known))}' if known and len(known) == len(ends_) else ''
    if is_flat:
        return f'**With more swap in use, start-up time grows{most}**: '
    rising = [f'{course.app} on {swap_words(course.swap)}' for course in several if course.rises()]
    return ('**This run cannot tell whether start-up time grows by over 1.3 times with swap in use**'
            f'{f" (if it does,{most})" if most else ""}{f"; it surely grows for {words.and_list(rising)}" if rising else ""}: ')


def in_use(run: Run) -> Finding | None:
    found = courses(run, 'used')
    if not found:
        return None
    grow, several = [course for course in found if course.grows() == 'grows'], [course for course in found if len(course.steps) > 1]
    is_flat = bool(several) and all(course.grows() == 'flat' for course in several)

    def key(course: Course) -> tuple[str, float, float]:
        return course.swap, course.steps[0].step(), course.steps[-1].step()

    each = []
    for (swap, _, _), group in groupby(sorted(found, key=key), key):
        mine = list(group)
        easy, hard = [course.steps[0] for course in mine], [course.steps[-1] for course in mine]
        each.append(f'on {swap_words(swap)} it takes {times_range(easy)} times T0 with {step_words(easy[0].row)} and '
                    f'{times_range(hard)} times with {step_words(hard[0].row)}')
    read = {exceeds(interval_alone(last.row, 'swap_in_mb'), scaled(interval_alone(last.first, 'swap_in_mb'), 2))
            for last in (course.steps[-1] for course in several)}
    text = f'{in_use_words(several, grow, is_flat)}{"; ".join(each)}.'
    if read == {False} and not grow:
        text += ' At the last step no start reads twice as much from swap as at the first.'
    top = worst(found)
    return Finding('swap-in-use', text, top.figure(), 'bad' if grow else 'none' if is_flat else 'unsure',
                   f'memory-{top.text("app")}')


def percent_list(steps: Iterable[float]) -> str:
    return words.and_list([f'{words.plain(step)} %' for step in steps])


def left(run: Run) -> Finding | None:
    absent = [row for row in run.table('summary') if row.get('axis') == 'left' and row.get('startup_ms') is None]
    found = courses(run, 'left')
    if not found:
        return None

    def said(course: Course) -> str:
        start, last = course.breaks(), course.steps[-1]
        if start is None:
            late = [one.step() for one in course.steps if one.twice() == 'bad']
            text = f'at {f"{percent_list(late)} of memory left only" if late else "no step"}, '
        else:
            unknown = sorted(row['step'] for row in absent if (row['app'], row['swap'], row['start']) ==
                             (course.app, course.swap, last.row['start']) and row['step'] < start)
            text = f'from {words.plain(start)} % of memory left, ' + (f'not known at {percent_list(unknown)}, ' if unknown else '')
        return (f'{course.app} on {swap_words(course.swap)} surely takes over twice T0 {text}{more_times(last)} at '
                f'{words.plain(last.step())} %')

    top, several = worst(found), [course for course in found if len(course.steps) > 1]
    text = (f'**With little memory left, start-up takes {up_to(top)} {times_level(top)}**, the time without pressure: '
            f'{"; ".join(map(said, found))}.')
    if several:
        text += (f' From the first step to the last it surely rises in {sum(course.rises() for course in several)} of '
                 f'{len(several)} pairs of application and device.')
    return Finding('memory-left', text, top.figure(), top.twice(), f'memory-{top.text("app")}')


def caused(rows: Rows) -> str | None:
    """What all of them show of the part that the device does not cause; None: nothing."""
    found = {exceeds(number(0.5), interval_alone(row, 'e')) for row in rows}
    return {True: 'most of', False: 'less than half of', None: None}[found.pop()] if len(found) == 1 else None


def alike(rows: Rows, key: str, text: Callable[[str], str]) -> list[tuple[str, str | None]]:
    """What all of an application show, or all of a device."""
    return [(text(value), caused([row for row in rows if row[key] == value])) for value in sorted({row[key] for row in rows})]


def share_words(groups: Sequence[tuple[str, str | None]], beside_: str) -> str:
    told = sorted({how for _, how in groups if how is not None})
    if not told:
        return '**This run cannot tell whether the swap device causes most of the delay that swap in use adds**'
    each = ', '.join(f'{how} that {beside_} {words.and_list([name for name, other in groups if other == how])}' for how in told)
    untold = words.and_list([name for name, how in groups if how is None])
    return (f'**Of the delay that swap in use adds, the swap device causes {each}**'
            f'{f"; this run cannot tell for {untold}" if untold else ""}')


def share(run: Run) -> Finding | None:
    rows = [row for row in started(run) if row['axis'] == 'used' and row.get('e') is not None]
    if not rows:
        return None
    all_, apps = caused(rows), alike(rows, 'app', str)
    is_by_app = any(how is not None for _, how in apps)
    groups = apps if is_by_app else alike(rows, 'swap', swap_words)
    head = (share_words(groups, 'of' if is_by_app else 'on') if all_ is None else
            f'**The swap device causes {all_} the delay that swap in use adds**')
    each = []
    for swap in sorted({row['swap'] for row in rows}):
        mine = [row['e'] for row in rows if row['swap'] == swap]
        each.append(f'{least_most(mine, fixed2)} on {swap_words(swap)} ({words.plural(len(mine), "condition")})')
    ordered = sorted(rows, key=lambda row: float(row['e']))
    is_range = all_ is None and any(how is not None for _, how in groups)
    return Finding('e', f'{head}: the part not caused by the device (e) is {"; ".join(each)}. A negative e means that some disk '
                   'requests did not delay the start.',
                   span(ordered[0]['e'], ordered[-1]['e']) if is_range else amount(ordered[len(rows) // 2], 'e'), figure='e')


def file(run: Run) -> Finding | None:
    """A file as large as the swap in use, on a device like that of the swap: the paper's comparison."""
    found = []
    for row in started(run):
        is_delayed = exceeds(number(row.get('added_ms')), scaled(number(row.get('t0_spread_ms')), 3)) is True
        by = quotient(amount(row, 'added_ms'), amount(row, 'file_ms')).value
        if row['axis'] == 'used' and is_delayed and not row.get('startup_ms_above') and by is not None:
            found.append((row, by))
    if not found:
        return None
    each = []
    for swap in sorted({row['swap'] for row, _ in found}):
        mine = [(row['step'], by) for row, by in found if row['swap'] == swap]
        steps = sorted({min(mine)[0], max(mine)[0]})
        each.append(f'on {swap_words(swap)} ' + words.and_list([
            f'{least_most((by for at, by in mine if at == step), fixed2)} times with {words.plain(step)} MB' for step in steps]))
    hardest = max(reversed(found), key=lambda pair: float(pair[0]['step']))
    return Finding('file', f'**Swap in use delays a start by {least_most((by for _, by in found), fixed2)} times the time to write '
                   f'a file of that size**: {"; ".join(each)}.', Amount(hardest[1], unit='times'), figure='file-time')


def beside(run: Run, axis: str, id_: str, what: str, base: Callable[[Start], str]) -> Finding | None:
    """Beside a load of another resource."""
    found = [course for course in courses(run, axis) if course.steps[-1].step() > 0]
    if not found:
        return None
    top = worst(found)
    asked: dict[float, list[bool | None]] = {}
    for start in steps_of(found):
        if axis == 'reads' and start.step() > 0:
            asked.setdefault(start.step(), []).append(near(start.row, 'reads_per_s', start.step(), 0.05, 0))
    off = [words.plain(step) for step in sorted(asked) if False in asked[step]]
    untold = [words.plain(step) for step in sorted(asked) if None in asked[step] and False not in asked[step]]
    each = '; '.join(f'{course.app} takes {more_times(course.steps[-1])} with {step_words(course.steps[-1].row)}'
                     for course in found)
    text = f'**{what} makes start-up take {up_to(top)} {times_level(top)}**: {each}. {base(top)}'
    text += f' The disk did not give the load what was asked for: {words.and_list(off)} reads a second.' if off else ''
    text += (f' This run cannot tell whether the disk gave the load what was asked for: {words.and_list(untold)} reads a second.'
             if untold else '')
    return Finding(id_, text, top.figure(), 'unsure' if off or untold else top.twice(), f'start-{axis}')


def loads(run: Run) -> Finding | None:
    return beside(run, 'loads', 'cpu-load', 'CPU load',
                  lambda top: f'Fair sharing of the CPU predicts {words.plain(top.step() + 1)} times T0.')


def reads(run: Run) -> Finding | None:
    return beside(run, 'reads', 'disk-load', 'Disk load', lambda top: 'T0 is start-up time on the same disk without other reads.')


def menus(run: Run) -> Finding | None:
    """The static model: F_a and its tree, and the usage profiles compared with it."""
    models, asked = run.table('models'), [row for row in run.table('profiles') if row.get('place') != 'no menu']
    if not models:
        return None
    is_wide = all(exceeds(number(row.get('degree')), number(row.get('depth'))) is True for row in models)
    each = '; '.join(f'{row["application"]} has {words.plain(row["events"])} menu items in {words.plural(row["menus"], "menu")}, '
                     f'depth {words.plain(row["depth"])}, degree {words.plain(row["degree"])}' for row in models)
    text = f'**Menus are {"wide and flat" if is_wide else "not all wide and flat"}**: {each}. '
    if asked:
        items, dialogs = (sum(row.get('place') == place for row in asked) for place in ('menu', 'dialog'))
        none = words.and_list(distinct(f'{row["event"]} in {row["application"]}' for row in asked if row.get('place') == 'none'))
        text += (f'Of {words.plural(len(asked), "operation")} in the usage profiles, {items} are menu items and {dialogs} are in a '
                 f'dialog that an item opens{f"; not found: {none}" if none else ""}.')
    return Finding('menus', text, Amount(max(row['events'] for row in models), unit='events'), figure='menu-tree')


def felt(run: Run) -> Finding | None:
    """Events of the models, the slowest first."""
    rows, limit = [row for row in run.table('felt') if row.get('pressed_handle_s') is not None], run.threshold_ms()
    if not rows:
        return None

    def said(row: Row) -> str:
        what = f'starting {row["app"]}' if row['event'] == 'start' else f'{row["event"]} in {row["app"]}'
        alone = row.get('t_handle_s')
        return (f'{what} takes {more(row, "pressed_handle_s")}{time_words(row["pressed_handle_s"] * 1000)}'
                + ('' if alone is None else f' (without pressure {more(row, "t_handle_s")}{time_words(alone * 1000)})'))

    delays = words.and_list([f'{more(row, "pressed_felt_s")}{words.fixed(row.get("pressed_felt_s"), 1)} s' for row in rows[:3]])
    is_felt = above(rows[0], 'pressed_felt_s', 0)
    return Finding('felt', f'**The slowest of the operations in every usage profile** (medians): {"; ".join(map(said, rows[:3]))}. '
                   f'Delay felt beyond what users expect: {delays}. By the median, {sum(row.get("high") == 1 for row in rows)} of '
                   f'{len(rows)} such operations take over {time_words(limit)}.', amount(rows[0], 'pressed_handle_s'),
                   'unsure' if is_felt is None else 'bad' if is_felt else 'good')


def findings(run: Run) -> list[Finding]:
    return [f for make in (in_use, left, share, file, loads, reads, felt, menus) if (f := make(run))]


def views(run: Run) -> list[View]:
    return [
        View('applications', 'applications', 'Applications',
             'app t0_warm_ms t0_cold_ms used_step used_ms left_step left_ms kind version program_bytes files_bytes rss_bytes '
             'anonymous_bytes'),
        View('steps', 'summary', 'Start-up at every step',
             'start axis swap step startup_ms late_percent added_ms t_io_ms e file_ms mapped_ms swap_used_mb left_mb swap_in_mb '
             'swap_out_mb major_faults reads_per_s', by='app'),
        View('events', 'events', 'Further events under pressure',
             'start axis swap step event event_ms event_ms_max first_change_ms unchanged', by='app'),
        View('models', 'models', 'Menus: all events',
             'application events menus depth degree mean_degree shortcuts mean_depth mean_depth_keys asked common'),
        View('profiles', 'profiles', 'Menus: what users ask for', 'class event count shortcut place tree_path tree_shortcut common',
             by='application'),
        View('felt', 'felt', 'What users feel',
             'app event count shortcut high t_index_s t_think_s t_handle_s t_total_s felt_s pressed_handle_s pressed_total_s '
             'pressed_felt_s'),
        View('excluded', 'summary', 'Excluded or later than the ceiling', 'start axis swap step runs failed? broken? ceiling?',
             by='app'),
    ]


# --- figures --------------------------------------------------------------------------------------------------------

STEPS = {'used': 'MB of the idle hog in swap', 'left': "memory left, % of the application's at rest", 'loads': 'CPU hogs',
         'reads': 'other reads from the disk, 1/s'}


def device(swap: str) -> str:
    return swap_words(bare(swap)) + of_run(swap)


def curve_title(swap: str) -> str:
    return f'start-up{of_run(swap)}' if bare(swap) == 'none' else f'swap: {device(swap)}'


def drawn_rows(run: Run) -> Rows:
    """Starts with files in memory, those from a disk that others read from apart; without any, those from disk."""
    rows = started(run)
    how = {row['start'] for row in rows if row['axis'] != 'reads'}
    start = 'warm' if not how or 'warm' in how else min(how)
    return [row for row in rows if row['start'] == ('cold' if row['axis'] == 'reads' else start)]


def along(rows: Rows, axis: str) -> Rows:
    return [row for row in rows if row['axis'] == axis]


def steps_axis(rows: Rows, axis: str) -> Axis:
    """Memory left by doublings, less to the right; all else from 0 on."""
    steps = distinct(row['step'] for row in along(rows, axis))
    tics = [(step, words.plain(step)) for step in steps]
    if axis == 'left':
        return Axis(STEPS[axis], max(steps) * 1.15, min(steps) / 1.15, log=True, tics=tics)
    return Axis(STEPS[axis], 0, max(steps) * 1.05 + 0.01, tics=tics)


def known(rows: Rows, *columns: str) -> list[float]:
    return [row[c] for row in rows for c in columns if row.get(c) is not None]


def x_of(at: Place) -> float:
    return at.x or 0.0


def by_step(rows: Rows) -> list[tuple[float | None, Row]]:
    return [(row['step'], row) for row in rows]


def times_panel(run: Run, x: Axis, axis: str, here: Rows, swaps: Sequence[str], name: str) -> Panel:
    """Start-up of an application by a kind of pressure, T0, and the threshold. An interval of three repeats may reach far: a
    panel shows what was measured, and cuts it."""
    rows, limit = along(here, axis), run.threshold_ms()
    curves = []
    for i, swap in enumerate(swaps):
        mine = [row for row in rows if row['swap'] == swap]
        curves += over(by_step(mine), 'startup_ms', look(i), curve_title(swap))
        if run.runs():
            curves.append(Curve('line', [Place(row['step'], row['t0_ms']) for row in mine if row.get('t0_ms') is not None],
                                Look(look(i).colour, dash=2), 'without pressure (T0)'))
    if not run.runs() and (t0 := known(rows, 't0_ms')):
        curves.append(level(t0[-1], title='without pressure (T0)'))
    curves.append(level(limit, DOTTED, f'{words.plain(limit)} ms'))
    least, most = min(known(here, 'startup_ms_min'), default=1), max(known(here, 'startup_ms_max'), default=10)
    return Panel(x, Axis('ms', 0.7 * least, 1.5 * most, log=True, unit='ms'), curves, name)


def traffic_panel(x: Axis, axis: str, here: Rows, swaps: Sequence[str]) -> Panel:
    """What all on the server swapped meanwhile; log: a hog that goes on swaps much."""
    mb = [value for value in known(here, 'swap_in_mb', 'swap_out_mb') if value > 0]
    curves = []
    for i, swap in enumerate(swaps):
        mine = [row for row in along(here, axis) if row['swap'] == swap]
        written = [Place(row['step'], row['swap_out_mb']) for row in mine if (row.get('swap_out_mb') or 0) > 0]
        curves += over(by_step([row for row in mine if (row.get('swap_in_mb') or 0) > 0]), 'swap_in_mb', look(i), curve_title(swap))
        curves.append(Curve('line points', sorted(written, key=x_of), replace(look(i), dash=3, size=0.4), 'written to swap'))
    return Panel(x, Axis('MB a start', 0.7 * min(mb, default=1), 1.5 * max(mb, default=10), log=True), curves,
                 'read from swap, and written')


def memory_figure(run: Run, rows: Rows, app: str) -> Drawing:
    """A panel for each kind of pressure, a curve for each swap device."""
    here = [row for row in rows if row['app'] == app and row['axis'] in ('used', 'left', 'none')]
    axes = [axis for axis in ('used', 'left') if along(here, axis)]
    swaps = distinct(row['swap'] for row in here if row['axis'] != 'none')
    panels = [times_panel(run, steps_axis(rows, axis), axis, here, swaps, 'start-up') for axis in axes]
    panels += [traffic_panel(steps_axis(rows, axis), axis, here, swaps) for axis in axes]
    return Drawing(f'memory-{app}', f'Start-up of {app} under memory pressure, and its swap traffic', panels, across=len(axes),
                   high=260)


def load_figure(run: Run, rows: Rows, axis: str, name: str) -> Drawing | None:
    """A panel for each application."""
    these = along(rows, axis)
    swaps, kinds = distinct(row['swap'] for row in these), (axis,) if axis == 'reads' else (axis, 'none')
    near_ = [row for row in rows if row['axis'] in kinds]
    panels = [times_panel(run, steps_axis(rows, axis), axis, [row for row in near_ if row['app'] == app], swaps, app)
              for app in distinct(row['app'] for row in these)]
    return Drawing(f'start-{axis}', f'Start-up by {name}', panels, across=2, high=260) if panels else None


def file_figure(rows: Rows, apps: Sequence[str]) -> Drawing | None:
    """What pressure adds, beside its input and output alone."""
    least, axis = 2, 'used' if along(rows, 'used') else 'left'
    these = along(rows, axis)
    if not known(these, 't_io_ms'):
        return None

    def panel(app: str) -> Panel:
        mine, curves = [row for row in these if row['app'] == app], []

        def shown(swap: str, c: str) -> list[tuple[float | None, Row]]:
            return by_step([row for row in mine if row['swap'] == swap and row.get(c) is not None and row[c] >= least])

        for i, swap in enumerate(distinct(row['swap'] for row in these)):
            at = look(i)
            curves += over(shown(swap, 'added_ms'), 'added_ms', at, curve_title(swap), draw='line points')
            curves += over(shown(swap, 't_io_ms'), 't_io_ms', replace(at, size=0.5, dash=3), 'its requests repeated alone (T_IO)',
                           draw='line points')
            curves += over(shown(swap, 'file_ms'), 'file_ms', replace(at, size=0.4, width=0.7),
                           'to write a file of that size' if axis == 'used' else '', draw='line points bars')
        most = max([*known(mine, 'added_ms', 't_io_ms', 'file_ms', 'file_ms_high'), 20])
        return Panel(steps_axis(rows, axis), Axis('ms', least, 1.5 * most, log=True, unit='ms'), curves, app)

    return Drawing('file-time', 'What pressure adds to start-up, beside its input and output alone', [panel(app) for app in apps],
                   across=2, high=260)


def e_figure(rows: Rows, apps: Sequence[str]) -> Drawing | None:
    """Beside a hog that goes on there is none."""
    these = along(rows, 'used')
    if not known(these, 'e'):
        return None
    swaps = distinct(row['swap'] for row in these)

    def swap_look(k: int, colour: str) -> Look:
        return Look(colour, SHAPES[k % len(SHAPES)], 2 if k else 1)

    def app_colour(i: int) -> str:
        return COLOURS[i % len(COLOURS)]

    legend = [Curve('line', [], Look(app_colour(i), width=2), app) for i, app in enumerate(apps)]
    legend += [Curve('line hover', [], swap_look(k, LINE), device(swap)) for k, swap in enumerate(swaps)]
    curves = [level(0, Look(LINE, dash=1, width=0.8))]
    for i, app in enumerate(apps):
        for k, swap in enumerate(swaps):
            places = [Place(row['step'], max(row['e'], -2.03)) for row in these
                      if (row['app'], row['swap']) == (app, swap) and row.get('e') is not None]
            curves.append(Curve('line points', sorted(places, key=x_of), swap_look(k, app_colour(i))))
    return Drawing('e', 'e: what of the added time the device by itself does not explain',
                   [Panel(steps_axis(rows, 'used'), Axis('e (below -2 at the edge)', -2.1, 1.05, step=0.5), curves)], legend=legend)


NODES = (('application', 'application', Look(LINE, 13, size=0.75)), ('menu', 'menu', Look(LIGHT, 5, size=0.7)),
         ('event', 'event', Look(LINE, 7, size=0.4)), ('shortcut', 'event with a shortcut', Look(HEAVY, 7, size=0.6)))


def tree_panel(nodes: Rows, name: str, deepest: float) -> Panel:
    def kind(node: Row) -> Any:
        return 'shortcut' if node.get('kind') == 'event' and node.get('shortcut') is not None else node.get('kind')

    lines = [Place(node['parent_place'], node['depth'] - 1, x2=node['place'], y2=node['depth']) for node in nodes
             if node.get('parent_place') is not None]
    curves = [Curve('segment', lines, Look('#bbbbbb', width=0.5))]
    curves += [Curve('points', [Place(node['place'], node['depth']) for node in nodes if kind(node) == which], at, text)
               for which, text, at in NODES]
    y = Axis('depth', deepest + 0.4, -0.4, tics=[(float(at), str(at)) for at in range(int(deepest) + 1)])
    return Panel(Axis(start=0, is_bare=True), y, curves, name)


def menu_figures(run: Run) -> list[Drawing]:
    """The trees, and how many nodes lie how deep and have how many entries."""
    nodes = run.table('menus')
    if not nodes:
        return []
    trees: dict[str, Rows] = {}
    for node in nodes:
        name = '/'.join(str(node[c]) for c in ('application', 'run_name') if node.get(c) is not None)
        trees.setdefault(name, []).append(node)
    deepest = max(node['depth'] for node in nodes)

    def counted(some: Iterable[float], by: float = 0) -> list[Place]:
        return [Place(value + by, len(list(group))) for value, group in groupby(sorted(some))]

    depths = [Curve('line points', counted(node['depth'] for node in tree), look(i), name)
              for i, (name, tree) in enumerate(trees.items())]
    entries = [Curve('impulse', counted((node['children'] for node in tree if (node.get('children') or 0) > 0), 0.25 * i),
                     Look(look(i).colour, width=2)) for i, tree in enumerate(trees.values())]
    most = max((node.get('children') or 0) for node in nodes) + 1
    return [Drawing('menu-tree', 'The menus of an application as a tree, after Fig. 1',
                    [tree_panel(tree, name, deepest) for name, tree in trees.items()], across=1, high=190),
            Drawing('menu-shape', 'The shape of the menus', [
                Panel(Axis('depth', -0.2, deepest + 0.2, step=1), Axis('nodes', 0), depths, 'nodes by depth'),
                Panel(Axis('entries of a menu', 0, most), Axis('', 0), entries, 'menus by their entries (degree)')],
                    across=2, high=340)]


def drawings(run: Run) -> list[Drawing]:
    rows, apps = drawn_rows(run), distinct(row['app'] for row in started(run))
    memory = [memory_figure(run, rows, app) for app in distinct(row['app'] for row in rows if row['axis'] in ('used', 'left'))]
    others = (load_figure(run, rows, 'loads', 'CPU load'), load_figure(run, rows, 'reads', 'disk load'), file_figure(rows, apps),
              e_figure(rows, apps))
    return [*memory, *(d for d in others if d), *menu_figures(run)]
