# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes of the same work over each protocol."""
from dataclasses import replace
from typing import Any

from analysis import notes, words
from analysis.amounts import Amount, Row, Rows, amount, exceeds, level, span
from analysis.draw import HEAVY, LIGHT, PALE, Axis, Curve, Drawing, Look, Panel, Place, digits, row_of, rows_axis
from analysis.notes import NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run, distinct, is_attached

COLUMNS = '''
# A row for each protocol and what was done over it: setup, window (a terminal comes), idle (a minute), key, each piece of work, and
# all of it.
table summary rows:channels schema=protocols/1
# column                   heading                    unit  source estimator decimals better
protocol                   Protocol                   -     param  -         text     -
what                       Work                       -     param  -         text     -
state                      State                      -     -      -         text     -
repeats                    Repeats                    -     -      -         0        -
failed                     Failed                     -     -      -         0        -
marked                     Flagged                    -     -      -         0        -
different                  "Other work"               -     -      -         0        -
restless                   "Not at rest"              -     -      -         0        -
differs_percent            "Pixels that differ"       %     -      -         4        lower
seconds                    Time                       s     -      -         2        -
input_wire_bytes           "Input on the wire"        bytes -      ends      2        lower
input_ip_bytes             "Input in IP packets"      bytes -      ends      3        lower
input_payload_bytes        "Input payload"            bytes -      -         3        lower
input_packets              "Input packets"            -     -      -         3        lower
input_messages             "Input messages"           -     -      -         3        lower
input_acks                 "Input bare acks"          -     -      -         3        lower
display_wire_bytes         "Display on the wire"      bytes -      ends      2        lower
display_ip_bytes           "Display in IP packets"    bytes -      ends      3        lower
display_payload_bytes      "Display payload"          bytes -      -         3        lower
display_packets            "Display packets"          -     -      -         3        lower
display_messages           "Display messages"         -     -      -         3        lower
display_acks               "Display bare acks"        -     -      -         3        lower
total_wire_bytes           "Total on the wire"        bytes -      ends      2        lower
total_ip_bytes             "Total in IP packets"      bytes -      ends      3        lower
total_payload_bytes        "Total payload"            bytes -      -         3        lower
total_packets              "Total packets"            -     -      -         3        lower
total_messages             "Total messages"           -     -      -         3        lower
total_acks                 "Total bare acks"          -     -      -         3        lower
mean_message_ip_bytes      "IP bytes a message"       bytes -      -         2        -
mean_message_payload_bytes "Payload a message"        bytes -      -         2        -
mean_packet_wire_bytes     "Wire bytes a packet"      bytes -      -         2        -
vip_saving_percent         "Saved without IP headers" %     -      ends      2        -
ethernet_percent           "Ethernet headers"         %     -      -         2        lower
ip_percent                 "IP headers"               %     -      -         2        lower
transport_percent          "TCP headers"              %     -      -         2        lower
tls_percent                "TLS record headers"       %     -      -         2        lower

table protocols rows:channels schema=protocols-bytes/1    # bytes on the wire, both channels, of the same work only
protocol     Protocol         -     param - text -
all_bytes    "All work"       bytes - - 0    lower
text_bytes   Text             bytes - - 0    lower
draw_bytes   Drawing          bytes - - 0    lower
browse_bytes Pages            bytes - - 0    lower
setup_bytes  Set-up           bytes - - 0    lower
window_bytes "First terminal" bytes - - 0    lower
idle_bytes   "Idle minute"    bytes - - 0    lower
key_bytes    "Traffic per key" bytes - - 0  lower

table shares rows:channels schema=protocols-shares/1    # IP bytes of all work, in percent of those of another protocol
protocol      Protocol      - param - text -
other         "Compared with" - -   - text -
share_percent Share         % -    ends 4  lower

table keys cells schema=protocols-keys/1    # a key of each session; of other cells nothing
protocol      Protocol -  param                                           -          text -
part          Part     -  param                                           -          text -
state         State    -  count:measured                                  -          text -
repeats       Repeats  -  count:complete                                  -          0    -
key_p50_ms    Median   ms keyrepeat.json:result.latency_from_due_ms.p50   range      3    lower
key_p95_ms    "95 %"   ms keyrepeat.json:result.latency_from_due_ms.p95   range      3    lower
late_percent  Late     %  keyrepeat.json:result.late_share_percent        range      2    lower
'''
PARTS = {'text': 'editing a text', 'draw': 'drawing', 'browse': 'looking at pages', 'all': 'all work', 'setup': 'set-up',
         'window': 'first terminal', 'idle': 'idle minute', 'key': 'a key'}


