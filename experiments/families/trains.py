# SPDX-License-Identifier: GPL-3.0-or-later
"""What experiments with trains of keys beside a load share: several protocols or runs, the probe's own error, names of applications
and loads."""
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

from analysis import notes, words
from analysis.amounts import Amount, Row, Rows, amount
from analysis.notes import value_text
from analysis.page import Finding, Labels
from analysis.run import Run, bare, distinct, is_attached, settings_of

COLUMNS = '''
# Trains of keys beside CPU hogs.
counts trains
repeats found
table summary cells schema=summary/1
# column                 heading                      unit source                                      estimator  decimals better
protocol                 Protocol                     -    param                                       -          text  -
app                      Application                  -    param                                       -          text  -
sinks                    "CPU hogs"                   -    param                                       -          0     -
repeats                  Repeats                      -    count:complete                              -          0     -
state                    State                        -    count:state                                 -          text  -
keys                     Keys                         -    keys:keys                                   -          0     -
late_share_percent       Late                         %    keys:late                                   range      3     lower
late_share_high_percent  "Late, by late ends"         %    keys:late.high                              ends       3     lower
latency_p50_ms           Median                       ms   keys:p50                                    range      3     lower
latency_p90_ms           "90 %"                       ms   keys:p90                                    range      3     lower
latency_p95_ms           "95 %"                       ms   keys:p95                                    range      3     lower
latency_p99_ms           "99 %"                       ms   keys:p99                                    range      3     lower
latency_max_ms           Largest                      ms   keys:max                                    range      3     lower
latency_high_p50_ms      "Median of late ends"        ms   keys:high.p50                               ends+above 3     lower
latency_high_p90_ms      "90 % of late ends"          ms   keys:high.p90                               ends+above 3     lower
latency_high_p95_ms      "95 % of late ends"          ms   keys:high.p95                               ends+above 3     lower
latency_high_p99_ms      "99 % of late ends"          ms   keys:high.p99                               ends+above 3     lower
latency_high_max_ms      "Largest late end"           ms   keys:high.max                               ends+above 3     lower
latency_sent_p50_ms      "Median from sending"        ms   keys:sent.p50                               range      3     lower
mean_stall_ms            "Mean stall"                 ms   stalls:mean_ms                              change+ci  3     lower
mean_positive_stall_ms   "Mean of stalls over 0"      ms   stalls:mean_positive_ms                     mean+ci    3     lower
stall_count              Stalls                       -    stalls:count                                mean+ci    3     lower
largest_gap_ms           "Largest gap"                ms   stalls:gap_ms                               max        3     lower
jitter_sd_ms             Jitter                       ms   stalls:jitter_sd_ms                         mean+ci    3     lower
jitter_variance_ms2      "Variance of jitter"         ms2  stalls:jitter_variance_ms2                  mean+ci    3     lower
updates_per_key          "Updates per key"            -    stall/keyrepeat.json:result.updates_per_key mean+ci    4     higher
updates_per_s            Updates                      1/s  stalls:updates_per_s                        mean+ci    3     higher
lateness_p99_us          "Sent late, 99 %"            us   keys:lateness.p99                           ends       3     lower
lateness_max_us          "Sent late, largest"         us   keys:lateness.max                           -          3     lower
left_late_max_ms         "Late over 10 ms by this machine" ms keyrepeat.json:result.left_late_max_ms     max        3     lower
backlog_per_s            "Growth of the backlog"      1/s  keyrepeat.json!:result.backlog_per_s        change+ci  3     lower
backlog_max_per_s        "Growth, largest"            1/s  keyrepeat.json!:result.backlog_per_s        max        3     lower
wire_mean_stall_ms       "Mean stall on the wire"     ms   stall/prototap.json:result.stalls.mean_ms   change+ci  3     lower
wire_jitter_sd_ms        "Jitter on the wire"         ms   stall/prototap.json:result.stalls.jitter_sd_ms mean+ci 3    lower
hold_mean_stall_ms       "Mean stall, held"           ms   stalls:held_mean_ms                         change+ci  3     lower
hold_jitter_sd_ms        "Jitter, held"               ms   stalls:held_jitter_sd_ms                    mean+ci    3     lower
hold_wire_mean_stall_ms  "Held, on the wire"          ms   stalls:held_wire_mean_ms                    change+ci  3     lower
hold_wire_jitter_sd_ms   "Jitter, held, on the wire"  ms   stalls:held_wire_jitter_sd_ms               mean+ci    3     lower
wire_bytes_per_key       "Bytes per key"              byte stalls:wire_bytes_per_key                   mean+ci    1     lower
coalesced_percent        "Answered with a later key"  %    keys:coalesced_percent                      percent+ci 2     lower
load_share_percent       "CPU of the hogs"            %    sink.json:result.total_share_percent        mean+ci    2     -
fair_stall_ms            "Mean stall of a fair share" ms   trains:fair_stall_ms                        -          3     -
overloaded               Overloaded                   -    keys:overloaded                             -          0     lower
foreign_percent_max      "Interference"               %    */cell.json:foreign_percent                 max        2     lower
steal_percent_max        "Stolen CPU time"            %    */cell.json:steal_percent                   max        2     lower
disturbed_percent_max    "Interference and stolen CPU" %   trains:disturbed_percent                    -          2     lower
foreign_unknown          "Interference unknown"       -    */cell.json:foreign_percent                 unknown    0     lower
capture_dropped          "Packets not captured"       -    */prototap.json:result.capture.dropped      sum        0     lower
censored                 Unanswered                   -    keys:censored                               -          0     lower
stall_repeats            "Series for stalls"          -    stalls:trains                               count      0     -
failed                   Failed                       -    count:failed                                -          0     lower
marked                   Flagged                      -    count:flagged                               -          0     lower
skipped_keys             "Warm-up keys"               -    keys:skipped                                -          0     -
unknown_keys             "Unknown keys"               -    keys:unknown                                -          0     lower
ranged_keys              Ranges                       -    keys:ranged                                 -          0     lower
pairing                  Pairing                      -    keyrepeat.json:result.pairing               same       text  -
interval                 Interval                     -    keys:interval                               -          text  -
late_interval            "Interval of the late"       -    keys:late_interval                          -          text  -
cost_ms                  "CPU time per update"        ms   trains:cost_ms                              -          3     -
period_ms                Period                       ms   */cell.json:period_ms                       last       3     -
schedule_jitter_ms       "Jitter of the schedule"     ms   stalls:schedule_jitter_ms                   last       3     -
wire_updates             "Updates on the wire"        -    stalls:updates_10ms                         sum        0     -
wire_updates_5ms         "at gaps of 5 ms"            -    stalls:updates_5ms                          sum        0     -
wire_updates_20ms        "at gaps of 20 ms"           -    stalls:updates_20ms                         sum        0     -
depends_on_merge         "Depends on the gap"         -    stalls:depends_on_merge                     sum        0     lower
server_busy_percent      "Server CPUs busy"           %    */cell.json:server_busy_percent             mean       1     -
probe_cpu_percent_max    "CPU of the probe"           %    */cell.json:probe_cpu_percent               max        2     lower
capture_cpu_percent_max  "CPU of the capture"         %    */cell.json:capture_cpu_percent             max        2     lower
same_group               "One scheduling group"       -    trains:same_group                           -          0     -
competes_session         "Session competes as"        -    trains:session                              -          text  -
competes_app             "Application competes as"    -    trains:app                                  -          text  -
competes_sinks           "CPU hogs compete as"        -    trains:sinks                                -          text  -
reason                   Reason                       -    count:reason                                -          text  -
wire_repeats             "Series in blocks"           -    blocks:trains                               -          0     -
wire_keys                "Keys by the wire"           -    blocks:keys                                 -          0     -
wire_exact_percent       "Exact by the wire"          %    blocks:exact                                -          3     higher
wire_truth_percent       "In the wire's range"        %    blocks:truth                                ends       3     higher
wire_truth_keys          "Keys held against it"       -    blocks:truth_keys                           -          0     -
wire_latency_p50_ms      "Median by the wire"         ms   blocks:p50                                  range      3     lower
wire_latency_p90_ms      "90 % by the wire"           ms   blocks:p90                                  range      3     lower
wire_latency_high_p50_ms "Median by the wire, late"   ms   blocks:end.p50                              ends+above 3     lower
wire_latency_high_p90_ms "90 % by the wire, late"     ms   blocks:end.p90                              ends+above 3     lower
setting                  Setting                      -    param                                       -          text  -
part                     Part                         -    param                                       -          text  -

table cdf rows:keys schema=cdf/1 raw
app        Application            -  - - text -
sinks      "CPU hogs"             -  - - 0    -
latency_ms Latency                ms - - 6    lower
share      Share                  -  - - 6    -
bound      Bound                  -  - - text -
setting    Setting                -  - - text -
part       Part                   -  - - text -
cost_ms    "CPU time per update"  ms - - 3    -
protocol   Protocol               -  - - text -

table stages rows:stages schema=stages/1
app          Application  -  param - text -
sinks        "CPU hogs"   -  param - 0    -
stage        Stage        -  param - text -
keys         Keys         -  - - 0    -
of_keys      "Of keys"    -  - - 0    -
mean_ms      Mean         ms - - +-6  lower
mean_ms_low  "Mean, low"  ms - - +-3  -
mean_ms_high "Mean, high" ms - - +-3  -
p50_ms       Median       ms - - +-3  lower
p90_ms       "90 %"       ms - - +-3  lower
max_ms       Largest      ms - - +-3  lower
from_ms      From         ms - - +-6  -
to_ms        To           ms - - +-6  -
protocol     Protocol     -  param - text -

table compare rows:keys schema=compare/1 optional
part    Part                   -  param -    text -
setting Setting                -  param -    text -
app     Application            -  param -    text -
cost_ms "CPU time per update"  ms param -    3    -
sinks   "CPU hogs"             -  param -    0    -
pairs   Pairs                  -  - -    0    -
pairs_why "Pairs not compared" -  - -    text -
ratio   "Latency by default's" -  - range 4   lower
p       "p, Holm"              -  - -    6    -
verdict Verdict                -  - -    text -
protocol Protocol              -  param -    text -
'''
ROLES = ('light', 'grouped', 'heavy')
PERCENTILES = ('p50', 'p90', 'p95', 'p99', 'max')


