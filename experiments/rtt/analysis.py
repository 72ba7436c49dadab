# SPDX-License-Identifier: GPL-3.0-or-later
"""Pings and keys over a loaded link."""
import re
from math import inf
from typing import Any, NamedTuple

from analysis import notes, words
from analysis.amounts import Amount, Row, Rows, amount, exceeds, in_words, interval_alone, level, number, with_interval, within
from analysis.draw import COLOURS, DOTTED, LINE, Axis, Curve, Drawing, Look, Panel, Place, over
from analysis.draw import level as level_curve
from analysis.notes import NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run, bare, distinct, of_run

COLUMNS = '''
table summary cells schema=rtt/1
# column                heading                unit   source                                      estimator decimals better
cell                    Cell                   -      count:name                                  -         text  -
link                    Link                   -      param                                       -         text  -
queue                   Queue                  -      param                                       -         text  -
transport               Load                   -      param                                       -         text  -
load                    "Load asked for"       %      param                                       -         0     -
probe                   Probe                  -      param                                       -         text  -
include ../families/state.py
link_bit_s              "Rate of the link"     bit/s  cell.json:link_bit_s                        last      0     -
queue_bytes             "Length of the queue"  byte   cell.json:queue_bytes                       last      0     -
bucket_bytes            "Token bucket"         byte   cell.json:bucket_bytes                      last      0     -
load_percent            "Load that arrived"    %      netload:received_percent                    percent+ci 4    -
sent_percent            "Load that was sent"   %      netload:sent_percent                        mean      4     -
received_payload_mbit_s "Payload that arrived" Mbit/s netload.json:result.received_payload_mbit_s mean      4     higher
load_lost_percent       "Load lost"            %      netload.json:result.lost_percent            mean      4     lower
load_behind_ms_max      "Load behind its time" ms     netload.json:result.behind_ms               max       3     lower
n                       "Pings or keys"        -      keys:asked                                  -         0     -
lost                    Lost                   -      keys:unknown                                -         0     lower
lost_percent            Lost                   %      keys:unknown_percent                        -         3     lower
later                   "Later than the wait"  -      keys:censored                               -         0     lower
late_percent            Late                   %      keys:late                                   range     2     lower
mean_ms                 Mean                   ms     keys:mean                                   range     4     lower
sd_ms                   "Standard deviation"   ms     keys:sd                                     range     4     lower
variance_ms2            Variance               ms2    keys:variance                               range     5     lower
min_ms                  Least                  ms     keys:min                                    range     4     lower
p50_ms                  Median                 ms     keys:p50                                    range     4     lower
p90_ms                  "90 %"                 ms     keys:p90                                    range     4     lower
p99_ms                  "99 %"                 ms     keys:p99                                    range     4     lower
max_ms                  Largest                ms     keys:max                                    range     4     lower
congestion              "Congestion control"   -      netload.json:settings.congestion_control     same      text  -
frame_ms                "A frame on the link"  ms     netload:frame_ms                            -         4     -
even_wait_ms            "Wait beside even frames" ms  netload:even_wait_ms                        -         4     -
even_variance_ms2       "Variance beside even frames" ms2 netload:even_variance_ms2               -         5     -
md1_wait_ms             "Wait by M/D/1"        ms     netload:md1_wait_ms                         -         4     -
md1_variance_ms2        "Variance by M/D/1"    ms2    netload:md1_variance_ms2                    -         5     -
queue_ms                "Full queue"           ms     netload:queue_ms                            last      3     -
server_busy_percent_max "Server CPUs busy"     %      cell.json:server_busy_percent               max       1     lower
client_busy_percent_max "Client CPUs busy"     %      cell.json:client_busy_percent               max       1     lower
foreign_percent_max     "Interference"         %      cell.json:foreign_percent                   max       2     lower
steal_percent_max       "Stolen CPU time"      %      cell.json:steal_percent                     max       2     lower

table curve rows:netload schema=rtt-curve/1 raw
link         Link     -   - - text -
load_percent Load     %   - - 1    -
wait_ms      Wait     ms  - - 5    -
variance_ms2 Variance ms2 - - 6    -
even_wait_ms      "Wait beside even frames"     ms  - - 5 -
even_variance_ms2 "Variance beside even frames" ms2 - - 6 -
'''
TRANSPORTS = {'udp': 'UDP at regular intervals', 'random': 'UDP at random intervals', 'tcp': 'TCP', 'reno': 'TCP with Reno',
              'none': 'no load'}


