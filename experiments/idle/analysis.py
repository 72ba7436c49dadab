# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU time that idle sessions take, in ms a minute: of the lab's processes, the kernel and interrupts."""
from collections.abc import Iterable
from dataclasses import replace
from math import ceil, log10

from analysis import notes, words
from analysis.amounts import (Amount, Row, Rows, above, amount, exceeds, in_words, interval_alone, interval_words, number, scaled,
                              span, with_interval, within)
from analysis.draw import COLOURS, HEAVY, LIGHT, LINE, MARK, Axis, Curve, Drawing, Look, Panel, Place, digits, load_look, over
from analysis.notes import NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run, bare, distinct, of_run

COLUMNS = '''
table summary cells schema=idle/1
# column              heading                     unit   source                           estimator decimals better
system                System                      -      param                            -         text  -
sessions              Sessions                    -      param                            -         0     -
include ../families/state.py
seconds               Watched                     s      lost:seconds                     sum       1     -
lost_ms_per_min       Lost                        ms/min lost:system                      mean+ci   4     lower
own_ms_per_min        "Lab's processes"           ms/min lost:own                         mean+ci   4     lower
kernel_ms_per_min     "Kernel and interrupts"     ms/min lost:kernel                      mean+ci   4     lower
above_ms_per_min      "Above no session"          ms/min lost:above                       ends      4     lower
foreign_ms_per_min    "Other processes"           ms/min lost:foreign                     mean      4     lower
itself_ms_per_min     "This measurement"          ms/min lost:itself                      mean      4     lower
ended_ms_per_min      "Ended, unknown"            ms/min lost:ended                       mean      4     lower
unexplained_ms_per_min "Stolen or unexplained"    ms/min lost:unexplained                 mean      4     lower
tick_ms_per_min       "Timer ticks"               ms/min lost:tick                        mean      4     lower
all_ms_per_min        "All but ticks"             ms/min lost:all                         mean      4     lower
accounted_ms_per_min  "Lab's processes, by the kernel's account" ms/min cell.json:accounted_ms_per_min mean 4 -
events_per_min        Events                      1/min  lost:events                      mean      4     lower
longest_ms            "Longest event"             ms     lost:longest                     max       4     lower
foreign_percent_max   "Other processes, most"     %      cell.json:foreign_percent        max       3     lower
steal_percent_max     "Stolen, most"              %      cell.json:steal_percent          max       3     lower
wakeups               "Tasks woken"               -      wakeups.json:result.wakeups.n    sum       0     -
bound_1ms_percent "Wait over 1 ms: bound" % lost:bound.1 percent+ci 4 lower
bound_all_1ms_percent "Bound with other processes, over 1 ms" % lost:bound_all.1 mean 4 lower
measured_1ms_percent "Wait over 1 ms: measured" % lost:waited.1 ends 4 lower
bound_5ms_percent "Wait over 5 ms: bound" % lost:bound.5 percent+ci 4 lower
bound_all_5ms_percent "Bound with other processes, over 5 ms" % lost:bound_all.5 mean 4 lower
measured_5ms_percent "Wait over 5 ms: measured" % lost:waited.5 ends 4 lower
bound_10ms_percent "Wait over 10 ms: bound" % lost:bound.10 percent+ci 4 lower
bound_all_10ms_percent "Bound with other processes, over 10 ms" % lost:bound_all.10 mean 4 lower
measured_10ms_percent "Wait over 10 ms: measured" % lost:waited.10 ends 4 lower
bound_50ms_percent "Wait over 50 ms: bound" % lost:bound.50 percent+ci 4 lower
bound_all_50ms_percent "Bound with other processes, over 50 ms" % lost:bound_all.50 mean 4 lower
measured_50ms_percent "Wait over 50 ms: measured" % lost:waited.50 ends 4 lower
bound_100ms_percent "Wait over 100 ms: bound" % lost:bound.100 percent+ci 4 lower
bound_all_100ms_percent "Bound with other processes, over 100 ms" % lost:bound_all.100 mean 4 lower
measured_100ms_percent "Wait over 100 ms: measured" % lost:waited.100 ends 4 lower
bound_late_percent "Wait over the threshold: bound" % lost:bound.threshold percent+ci 4 lower
bound_all_late_percent "Bound with other processes, over the threshold" % lost:bound_all.threshold mean 4 lower

table slope rows:lost schema=idle-slope/1
system            Protocol           -      param -    text -
what              "Whose time"       -      param -    text -
repeats           Repeats            -      - -    0    -
sessions_max      "Most sessions"    -      - -    0    -
slope_ms_per_min  "One more session" ms/min - ends 4    lower
slope_cpu_percent "Of a CPU"         %      - -    5    lower

table curve rows:lost schema=idle-curve/1 raw
system            System             -      - -    text -
sessions          Sessions           -      - -    0    -
upto_ms           "Up to"            ms     - -    5    -
lost_ms_per_min   Lost               ms/min - -    4    lower
all_ms_per_min    "Lost, all"        ms/min - -    4    lower

table who rows:lost schema=idle-who/1
system            System             -      param -    text -
sessions          Sessions           -      param -    0    -
class             Whose              -      param -    text -
kind              Kind               -      param -    text -
culprit           Name               -      param -    text -
lost_ms_per_min   Lost               ms/min - -    4    lower
share_percent     Share              %      - -    2    -
times_per_min     Times              1/min  - -    1    lower
longest_ms        Longest            ms     - -    4    lower

table utilisation rows:lost schema=idle-utilisation/1 raw
system            System             -      - -    text -
sessions          Sessions           -      - -    0    -
time_ms           Time               ms     - -    0    -
lost_percent      "CPU in use"       %      - -    4    -
all_percent       "CPU in use, all"  %      - -    4    -
tick_percent      Ticks              %      - -    4    -

table ticks rows:lost schema=idle-ticks/1 raw
system            System             -      - -    text -
sessions          Sessions           -      - -    0    -
time_ms           Time               ms     - -    0    -
lost_percent      "CPU in use"       %      - -    4    -
all_percent       "CPU in use, all"  %      - -    4    -
tick_percent      Ticks              %      - -    4    -
'''
setup = notes.setup
UNIT = 'ms/min'
WAITS_MS = (1, 5, 10, 50, 100)