def works(run: Run) -> list[str]:
    return run.setting('works') or []


def works_words(run: Run) -> str:
    return words.and_list([PARTS.get(work, work) for work in works(run)])


def title(run: Run) -> str:
    if is_attached(run) and not run.runs():
        window = (run.facts.get('protocol') or {}).get('title')
        return f'Bytes of a key in a window: {"?" if window is None else window}'
    return 'The same work over every protocol'


def setup(run: Run) -> str:
    return notes.sentence([notes.protocol_words(run), works_words(run) if works(run) else 'keys only', notes.link_words(run),
                           notes.repeats_words(run), 'quick: only the first part of each piece of work'
                           if run.setting('quick') else None])


def labels(run: Run) -> Labels:
    return Labels(value={'what': PARTS})


def ranked(run: Run, what: str) -> Rows:
    """Usable rows of one kind, those with fewest bytes first."""
    return sorted((row for row in run.table('summary') if row.get('what') == what and row.get('state') == 'complete'),
                  key=lambda row: (row.get('total_wire_bytes') is not None, float(row.get('total_wire_bytes') or 0)))


def seen(rows: Rows) -> Rows:
    """Work that took no byte was not seen."""
    return [row for row in rows if (row.get('total_wire_bytes') or 0) > 0]


def work_rows(run: Run) -> Rows:
    """(A single work has no row "all".)"""
    return seen(ranked(run, works(run)[0] if len(works(run)) == 1 else 'all'))


def key_rows(run: Run) -> Rows:
    return seen(ranked(run, 'key'))


def byte_words(value: float) -> str:
    """1 KB is 1,000 bytes, as on a link."""
    if value >= 999500:
        return f'{words.fixed(value / 1e6, 1 if value >= 9.95e6 else 2)} MB'
    if value >= 9995:
        return f'{words.fixed(value / 1000, 0)} KB'
    return f'{words.fixed(value / 1000, 1)} KB' if value >= 999.5 else f'{words.fixed(value, 0)} bytes'


def times(value: float) -> str:
    return words.fixed(value, 0 if value >= 9.95 else 1 if value >= 1.95 else 2)


def total(row: Row) -> Amount:
    return replace(amount(row, 'total_wire_bytes'), unit='bytes')


def named(rows: Rows, text: Any) -> str:
    return ', '.join(f'{row["protocol"]} {text(row)}' for row in rows)


def extremes(rows: Rows, name: str, text: Any) -> str:
    """The span of some rows, such as "1.9 KB (vnc) to 287 KB (spice)"."""
    known = sorted((row for row in rows if row.get(name) is not None), key=lambda row: float(row[name]))
    ends = known[:1] + (known[-1:] if known and known[-1] != known[0] else [])
    if len(ends) == 2 and text(ends[0][name]) == text(ends[1][name]):
        return f'{text(ends[0][name])} (all)'
    return ' to '.join(f'{text(row[name])} ({row["protocol"]})' for row in ends)


def range_of(values: list[float]) -> str:
    return f'{" to ".join(sorted({words.fixed(v, 0) for v in (min(values), max(values))}))} %'


def is_fewer(a: Row, b: Row) -> bool:
    """Significantly fewer bytes for the same work, by the ends of both intervals; two repeats have no interval."""
    one, other = (amount(row, 'total_wire_bytes') for row in (a, b))
    return exceeds(span(other.low, other.high), span(one.low, one.high)) is True


def unsure(a: Row, b: Row, how: str) -> str:
    return '' if is_fewer(a, b) else f', not significantly {how}'


