# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run over long links found."""
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from analysis import decide, notes, words
from analysis.amounts import (Amount, Row, Rows, amount, ask, exceeds, in_words, interval_words, number, scaled, span,
                              unanswered_words, with_interval, yes_or_no)
from analysis.draw import DOTTED, LINE, MARK, Axis, Curve, Drawing, Look, Panel, Place, digits, look, over
from analysis.draw import level as level_curve
from analysis.notes import NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run, distinct, is_attached

COLUMNS = '''
counts trains
table summary cells schema=wan/1
# column        heading                   unit source                           estimator decimals better
protocol        Protocol                  -    param                            -         text  -
app             Application               -    run:settings.app                 -         text  -
rtt_ms          "Round trip"              ms   param                            -         3     -
loss_percent    Loss                      %    param                            -         3     -
keys_per_s      "Keys typed"              1/s  param                            -         1     -
include ../families/state.py
ping_ms         Ping                      ms   cell.json:parameters.ping_ms     mean      3     lower
keys            Keys                      -    keys:keys                        -         0     -
ranged          Ranges                    -    keys:ranged                      -         0     lower
unanswered      Unanswered                -    keys:censored                    -         0     lower
p50_ms          Median                    ms   keys:p50                         range     3     lower
p50_late_end_ms "Median of late ends"     ms   keys:end.p50                     ends+above 3     lower
p90_ms          "90 %"                    ms   keys:p90                         range     3     lower
p95_ms          "95 %"                    ms   keys:p95                         range     3     lower
p99_ms          "99 %"                    ms   keys:p99                         range     3     lower
max_ms          Largest                   ms   keys:max                         range     3     lower
max_above       "Largest is a bound"      -    keys:bound                       -         0     -
late_percent    Late                      %    keys:late                        range     2     lower
updates_per_key "Updates by key answered" -    keys:updates_per_answer          -         3     -
wire_bytes_per_key "Traffic per key"      bytes stalls:wire_bytes_per_key        mean+ci   1     lower
packets         Packets                   -    cell.json:link.packets           sum       0     -
lost            Lost                      -    cell.json:link.lost              sum       0     lower
lost_percent    Lost                      %    cell.json:link.lost/link.packets share+ci  3     lower

table slope rows:slope schema=wan-slope/1
protocol  Protocol               -  param -    text -
points    Points                 -  - -    0    -
slope     "Round trips per key"  -  - ends 4    lower
slope_why "Why no line"          -  - -    text -
late_from_ms "Late from a round trip of" ms - ends 1 higher
start_ms  "Without a round trip" ms - - +-3  lower
spread_ms Spread                 ms - -    3    lower
'''
APPS = {'light': 'vim in a terminal', 'heavy': 'the reference application', 'own': 'the application in the window'}
LATER = 1.15  # times as long as alone: a protocol that waits for a round trip between updates


def title(run: Run) -> str:
    what = notes.protocol_words(run) if is_attached(run) and not run.runs() else words.and_list(notes.protocols(run))
    return f'Typing over a long link: {what}'


def setup(run: Run) -> str:
    rtts = run.setting('rtts_ms')
    return notes.sentence([APPS.get(run.setting('app', '')), notes.link_words(run),
                           None if rtts is None else f'round trips of {words.and_list(list(map(words.plain, rtts)))} ms',
                           notes.repeats_words(run),
                           notes.run_words(run)])


def labels(run: Run) -> Labels:
    return Labels()


def lone(rows: Rows) -> Rows:
    """Single keys."""
    return [row for row in rows if not row.get('keys_per_s')]


def is_known(row: Row) -> bool:
    """A median is one number, a range or a lower bound."""
    return row.get('p50_ms') is not None or row.get('p50_ms_from') is not None


def is_ranged(row: Row) -> bool:
    """Of more than one key in twenty only a range is known; then several keys a screen update tell that they wait."""
    keys = row.get('keys')
    return exceeds(number(row.get('ranged') or 0.0), number(None if keys is None else keys * 0.05)) is True