def mbit(link: str) -> str:
    return re.sub('([0-9])([KMG]?)bit', r'\1 \2bit/s', link, count=1)


def transport_words(transport: str) -> str:
    return TRANSPORTS.get(transport, transport)


def load_words(row: Row) -> str:
    """Of TCP with the congestion control of the kernel."""
    congestion = f' ({row["congestion"]})' if row['transport'] == 'tcp' and row.get('congestion') else ''
    return transport_words(row['transport']) + congestion


def is_tcp(row: Row) -> bool:
    return row['transport'] in ('tcp', 'reno')


def title(run: Run) -> str:
    return f'Pings and keys over a loaded link: {words.and_list([mbit(link) for link in run.setting("links", [])])}'


def setup(run: Run) -> str:
    queue, seconds = run.setting('queue'), run.setting('seconds')
    direction = ({'display': 'load from the server to the client', 'input': 'load from the client to the server',
                  'both': 'load both ways'}.get(
         run.setting('direction', '')))
    return notes.sentence([None if queue is None else f'a queue of {queue}', direction,
                           f'{words.plural(run.setting("repeats", 0), "repeat")} of '
                           f'{"?" if seconds is None else words.plain(seconds)} s',
                           notes.run_words(run)])


def labels(run: Run) -> Labels:
    return Labels(value={'transport': {'udp': 'even', 'random': 'random', 'tcp': 'TCP', 'reno': 'TCP, Reno', 'none': 'none'},
                         'link': {link: mbit(link) for link in run.setting('links', [])}})


def links(run: Run) -> list[str]:
    return distinct(row['link'] for row in run.measured())


def queues(run: Run) -> list[str]:
    return distinct(row['queue'] for row in run.table('summary'))


def pings(run: Run, link: str) -> Rows:
    return [row for row in run.measured() if row['link'] == link and row['queue'] == queues(run)[0] and row['probe'] == 'ping']


def idle(rows: Rows) -> dict[str, Any] | None:
    return next((row for row in rows if row.get('load') == 0), None)


def fine(ms: float | None) -> str:
    if ms is None:
        return 'unknown'
    return f'{words.short(ms) if ms >= 9.995 else words.fixed(ms, 2 if ms >= 0.0995 else 3)} ms'


def mean_words(row: Row) -> str:
    """A mean: over the pings that came back; a lower bound if a key was never answered."""
    a = amount(row, 'mean_ms')
    if row.get('mean_ms_from') is not None or row.get('mean_ms_why') == 'overloaded':
        return in_words(a)
    if row.get('mean_ms') is None:
        return 'unknown'
    if (row.get('later') or 0) > 0:
        return f'more than {fine(row["mean_ms"])}'
    text = fine(row['mean_ms'])
    if row.get('mean_ms_both') is not None:
        return text + with_interval(a)
    low, high = row.get('mean_ms_low'), row.get('mean_ms_high')
    return text if low is None else f'{text} (95 % CI {words.fixed(low, 2)} to {fine(high)})'


def is_all_lost(row: Row) -> bool:
    return row['probe'] == 'ping' and row.get('mean_ms') is None and (row.get('lost') or 0) > 0 and row.get('lost') == row.get('n')


def slowness(row: Row) -> float | None:
    if is_all_lost(row) or row.get('mean_ms_why') == 'overloaded':
        return inf
    return next((row[c] for c in ('mean_ms_to', 'mean_ms', 'mean_ms_from') if row.get(c) is not None), None)


def by_slowness(row: Row) -> float:
    value = slowness(row)
    return -inf if value is None else value


def slowest(rows: Rows) -> dict[str, Any]:
    """The last of them."""
    return max(reversed(rows), key=by_slowness)


# --- what is decided of rows --------------------------------------------------------------------------------------

def is_full(row: Row) -> bool:
    """Whether a link is full is decided by the load that arrived."""
    return exceeds(number(90), amount(row, 'load_percent')) is False


def caveat(row: Row) -> str:
    """If the load differed from its nominal value, the finding says so."""
    load, sent, arrived = row.get('load') or 0, row.get('sent_percent'), amount(row, 'load_percent')
    short = exceeds(number(min(load, 100) * 0.9), arrived)
    if load > 0 and arrived.is_known() and short is not False:
        return f' ({in_words(arrived)} arrived)'
    if row['transport'] == 'none' or is_tcp(row) or load > 100 or within(number(sent), load * 0.995, load * 1.005) is True:
        return ''
    return ' (what was sent is not known)' if sent is None else f' ({words.fixed(sent, 1)} % were sent)'


