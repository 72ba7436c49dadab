# SPDX-License-Identifier: GPL-3.0-or-later
"""Effect of scheduler settings on slow responses. Findings say "better" or "worse" only with a verdict of compare.tsv."""
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from analysis import notes, words
from analysis.amounts import Amount, Row, Rows, above, amount, exceeds, in_words, interval_words, number, with_both, within
from analysis.draw import COLOURS, DASHED, Axis, Curve, Drawing, Look, Mark, Panel, Place, look, place, row_of, rows_axis, stripes
from analysis.draw import over as curves_over
from analysis.notes import value_text
from analysis.page import Finding, Labels, View
from analysis.run import Run, distinct
from experiments.families import trains
from experiments.families.trains import is_several, latency, over, protocol, systems

COLUMNS = '''
include ../families/trains.py
'''
setup, resolve = notes.setup, trains.resolve
BASE = 'default'
# Largest percentage of late keys with which a response counts as nearly as fast as without load. (That response is computed: its
# CPU time and the least wait of the server.)
LATE_MOST = 5
NEAR = 'nearly as fast as computed without load'


def title(run: Run) -> str:
    return f'Scheduler settings against slow responses: {notes.protocol_words(run)}'


def settings(run: Run) -> Sequence[Row]:
    return run.facts.get('rows') or []


def labels(run: Run) -> Labels:
    shared = trains.labels(run)
    says = {row['setting']: row['says'] for row in settings(run) if row.get('says')}
    part = {'table': 'every setting', 'length': 'longer operations'}
    return Labels(shared.heading, {**shared.value, 'setting': says, 'part': part})


def says(run: Run, setting: str) -> str:
    return next((row['says'] for row in settings(run) if row['setting'] == setting and row.get('says')), setting)


def load(run: Run) -> float | None:
    """So many CPU hogs in the table of settings."""
    return next(iter(run.setting('loads', [])), None)


def load_words(run: Run) -> str:
    return words.plural(load(run) or 0, 'CPU hog')


def main_cost(run: Run) -> float:
    """CPU time of the heavy application, in ms, with which every setting is tried."""
    tried = run.setting('costs_ms', [])
    return float(next((ms for ms in run.setting('full_costs_ms', [10]) if ms in tried), next(iter(tried), 0)))


def late(row: Row) -> Amount:
    return amount(row, 'late_share_percent')


# --- rows of one protocol -----------------------------------------------------------------------------------------

def is_usable(row: Row) -> bool:
    return ((row.get('repeats') or 0) > 0 and (row.get('keys') or 0) > 0 and row.get('overloaded') == 0
            and latency(row).at_most() is not None)


def cannot_keep_up(row: Row) -> bool:
    return (row.get('overloaded') or 0) > 0


def tried(run: Run, app: str) -> Rows:
    return [row for row in run.table('summary') if row.get('part') == 'table' and row['app'] == app and row['sinks'] == load(run)
            and (app == 'light' or row.get('cost_ms') == main_cost(run))]


def measured(run: Run, app: str = 'heavy') -> Rows:
    """The fastest first."""
    return sorted(filter(is_usable, tried(run, app)), key=lambda row: latency(row).at_most() or 0)


def row_for(run: Run, setting: str, app: str = 'heavy') -> dict[str, Any] | None:
    return next((row for row in measured(run, app) if row['setting'] == setting), None)


def others(run: Run) -> Rows:
    return [row for row in measured(run) if row['setting'] != BASE]


def default_overload(run: Run) -> str:
    """Overloaded in 1 of 6 repeats, if the default was."""
    return next((f'overloaded in {value_text(row["overloaded"])} of {words.plural(row["repeats"], "repeat")}'
                 for row in tried(run, 'heavy') if row['setting'] == BASE and cannot_keep_up(row)), '')


def overload_words(run: Run) -> str:
    found = {row['setting'] for row in run.table('summary')
             if row.get('part') == 'table' and row['app'] == 'heavy' and cannot_keep_up(row)}
    return f' Overloaded, so without a median: {words.and_list([says(run, name) for name in sorted(found)])}.' if found else ''


def verdicts(run: Run) -> Rows:
    return [row for row in run.table('compare') if (row.get('part'), row['app'], row.get('cost_ms'), row['sinks']) == (
        'table', 'heavy', main_cost(run), load(run)) and row.get('verdict') != 'too few runs']


# --- what is decided of a row -------------------------------------------------------------------------------------

def without_interval(a: Amount) -> Amount:
    return Amount(a.value, a.start, a.end, above=a.above)


