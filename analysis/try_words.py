# SPDX-License-Identifier: GPL-3.0-or-later
"""What try says of its keys: the object of --json, its sentences, its limits, and the run.json of its run. Pure."""
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isinf
from typing import Any

from analysis import amounts, words
from analysis.amounts import Row, amount, level
from analysis.decided import number_text, rounded
from analysis.notes import value_text

LIMITS = ('perception', 'typing', 'noticeable')  # of data/thresholds.tsv
SCHEMA = 'thinprobe.try/1'
Report = Mapping[str, Any]  # of keyrepeat
TICKS = {True: '✓ holds:      ', False: '✗ fails:      ', None: '? cannot tell:'}


@dataclass(frozen=True, slots=True)
class Tried:
    """row: of summary.tsv; facts: run.json; reports: of keyrepeat, one for each part; limits: (name, ms, whether it holds)."""
    row: Row
    facts: Mapping[str, Any]
    reports: Sequence[Report]
    limits: Sequence[tuple[str, float, bool | None]]
    folder: str
    status: int
    no_page: str

    def protocol(self, name: str) -> Any:
        return (self.facts.get('protocol') or {}).get(name)

    def results(self, name: str) -> list[Any]:
        """What the parts know of it."""
        return [value for one in self.reports if (value := (one.get('result') or {}).get(name)) is not None]


# --- limits -------------------------------------------------------------------------------------------------------

def p90_kind(row: Row) -> str:
    """What is known of the 90 % value: '' nothing, a range, a value, or an interval, too."""
    found = [end for end in ('', '_from', '_to', '_low') if row.get(f'latency_p90_ms{end}') is not None]
    return 'interval' if '_low' in found else 'value' if '' in found else 'range' if found else ''


def held_by_value(kind: str, held: bool | None) -> bool:
    """Whether the 90 % value decides: a range on both sides of the limit, without an interval, decides that it cannot be told."""
    return held is not None or kind == 'range'


def held_by_share(held: bool | None, has_interval: bool) -> bool | None:
    """What the share of keys over the limit decides, where the 90 % value does not. A share without an interval never holds."""
    return None if held and not has_interval else held


def in_turn(held: Iterable[tuple[str, float, bool | None]]) -> list[tuple[str, float, bool | None]]:
    """What holds within a time holds within a longer one, and what does not, not within a shorter one."""
    rows = list(held)
    longest = max((ms for _, ms, word in rows if word is False), default=0.0)
    least = min((ms for _, ms, word in rows if word), default=None)

    def word_of(ms: float, word: bool | None) -> bool | None:
        if word is None and ms < longest:
            return False
        return True if word is None and least is not None and ms > least else word

    return [(name, ms, word_of(ms, word)) for name, ms, word in rows]


# --- sentences ----------------------------------------------------------------------------------------------------

def late(row: Row) -> str:
    rest = (f'90 % within {level(row, "latency_p90_ms")}.' if amount(row, 'latency_p90_ms').is_known() else
            'of the others there were too few to tell (-t 20s gives more).')
    return f'How late: half of the keys show within {level(row, "latency_p50_ms")}, {rest}'


def even(row: Row) -> str:
    return (f'How evenly: {level(row, "late_share_percent")} of {words.plural(row.get("keys") or 0, "key")} took longer than 100 '
            f'ms; the slowest took {amounts.in_words(amount(row, "latency_max_ms"))}.')


def network(row: Row, rtt_ms: float | None) -> dict[str, Any] | None:
    """Of a range the share is one, too: from that of its late end to that of its early one."""
    def share(ms: float | None) -> float | None:
        return None if not ms or isinf(ms) or rtt_ms is None else rounded(min(100 * rtt_ms / ms, 100) * 100) / 100

    median = amount(row, 'latency_p50_ms')
    start, end = share(median.at_most()), share(median.at_least())
    return None if rtt_ms is None else {
        'rtt_ms': rtt_ms, 'share_percent': end if start == end else None, 'share_percent_from': start, 'share_percent_to': end}


def whose(of: Tried, net: Mapping[str, Any] | None) -> str:
    if net is None:
        rest = ", nor the network's: its round trip is not known."
    else:
        start, end = net['share_percent_from'], net['share_percent_to']
        first = 'at most ' if start is None else '' if start == end else f'{words.percent(start)} to '
        rest = (f'. The network is {words.with_unit(net["rtt_ms"], "ms")} a round trip (the least that TCP saw)'
                + ('' if end is None else f': {first}{words.percent(end)} % of the median') + '.')
    own = of.protocol('terminal_ms')
    return (f"Whose time: cannot tell what is the server's and what the application's{rest}"
            + ('' if own is None else f' The terminal on this machine takes {words.with_unit(own, "ms")}, as with cat here.'))