def has_no_queue(run: Run, row: Row) -> bool:
    base = idle(pings(run, row['link'])) or {}
    frame, mean = row.get('frame_ms'), base.get('mean_ms')
    return exceeds(number(frame + mean if frame and mean else None), amount(row, 'mean_ms')) is True


def comes_later(run: Run, row: Row) -> bool:
    return exceeds(interval_alone(row, 'mean_ms'), interval_alone(idle(pings(run, row['link'])) or {}, 'mean_ms')) is True


def is_beyond_queue(run: Run, row: Row) -> bool:
    ways = 2 if run.setting('direction') == 'both' else 1
    queue = row.get('queue_ms')
    return exceeds(amount(row, 'mean_ms'), number(None if queue is None else ways * queue * 1.05 + 5)) is True


def lost(row: Row) -> str:
    return f', {words.percent(row["lost_percent"])} % lost' if (row.get('lost_percent') or 0) > 0 else ''


def at_link(row: Row) -> str:
    return f'{words.plain(row["load"])} % of {mbit(row["link"])}'


def short_words(rows: Rows) -> str:
    short = [row for row in rows if not is_full(row)]
    each = '; '.join(f'{level(row, "load_percent")} of {words.plain(row["load"])} % by {transport_words(row["transport"])} at '
                     f'{mbit(row["link"])}, where a ping takes {mean_words(row)}{lost(row)}' for row in short)
    return f'**The load asked for did not surely arrive**: {each}.' if short else ''


def told_full(rows: Rows, text: Any) -> str:
    full = [row for row in rows if is_full(row)]
    return ' '.join(part for part in (text(full) if full else '', short_words(rows)) if part)


# --- findings -----------------------------------------------------------------------------------------------------

def at_rest(run: Run) -> Finding | None:
    rows = [row for link in links(run) if (row := idle(pings(run, link))) and row.get('mean_ms') is not None]
    each = words.and_list([f'{mean_words(row)}{lost(row)} at {mbit(row["link"])}' for row in rows])
    return (Finding('idle', f'**Without load**, a ping of 64 bytes takes {each}.', amount(rows[0], 'mean_ms'), 'none', 'round-trip')
            if rows else None)


def by_transport(rows: Rows) -> list[Rows]:
    return [[row for row in rows if row['transport'] == t] for t in sorted({row['transport'] for row in rows})]


def no_queue_words(run: Run) -> str:
    """Frames at even distances below the link's rate: none waits for another, and a ping for at most one of them."""
    found = []
    for link in links(run):
        rows = [row for row in pings(run, link) if 0 < row['load'] < 100 and row['transport'] != 'random'
                and row.get('mean_ms') is not None]
        found += [max(reversed(group), key=lambda row: float(row['load'])) for group in by_transport(rows)
                  if all(has_no_queue(run, row) for row in group)]
    each = words.and_list([f'{load_words(row)} of up to {words.plain(row["load"])} % at {mbit(row["link"])}' for row in found])
    frames = words.and_list(sorted({fine(row.get('frame_ms')) for row in found}))
    return (f' **No queue builds on average** beside {each}: the mean ping is later by less than one frame takes on the link '
            f'({frames}).'
            if found else '')


def nearly_full(run: Run) -> Finding | None:
    """The highest load that the link can carry."""
    rows = []
    for link in links(run):
        for group in by_transport(pings(run, link)):
            near = [row for row in group if 96 <= row['load'] < 100 and row.get('mean_ms') is not None]
            if near:
                rows.append(min(near, key=lambda row: (not is_full(row), float(row['load']))))
    if not rows:
        return None

    def text(full: Rows) -> str:
        each = '; '.join(f'{mean_words(row)}{lost(row)} beside {load_words(row)} at {mbit(row["link"])}{caveat(row)}'
                         for row in full)
        return f'**On a link that is nearly full** ({words.plain(max(row["load"] for row in full))} %), a ping takes {each}.'

    top = max(reversed(rows), key=lambda row: (is_full(row), by_slowness(row)))
    return Finding('nearly-full', told_full(rows, text) + no_queue_words(run), amount(top, 'mean_ms'),
                   'none' if any(map(is_full, rows)) and is_full(top) else 'unsure', 'round-trip')