def p50_words(row: Row) -> str:
    if row.get('p50_ms') is not None and is_ranged(row) and row.get('p50_late_end_ms') is not None:
        return f'{words.short(row["p50_ms"])} to {words.with_unit(row["p50_late_end_ms"], "ms")}'
    return in_words(amount(row, 'p50_ms'))


def p50_end(row: Row) -> float:
    return float(next((row[c] for c in ('p50_late_end_ms', 'p50_ms_to', 'p50_ms') if row.get(c) is not None), inf))


# --- round trips per key ------------------------------------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class Slope:
    """A line through at least two round trip times that were set apart, with an interval. trips: a whole number; "none" where the
    interval excludes each, "impossible" where it is surely below one, or "unsure"."""
    row: dict[str, Any]
    trips: float | str

    def rises(self) -> bool:
        a = amount(self.row, 'slope')
        return exceeds(span(a.low, a.high), number(0)) is True


def slopes(run: Run) -> list[Slope]:
    found = []
    for row in run.table('slope'):
        if row.get('slope') is None:
            continue
        told = ask('whole', amount(row, 'slope'), number(None))
        found.append(Slope(row, 'unsure' if told.word == decide.UNTOLD else told.value if told.word == decide.HOLDS else
                           'impossible' if told.value == 0 else 'none'))
    return found


def no_line(run: Run) -> Rows:
    return [row for row in run.table('slope') if row.get('slope') is None]


def slope_words(s: Slope) -> str:
    row = s.row
    if not s.rises():
        return f'{row["protocol"]} at most {words.fixed(max(row["slope_high"] or 0, 0.0), 2)}'
    return (f'{row["protocol"]} {words.fixed(row["slope"], 2)}'
            f'{interval_words(row.get("slope_low"), row.get("slope_high"), "", lambda v: words.fixed(v, 2))}')


def is_whole(s: Slope) -> bool:
    return not isinstance(s.trips, str)


def verdict(run: Run) -> str:
    rows, found = run.measured(), slopes(run)
    known = [row for row in lone(rows) if is_known(row)]
    if not rows:
        return NOTHING_MEASURED
    if not found and len(distinct(row['protocol'] for row in rows)) > 1:  # (where the links are alike, the ranking has it)
        far = max((row['rtt_ms'] for row in known), default=None)
        if len(distinct(row['protocol'] for row in known if row['rtt_ms'] == far)) > 1:
            return ''
        return 'At the longest round trip, the median response is known for one protocol at most, so none is ranked.'
    if not found:
        if not known:
            return 'The median response is not known: too many keys are unanswered or late.'
        row = max(reversed(known), key=lambda r: (r['rtt_ms'], -r['loss_percent']))
        return (f'At a round trip of {words.plain(row["rtt_ms"])} ms, the median response over {row["protocol"]} is '
                f'{p50_words(row)}{with_interval(amount(row, "p50_ms"))}{unanswered_words(row)}.')
    if all(s.trips == 1 for s in found) and not no_line(run):
        return f'A single key takes one round trip over {words.and_list([s.row["protocol"] for s in found])}, the minimum.'
    more = [s.row['protocol'] for s in found if is_whole(s) and float(s.trips) > 1]
    if more:
        return f'A key takes more than one round trip over {words.and_list(more)}.'
    return 'For some protocols, this run cannot tell how many round trips a key takes.'


HEADS = {'none': '**A key takes no whole number of round trips**', 'unsure': '**This run cannot tell the number of round trips per '
         'key**',
         'impossible': '**A key seems to take less than a round trip, which is impossible**'}