def near_ms(run: Run) -> float:
    """Nearly as fast as without load: twice the sum of the redraw's CPU time and the server's minimal wait."""
    return 2 * (main_cost(run) + (protocol(run).get('floor_ms') or 0))


def has_late(row: Row) -> bool | None:
    """If no key was late, few were, however few were typed; else the whole interval counts."""
    a = late(row)
    return exceeds(without_interval(a) if a.at_most() == 0 else a, number(LATE_MOST))


def late_words(row: Row) -> str:
    return f', {in_words(late(row))} late' if late(row).is_known() and has_late(row) is not False else ''


def as_without_load(run: Run) -> Rows:
    """With few late keys. If the limit is above the threshold, every key is late, so the share is compared with the default's."""
    near, base = near_ms(run), row_for(run, BASE) or {}
    all_late = near > run.threshold_ms()
    return [row for row in measured(run) if above(row, 'latency_p50_ms', near) is False and (
        has_late(row) is False or (late(row).is_known() and all_late and exceeds(late(row), late(base)) is not True))]


def is_repeated(row: Row) -> bool:
    """One repeat says nothing of the next."""
    return latency(row).low is not None or latency(row).both is not None


def is_alike(row: Row, base: Row) -> bool:
    """80 to 125 % of the default's median, by the ends of both intervals."""
    a = with_both(latency(base))
    low, high = a.at_least() if a.low is None else a.low, None if a.above else a.at_most() if a.high is None else a.high
    return low is not None and high is not None and within(latency(row), high * 0.8, low * 1.25) is True


def is_half(row: Row, base: Row) -> bool:
    return exceeds(without_interval(latency(row)), number((latency(base).at_least() or 0) * 0.5)) is False


def is_protected(run: Run, row: Row) -> bool:
    """Is the median within twice the operation's CPU time plus the minimal wait and 5 ms? One that cannot keep up has no median."""
    most = 2 * (row.get('cost_ms') or 0) + (protocol(run).get('floor_ms') or 0) + 5
    return not cannot_keep_up(row) and exceeds(without_interval(latency(row)), number(most)) is False


# --- findings, of one protocol ------------------------------------------------------------------------------------

def named(run: Run, rows: Rows) -> str:
    return words.and_list([f'{says(run, row["setting"])} ({in_words(latency(row))}{late_words(row)})' for row in rows])


def sure_verdict(is_bad: bool | None) -> str:
    return 'unsure' if is_bad is None else 'bad' if is_bad else 'good'


def by_default(run: Run) -> Finding | None:
    row, light, cost = row_for(run, BASE), row_for(run, BASE, 'light'), main_cost(run)
    start = f'**By default, with {load_words(run)}, the'
    if full := default_overload(run):
        text = f'{start} heavy application cannot keep up**: {full}, so there is no median.'
        return Finding('default', text, None, 'bad', 'settings')
    if not row:
        return None
    vim = f' Vim responds in {in_words(latency(light))}.' if light else ''
    text = (f'{start} median response of the heavy application is {in_words(latency(row))}.** With fair sharing, '
            f'{words.plain(cost)} ms of CPU time would take {words.with_unit(cost * ((load(run) or 0) + 1), "ms")}.{vim}')
    return Finding('default', text, latency(row), sure_verdict(above(row, 'latency_p50_ms', run.threshold_ms())), 'settings')


def surely_words(run: Run, rows: Rows) -> str:
    limit = limit_words(run)
    return f'(95 % sure: at most {limit})' if all(map(is_repeated, rows)) else f'(at most {limit}, in one repeat)'


def limit_words(run: Run) -> str:
    near = near_ms(run)
    return f'{words.with_unit(near, "ms")}, twice the {words.with_unit(near / 2, "ms")} computed without load'


def ineffective(run: Run) -> str:
    """Settings without effect, and harmful ones, by the ends of both intervals."""
    base = row_for(run, BASE)
    if not base or not is_repeated(base):
        return ''
    rows = [row for row in others(run) if is_repeated(row)]
    alike = [row for row in rows if is_alike(row, base)]
    slower = [row for row in rows if row not in alike and exceeds(latency(row), latency(base)) is True]
    return ((f" Hardly any effect (80 to 125 % of the default's median): {named(run, alike)}." if alike else '')
            + (f' Slower than the default: {named(run, slower)}.' if slower else ''))