def order(value: float | None) -> tuple[bool, float]:
    """A key for sorting: what is not known comes first."""
    return value is not None, value or 0.0


def latency(row: Row) -> Amount:
    return amount(row, 'latency_p50_ms')


# --- several protocols, or runs of one on several machines and days: a curve for each -----------------------------

def systems(run: Run) -> list[str]:
    return distinct(row.get('protocol') for row in run.table('summary'))


def is_several(run: Run) -> bool:
    return bool(run.runs()) or len(systems(run)) > 1


def systems_word(run: Run) -> str:
    if not run.runs():
        return 'protocols'
    return 'runs' if len({bare(system) for system in systems(run)}) == 1 else 'protocols and runs'


def protocol(run: Run) -> Mapping[str, Any]:
    return run.facts.get('protocol') or {}


def over(run: Run, system: str) -> Run:
    """The document with that system only."""
    facts = {**run.facts, 'settings': {**settings_of(run, system), 'protocols': [system]},
             'protocol': (run.facts.get('protocols') or {}).get(system) or run.facts.get('protocol')}
    tables = {name: [row for row in run.table(name) if row.get('protocol') == system] for name in ('summary', 'compare')}
    return replace(run, facts=facts, tables={**run.tables, **tables})


# --- the probe's own error on this run's path, by the machine's calibration ---------------------------------------