def round_trips(run: Run) -> list[Finding]:
    found = []
    for trips in sorted({words.plain(float(s.trips)) if is_whole(s) else str(s.trips) for s in slopes(run)}):
        group = [s for s in slopes(run) if (words.plain(float(s.trips)) if is_whole(s) else s.trips) == trips]
        n = float(group[0].trips) if is_whole(group[0]) else None
        head = HEADS.get(trips) or f'**{words.upper_first(words.plural(n or 0, "round trip"))} per key**'
        end = ('Do not trust these figures.' if trips == 'impossible' else 'One round trip is the minimum.' if n == 1 else
               f'The protocol waits for {words.plural(n - 1, "round trip")} more than the minimum.' if n is not None else
               'Some keys, or parts of what they draw, wait longer than others.' if trips == 'none' else
               'More round trip times (`--rtt`) or more repeats narrow the interval.')
        first = group[0]
        found.append(Finding(f'round-trips-{trips}', f'{head}: {"; ".join(map(slope_words, group))}. {end}',
                             amount(first.row, 'slope') if first.rises() else None, 'good' if n == 1 else 'bad' if n is not None
                             else 'unsure', 'rtt'))
    return found[:2]


def no_round_trips(run: Run) -> Finding | None:
    rows = no_line(run)
    each = words.and_list([f'{row["protocol"]} ({row["slope_why"]})' for row in rows])
    return (Finding('no-round-trips', f'**No number of round trips per key** for {each}.', verdict='unsure', figure='rtt') if rows
            else None)


# --- keys that are typed at a steady rate -------------------------------------------------------------------------

def alone_of(run: Run, row: Row) -> Row:
    """The same condition with single keys."""
    return next((r for r in lone(run.measured()) if r['protocol'] == row['protocol'] and r['rtt_ms'] == row['rtt_ms']
                 and r['loss_percent'] == 0), {})


def surely(a: Amount) -> Amount:
    low = a.low if a.low is not None else a.start if a.start is not None else a.value if a.above else None
    return span(low, a.high if a.high is not None else a.end)


def waits(run: Run, row: Row) -> bool | None:
    return exceeds(surely(replace(amount(row, 'p50_ms'), above=False)), scaled(amount(alone_of(run, row), 'p50_ms'), LATER))


def tail_waits(run: Run, row: Row) -> bool | None:
    a, b = amount(row, 'p90_ms'), amount(alone_of(run, row), 'p90_ms')
    return exceeds(span(a.low, a.high), scaled(span(b.low, b.high), LATER))


def is_tail_later(run: Run, row: Row) -> bool:
    p90 = alone_of(run, row).get('p90_ms')
    return exceeds(number(row.get('p90_ms')), number(None if p90 is None else p90 * LATER)) is True


def is_surely_late(run: Run, row: Row) -> bool:
    return waits(run, row) is True or tail_waits(run, row) is True


def alone_words(run: Run, row: Row) -> str:
    base = alone_of(run, row)
    parts = [words.with_unit(base['p50_ms'], 'ms')] if base.get('p50_ms') is not None else []
    if is_tail_later(run, row):
        parts.append(f'90 %: {words.with_unit(row["p90_ms"], "ms")}, alone {words.with_unit(base["p90_ms"], "ms")}')
    return f' (alone {"; ".join(parts)})' if parts else ''