def late_probe(of: Tried) -> str | None:
    keys = sum(of.results('keys_left_late'))
    if not keys:
        return None
    latest = words.with_unit(max(of.results('left_late_max_ms'), default=None), 'ms')
    return (f'Left late: {number_text(keys)} of {words.plural(of.row.get("keys") or 0, "key")} were sent over 10 ms too late, the '
            f'latest by {latest}, because this machine was busy. The upper ends of ranges include this delay.')


def sentences(of: Tried, net: Mapping[str, Any] | None) -> list[str]:
    reason = of.facts.get('reason')
    early = f'Ended early: {reason}. What is missing may change the figures.' if reason is not None else None
    return [text for text in (late(of.row), even(of.row), whose(of, net), late_probe(of), early) if text is not None]


# --- the object, and its text -------------------------------------------------------------------------------------

def known(row: Row, name: str) -> dict[str, Any]:
    a = amount(row, name)
    return {'value': a.value, 'low': a.low, 'high': a.high, 'from': a.start, 'to': a.end}


def limit_rows(of: Tried) -> list[dict[str, Any]]:
    """bare: the value or range by which a limit is judged has no interval, as of one part."""
    a = amount(of.row, 'latency_p90_ms')
    bare = {'bare': True} if a.is_known() and a.low is None and a.high is None and a.both is None else {}
    return [{'name': name, 'ms': ms, 'holds': held, **bare} for name, ms, held in of.limits]


def bug_report(of: Tried, said: Mapping[str, Any]) -> list[str]:
    def text(value: Any) -> str:
        return '?' if value is None else str(value)

    net = said['network']
    found = sum((one.get('settings') or {}).get('region_from') == 'found by typing' for one in of.reports)
    uncounted = sum(of.results('keys_skipped')) + 4 * found  # the warm-up, and two pairs to find the field where it was looked for
    link = f'round trip {words.with_unit(net["rtt_ms"], "ms")} (least of TCP)' if net else 'not known'
    return [f'thinprobe {said["version"]}, {text(said["system"])}, {said["kernel"]}', f'server: {said["server"]}', f'link: {link}',
            f'typed: {value_text(said["keys_sent"])} keys, {value_text(said["keys_answered"])} answered, after '
            f'{value_text(uncounted)} to warm up and to find the field; "a" and BackSpace, into {said["into"]}',
            f'pixels: {text(said["region"])}; which encodings and caps were in use is not known beyond the line of the server',
            *said['sentences'][:2], *said['sentences'][3:], "not known: which part is the server's", f'again: {said["command"]}']


def result(of: Tried) -> dict[str, Any]:
    facts, row = of.facts, of.row
    net = network(row, of.protocol('rtt_ms'))
    settings, host = facts.get('settings') or {}, facts.get('host') or {}
    sent, answered = of.results('keys_sent'), of.results('keys_answered')
    said: dict[str, Any] = {
        'schema': SCHEMA, 'target': str(settings.get('on') or '').removeprefix('attach:'), 'into': of.protocol('says'),
        'status': of.status, 'seconds': facts.get('measured_s'), 'run': of.folder, 'command': facts.get('command'),
        'report': None if of.no_page else f'{of.folder}/report.html', 'version': facts.get('version'),
        'started': facts.get('started'), 'system': host.get('system'), 'kernel': host.get('kernel'),
        'server': of.protocol('server'), 'region': of.protocol('region'),
        'repeats': settings.get('repeats'), 'keys_sent': sum(sent) if sent else None, 'keys_answered': sum(answered)
        if answered else None, 'keys_left_late': sum(of.results('keys_left_late')),
        'left_late_max_ms': max(of.results('left_late_max_ms'), default=None),
        'latency_ms': {name: known(row, f'latency_{name}_ms') for name in ('p50', 'p90', 'max')},
        'late_share_percent': known(row, 'late_share_percent'), 'threshold_ms': words.LATE_MS, 'network': net,
        'sentences': sentences(of, net), 'limits': limit_rows(of)}
    return {**said, 'for_a_bug_report': bug_report(of, said)}


def text_lines(said: Mapping[str, Any], no_page: str) -> tuple[list[str], list[str]]:
    """Sentences, which may be folded, and lines, which may not."""
    limits = [f'  {TICKS[one["holds"]]} 90 % of the keys within {value_text(one["ms"])} ms ({one["name"]})'
              + (', by a figure without an interval' if one.get('bare') else '') for one in said['limits']]
    report = said['report'] if said['report'] is not None else no_page
    return said['sentences'], ['', *limits, '', f'Report: {report}', '', 'For a bug report:',
                               *(f'  {line}' for line in said['for_a_bug_report'])]