def calibration_path(run: Run) -> str | None:
    first = (notes.protocols(run) or [''])[0]
    return 'vnc-refecho' if first.startswith('vnc') else 'x11' if first.startswith(('x11', 'attach')) else None


def calibrated(run: Run, probe: str = 'patch') -> dict[str, Any] | None:
    """What the calibration says of the run's path. Xvnc's frame clock is no error of the probe."""
    path = None if is_several(run) else calibration_path(run)
    record = run.facts.get('calibration') or {}
    return next(({**p, 'started': p.get('started') or record.get('started')} for p in record.get('paths') or []
                 if p.get('path') == path and p.get('probe') == probe and p.get('error_ms') is not None), None)


def resolution(run: Run) -> float:
    """Lower latencies, in ms, are not reported as numbers. Without a calibration: the latency of a target inside the probe."""
    found, chain = calibrated(run) or {}, run.facts.get('chain') or {}
    known = (found.get('error_ms'), chain.get('latency_p99_ms'), chain.get('latency_p50_ms'))
    return next((value for value in known if value is not None), 0.0)


def spread(found: Mapping[str, Any] | None) -> float | None:
    return None if found is None else found['spread_ms'] if found.get('spread_ms') is not None else found.get('sd_ms')


def limits(columns: Mapping[str, float | None]) -> dict[str, float]:
    return {f'{name}_least': value for name, value in columns.items() if value is not None and value > 0}