def typed(run: Run) -> Finding | None:
    """Over the longest link: a protocol that waits for a round trip between updates shows several keys at once. (Where less than
    half of the keys wait for others, the median does not know of it.) A protocol without a median of typed or of single keys is not
    compared: whether it waits is unknown."""
    rows = [row for row in run.measured() if (row.get('keys_per_s') or 0) > 0 and is_known(row)]
    if not rows:
        return None

    def is_waiting(row: Row) -> bool:
        return (exceeds(number(0.8), number(row.get('updates_per_key'))) is True) if is_ranged(row) else is_surely_late(run, row)

    def is_untold(row: Row) -> bool:
        if is_ranged(row):
            return row.get('updates_per_key') is None
        return not is_surely_late(run, row) and (waits(run, row) is None or is_tail_later(run, row))

    waiting = [row for row in rows if is_waiting(row)]
    absent = {row['protocol'] for row in run.table('summary') if (row.get('keys_per_s') or 0) > 0} - {row['protocol']
                                                                                                      for row in rows}
    untold = sorted({row['protocol'] for row in rows if is_untold(row)} | absent)
    if waiting:
        head = (f'**{words.and_list([row["protocol"] for row in waiting])} {"waits" if len(waiting) == 1 else "wait"} between '
                'screen updates**: several keys appear at once, or late,')
    elif untold:
        head = (f'**This run cannot tell whether {words.and_list(untold)} {"waits" if len(untold) == 1 else "wait"} between screen '
                'updates**, since intervals are too wide or a median is not known,')
    elif any(row.get('p90_ms') is None for row in rows):
        head = '**By the median, no protocol waits significantly between screen updates**'
    else:
        head = '**No protocol waits significantly between screen updates**'
    each = '; '.join(f'{row["protocol"]} {p50_words(row)}{alone_words(run, row)}{unanswered_words(row)}' for row in rows)
    return Finding('typed', f'{head} when keys are typed at {words.plain(rows[0]["keys_per_s"])}/s over a round trip of '
                   f'{words.plain(rows[0]["rtt_ms"])} ms. Medians: {each}.', amount((waiting or rows)[0], 'p50_ms'),
                   'bad' if waiting else 'unsure' if untold else 'good', 'rtt')


# --- the longest link, and losses ---------------------------------------------------------------------------------

def longest(run: Run) -> Finding | None:
    limit = run.threshold_ms()
    all_ = [row for row in lone(run.measured()) if row['loss_percent'] == 0]
    far = max((row['rtt_ms'] for row in all_), default=None)
    rows = sorted((row for row in all_ if row['rtt_ms'] == far and is_known(row)), key=p50_end)
    if not rows:
        return None
    each = words.and_list([f'{p50_words(row)} ({row["protocol"]}{unanswered_words(row)})' for row in rows])
    wanted = distinct(row['protocol'] for row in lone(run.table('summary')) if row['loss_percent'] == 0 and row['rtt_ms'] == far)
    absent = [protocol for protocol in wanted if protocol not in {row['protocol'] for row in rows}]
    late = [s.row['late_from_ms'] for s in slopes(run) if s.trips not in ('unsure', 'impossible')
            and s.row.get('late_from_ms') is not None]
    text = f'**At a round trip of {words.plain(rows[0]["rtt_ms"])} ms** the median response is {each}.'
    text += f' Not known: {words.and_list(absent)}.' if absent else ''
    if late:
        text += (f' Half of the keys take longer than {words.plain(limit)} ms from a round trip of {words.fixed(min(late), 0)}'
                 f'{f" to {words.fixed(max(late), 0)}" if max(late) - min(late) >= 1 else ""} ms on (by the fitted lines).')
    is_late = exceeds(surely(amount(rows[-1], 'p50_ms')), number(limit)) is True
    return Finding('longest-link', text, amount(rows[-1], 'p50_ms'), 'bad' if is_late else 'none', 'rtt')


def slowest(row: Row) -> Amount:
    a = amount(row, 'max_ms')
    return Amount(a.value, a.start, a.end, above=row.get('max_above') == 1, unit=a.unit)


def losses(run: Run) -> Finding | None:
    some = [row for row in lone(run.measured()) if row['loss_percent'] > 0 and is_known(row)]
    rows = [row for row in some if row['loss_percent'] == max(r['loss_percent'] for r in some)]
    if not rows:
        return None
    worst = max(reversed(rows), key=lambda row: slowest(row).at_most() or 0)
    each = words.and_list([f'{p50_words(row)} ({row["protocol"]}{unanswered_words(row)})' for row in rows])
    outlasts = exceeds(slowest(worst), slowest(alone_of(run, worst))) is True  # longer than any without loss
    resent = exceeds(slowest(worst), number(worst['rtt_ms'] * 2)) is True
    is_slow = exceeds(slowest(worst), number(run.threshold_ms()))
    return Finding('loss', f'**With {words.plain(rows[0]["loss_percent"])} % of packets lost each way** at a round trip of '
                   f'{words.plain(rows[0]["rtt_ms"])} ms, median responses are {each}. The slowest key took '
                   f'{in_words(slowest(worst))} ({worst["protocol"]})'
                   f'{": long enough for the retransmission of a lost packet." if outlasts and resent else "."}', slowest(worst),
                   'unsure' if is_slow is None else 'bad' if is_slow else 'none', 'loss')