def without_work_words(run: Run) -> str:
    """Protocols that did no work, and of which no variant in this run did it."""
    everything = set(notes.protocols(run))
    found = [(protocol, use) for protocol, use in (run.setting('without_work') or {}).items()
             if not set(use) & (everything - {protocol})]
    if not found:
        return ''
    each = words.and_list([f'{protocol} (use {" or ".join(use)})' if use else protocol for protocol, use in found])
    return f' No work was done over {each}, because no client shows such a session.'


def no_figure(run: Run, rows: Rows) -> str:
    """Protocols that should have done the work (or keys, if no work was asked for), but have no usable figure."""
    keys = not works(run)
    wanted = distinct(c['parameters'].get('protocol') for c in notes.cells(run)
                      if (c['parameters'].get('part') == 'session') == keys)
    absent = [protocol for protocol in wanted if protocol not in {row['protocol'] for row in rows}]
    return f' No figure of {"a key" if keys else "the whole work"} for {words.and_list(absent)}.' if absent else ''


def verdict(run: Run) -> str:
    rows, keys = work_rows(run), key_rows(run)
    if not rows and not keys:
        return NOTHING_MEASURED + without_work_words(run)
    first, last = (rows or keys)[0], (rows or keys)[-1]
    size = byte_words(first['total_wire_bytes'])
    if len(rows) > 1:
        text = (f'The same work takes fewest bytes over {first["protocol"]} ({size}'
                f'{unsure(first, rows[1], "fewer than over " + rows[1]["protocol"])}) and most '
                f'over {last["protocol"]} ({byte_words(last["total_wire_bytes"])}, '
                f'{times(last["total_wire_bytes"] / first["total_wire_bytes"])} times as many'
                f'{unsure(rows[-2], last, "more than over " + rows[-2]["protocol"])}).')
    elif rows:
        text = f'The same work takes {size} on the wire over {first["protocol"]}.'
    else:
        text = (f'A key with its response takes {words.fixed(first["total_wire_bytes"], 0)} bytes on the wire over '
                f'{first["protocol"]}')
        text += (f' and {words.fixed(last["total_wire_bytes"], 0)} over {last["protocol"]}{unsure(first, last, "more")}.'
                 if len(keys) > 1 else '.')
    return text + no_figure(run, rows if works(run) else keys) + without_work_words(run)


# --- findings -----------------------------------------------------------------------------------------------------

def ordered(rows: Rows) -> str:
    """Each row with its ratio to the first; if intervals overlap, the order is uncertain."""
    def said(i: int, row: Row) -> str:
        text = f'{byte_words(row["total_wire_bytes"])} over {row["protocol"]}'
        return text if not i else (f'{text} ({times(row["total_wire_bytes"] / rows[0]["total_wire_bytes"])} times as many'
                                   f'{unsure(rows[i - 1], row, "more than " + rows[i - 1]["protocol"])})')

    return words.and_list([said(i, row) for i, row in enumerate(rows)])


def shares_words(run: Run) -> str:
    pairs = (('rdp', 'x11'), ('rdp:cache', 'x11'), ('rdp', 'nx'), ('rdp:cache', 'nx'), ('nx', 'x11'))
    found = [f'{a} {level(row, "share_percent")} of {b}' for a, b in pairs for row in run.table('shares')
             if row.get('protocol') == a and row.get('other') == b and row.get('share_percent') is not None]
    return (f' IP bytes: {", ".join(found)}. Wong & Seltzer (2000): RDP, with a cache at its client, 13 % of X and 23 % of LBX; '
            'LBX 57 % of X.'
            if found else '')


def work(run: Run) -> Finding | None:
    rows = work_rows(run)
    return Finding('work', f'**The same work** ({works_words(run)}) takes, in bytes on the wire, {ordered(rows)}. '
                   f'{range_of([row["display_wire_bytes"] / row["total_wire_bytes"] * 100 for row in rows])} of them are display '
                   f'data.{shares_words(run)}', total(rows[0]), 'none', 'work') if rows else None