def title(run: Run) -> str:
    return 'CPU time that idle sessions take'


def labels(run: Run) -> Labels:
    return Labels(value={
        'system': {'none': 'no session', 'desktop': 'desktop (xfce4)'},
        'class': {'own': 'lab', 'ended': 'not known', 'itself': 'this measurement', 'foreign': 'other processes'},
        'what': {'system': 'all', 'own': "lab's processes", 'kernel': 'kernel and interrupts'}})


def row_words(row: Row) -> str:
    if row['system'] == 'none':
        return 'no session'
    if row['system'] == 'desktop':
        return 'a desktop'
    return (f'one session of {row["system"]}' if row['sessions'] == 1 else f'{words.plain(row["sessions"])} sessions of '
            f'{row["system"]}')


def per_minute(row: Row, name: str) -> Amount:
    return replace(amount(row, name), unit=UNIT)


def rate_words(row: Row, name: str) -> str:
    a = per_minute(row, name)
    return in_words(a) + with_interval(a)


def share(row: Row, name: str) -> str:
    value = row.get(name)
    text = words.percent(value) if value is None or value == 0 or value >= 0.1 else words.fixed(value, 4).rstrip('0')
    return f'{text} %'


def bound(row: Row, name: str) -> str:
    a = amount(row, name)
    return share(row, name) + interval_words(a.low, a.high, a.unit)


def slope_of(run: Run, what: str) -> Row | None:
    return next((row for row in run.table('slope') if row.get('what') == what and row.get('slope_ms_per_min') is not None), None)


def is_named(run: Run) -> bool:
    return any(row.get('own_ms_per_min') is not None for row in run.measured())


# --- what is decided of rows --------------------------------------------------------------------------------------

def shown(slope: Row) -> str:
    """Whether the slope's whole interval is above 0. (If it is below 0, something else than the sessions changed.)"""
    if slope.get('slope_ms_per_min_low') is None:
        return 'one repeat'
    if above(slope, 'slope_ms_per_min', 0) is True:
        return 'yes'
    return 'below' if exceeds(number(0), amount(slope, 'slope_ms_per_min')) is True else 'no'


def takes_more(row: Row) -> bool:
    return exceeds(interval_alone(row, 'above_ms_per_min'), number(0)) is True


def is_off_line(row: Row, slope: Row) -> bool:
    """If a number of sessions does not take the time that the slope makes them, the next one costs something else."""
    n, low, high = row.get('sessions') or 0, slope.get('slope_ms_per_min_low'), slope.get('slope_ms_per_min_high')
    return low is not None and high is not None and within(interval_alone(row, 'above_ms_per_min'), low * n, high * n) is False