# --- the link -----------------------------------------------------------------------------------------------------

def link_quality(run: Run) -> Finding | None:
    line = (((run.facts.get('facts_after') or {}).get('link') or {}).get('line')
            or ((run.facts.get('host') or {}).get('link') or {}).get('line'))
    if not line:
        return None
    added = (line.get('wire') or {}).get('added_delay_us') or {}
    worst = added['at_worst'] if added.get('at_worst') is not None else added.get('max')
    rtts = [row['rtt_ms'] for row in run.measured() if row['rtt_ms'] != 0]
    # of the longest round trip, over a tenth (in us and ms)
    late = exceeds(number(worst), number(max(rtts) * 100 if rtts else None)) is True
    lossy = [row for row in run.measured() if row['loss_percent'] > 0 and row.get('packets') is not None]
    tested = [yes_or_no(ask('share', Amount(row.get('lost'), repeats=row['packets']), number(row['loss_percent']),
                            max(len(lossy), 1)))
              for row in lossy]
    tested = [one for one in tested if one is not None]
    kind = 'a delay line in user space' if line.get('kind') == 'wire' else line.get('kind')
    text = f'**The emulated link** is {kind}'
    if (added.get('n') or 0) > 0:
        text += f', with a delay {words.plain(added["p50"])} µs too long in the median'
        text += '.' if worst is None else f' and {words.with_unit(worst / 1000, "ms")} at most.'
        text += ' The largest excess delay is over 10 % of the longest round trip.' if late else ''
    else:
        text += '.'
    if tested and True not in tested:
        text += ' Its packet loss differed from the setting by no more than chance explains.'
    elif tested:
        text += f' Its packet loss differed from the setting in {tested.count(True)} of {words.plural(len(tested), "condition")}.'
    return Finding('link', text, Amount(added.get('p50'), unit='us'),
                   'unsure' if True in tested or late else 'none' if not tested and not added.get('n') else 'good')


def real_link(run: Run) -> Finding | None:
    """A link that is not emulated. The window's connection may end long before the server; pings may scatter."""
    link = run.facts.get('link')
    if not link:
        return None
    ping, tcp = link.get('ping_ms') or {}, link.get('tcp_min_ms')
    text = '**The link is a real one, not emulated.** '
    if not ping:
        text += 'The server answers no ping.'
    else:
        text += (f'Round trips by ping: {words.with_unit(ping["min"], "ms")} at least, {words.with_unit(ping["mean"], "ms")} in '
                 f'the mean, {words.with_unit(ping["max"], "ms")} at most; {words.plain(link.get("ping_lost_percent"))} % of '
                 f'{words.plain(link.get("pings"))} pings were lost.')
    if tcp is not None:
        early = exceeds(number(ping.get('min')), number(tcp * 2 + 1)) is True
        text += (f" TCP saw {words.with_unit(tcp, 'ms')} at least on the window's own connection"
                 + (': it ends before the server, as at a proxy, and the rest of the way is in the responses.' if early else '.'))
    least = ping.get('min')
    scatters = exceeds(number(ping.get('max')), number(None if least is None else least * 2 + 5))
    return Finding('link', text, Amount(least if least is not None else tcp, unit='ms'),
                   {True: 'unsure', False: 'good', None: 'none'}[scatters])


def findings(run: Run) -> list[Finding]:
    rest = [f for make in (no_round_trips, typed, longest, losses, real_link, link_quality) if (f := make(run))]
    return [*round_trips(run), *rest][:5]