def remedies(run: Run) -> Finding | None:
    base, near, other = row_for(run, BASE), as_without_load(run), others(run)
    if not other or not (base or default_overload(run)):
        return None
    more = ineffective(run) + overload_words(run)
    if base and base in near:
        return Finding('remedies', f'**No setting is needed**: by default responses are {NEAR} {surely_words(run, [base])}, '
                       f'{in_words(latency(base))}.{more}', latency(base), 'good' if is_repeated(base) else 'unsure', 'settings')
    if not near:
        fastest = measured(run)[:1]
        return Finding('remedies', f'**No setting surely makes responses {NEAR}** (median at most {limit_words(run)}; at most '
                       f'{LATE_MOST} % late). The fastest is {named(run, fastest)}.{more}', latency(fastest[0]), figure='settings')
    return Finding('remedies', f'**These settings make responses {NEAR}** {surely_words(run, near)}: {named(run, near)}.{more}',
                   latency(near[0]), 'good' if all(map(is_repeated, near)) else 'unsure', 'settings')


def price(run: Run) -> Finding | None:
    base = row_for(run, BASE)
    if not base or base.get('load_share_percent') is None:
        return None

    def share(row: Row) -> str:
        return words.fixed(row['load_share_percent'], 0)

    rows = [row for row in others(run) if row.get('load_share_percent') is not None and is_half(row, base)]
    if not rows:
        return None
    each = '; '.join(f'{text} % with {words.and_list([says(run, row["setting"]) for row in rows if share(row) == text])}'
                     for text in sorted(set(map(share, rows)), key=float, reverse=True))
    cheap = max(reversed(rows), key=lambda row: float(row['load_share_percent']))
    return Finding('price', f'**By default, the CPU hogs get {share(base)} % of a CPU.** Where the median is at most half of the '
                   f"default's, they get {each}.", amount(cheap, 'load_share_percent'), figure='settings')


def protected_up_to(run: Run, rows: Rows) -> tuple[float, bool]:
    """Of rows of a setting in the order of their lengths: the longest operation that it protects, in ms, and whether it was the
    longest tried."""
    lost = next((i for i, row in enumerate(rows) if not is_protected(run, row)), len(rows))
    return (rows[lost - 1]['cost_ms'] if lost else 0.0), lost == len(rows)


def lengths(run: Run) -> Finding | None:
    every = [row for row in run.table('summary') if row.get('part') == 'length']
    rows = [row for row in every if cannot_keep_up(row) or is_usable(row)]
    of = {setting: sorted((row for row in rows if row['setting'] == setting), key=lambda row: float(row['cost_ms']))
          for setting in sorted({row['setting'] for row in rows})}
    found = [(setting, *protected_up_to(run, mine)) for setting, mine in of.items() if len(mine) > 1]
    if not found:
        return None
    found.sort(key=lambda one: -one[1])
    each = '; '.join(f'with {says(run, setting)} '
                     + ('at no length tried' if not to else 'at every length tried' if is_all else f'up to {words.plain(to)} ms')
                     for setting, to, is_all in found)
    head = ('No operation tried is too long for the protection' if all(is_all for *_, is_all in found) else
            'Long operations lose the protection')
    once = ' Each length was measured once.' if all(row.get('repeats') == 1 for row in every) else ''
    hogs = run.setting('length_load', (run.setting('length') or {}).get('sinks') or '?')
    return Finding('length', f"**{head}** with {value_text(hogs)} CPU hogs. The median response stays within twice the operation's "
                   f"own CPU time, the server's least wait and 5 ms {each}.{once}", Amount(found[0][1], unit='ms'), figure='length')


def ratio_words(run: Run, row: Row) -> str:
    """A setting beside the default in the same repeats; the late keys of one that is better."""
    a, text = amount(row, 'ratio'), says(run, row['setting'])
    if row.get('pairs_why'):
        text += f' ({row["pairs_why"]})'
    elif a.is_range():
        text += f' {in_words(a)}'
    elif a.is_known():
        text += f' {words.fixed(a.value, 2)}{interval_words(a.low, a.high, "", lambda value: words.fixed(value, 2))}'
    some = late_words(row_for(run, row['setting']) or {}) if row['verdict'] == 'better' else ''
    return text + (f' (but{some.removeprefix(",")}, by default {in_words(late(row_for(run, BASE) or {}))})' if some else '')