def resolve(run: Run) -> Run:
    """The document with NAME_least where a figure may be below the resolution (docs/method.md): a latency below the probe's error;
    a difference of two times below √2 times the spread; a mean stall below two errors over the train; a stage that begins or ends
    with a packet, below the spread on the wire."""
    error, pixels, wire = resolution(run), calibrated(run), spread(calibrated(run, 'wire'))
    seconds = run.setting('seconds', 0)

    def differences(of: float | None) -> float | None:
        return None if of is None else sqrt(2 * of * of)

    def mean_stall(row: Row) -> float | None:
        updates = seconds * (row.get('updates_per_s') or 0)
        return None if pixels is None or updates <= 0 else 2 * pixels['error_ms'] / updates

    jitter = differences(spread(pixels))
    latencies = (f'latency_{which}_ms' for p in PERCENTILES for which in (p, f'high_{p}'))
    least = limits({**dict.fromkeys(latencies, error), 'latency_sent_p50_ms': error, 'jitter_sd_ms': jitter,
                    'mean_positive_stall_ms': jitter, 'wire_jitter_sd_ms': differences(wire)})
    stage = limits(dict.fromkeys(('mean_ms', 'p50_ms', 'p90_ms', 'max_ms'), wire))
    summary = [{**row, **least, **limits({'mean_stall_ms': mean_stall(row)})} for row in run.table('summary')]
    tables = {**run.tables, 'summary': summary}
    if 'stages' in tables:
        tables['stages'] = [{**row, **stage} if 'wire' in row['stage'] else row for row in tables['stages']]
    if 'compare' in tables:
        tables['compare'] = [{**row, 'p_least': 0.01} for row in tables['compare']]  # (in two decimals it would be 0)
    return replace(run, tables=tables)


def left_words(late_us: float | None, turns_ms: float | None) -> str:
    """Keys that go one by one wait for the answer before and for the display to be at rest: they are late by what this machine adds
    to that, if it is over 10 ms (keyrepeat's keys_left_late)."""
    sent, text = '' if turns_ms is None else ' at a fixed rate', ''
    if late_us is not None:
        text += (f' Each key{sent} left within 1 ms of its due time.' if late_us <= 1000 else
                 f' The latest key{sent} left {words.with_unit(late_us / 1000, "ms")} after its due time; that delay is part of '
                 'the figures.')
    if turns_ms is not None:
        text += (' No key that goes one by one is known to have left over 10 ms after its turn.' if turns_ms <= 10 else
                 f' Of keys that go one by one, the latest left {words.with_unit(turns_ms, "ms")} after its turn.')
    return text