def off_line(run: Run, slope: Row) -> str:
    rows = [row for row in run.measured() if row.get('system') == slope['system'] and is_off_line(row, slope)]
    each = words.and_list([f'{row_words(row)} {rate_words(row, "above_ms_per_min")}' for row in rows])
    return f' But not each costs the same: {each} beyond none.' if rows else ''


def verdict(run: Run) -> str:
    slope = slope_of(run, 'system')
    if not run.measured():
        return NOTHING_MEASURED
    if slope is None:
        return 'The CPU time of one more session was not measured, only that of the whole machine.'
    said, rate, of = shown(slope), rate_words(slope, 'slope_ms_per_min'), slope['system']
    if said == 'one repeat':
        return f'One more idle session of {of} took {rate} of CPU time, without an interval.'
    if said == 'below':
        return (f'With more idle sessions of {of} the machine takes less CPU time: {rate} a session. Something else changed, so '
                'this run cannot tell what a session costs.')
    if said == 'no':
        return f'This run cannot tell whether one more idle session of {of} takes CPU time: {rate}.'
    return (f'One more idle session of {of} costs {rate} of CPU time, {words.fixed(slope.get("slope_cpu_percent"), 3)} % of a '
            f'CPU.{off_line(run, slope)}')


# --- findings -----------------------------------------------------------------------------------------------------

def cost(run: Run) -> Finding | None:
    slope, own = slope_of(run, 'system'), slope_of(run, 'own')
    if slope is None:
        return None
    empty = next((row for row in run.measured() if row['sessions'] == 0), None)
    least = min(row['sessions'] for row in run.measured() if row['sessions'] == 0 or row['system'] == slope['system'])
    off, said = off_line(run, slope), shown(slope)
    more = {'no': ' The slope does not differ significantly from 0.',
            'below': ' The slope is significantly below 0, which no session explains: something else changed.'}.get(said, '')
    own_words = '.' if own is None else f"; the session's own processes account for {rate_words(own, 'slope_ms_per_min')}."
    empty_words = '' if empty is None else f' Without a session, the machine itself takes {rate_words(empty, "lost_ms_per_min")}.'
    return Finding('cost', f'**One more idle session of {slope["system"]} takes {rate_words(slope, "slope_ms_per_min")} of CPU '
                   f'time**, the slope from {words.plain(least)} to {words.plain(slope["sessions_max"])} '
                   f'sessions{own_words}{empty_words}{more}{off}',
                   per_minute(slope, 'slope_ms_per_min'), 'none' if said == 'yes' and not off else 'unsure', 'per-session')


def compared(run: Run) -> Finding | None:
    rows = sorted((row for row in run.measured() if row['sessions'] == 1 and row.get('above_ms_per_min') is not None),
                  key=lambda row: -float(row['above_ms_per_min']))
    if len(rows) < 2:
        return None
    unsure = [row_words(row) for row in rows if not takes_more(row)]
    text = '; '.join(f'{row_words(row)} {rate_words(row, "above_ms_per_min")}' for row in rows)
    end = '' if not unsure else (' None of these is surely above 0.' if len(unsure) == len(rows) else
                                 f' Not surely above 0: {words.and_list(unsure)}.')
    return Finding('compared', f'**CPU time of one idle session**, beyond that of the machine without sessions: {text}.{end}',
                   per_minute(rows[0], 'above_ms_per_min'), 'none', 'lost-time')


def has_empty(run: Run) -> bool:
    return any(row['sessions'] == 0 for row in run.measured())


def top(run: Run, row: Row) -> Rows:
    """Processes that took more CPU time than on the machine without a session, the most first. One that ran there, too, and one of
    the kernel only where the whole machine surely took more: from one measurement to the next it varies by itself."""
    who = [p for p in run.table('who') if p.get('class') in ('own', 'kernel')]
    without = {(p.get('kind'), p.get('culprit')): p['lost_ms_per_min'] for p in who if p['sessions'] == 0}
    found = []
    for p in who:
        if p['system'] != row['system'] or p['sessions'] != row['sessions']:
            continue
        there = without.get((p.get('kind'), p.get('culprit')))
        lost = p['lost_ms_per_min'] - (there or 0)
        if lost > 0.05 and (not has_empty(run) or takes_more(row) or (p['class'] == 'own' and there is None)):
            found.append({**p, 'lost_ms_per_min': lost})
    return sorted(found, key=lambda p: -float(p['lost_ms_per_min']))[:4]