def overfull(run: Run) -> Finding | None:
    rows = [max(reversed(group), key=lambda row: float(row['load'])) for link in links(run)
            for group in by_transport([row for row in pings(run, link) if is_tcp(row) and row['load'] > 100
                                       and row.get('mean_ms') is not None])]
    if not rows:
        return None

    def one(row: Row) -> str:
        queue = row.get('queue_ms')
        return (f'{mean_words(row)} on average and {fine(row.get("max_ms"))} at most{lost(row)} at {mbit(row["link"])}'
                + (f', with {row["congestion"]}' if row.get('congestion') else '')
                + ('' if queue is None else f' (full queue: {fine(queue)})'))

    def text(full: Rows) -> str:
        inside = run.setting('link_by') != 'wire' and any(
            row['transport'] == 'tcp' and row.get('queue_ms') is not None and row.get('max_ms') is not None
            and row['max_ms'] < 0.9 * row['queue_ms'] and (row.get('lost') or 0) == 0 for row in full)
        return (f'**While TCP saturates the link**, a ping takes {"; ".join(map(one, full))}.'
                + (' The queue is inside the sending host, whose TCP slows down before the queue is full.' if inside else ''))

    top = max(reversed(rows), key=lambda row: (is_full(row), by_slowness(row)))
    return Finding('overfull', told_full(rows, text), amount(top, 'mean_ms'), 'bad' if is_full(top) else 'unsure', 'round-trip')


class Later(NamedTuple):
    """A row, and by how much its pings are later than without load: from the near ends of both intervals to the far ends."""
    row: dict[str, Any]
    more: float
    low: float | None
    high: float | None


def more_than(row: dict[str, Any], base: Row) -> Later:
    more = row['mean_ms'] - base['mean_ms']
    if row.get('mean_ms_low') is None or base.get('mean_ms_low') is None or row['repeats'] < 3 or base['repeats'] < 3:
        return Later(row, more, None, None)
    return Later(row, more, row['mean_ms_low'] - base['mean_ms_high'], row['mean_ms_high'] - base['mean_ms_low'])


def random_load(run: Run) -> Finding | None:
    """Significantly later than without load, compared with M/D/1 at loads up to 90 %."""
    found = [more_than(row, base) for link in links(run) if (base := idle(pings(run, link))) and base.get('mean_ms') is not None
             for row in pings(run, link) if row['transport'] == 'random' and 40 <= row['load'] <= 90
             and row.get('mean_ms') is not None]
    if not found:
        return None
    told = [one for one in found if one.low is not None and comes_later(run, one.row)]
    few = [one for one in found if one.low is None]
    if told:
        each = words.and_list([f'{fine(one.more)} (95 % CI {words.fixed(one.low, 2)} to {fine(one.high)}) at '
                               f'{at_link(one.row)}{caveat(one.row)} (M/D/1: {fine(one.row.get("md1_wait_ms"))})' for one in told])
        rest = [one for one in found if one not in told]
        none = words.and_list([f'{at_link(one.row)}{caveat(one.row)}' for one in rest])
        text = (f'**Traffic at random times delays a ping** by {each}{f"; no delay is shown at {none}" if rest else ""}. The M/D/1 '
                'model has no fitted parameters.')
    elif few:
        each = words.and_list([f'{mean_words(one.row)}{lost(one.row)} at {at_link(one.row)}{caveat(one.row)}' for one in few])
        text = f'**Too few repeats to tell whether traffic at random times delays a ping** (three are needed): {each}.'
    else:
        loads = words.and_list(sorted({f'{words.plain(one.row["load"])} %{caveat(one.row)}' for one in found}))
        top = max(one.high or 0 for one in found)
        most = ('something else changed, since pings take less time than without load' if top < 0
                else f'at most {fine(top)} of the pings that came back')
        worst = max(reversed(found), key=lambda one: one.row.get('lost_percent') or 0)
        text = f'**No delay of pings by traffic at random times is shown** at loads of {loads}: {most}{lost(worst.row)}.'
    last = (told or found)[-1]
    return Finding('random-load', text, Amount(last.more, low=last.low, high=last.high, unit='ms'), 'none' if told
                   else 'unsure', 'round-trip')