def calibration_words(run: Run, found: Mapping[str, Any] | None) -> str:
    if is_several(run):
        return ''
    if found is None:
        is_ssh = re.search(r'^ssh:[^,]*,(?![.](,|$))', run.setting('on', ''))
        where = ': the client was another machine' if is_ssh else ' on this machine (`thinprobe calibrate`)'
        return f' The probe was not calibrated{where}.'
    tail = '' if found.get('tail_percent') is None else f' for {value_text(found["tail_percent"])} % of the keys.'
    return (f' By calibration of {(found["started"] or "")[:10]}{" (flagged)" if found.get("disturbed") is True else ""}, the '
            f"probe's error is at most {words.fixed(found['error_ms'], 2)} ms{tail or '.'}")


def begun(run: Run) -> list[str]:
    """What is known before the first cell: the probe's own error, and the rate of updates without keys. With none in W seconds it
    is below 3/W a second, with 95 % confidence."""
    def rounded(value: Any) -> str:
        return '?' if value is None else words.plain(round(value, 3))

    run = replace(run, tables={'summary': [{'protocol': name} for name in notes.protocols(run)]})
    found, chain, idle = calibrated(run), run.facts.get('chain') or {}, run.facts.get('idle') or {}
    is_far = re.search(r'^ssh:[^,]*,(?![.](,|$))', run.setting('on', ''))
    own = ''
    if found:
        own = (f'own error ± {rounded(found["error_ms"])} ms from pixels (calibrated {(found["started"] or "")[:10]})'
               f'{" (from a disturbed calibration)" if found.get("disturbed") is True else ""}'
               f'{" (quick)" if found.get("quick") is True else ""}; ')
    elif not is_several(run) and calibration_path(run):
        own = f'not calibrated{": the client is another machine" if is_far else " on this machine (thinprobe calibrate)"}; '
    noise = [f'{name} {rounded(of["updates"])} updates in {rounded(of["seconds"])} s'
             + ('' if of['updates'] else f' (below {words.plain(round(3 / of["seconds"], 2))}/s)')
             for name, of in idle.items()]
    return [f'probe: {own}by itself {rounded(chain.get("latency_p50_ms"))} ms and {rounded(chain.get("probe_cpu_percent"))} % of a '
            f'CPU, keys at most {rounded(chain.get("lateness_max_us"))} us late',
            *([f'idle noise: {", ".join(noise)}'] if len(noise) in (1, 2) else [])]


def probe(run: Run) -> Finding | None:
    found, rows = calibrated(run), run.measured()
    late_us = notes.most([row for row in rows if row.get('left_late_max_ms') is None], 'lateness_max_us')
    turns_ms = notes.most(rows, 'left_late_max_ms')
    left = left_words(late_us, turns_ms)
    if not left and found is None:
        return None
    late_ms, is_turned = None if late_us is None else late_us * 1e-3, (turns_ms or 0) > 10
    return Finding('probe', f'**Probe quality.**{left}{calibration_words(run, found)}',
                   Amount(max(late_ms, turns_ms, key=order) if is_turned else late_ms, unit='ms'),
                   'unsure' if is_turned or (late_us or 0) > 10000 else 'good')


# --- names --------------------------------------------------------------------------------------------------------

def cost(run: Run) -> float | None:
    return next((row['cost_ms'] for row in run.table('summary') if row.get('cost_ms') is not None), None)


def costs(run: Run) -> list[tuple[float, list[str]]]:
    """Of several runs with other costs: which have which."""
    rows = [row for row in run.table('summary') if row.get('cost_ms') is not None] if run.runs() else []
    found = sorted({row['cost_ms'] for row in rows})
    return [(ms, distinct(row['protocol'] for row in rows if row['cost_ms'] == ms)) for ms in found] if len(found) > 1 else []


def cost_words(run: Run) -> str:
    return f'ms of CPU per {run.setting("cost_per", "update").replace("redraw", "update", 1)}'


def costly(run: Run) -> set[str]:
    """A protocol's own application counts as heavy if its CPU cost is known."""
    return {row['protocol'] for row in run.table('summary') if row['app'] == 'own' and row.get('cost_ms') is not None}


def role_of(row: Row, of: set[str]) -> str:
    return str(row['app']) if row['app'] != 'own' else 'heavy' if row['protocol'] in of else 'light'