def who_took(run: Run) -> Finding | None:
    if not is_named(run):
        return Finding('who', '**The profile has no process names**, so all figures include processes outside the sessions.',
                       verdict='unsure')
    rows = [row for row in run.measured() if row['sessions'] > 0]
    if not rows:
        return None
    row = max(reversed(rows), key=lambda r: float(r['above_ms_per_min'] if r.get('above_ms_per_min') is not None
                                                  else r['lost_ms_per_min']))
    found, none = top(run, row), has_empty(run)
    each = words.and_list([f'{p["culprit"]} ({words.with_unit(p["lost_ms_per_min"], UNIT)})' for p in found])
    if not found:
        text = f'**No process is shown to take more CPU with {row_words(row)}** than without a session.'
    elif none and not takes_more(row):
        text = (f"**Of the sessions' own processes, these took CPU time with {row_words(row)}**: {each}. The whole machine is not "
                "shown to take "
                'more than without a session.')
    else:
        text = f'**With {row_words(row)}, these took {"more " if none else ""}CPU time**: {each}.'
    own, kernel = row.get('own_ms_per_min') or 0.0, row.get('accounted_ms_per_min') or 0.0
    odd = kernel >= 30 and (own < 0.75 * kernel or own > 1.5 * kernel)
    if odd:
        text += (f" Inconsistent: the profiler attributes {words.with_unit(own, UNIT)} to the lab's processes, the kernel "
                 f'{words.with_unit(kernel, UNIT)}.')
    return Finding('who', text, Amount(found[0]['lost_ms_per_min'] if found else 0.0, unit=UNIT), 'unsure' if odd
                   else 'none', 'lost-time')


def unexplained(run: Run) -> list[str]:
    """More waits than all lost time could have caused: one of the two is wrong, or the machine changed between the two
    measurements."""
    found = []
    for row in run.measured():
        for x in WAITS_MS if row.get('marked') == 0 else ():
            measured, limit = amount(row, f'measured_{x}ms_percent'), row.get(f'bound_all_{x}ms_percent')
            if exceeds(span(measured.low, measured.high), scaled(number(limit), 2)) is True:
                found.append(f'{row_words(row)}, over {x} ms')
    return found


def waits(run: Run) -> Finding | None:
    odd, named = unexplained(run), is_named(run)
    rows = [row for row in run.measured() if row.get('bound_1ms_percent') is not None]
    if not rows:
        return None
    row = max(reversed(rows), key=lambda r: float(r['bound_1ms_percent']))
    longest = max(r.get('longest_ms') or 0.0 for r in run.measured())
    text = (f'**{"Sessions, kernel and interrupts kept the CPU" if named else "The CPU was"} busy for at most '
            f'{words.with_unit(longest, "ms")} at a '
            f'stretch{", without processes that ended before they were identified" if named else ""}.** With {row_words(row)}, a '
            f'task that wakes at a random moment waits{" for them" if named else ""} over 1 ms with a probability of at most '
            f'{bound(row, "bound_1ms_percent")}, over {words.plain(run.threshold_ms())} ms with '
            f'{bound(row, "bound_late_percent")}.')
    if row.get('measured_1ms_percent') is not None:
        all_ = share(row, 'bound_all_1ms_percent')
        text += (f' Measured{f", with other processes (at most {all_})" if named else ""}: of '
                 f'{words.plural(row["wakeups"], "random wake-up")}, {share(row, "measured_1ms_percent")}')
        if row.get('measured_1ms_percent_low') is not None:
            text += (f' (95 % CI {share(row, "measured_1ms_percent_low").removesuffix(" %")} to '
                     f'{share(row, "measured_1ms_percent_high")})')
        text += ' waited over 1 ms.' + (f' {all_} is the bound with other processes.' if named else '')
    if odd:
        text += (f' More tasks waited than the CPU use explains ({"; ".join(odd)}); waits and CPU use were measured one after the '
                 'other.')
    return Finding('waits', text, amount(row, 'bound_1ms_percent'), 'unsure' if odd else 'none', 'lost-time')


