# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the probe itself is off. A finding holds for all delays of a path together."""
from math import fabs
from typing import Any

from analysis import notes, words
from analysis.amounts import Amount, Row, Rows
from analysis.draw import HEAVY, LIGHT, LINE, Axis, Curve, Drawing, Look, Panel, Place, digits
from analysis.notes import NOTHING_MEASURED, value_text
from analysis.page import Finding, Labels, View
from analysis.run import Run, distinct

COLUMNS = '''
counts trains
table summary rows:offsets schema=calibration/1
path          Path                        -  param - text -
probe         Probe                       -  param - text -
delay         Delay                       -  param - text -
trains        Trains                      -  - - 0    -
marked        Flagged                     -  - - 0    lower
keys          Keys                        -  - - 0    -
lost          Lost                        -  - - 0    lower
injected_ms   Injected                    ms - - 4    -
measured_ms   Measured                    ms - - 4    -
offset_ms     Offset                      ms - - +-4  lower
offset_min_ms "Least offset"              ms - - +-4  lower
offset_max_ms "Largest offset"            ms - - +-4  lower
sd_ms         "Standard deviation"        ms - - 4    lower
tail_percent  "Tail from"                 %  - - 0    -
tail_ms       "Tail beyond the offset"    ms - - 4    lower
error_ms      "Error at the tail"         ms - - 4    lower
there_ms      "Way there"                 ms - - +-4  lower
back_ms       "Way back"                  ms - - +-4  lower
less_base_ms  "Less that without a delay" ms - - +-4  lower
floor_ms      "Of the path itself"        ms - - 3    -
less_floor_ms "Less that"                 ms - - +-4  lower
'''
setup = notes.setup
PATHS = {'vnc-refecho': 'vnc:refecho'}
PROBES = {'patch': 'from pixels', 'wire': 'on the wire'}


def path_words(row: Row) -> str:
    return PATHS.get(row['path'], row['path'])


def title(run: Run) -> str:
    return f'Error of the probe itself: {words.and_list([PATHS.get(path, path) for path in run.setting("paths", [])])}'


def labels(run: Run) -> Labels:
    return Labels(value={'path': PATHS, 'probe': PROBES})


def of_all_delays(run: Run) -> Rows:
    return [row for row in run.table('summary') if row.get('delay') == 'all' and (row.get('keys') or 0) > 0]


def has_floor(row: Row) -> bool:
    """A frame clock hides the probe's error."""
    return (row.get('floor_ms') or 0) > 0


def is_below(value: float | None, limit: float) -> bool:
    return value is not None and fabs(value) < limit


def is_mostly_seen(row: Row) -> bool:
    """Of more than one key in twenty without an answer, the errors of the others say nothing."""
    return bool(19 * (row.get('lost') or 0) <= row['keys'])


def is_accurate(row: Row) -> bool:
    """Without a frame clock."""
    return (is_mostly_seen(row) and is_below(row.get('offset_ms'), 1) and is_below(row.get('sd_ms'), 0.5)
            and (row.get('tail_ms') or 0) < 0.5)


def is_told(row: Row) -> bool:
    """Does it tell the probe's error?"""
    return row['probe'] == 'patch' and not has_floor(row)


def ms(value: float | None) -> str:
    return '?' if value is None else f'{words.fixed(value, 2)} ms'


def drift_words(run: Run, row: Row) -> str:
    """How much the offset depends on the injected delay."""
    less = [fabs(r['less_base_ms']) for r in run.table('summary') if (r['path'], r['probe']) == (row['path'], row['probe'])
            and r.get('delay') != 'all' and r.get('less_base_ms') is not None]
    return f' The error varies by up to {ms(max(less))} with the injected delay.' if len(less) > 1 else ''


def error_words(run: Run, row: Row) -> str:
    what = f'{path_words(row)} {PROBES.get(row["probe"], row["probe"])}'
    if has_floor(row):
        wait = ((run.facts.get('protocols') or {}).get(row['path']) or {}).get('floor_of') or "half a frame of the server's clock"
        return (f'**{what}: the probe sees a response {ms(row.get("offset_ms"))} after the application drew it.** Of this, '
                f'{ms(row.get("floor_ms"))} is {wait}, {ms(row.get("less_floor_ms"))} is server, link and probe.')
    tail = row.get('tail_percent')
    return (f"**{what}: the probe's error is {ms(row.get('offset_ms'))}** (median of {value_text(row['keys'])} keys), standard "
            f'deviation {ms(row.get("sd_ms"))}.'
            + ('' if tail is None else f' For {value_text(tail)} % of the keys the error is at most {ms(row.get("error_ms"))}.'))


def of_path(run: Run, row: Row) -> Finding:
    lost = row.get('lost') or 0
    unseen = f' No answer was seen to {value_text(lost)} of {value_text(row["keys"] + lost)} keys.' if lost > 0 else ''
    verdict_ = 'none' if not is_told(row) else 'good' if is_accurate(row) else 'bad'
    return Finding(f'{row["path"]}-{row["probe"]}', f'{error_words(run, row)}{unseen}{drift_words(run, row)}',
                   Amount(row.get('offset_ms'), unit='ms'), verdict_, 'offset')