def tested(run: Run) -> Finding:
    rows = verdicts(run)
    if not rows:
        return Finding('tested', '**The differences are not tested for significance**: that needs five repeats that include the '
                       'default (`--repeat 5`).', None, 'unsure', 'settings')
    each = [f'{word}: {words.and_list([ratio_words(run, row) for row in of])}'
            for word in ('better', 'worse', 'no difference shown', 'too noisy', 'not comparable')
            if (of := [row for row in rows if row.get('verdict') == word])]

    def most(row: Row) -> float:
        a = amount(row, 'ratio').at_most()
        return 1e9 if a is None else a

    return Finding('tested', '**Compared with the default in the same repeat** (the heavy application: ratio of medians; paired t '
                   f'test, Holm): {"; ".join(each)}.', amount(min(rows, key=most), 'ratio'), figure='settings')


def findings_of(run: Run) -> list[Finding]:
    return [f for f in (by_default(run), remedies(run), price(run), lengths(run), tested(run)) if f]


def verdict_of(run: Run) -> str:
    base, near, full = row_for(run, BASE), as_without_load(run), default_overload(run)
    app = f'an application that needs {words.plain(main_cost(run))} ms of CPU'
    median = in_words(latency(base)) if base else ''
    text = '' if base else f'The default cannot keep up ({full}). '
    if not base and not full:
        text = 'The default setting was not measured: there is nothing to compare with.'
    elif not others(run):
        text += (f'Only the default was measured: its median response is {median}.' if base else
                 'No other setting has a median response.')
    elif base and base in near:
        text += f'By default {app} is {NEAR} ({median}); it needs no setting.'
    elif not near:
        text += f'No setting tried surely makes {app} {NEAR}.'
    else:
        text += (f'{words.plural(len(near), "setting makes", "settings make")} {app} {NEAR}'
                 + (f'; its median response by default is {median}.' if base else '.'))
    return text + ('' if verdicts(run) else ' Too few repeats to test whether one is better.')


# --- with several protocols a finding has a sentence for each -----------------------------------------------------

def verdict(run: Run) -> str:
    return ' '.join(f'Over {name}: {verdict_of(over(run, name))}' for name in systems(run)) if is_several(run) else verdict_of(run)


def findings(run: Run) -> list[Finding]:
    if not is_several(run):
        return findings_of(run)
    found = [(name, f) for name in systems(run) for f in findings_of(over(run, name))]
    of = {id_: [(name, f) for name, f in found if f.id == id_] for id_ in distinct(f.id for _, f in found)}
    return [replace(some[0][1], text=' '.join(f'Over {name}: {f.text}' for name, f in some)) for some in of.values()]


def views(run: Run) -> list[View]:
    return [
        View('main', 'summary', 'Response time by setting',
             'protocol? setting app cost_ms sinks latency_p50_ms latency_max_ms load_share_percent', by='part'),
        View('more', 'summary', 'More of each setting',
             'protocol? setting app cost_ms sinks late_share_percent coalesced_percent repeats marked?', by='part'),
        View('compare', 'compare', 'Against the default in the same repeat',
             'protocol? setting app cost_ms sinks pairs ratio p verdict', by='part'),
    ]


# --- figures ------------------------------------------------------------------------------------------------------

PANELS = (('light', 'latency_p50_ms', ''), ('heavy', 'latency_p50_ms', ''), ('heavy', 'coalesced_percent', 'coalesced'),
          ('heavy', 'load_share_percent', 'load kept'))
PERCENT = Axis('%', -4, 104, step=50)


def setting_name(run: Run, row: Row) -> str:
    return f'{row["protocol"]}/{row["setting"]}' if is_several(run) else str(row['setting'])


def names_of(run: Run, rows: Rows) -> list[str]:
    there = {setting_name(run, row) for row in rows}
    return [name for row in settings(run) for system in (systems(run) if is_several(run) else [''])
            if (name := setting_name(run, {**row, 'protocol': system})) in there]


def slowest_ms(row: Row) -> float | None:
    return next((row[c] for c in ('latency_high_max_ms', 'latency_max_ms') if row.get(c) is not None), None)


def setting_curves(run: Run, rows: list[tuple[dict[str, Any], float]], c: str, at: Look, load_: float) -> list[Curve]:
    """Of one load: the values with their intervals; of times, thin up to the slowest key. rows: with their heights."""
    dots = [p for row, y in rows if (p := place(y, row, c, setting_name(run, row)))]
    intervals = [Place(row[f'{c}_low'], y, x2=row.get(f'{c}_high'), y2=y) for row, y in rows if row.get(f'{c}_low') is not None]
    curves = [Curve('hover', [Place(p.y, p.x, text=p.text) for p in dots], at, f'with {value_text(load_)} CPU hogs'),
              Curve('segment', intervals, replace(at, width=3), '95 % interval')]
    if c.startswith('latency'):
        curves.append(Curve('segment', [Place(row[c], y, x2=x, y2=y) for row, y in rows if (x := slowest_ms(row)) is not None],
                            replace(at, width=0.8), 'to the slowest key'))
    return curves