def apart(run: Run) -> Finding | None:
    if not is_named(run):
        return None

    def most(name: str) -> float:
        return float(max([row[name] for row in run.measured() if row.get(name) is not None] or [0.0]))

    def said(name: str) -> str:
        return words.with_unit(most(name), UNIT)

    return Finding('apart', f'**Excluded from these figures**, at most: other processes {said("foreign_ms_per_min")}, stolen by '
                   f'the hypervisor or unexplained {said("unexplained_ms_per_min")}, processes that ended before they were '
                   f'identified {said("ended_ms_per_min")}, timer ticks that the profiler causes {said("tick_ms_per_min")}.',
                   Amount(most('foreign_ms_per_min'), unit=UNIT), 'none', 'utilisation')


def findings(run: Run) -> list[Finding]:
    return [f for make in (cost, compared, who_took, waits, apart) if (f := make(run))] if run.measured() else []


def views(run: Run) -> list[View]:
    return [
        View('main', 'summary', 'Lost CPU time', 'system sessions lost_ms_per_min own_ms_per_min kernel_ms_per_min '
             'above_ms_per_min longest_ms'),
        View('slope', 'slope', 'Cost of one more idle session', 'system what slope_ms_per_min slope_cpu_percent sessions_max '
             'repeats?'),
        View('who', 'who', 'Who took the CPU', 'sessions culprit class lost_ms_per_min share_percent times_per_min longest_ms',
             by='system'),
        View('bound', 'summary', 'Bound on waits', 'system sessions bound_1ms_percent bound_5ms_percent bound_10ms_percent '
             'bound_late_percent'),
        View('waits', 'summary', 'Measured waits', 'system sessions measured_1ms_percent measured_5ms_percent '
             'measured_10ms_percent'),
        View('apart', 'summary', 'Time apart', 'system foreign_ms_per_min ended_ms_per_min unexplained_ms_per_min '
             'accounted_ms_per_min'),
    ]


# --- figures ------------------------------------------------------------------------------------------------------

def kind(row: Row) -> tuple[str, float]:
    return bare(row['system']), row['sessions']


def system_words(row: Row) -> str:
    name, sessions = kind(row)
    text = ('no session' if name == 'none' else 'a desktop (xfce4)' if name == 'desktop' else f'one idle session, {name}'
            if sessions == 1 else f'{words.plain(sessions)} idle sessions, {name}')
    return text + of_run(row['system'])


def idle_systems(run: Run) -> list[tuple[Row, Look]]:
    """Measured systems; of several runs the same of all of them together. Grey for the machine alone, the scale of loads for
    numbers of sessions of a protocol, a colour each for other systems (green is in that scale: last); each of several runs has its
    dashes."""
    rows = run.measured()
    ordered = [row for k in distinct(map(kind, rows)) for row in rows if kind(row) == k]
    several = [row for row in ordered if sum(other['system'] == row['system'] for other in ordered) > 1]
    loads = distinct(map(kind, several))
    alone = distinct(kind(row) for row in ordered if row not in several and bare(row['system']) != 'none')
    runs = distinct(of_run(row['system']) for row in rows)

    def look_of(row: Row) -> Look:
        dash = 1 + runs.index(of_run(row['system']))
        if bare(row['system']) == 'none':
            return Look(MARK, dash=dash, width=2.5)
        if kind(row) in loads:
            return Look(load_look(loads.index(kind(row)), len(loads)).colour, dash=dash, width=1.5)
        return Look(COLOURS[(1, 3, 4, 5, 6, 7, 2)[alone.index(kind(row)) % 7]], dash=dash, width=1.5)

    return [(row, look_of(row)) for row in ordered]


def timeline(run: Run, name: str, head: str, x: Axis, y: Axis, scale: float, least: float, width: float) -> Drawing:
    """A panel for each system: what was lost in each bin, one above the other: ticks, the lab's and the kernel's, everything
    else."""
    table = run.table(name)
    ticks = any(row.get('tick_percent') is not None for row in table)
    legend = [Curve('box', [], Look(LIGHT), "lab's processes, kernel, interrupts"),
              Curve('box', [], Look('#bbbbbb'), 'everything else')]
    legend += [Curve('box', [], Look(HEAVY), 'timer ticks')] if ticks else []

    def bins(row: Row, column: str) -> list[Place]:
        found = [(r['time_ms'] / scale, ((r.get(column) or 0) if column else 0) + (r.get('tick_percent') or 0)) for r in table
                 if r.get('time_ms') is not None and r['system'] == row['system'] and r['sessions'] == row['sessions']]
        # (thousands of bins with next to nothing)
        return [Place(at, height) for at, height in found if height > 0 and height >= least]

    panels = [Panel(x, y, [Curve('impulse', bins(row, column), Look(colour, width=width))
                           for colour, column in (('#bbbbbb', 'all_percent'), (LIGHT, 'lost_percent'), (HEAVY, ''))],
                    system_words(row))
              for row, _ in idle_systems(run)]
    return Drawing(name, head, panels, stacked=True, across=1, high=120, legend=legend)