# --- parts, and the run -------------------------------------------------------------------------------------------

def is_of_use(report: Report) -> bool:
    result = report.get('result') or {}
    return (result.get('keys_answered') or 0) > 0 and result.get('ended') != 'interrupted'


def median_words(ms: Mapping[str, Any]) -> str:
    """Of a part: a number, a bound or a range."""
    def text(value: float) -> str:
        return number_text(rounded(value * 100) / 100)

    value, above, ends = ms.get('p50'), (ms.get('above') or {}).get('p50'), (ms.get('range') or {}).get('p50') or {}
    if value is not None:
        return f'{text(value)} ms'
    if above is not None:
        return f'more than {text(above)} ms'
    if ends.get('to') is not None:
        return f'{text(ends["from"])} to {text(ends["to"])} ms'
    return f'{text(ends["from"])} ms or more' if ends.get('from') is not None else 'unknown'


def parameters(kind: str) -> dict[str, Any]:
    return {'protocol': kind, 'app': 'own', 'sinks': 0}


def cell(report: Report, kind: str, repeat: int) -> dict[str, Any]:
    """cell.json of a part."""
    return {'schema': 'thinprobe.cell/1', 'parameters': parameters(kind), 'repeat': repeat, 'state': 'complete',
            'reason': '', 'marked': '', 'series': 'latency', 'probe_cpu_percent': report['result'].get('probe_cpu_percent'),
            'period_ms': (report.get('settings') or {}).get('period_ms'), 'cost_ms': None}


@dataclass(frozen=True, slots=True)
class Given:
    """What the shell knows of a run. title: what was typed into; own: ms of a terminal here; total, whole: parts that were asked
    for, and that did not end early; early: why the run did."""
    experiment: str
    command: str
    version: str
    started: str
    ended: str
    kind: str
    title: str
    target: str
    server: str
    seconds: int
    total: int
    whole: int
    took: int
    is_root: bool
    state: str
    early: str
    rtt: float | None
    own: float | None
    host: Any
    calibration: Any


def round_trip(given: Given, reports: Sequence[Report]) -> float | None:
    if given.kind not in ('vnc', 'rdp'):
        return given.rtt
    return min((ms for one in reports if (ms := one['result'].get('tcp_rtt_ms')) is not None), default=None)


def run_facts(given: Given, reports: Sequence[Report]) -> dict[str, Any]:
    """run.json: as of a server that is not ours, with --on attach:, at the load that there is."""
    first = reports[0]['settings']
    is_complete = given.state == 'complete'
    return {
        'schema': 'thinprobe.run/1', 'experiment': given.experiment, 'version': given.version, 'started': given.started,
        'ended': given.ended, 'measured_s': given.took, 'state': given.state, 'command': given.command,
        'settings': {'on': f'attach:{given.target}', 'protocols': [given.kind], 'apps': ['own'], 'loads': [0],
                     'seconds': given.seconds, 'repeats': len(reports), 'regime': 'session', 'modes': ['tap'], 'wire': False,
                     'seed': 1, 'threshold_ms': words.LATE_MS, 'threshold': 'perception', 'link': 'none', 'quick': True,
                     'rate_per_s': first.get('rate_per_s')},
        'axes': ['protocol', 'app', 'sinks'],
        'cells': [{'name': f'{given.kind}-own-0', 'parameters': parameters(given.kind), 'state': given.state if is_complete
                   else 'partial', 'complete': given.whole, 'flags': []}],
        'counts': {'total': given.total, 'complete': given.whole, 'missing': given.total - given.whole, 'marked': 0},
        'calibration': given.calibration, 'host': given.host,
        'protocol': {'server': given.server, 'version': '', 'says': given.title, 'title': given.title,
                     'window': first.get('window'), 'watch': 'update', 'region': first.get('region'),
                     'rtt_ms': round_trip(given, reports), 'terminal_ms': given.own,
                     'frame_rate_per_s': None, 'encodings': [], 'compression': 'unknown', 'encryption': 'unknown',
                     'floor_ms': None},
        'lab': {'server': 'not ours, unknown', 'shared_cpus': False, 'rootless': not given.is_root, 'capture': 'none', 'missing': [
            'server: not ours, so nothing is known of its CPUs, its load and its scheduling, and nothing was changed on it',
            'link rate and delay: as they are, not emulated', 'packets and bytes: not captured']},
        **({'reason': given.early} if given.early else {})}