def messages(run: Run) -> Finding | None:
    rows = work_rows(run)
    if len(rows) < 2:
        return None
    size = sorted(rows, key=lambda row: float(row['mean_message_ip_bytes']))
    saving = sorted(rows, key=lambda row: float(row['vip_saving_percent']))
    return Finding('messages', f'**The mean message has {words.thousands(size[0]["mean_message_ip_bytes"])} bytes over '
                   f'{size[0]["protocol"]}, {words.thousands(size[-1]["mean_message_ip_bytes"])} over {size[-1]["protocol"]}**, IP '
                   f'headers included. Without IP headers the work would take {words.fixed(saving[0]["vip_saving_percent"], 1)} % '
                   f'({saving[0]["protocol"]}) to {words.fixed(saving[-1]["vip_saving_percent"], 1)} % ({saving[-1]["protocol"]}) '
                   'less.',
                   Amount(saving[-1]['vip_saving_percent'], unit='%'), 'none', 'work')


def keys(run: Run) -> Finding | None:
    """What of a key's bytes are headers, and how many packets it needs: each brings 66 bytes of them."""
    rows = key_rows(run)
    if not rows:
        return None
    more = (f', {words.fixed(rows[-1]["total_wire_bytes"], 0)} over {rows[-1]["protocol"]}{unsure(rows[0], rows[-1], "more")}'
            if len(rows) > 1 else '')
    headers = range_of([row['ethernet_percent'] + row['ip_percent'] + row['transport_percent'] for row in rows])
    tls = [row for row in rows if (row.get('tls_percent') or 0) > 0.05]
    sealed = named(tls, lambda row: f'{words.fixed(row["tls_percent"] * row["total_wire_bytes"] / 100, 0)} bytes')
    return Finding('key', f'**A key with its response takes {words.fixed(rows[0]["total_wire_bytes"], 0)} bytes over '
                   f'{rows[0]["protocol"]}{more}**. {headers} are packet headers. Packets of a key: '
                   f'{extremes(rows, "total_packets", lambda v: words.fixed(v, 1))}, pure acknowledgements '
                   f'included.{f" Headers of TLS records: {sealed}." if tls else ""}', total(rows[0]), 'none', 'key')


def before_work(run: Run) -> Finding | None:
    begin, window, idle = (ranked(run, what) for what in ('setup', 'window', 'idle'))
    if not begin and not idle:
        return None
    text = ''
    if begin:
        text = f'**Set-up of a session** takes {extremes(begin, "total_wire_bytes", byte_words)}'
        text += (f', and a first terminal {extremes(window, "total_wire_bytes", byte_words)}' if window else '') + '. '
    nothing = [row['protocol'] for row in idle if row.get('total_wire_bytes') == 0]
    parts = ([f'nothing over {words.and_list(nothing)}'] if nothing else []) + (
        [named(seen(idle), lambda row: byte_words(row['total_wire_bytes']))] if seen(idle) else [])
    seconds = run.setting('idle_seconds', 60)
    return Finding('set-up-and-idle', f'{text}**An idle minute** takes {"; ".join(parts)}'
                   f'{f" (from {words.plain(seconds)} s)" if seconds < 60 else ""}.', total((begin + idle)[0]))


def other_work(run: Run) -> Finding | None:
    rows = [row for row in run.table('summary') if row.get('what') != 'all' and (row.get('different') or 0) > 0]
    if not rows:
        return None

    def said(row: Row) -> str:
        often = 'always' if row.get('state') == 'different' else (
            f'in {words.plain(row["different"])} of {words.plain(row["repeats"] + row["different"])} repeats')
        return (f'{row["protocol"]}, {PARTS.get(row["what"], row["what"])}: {often} (up to '
                f'{words.fixed(row.get("differs_percent"), 1)} % of the pixels differ)')

    return Finding('other-work', '**Excluded from comparison**, since the screen at the end differs: '
                   f'{"; ".join(map(said, rows))}.',
                   Amount(max(row['differs_percent'] for row in rows), unit='%'), 'unsure', 'work')


def findings(run: Run) -> list[Finding]:
    return [f for make in (work, messages, keys, before_work, other_work) if (f := make(run))]