def lost_time(run: Run) -> Drawing:
    longest = max([row['longest_ms'] for row in run.measured() if row.get('longest_ms') is not None] + [1.0])
    curves = [Curve('steps', [Place(p['upto_ms'], p['lost_ms_per_min']) for p in run.table('curve') if p['system'] == row['system']
                              and p['sessions'] == row['sessions'] and p.get('lost_ms_per_min') is not None
                              and p['upto_ms'] >= 0.005],
                    look, system_words(row)) for row, look in idle_systems(run)]
    return Drawing('lost-time', 'Lost CPU time by length of event', [Panel(
        Axis('length of the event, ms', 0.005, 10.0 ** ceil(log10(longest * 1.05)), log=True),
        Axis('lost to events no longer than that, ms/min', 0), curves)])


def dots(rows: Iterable[Row], column: str, look: Look, name: str) -> list[Curve]:
    return over(((row['sessions'], row) for row in rows), column, look, name, draw='bars hover')


def per_session(run: Run) -> Drawing | None:
    """One more session: points with their intervals, and the line of the slope through their centre; a colour for each of several
    runs."""
    slopes = [row for row in run.table('slope') if row.get('what') == 'system' and row.get('slope_ms_per_min') is not None]
    if not slopes:
        return None

    def rows_of(system: str) -> Rows:
        return [row for row in run.table('summary') if (row['system'] == system
                                                        or (row['sessions'] == 0 and of_run(row['system']) == of_run(system)))
                and row.get('lost_ms_per_min') is not None]

    most = max([row['sessions'] for s in slopes for row in rows_of(s['system'])] or [1.0])
    curves: list[Curve] = []
    for k, s in enumerate(slopes):
        rows, rate, many = rows_of(s['system']), s['slope_ms_per_min'], len(slopes) > 1
        x, y = sum(r['sessions'] for r in rows) / len(rows), sum(r['lost_ms_per_min'] for r in rows) / len(rows)
        of = of_run(s['system'])
        curves += dots(rows, 'lost_ms_per_min', Look(COLOURS[k % 8]), f"lab's processes, kernel and interrupts{of}")
        curves += dots(rows, 'own_ms_per_min', Look(COLOURS[k % 8] if many else HEAVY, 5), f"of it the lab's processes{of}")
        line = [Place(at, y + rate * (at - x)) for at in (0.0, most)]
        curves.append(Curve('line', [p for p in line if (p.y or 0) >= 0 or rate >= 0],
                            Look(COLOURS[k % 8] if many else LINE, dash=3), f'{digits(rate, 3)} ms a minute for each session{of}'))
    axis = Axis(f'idle sessions of {bare(slopes[0]["system"])}', -0.02 * most, most * 1.04 + 0.1, step=1 if most <= 12 else None)
    return Drawing('per-session', 'Lost CPU time by number of idle sessions', [Panel(axis, Axis('lost time, ms/min', 0), curves)])


def drawings(run: Run) -> list[Drawing]:
    busiest = max([row['all_percent'] for row in run.table('utilisation') if row.get('all_percent') is not None] or [1.0])
    busiest = 1.0 if busiest <= 0 else min(busiest, 100.0)
    step = 10 * ceil(busiest / 25) if busiest > 10 else ceil(busiest / 2.5) if busiest > 1 else 0.5
    found: list[Drawing | None] = []
    if 'utilisation' in run.tables:
        found.append(timeline(run, 'utilisation', 'CPU in use over ten seconds', Axis('seconds', 0, 10, step=1),
                              Axis('% of 10 ms', 0, min(busiest * 1.05, 100.0), step=step), 1000, busiest / 150, 0.7))
    if 'ticks' in run.tables:
        found.append(timeline(run, 'ticks', 'CPU in use over a tenth of a second', Axis('milliseconds', -0.5, 100, step=10),
                              Axis('% of 1 ms', 0.1, 100, log=True), 1, 0.1, 3))
    return [d for d in (*found, lost_time(run), per_session(run)) if d]