def rows_of(run: Run, role: str) -> Rows:
    """In the order of loads."""
    of = costly(run)
    return sorted((row for row in run.table('summary') if role_of(row, of) == role), key=lambda row: float(row['sinks']))


def heavy_words(run: Run) -> str:
    per, several = cost_words(run), costs(run)
    if several:
        each = [f'{words.plain(ms)} {"ms" if i else per} over {words.and_list(names)}' for i, (ms, names) in enumerate(several)]
        return f'the heavy application ({", ".join(each)})'
    if len({row['cost_ms'] for row in run.table('summary') if row['app'] == 'heavy' and row.get('cost_ms') is not None}) > 1:
        return 'the heavy application'  # of several costs, which a column has
    ms = cost(run)
    return f'{words.plain(run.setting("cost_ms", 0) if ms is None else ms)} {per}'


def app_words(run: Run, app: str) -> str:
    if app in ('light', 'grouped'):
        return 'vim' if app == 'light' else "vim in the CPU hogs' group"
    if app == 'heavy':
        return heavy_words(run)
    if is_attached(run):
        is_named = not run.runs() and protocol(run).get('window') is None
        name = f'typing on {run.setting("on").removeprefix("attach:")}' if is_named else 'the attached application'
    else:
        name = 'the null target' if (notes.protocols(run) or [''])[0].startswith('null') else "the server's own application"
    ms = cost(run)
    return name if ms is None or is_several(run) else f'{name} ({words.plain(ms)} {cost_words(run)})'


def role_words(run: Run, role: str) -> str:
    """If several applications have a role, it is named after the first, not after a protocol's own application."""
    apps = sorted({row['app'] for row in rows_of(run, role)})
    return ' or '.join(app_words(run, app) for app in (apps if role == 'light' else apps[:1]))


def who_words(run: Run, role: str) -> str:
    """The name of a role where a sentence begins."""
    name = role_words(run, role)
    return f'An application that needs {name}' if name[:1].isdigit() else words.upper_first(name)


# Loads of an attached window are set by others, so their numbers are only labels; one that nobody set is the load as it is.

def is_load_as_it_is(run: Run) -> bool:
    return is_attached(run) and not run.setting('set_load') and {row['sinks'] for row in run.table('summary')} == {0}


def unloaded(run: Run) -> str:
    return 'with the load as it is' if is_load_as_it_is(run) else 'without load'


def with_load(run: Run, n: float) -> str:
    if is_attached(run):
        return unloaded(run) if n == 0 else f'with the load {value_text(n)}'
    return f'with {words.plural(n, "CPU hog")}' if n else 'without CPU hogs'


def at_load(run: Run, n: float) -> str:
    return with_load(run, n) if is_attached(run) or n == 0 else f'at {words.plural(n, "CPU hog")}'


def loads_unmeasured(run: Run, rows: Sequence[Row]) -> list[str]:
    """Loads at which an application has no figure, although other rows have one there."""
    there = {row['sinks'] for row in run.table('summary') if row['app'] == rows[0]['app']} - {row['sinks'] for row in rows}
    return [with_load(run, n) for n in sorted(there)]


def but_unmeasured(loads: Iterable[str]) -> str:
    text = words.and_list(list(loads))
    return f' (nothing was measured {text})' if text else ''


def loads_tried(run: Run, rows: Sequence[Row]) -> str:
    n = [row['sinks'] for row in rows]
    if n == [0]:
        text = with_load(run, 0)
    elif is_attached(run):
        text = 'with every load tried'
    else:
        text = with_load(run, n[0]) if len(n) == 1 else f'with {value_text(min(n))} to {words.plural(max(n), "CPU hog")}'
    return text + but_unmeasured(loads_unmeasured(run, rows))


def labels(run: Run) -> Labels:
    return Labels({'sinks': 'Load'} if is_attached(run) else {},
                  {'app': {app: app_words(run, app) for app in distinct(row['app'] for row in run.table('summary'))}})