def findings(run: Run) -> list[Finding]:
    return [of_path(run, row) for row in sorted(of_all_delays(run), key=lambda row: bool(row['probe'] != 'patch'))][:5]


def miss_words(run: Run) -> str:
    """What to do about an error that is too large."""
    if any((row.get('marked') or 0) > 0 for row in run.table('summary')):
        return 'Other processes used the CPUs during the calibration: repeat it on a quiet machine.'
    if (run.facts.get('lab') or {}).get('real_time') is False:
        return 'The probe had no real-time priority: calibrate as root.'
    return 'The figure shows at which injected delays it is large.'


def verdict(run: Run) -> str:
    unanswered = [path_words(row) for row in run.table('summary') if row.get('delay') == 'all' and row['probe'] == 'patch'
                  and row.get('keys') == 0 and (row.get('lost') or 0) > 0]
    told = [row for row in of_all_delays(run) if is_told(row)]
    misses = [path_words(row) for row in told if not is_accurate(row)]
    if unanswered:
        return f'The probe saw no response on the screen to any key over {words.and_list(unanswered)}.'
    if not of_all_delays(run):
        return NOTHING_MEASURED
    if not told:
        return "The probe's error is unknown: every path measured has a frame clock, which hides it."
    if not misses:
        return ('The probe is accurate: its median error is below 1 ms, its spread below 0.5 ms on '
                f'{words.and_list([path_words(row) for row in told])}.')
    return ("The probe's error is not within the limits (median 1 ms, spread 0.5 ms, 1 key in 20 not seen) on "
            f'{words.and_list(misses)}. {miss_words(run)}')


# --- what later runs carry ----------------------------------------------------------------------------------------

def part(facts: Any, *names: str) -> dict[str, Any]:
    return {name: (facts or {}).get(name) for name in names}


def path_record(run: Run, row: Row) -> dict[str, Any]:
    spreads = [row[name] for name in ('sd_ms', 'tail_ms') if row.get(name) is not None]
    return {'path': row['path'], 'probe': row['probe'], 'started': run.facts.get('started'),
            'server': ((run.facts.get('protocols') or {}).get(row['path']) or {}).get('says'), 'n': row['keys'],
            **part(row, 'lost', 'offset_ms', 'sd_ms', 'tail_percent', 'tail_ms'), 'spread_ms': max(spreads, default=None),
            **part(row, 'error_ms', 'there_ms', 'back_ms', 'floor_ms', 'less_floor_ms', 'trains', 'marked'),
            'quick': run.settings()['repeats'] * run.settings()['seconds'] <= 2,
            'disturbed': (row.get('marked') or 0) * 2 > (row.get('trains') or 0)}


def record(run: Run) -> dict[str, Any]:
    """All delays of a path together, for each path and probe."""
    host = run.facts.get('host') or {}
    return {'schema': 'thinprobe.calibration/1', **part(run.facts, 'started', 'version'),
            'host': {**part(host, 'kernel', 'system', 'virtualisation', 'clocksource'), **part(host.get('cpu'), 'model')},
            'lab': part(run.facts.get('lab'), 'rate', 'rootless', 'shared_cpus', 'real_time'),
            'paths': [path_record(run, row) for row in of_all_delays(run)]}


def views(run: Run) -> list[View]:
    return [
        View('main', 'summary', 'Offset by path and delay',
             'probe delay keys offset_ms sd_ms error_ms lost floor_ms less_floor_ms', by='path'),
        View('ways', 'summary', 'The two ways',
             'probe delay injected_ms measured_ms there_ms back_ms offset_min_ms less_base_ms', by='path'),
    ]


# --- figures ------------------------------------------------------------------------------------------------------

LOOKS = {'patch': Look(LIGHT, 7), 'wire': Look(HEAVY, 5)}


def offset_curves(rows: Rows, delays: list[str], has_wire: bool) -> list[Curve]:
    """Of a path: medians, from the least offset to the tail."""
    curves = []
    waits = [row for row in rows if row['probe'] == 'patch' and has_floor(row)]
    for (probe, name), by in zip(PROBES.items(), (-0.12, 0.12)):
        dots = [Place(delays.index(row['delay']) + 1 + (by if has_wire else 0), row['offset_ms'], row.get('offset_min_ms'),
                      row['offset_ms'] + (row.get('tail_ms') or 0), text=f'{row["delay"]}: {digits(row["offset_ms"])}')
                for row in rows if row['probe'] == probe]
        floor = [Place(delays.index(row['delay']) + 1, row['floor_ms']) for row in waits]
        curves += [Curve('bars hover', dots, LOOKS[probe], name), Curve('line', floor, Look(LINE, dash=3), 'server’s least wait')]
    return curves


def drawings(run: Run) -> list[Drawing]:
    """Measured minus injected time over the injected delay, a panel for each path."""
    rows = [row for row in run.table('summary') if row.get('delay') != 'all']
    delays, has_wire = distinct(row['delay'] for row in rows), any(row['probe'] == 'wire' for row in rows)
    panels = [Panel(Axis(names=delays), Axis('ms'), offset_curves(
        [row for row in rows if row['path'] == path and row.get('offset_ms') is not None], delays, has_wire), PATHS.get(path, path))
        for path in distinct(row['path'] for row in rows)]
    return [Drawing('offset', 'Offset of the probe: measured minus injected time', panels, across=9, high=350)]