def views(run: Run) -> list[View]:
    return [
        View('rank', 'keys', 'Which protocol on this link', 'protocol key_p50_ms key_p95_ms protocols:key_bytes late_percent',
             rank='key_p50_ms', at={'part': 'session'}, floor='key_p50_ms'),
        View('bytes', 'protocols', 'Bytes on the wire', 'protocol all_bytes text_bytes draw_bytes browse_bytes setup_bytes '
             'idle_bytes key_bytes'),
        View('work', 'summary', 'Input and display', 'what state input_wire_bytes display_wire_bytes total_wire_bytes',
             by='protocol'),
        View('channels', 'summary', 'IP bytes and messages by channel', 'what input_ip_bytes display_ip_bytes input_messages '
             'display_messages',
             by='protocol'),
        View('messages', 'summary', 'Messages', 'what total_ip_bytes total_messages mean_message_ip_bytes vip_saving_percent',
             by='protocol'),
        View('shares', 'shares', 'Bytes beside those of another protocol', 'other share_percent', by='protocol'),
        View('headers', 'summary', 'Packets and headers', 'what total_packets total_acks transport_percent tls_percent',
             by='protocol'),
        View('same', 'summary', 'Was it the same work?', 'what state repeats? failed? marked? different? restless? differs_percent',
             by='protocol'),
    ]


# --- figures ------------------------------------------------------------------------------------------------------

def part(rows: Rows, names: list[str], start: str, end: str, low: float, high: float, name: str, colour: str) -> Curve:
    boxes = [Place(0 if not start else row.get(start), y + low, x2=row[end], y2=y + high) for row in rows
             if row.get(end) is not None and (y := row_of(row['protocol'], names)) is not None]
    return Curve('box', boxes, Look(colour), name)


def work_figure(run: Run) -> Drawing:
    """Bytes on the wire of each work, a panel for each, a bar for each protocol. (A protocol without a viewer does no work.)"""
    all_ = run.table('summary')
    names = distinct(row['protocol'] for row in all_ if row.get('what') in ('text', 'draw', 'browse')
                     and row.get('total_wire_bytes') is not None)
    panels = []
    for what in ('text', 'draw', 'browse'):
        rows = [{**row, **{name: row[name] / 1e6 for name in ('input_wire_bytes', 'total_wire_bytes') if row.get(name) is not None}}
                for row in all_ if row.get('what') == what and row.get('state') != 'failed']
        if not rows:
            continue
        same = [row for row in rows if row.get('state') == 'complete']
        other = [row for row in rows if row.get('state') == 'different']
        texts = [Place(row['total_wire_bytes'], row_of(row['protocol'], names), text=digits(row['total_wire_bytes'], 3))
                 for row in same if row.get('total_wire_bytes') is not None]
        most = max([row['total_wire_bytes'] for row in rows if row.get('total_wire_bytes') is not None] or [1.0])
        panels.append(Panel(Axis(start=0, end=most * 1.12), rows_axis(names), [
            part(same, names, '', 'input_wire_bytes', -0.36, 0.36, 'input', HEAVY),
            part(same, names, 'input_wire_bytes', 'total_wire_bytes', -0.36, 0.36, 'display', LIGHT),
            part(other, names, '', 'total_wire_bytes', -0.36, 0.36, 'other work', PALE), Curve('beside', texts)], PARTS[what]))
    return Drawing('work', 'Bytes on the wire of the same work, MB', panels, across=1, high=72 + 20 * len(names))


def key_figure(run: Run) -> Drawing | None:
    """Bytes of a key."""
    rows = [row for row in run.table('summary') if row.get('what') == 'key' and row.get('state') == 'complete']
    names = distinct(row['protocol'] for row in run.table('summary'))
    parts = (('', 'input_payload_bytes', 0.02, 0.38, 'input: payload', HEAVY),
             ('input_payload_bytes', 'input_wire_bytes', 0.02, 0.38, 'input: headers', '#f0b890'),
             ('', 'display_payload_bytes', -0.38, -0.02, 'display: payload', LIGHT),
             ('display_payload_bytes', 'display_wire_bytes', -0.38, -0.02, 'display: headers', '#99c7e4'))
    return Drawing('key', 'Bytes on the wire of a key and its response', [
        Panel(Axis('bytes per key', 0), rows_axis(names), [part(rows, names, *one) for one in parts])]) if rows else None


def drawings(run: Run) -> list[Drawing]:
    return [d for d in (work_figure(run), key_figure(run)) if d]