def views(run: Run) -> list[View]:
    return [
        View('rank', 'summary', 'Which protocol on this link', 'protocol p50_ms p95_ms wire_bytes_per_key late_percent',
             rank='p50_ms',
             at={'keys_per_s': 'least', 'rtt_ms': 'most', 'loss_percent': 'most'}),
        View('slopes', 'slope', 'Round trips per key', 'protocol slope slope_why? late_from_ms start_ms spread_ms points'),
        View('main', 'summary', 'Response time by condition', 'rtt_ms loss_percent keys_per_s p50_ms p90_ms max_ms late_percent '
             'keys unanswered?',
             by='protocol', floor='p50_ms'),
    ]


# --- figures ------------------------------------------------------------------------------------------------------

def rtt_figure(run: Run, rows: Rows, protocols: list[str]) -> Drawing:
    """The latency of a key over a long link, with each protocol's line."""
    most = max([row[c] for row in rows for c in ('rtt_ms', 'ping_ms') if row.get(c) is not None] or [1.0])
    curves = [Curve('line', [Place(0, 0), Place(most, most)], Look(LINE, dash=2), 'one round trip and nothing else')]
    for i, protocol in enumerate(protocols):
        s = next((r for r in run.table('slope') if r['protocol'] == protocol and r.get('slope') is not None
                  and (r.get('slope_low') or 0) > 0), None)
        name = protocol if s is None else (f'{protocol}: {words.fixed(s["slope"], 2)} ({words.fixed(s["slope_low"], 2)} to '
                                           f'{words.fixed(s["slope_high"], 2)}) round trips a key, from {digits(s["start_ms"], 3)} '
                                           'ms on')
        mine = [row for row in rows if row.get('keys_per_s') == 0 and row['protocol'] == protocol and row['loss_percent'] == 0]
        curves += over(((row['ping_ms'] if row.get('ping_ms') is not None else row['rtt_ms'], row) for row in mine), 'p50_ms',
                       look(i), name, protocol,
                       'bars hover')
        if s is not None:
            curves.append(Curve('line', [Place(x, s['start_ms'] + s['slope'] * x) for x in (0.0, most)], look(i)))
    limit = run.threshold_ms()
    curves.append(level_curve(limit, DOTTED, f'{words.plain(limit)} ms'))
    return Drawing('rtt', 'Response time of a key over the round trip time of the link',
                   [Panel(Axis('round trip time by ping, ms', 0, most * 1.04), Axis('median response time, ms', 0), curves)])


def loss_figure(rows: Rows, protocols: list[str]) -> Drawing | None:
    """A panel for each protocol."""
    single = [row for row in rows if row.get('keys_per_s') == 0]
    lossy = [row for row in single if row['loss_percent'] > 0]
    if not lossy:
        return None
    rtt, loss = lossy[-1]['rtt_ms'], max(row['loss_percent'] for row in lossy)
    top = max([row[c] for row in lossy for c in ('max_ms', 'max_ms_to', 'p90_ms') if row.get(c) is not None] or [1.0])
    least = min([row[c] for row in lossy for c in ('p50_ms', 'p50_ms_from') if (row.get(c) or 0) > 0] or [10.0])
    panels = []
    for protocol in protocols:
        mine = [(row['loss_percent'], row) for row in single if row['protocol'] == protocol and row['rtt_ms'] == rtt]
        curves = over(mine, 'p50_ms', look(0), 'median') + over(mine, 'p90_ms', look(1), '90 %', draw='line hover')
        curves += over(mine, 'max_ms', Look(MARK, 9), 'largest', draw='line hover')
        panels.append(Panel(Axis('loss each way, %', -0.06 * loss, loss * 1.06),
                            Axis('response time, ms', min(10.0, least / 1.4), top * 1.4, log=True, unit='ms'), curves, protocol))
    return Drawing('loss', f'Response time of a key over packet loss, round trip {words.plain(rtt)} ms', panels)


def drawings(run: Run) -> list[Drawing]:
    rows = run.measured()
    protocols = distinct(row['protocol'] for row in rows)
    return [d for d in (rtt_figure(run, rows, protocols), loss_figure(rows, protocols)) if d]