def keys(run: Run) -> Finding | None:
    rows = [row for row in run.measured() if row['probe'] != 'ping' and row['queue'] == queues(run)[0]]
    found = []
    for key in sorted({(row['probe'], row['link']) for row in rows}):
        group = [row for row in rows if (row['probe'], row['link']) == key]
        base, loaded = idle(group), [row for row in group if row['load'] > 0]
        if base and loaded:
            found.append((base, slowest(loaded)))
    if not found:
        return None

    def one(base: Row, worst: Row) -> str:
        late = '' if worst.get('late_percent') is None else (
            f', {level(worst, "late_percent")} of the keys over {words.plain(run.threshold_ms())} ms')
        return (f'{mean_words(worst)} under a load of {words.plain(worst["load"])} %{caveat(worst)} by '
                f'{transport_words(worst["transport"])} at {mbit(worst["link"])} ({worst["probe"]}; {mean_words(base)} without '
                f'load){late}')

    top = slowest([worst for _, worst in found])
    return Finding('keys', f'**The response to a key over the loaded link** takes {"; ".join(one(*pair) for pair in found)}.',
                   amount(top, 'mean_ms'), 'none', 'keys')


def beyond(run: Run) -> Finding | None:
    """A ping cannot wait for longer than the queues on its way take to empty."""
    rows = [row for row in run.measured() if row['probe'] == 'ping' and is_beyond_queue(run, row)]
    each = words.and_list([f'{fine(row["mean_ms"])} beside a queue of {fine(row["queue_ms"])} at {at_link(row)}' for row in rows])
    return Finding('beyond-queue', f'**Pings took longer than a full queue explains**: {each}.', amount(rows[0], 'mean_ms'), 'bad',
                   'round-trip') if rows else None


def all_lost(run: Run) -> Finding | None:
    rows = [row for row in run.measured() if is_all_lost(row)]
    each = words.and_list([f'at {at_link(row)} ({transport_words(row["transport"])})' for row in rows])
    return (Finding('all-lost', f'**Every ping was lost** {each}: these conditions have no round trip, and are in no mean.',
                    verdict='bad', figure='round-trip') if rows else None)


def findings(run: Run) -> list[Finding]:
    return [f for make in (all_lost, beyond, at_rest, nearly_full, overfull, random_load, keys) if (f := make(run))][:5]


def verdict(run: Run) -> str:
    """Without a ping under load, the first finding is all there is to say."""
    parts = []
    for link in links(run):
        rows = pings(run, link)
        base, loaded = idle(rows), [row for row in rows if row['load'] > 0 and slowness(row) is not None]
        if not loaded:
            continue
        worst = slowest(loaded)
        what = 'every ping is lost' if is_all_lost(worst) else f'a ping takes up to {mean_words(worst)} on average{lost(worst)}'
        parts.append(f'{what} beside {load_words(worst)} at a load of {words.plain(worst["load"])} %{caveat(worst)} on '
                     f'{mbit(link)} ({"not measured" if base is None else mean_words(base)} without load)')
    if parts:
        queue = f', with the queue {queues(run)[0]}' if len(queues(run)) > 1 else ''
        return f'Under load{queue}, {words.and_list(parts)}.'
    if not run.measured():
        return NOTHING_MEASURED
    return next((f.text.replace('**', '') for f in findings(run)), 'Nothing was measured under load.')


def views(run: Run) -> list[View]:
    return [
        View('main', 'summary', 'Pings and keys by load',
             'probe transport load mean_ms sd_ms p50_ms p99_ms max_ms late_percent lost_percent queue n', by='link',
             breaks=('load', 'late_percent', 5)),
        View('variance', 'summary', 'Variance, and a model', 'probe transport load variance_ms2 md1_wait_ms md1_variance_ms2 '
             'even_wait_ms even_variance_ms2 queue_ms congestion', by='link'),
        View('load', 'summary', 'The load itself', 'probe transport load sent_percent load_percent received_payload_mbit_s '
             'load_lost_percent', by='link'),
        View('quality', 'summary', 'Quality', 'probe transport load marked? load_behind_ms_max server_busy_percent_max '
             'foreign_percent_max', by='link'),
    ]


# --- figures ------------------------------------------------------------------------------------------------------

COLOUR = {'udp': COLOURS[0], 'random': COLOURS[2], 'tcp': COLOURS[1], 'reno': COLOURS[3]}


def link_title(link: str) -> str:
    found = re.fullmatch('(.*)([KMG]bit.*)', link)
    return f'{found[1] if found else link} {found[2] if found else ""}/s'


class Scene(NamedTuple):
    """What all panels share: rows, queues, kinds of load, and the axis of the load."""
    rows: Rows
    queues: list[str]
    kinds: list[str]
    x: Axis