def settings_panel(run: Run, rows: Rows, names: list[str], app: str, c: str, title_: str) -> Panel:
    """rows: of one application, with a figure in the column; loads one above the other."""
    loads = distinct(row['sinks'] for row in run.measured() if row.get('part') == 'table')

    def y_of(row: Row) -> float:
        by = 0.34 * (0.5 - loads.index(row['sinks']) / (len(loads) - 1)) if len(loads) > 1 else 0
        return (row_of(setting_name(run, row), names) or 0) + by

    is_time = c.startswith('latency')
    lows = [row[c] if row.get(f'{c}_low') is None else row[f'{c}_low'] for row in rows]
    most = max([ms for row in rows if (ms := slowest_ms(row)) is not None] + [200])
    x = Axis('response time, ms', min([*lows, 5]), most, log=True, unit='ms') if is_time else PERCENT
    curves = [curve for i, n in enumerate(loads)
              for curve in setting_curves(run, [(row, y_of(row)) for row in rows if row['sinks'] == n], c, look(i), n)]
    return Panel(x, rows_axis(names), curves, title_, stripes(names) + ([Mark(run.threshold_ms(), dash=2)] if is_time else []))


def settings_figure(run: Run) -> Drawing | None:
    """A row for each setting with response times of both applications, coalesced keys, the load's CPU share."""
    rows = [row for row in run.measured() if row.get('part') == 'table']
    cost = main_cost(over(run, next(iter(systems(run)), '?')))
    titles = (trains.role_words(run, 'light'), f'{words.plain(cost)} ms of CPU per key')
    panels = [settings_panel(run, [row for row in rows if row['app'] == app and (app == 'light' or row.get('cost_ms') == cost)
                                   and row.get(c) is not None], names_of(run, rows), app, c, name or titles[i])
              for i, (app, c, name) in enumerate(PANELS)]
    return Drawing('settings', 'Response time and load by setting', panels, across=4) if rows else None


def length_figure(run: Run) -> Drawing | None:
    """Response time over the CPU time of the operation."""
    rows = [row for row in run.measured() if row.get('part') == 'length']
    if not rows:
        return None
    names, hogs, floor = names_of(run, rows), rows[-1]['sinks'], protocol(run).get('floor_ms') or 0
    costs = distinct(row['cost_ms'] for row in rows)
    start, end = min(costs), max(costs)

    def x_of(row: Row, i: int) -> float:
        """Dots of the same length are moved apart."""
        return float(row['cost_ms'] * (1 + 0.09 * (i / (len(names) - 1) - 0.5) if len(names) > 1 else 1))

    wait = f' and {protocol(run).get("floor_of") or "half a frame"}' if floor > 0 else ''
    steps = [start * (end / start) ** (i / 40) for i in range(41)]
    curves = [Curve('line', [Place(x, x + floor) for x in (start, end)], replace(DASHED, dash=3), f'its own CPU time{wait}'),
              Curve('line', [Place(x, x * (hogs + 1) + floor) for x in steps], DASHED, f'fair sharing: × {value_text(hogs + 1)}')]
    for i, name in enumerate(names):
        at = replace(look(i), colour=COLOURS[(6, 0, 1, 2, 3, 4, 5)[i % 7]])
        keys = [row for row in run.table('cdf') if row.get('part') == 'length' and setting_name(run, row) == name]
        curves.append(Curve('points', [Place(x_of(row, i), row['latency_ms']) for row in keys if row.get('latency_ms') is not None],
                            replace(at, shape=7, size=0.25)))
        curves += curves_over([(x_of(row, i), row) for row in rows if setting_name(run, row) == name], 'latency_p50_ms', at, name,
                              draw='line hover')
    x = Axis('CPU time of the operation, ms', start / 1.25, end * 1.25, log=True, tics=[(ms, words.plain(ms)) for ms in costs])
    return Drawing('length', f'Response time by length of the operation, with {value_text(hogs)} CPU hogs',
                   [Panel(x, Axis('response time, ms', log=True, unit='ms'), curves)])


def drawings(run: Run) -> list[Drawing]:
    return [d for d in (settings_figure(run), length_figure(run)) if d]