def curves_over(s: Scene, probe: str, link: str, column: str, begin: str) -> list[Curve]:
    """A curve for each kind of load and queue, which begins with the row without load."""
    named = len({bare(q) for q in s.queues}) > 1
    curves: list[Curve] = []
    for i, queue in enumerate(s.queues):
        for kind in s.kinds:
            rows = [row for row in s.rows if row['link'] == link and row['queue'] == queue and row['probe'] == probe
                    and row['transport'] in (kind, 'none')]
            name = f'{begin}{transport_words(kind)}{f", {bare(queue)}" if named else ""}{of_run(queue)}'
            curves += over(((row.get('load_percent'), row) for row in rows), column,
                           Look(COLOUR.get(kind), 7, i + 2 if i > 0 else 1), name, transport_words(kind))
    return curves


def model_curves(run: Run, s: Scene, link: str, base: Rows, column: str, models: list[tuple[str, int, str]]) -> list[Curve]:
    return [Curve('line', [Place(p['load_percent'], b[column] + p[wait]) for p in run.table('curve') if p.get('link') == link
                           and (not run.runs() or p.get('run_name') == b.get('run_name')) and p.get(wait) is not None],
                  Look(LINE, dash=dash), name)
            for b in base for wait, dash, name in models]


def ping_figure(run: Run, s: Scene, name: str, column: str, model: str, what: str, unit: str) -> Drawing:
    models = [(model, 2, 'theory, not fitted: random distances (M/D/1)')] if 'random' in s.kinds else []
    models += [(f'even_{model}', 4, 'theory, not fitted: even distances')] if [k for k in s.kinds if k != 'random'] else []
    panels = []
    for link in distinct(row['link'] for row in s.rows if row['probe'] == 'ping'):
        base = [row for row in s.rows if row['link'] == link and row['probe'] == 'ping' and row['transport'] == 'none'
                and bare(row['queue']) == bare(s.queues[0])]
        curves = curves_over(s, 'ping', link, column, '') + model_curves(run, s, link, base, column, models)
        curves += [level_curve(row['mean_ms'] + row['queue_ms'], DOTTED, 'no load, and a queue that is full') for row in base
                   if name == 'round-trip' and row.get('queue_ms') is not None]
        panels.append(Panel(s.x, Axis(unit, log=True), curves, link_title(link), grid='xy'))
    return Drawing(name, f'Round trip of a ping beside a load, {what}', panels, across=9)


def key_figure(run: Run, s: Scene) -> Drawing | None:
    probes, all_links = distinct(row['probe'] for row in s.rows if row['probe'] != 'ping'), distinct(row['link'] for row in s.rows)
    limit = run.threshold_ms()
    panels = []
    for probe in probes:
        for link in all_links:
            curves = curves_over(s, probe, link, 'mean_ms', 'mean beside ')
            curves += [Curve('points', [Place(row.get('load_percent'), row['max_ms']) for row in s.rows if row['link'] == link
                                        and row['probe'] == probe and row.get('max_ms') is not None
                                        and row['transport'] in (kind, 'none') and (run.runs() or row['queue'] == s.queues[0])],
                             Look(COLOUR.get(kind), 2), 'the slowest key')
                       for kind in s.kinds]
            curves.append(level_curve(limit, DOTTED, f'{words.plain(limit)} ms'))
            panels.append(Panel(s.x, Axis('ms after the key was due', log=True, unit='ms'), curves,
                                f'{f"{probe}, " if len(probes) > 1 else ""}{link_title(link)}', grid='xy'))
    return Drawing('keys', 'Response time of a key beside a load', panels, across=len(all_links)) if panels else None


def drawings(run: Run) -> list[Drawing]:
    """Round trip and variance of pings, and response times of keys, over the load of a link; a panel for each link."""
    rows = run.measured()
    most = max([row['load_percent'] for row in rows if row.get('load_percent') is not None] + [100.0])
    s = Scene(rows, distinct(row['queue'] for row in rows),
              distinct(row['transport'] for row in rows if row['transport'] != 'none'),
              Axis('load, % of the link (bits of whole frames)', 0, most * 1.02))
    figures = [ping_figure(run, s, *one) for one in (('round-trip', 'mean_ms', 'wait_ms', 'mean', 'ms'),
                                                     ('variance', 'variance_ms2', 'variance_ms2', 'variance', 'ms²'))
               if any(row['probe'] == 'ping' for row in rows)]
    return [d for d in (*figures, key_figure(run, s)) if d]
