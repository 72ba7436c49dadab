# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run of animations found."""
from dataclasses import replace
from typing import Any

from analysis import words
from analysis.amounts import Amount, Row, amount, exceeds, scaled
from analysis.draw import (COLOURS, HEAVY, LIGHT, LINE, SHAPES, Axis, Curve, Drawing, Look, Mark, Panel, Place, place,
                           row_of, rows_axis)
from analysis.notes import NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run, distinct
from experiments.families import animations
from experiments.families.animations import SHOWN, byte_words, loop_rows, mbit, system, systems

COLUMNS = '''
# loop: what comes again, frames, a page, a caret or a bar; fresh: frames that are shown once, in the same session; banner,
# banner-fresh: the same, larger.
table summary cells schema=animation/1
# column                    heading                       unit   source                             estimator decimals better
cell                        Condition                     -      count:name                         -         text     -
protocol                    Protocol                      -      param                              -         text     -
shows                       Shown                         -      param                              -         text     -
draw                        "Drawn as"                    -      param                              -         text     -
state                       State                         -      count:measured                     -         text     -
repeats                     Repeats                       -      count:complete                     -         0        -
failed                      Failed                        -      count:failed                       -         0        -
marked                      Flagged                       -      count:flagged                      -         0        -
mbit_per_s                  Display                       Mbit/s steps:loop.mbit_per_s              mean+ci   3        lower
kb_per_s                    Display                       KB/s   steps:loop.kb_per_s                mean+ci   3        lower
frame_wire_bytes            "A frame of the loop"         bytes  steps:loop.bytes_per_frame         mean+ci   3        lower
new_frame_wire_bytes        "A new frame"                 bytes  steps:fresh.bytes_per_frame        mean+ci   3        lower
share_percent               "Share of a new frame"        %      steps:loop.share_percent           mean+ci   3        lower
cpu_percent                 "Server CPU"                  %      steps:loop.cpu_percent             mean+ci   3        lower
new_cpu_percent             "CPU with new frames"         %      steps:fresh.cpu_percent            mean+ci   3        lower
seen_per_s                  "Frames seen"                 1/s    steps:loop.seen_per_s              mean+ci   3        higher
shown_per_s                 "Frames drawn"                1/s    steps:loop.shown_per_s             mean      3        higher
late_percent                "Late frames"                 %      steps:loop.late_percent            mean      3        lower
input_mbit_per_s            Input                         Mbit/s steps:loop.input_mbit_per_s        mean      3        lower
packets_per_frame           "Packets a frame"             -      steps:loop.packets_per_frame       mean      3        lower
verdict                     Sent                          -      steps:loop.verdict                 -         text     -
users_10mbit                "Users on 10 Mbit/s"          -      steps:loop.users_10                -         0        higher
users_100mbit               "Users on 100 Mbit/s"         -      steps:loop.users_100               -         0        higher
users_1000mbit              "Users on 1000 Mbit/s"        -      steps:loop.users_1000              -         0        higher
banner_mbit_per_s           "Banner, display"             Mbit/s steps:banner.mbit_per_s            mean      3        lower
banner_frame_wire_bytes     "A frame of the banner"       bytes  steps:banner.bytes_per_frame       mean      3        lower
banner_new_frame_wire_bytes "A new banner frame"          bytes  steps:banner-fresh.bytes_per_frame mean      3        lower
banner_share_percent        "Share of a new banner frame" %      steps:banner.share_percent         mean      3        lower
banner_seen_per_s           "Banner frames seen"          1/s    steps:banner.seen_per_s            mean      3        higher
banner_verdict              "Banner sent"                 -      steps:banner.verdict               -         text     -
frame_bytes                 "A frame as it is"            bytes  steps:loop.frame_bytes             mean      0        -
information_bytes           "Least bytes, lossless"       bytes  steps:loop.information_bytes       mean      0        -

table bandwidth rows:steps schema=bandwidth/1 raw            # of the first complete repeat, in pieces of half a second
cell        Condition    -      - - text -
protocol    Protocol     -      - - text -
shows       Shown        -      - - text -
draw        "Drawn as"   -      - - text -
step        Step         -      - - text -
time_s      Time         s      - - +-3  -
mbit_per_s  Display      Mbit/s - - 4    lower
cpu_percent "Server CPU" %      - - 2    lower
'''
SIMPLE_KB = 10  # a second: simple animations generally took less in the paper, for short durations
SENT = {'again': 'sent again', 'in part': 'sent in part', 'cached': 'shown from a cache', 'unclear': 'sent again in some repeats'}


def title(run: Run) -> str:
    return 'What animations cost'


def setup(run: Run) -> str:
    frames = run.setting('frames')
    return animations.setup(run, '' if frames is None else f'{words.plain(frames)} frames')


def labels(run: Run) -> Labels:
    return Labels(value={'shows': {'loop': 'loop', 'page': 'page', 'caret': 'caret', 'bar': 'progress bar'}})


def most_first(row: Row) -> float:
    return -float(row.get('mbit_per_s') or 0)


def sent(run: Run, verdict: str) -> list[dict[str, Any]]:
    return sorted((row for row in loop_rows(run) if row.get('verdict') == verdict), key=most_first)


def shown(run: Run, what: str) -> list[dict[str, Any]]:
    return sorted((row for row in run.measured() if row.get('shows') == what and row.get('mbit_per_s') is not None),
                  key=lambda row: -float(row['kb_per_s'] if row.get('kb_per_s') is not None else row['mbit_per_s'] * 125))


def named(rows: list[dict[str, Any]], text: Any) -> str:
    return ', '.join(f'{system(row)} {text(row)}' for row in rows)


def mbit_words(row: Row) -> str:
    return mbit(row.get('mbit_per_s'))


def verb(rows: list[dict[str, Any]], one: str, many: str) -> str:
    return f'{systems(rows)} {one if len(rows) == 1 else many}'


def verdict(run: Run) -> str:
    if not loop_rows(run):
        if not run.measured():
            return NOTHING_MEASURED
        parts = [f'{SHOWN[what]} takes up to {mbit_words(rows[0])} Mbit/s ({rows[0]["protocol"]})'
                 for what in ('page', 'bar', 'caret') if (rows := shown(run, what))]
    else:
        again, cached, part, unclear = (sent(run, word) for word in ('again', 'cached', 'in part', 'unclear'))
        absent = [row for row in run.table('summary') if (row.get('shows') or 'loop') == 'loop' and row.get('verdict') is None]
        parts = [text for rows, text in (
            (again, again and f'{verb(again, "sends", "send")} repeated frames again in full, at up to {mbit_words(again[0])} '
             'Mbit/s per user'),
            (cached, cached and f"{verb(cached, 'shows', 'show')} repeated frames from the client's cache, at up to "
             f"{mbit_words(cached[0])} "
             'Mbit/s per user'),
            (part, part and f'{verb(part, "sends", "send")} repeated frames again in part'),
            (unclear, unclear and f'the repeats disagree whether {verb(unclear, "sends", "send")} repeated frames again'),
            (absent, absent and f'no figure for {systems(absent)}')) if rows and isinstance(text, str)]
    return words.upper_first('; '.join(parts)) + '.'


def bytes_range(rows: list[dict[str, Any]]) -> str:
    found = [row['frame_wire_bytes'] for row in rows if row.get('frame_wire_bytes') is not None]
    least, most = byte_words(min(found, default=None)), byte_words(max(found, default=None))
    return least if least == most else f'{least} to {most}'


def mbit_figure(row: Row) -> Amount:
    return replace(amount(row, 'mbit_per_s'), unit='Mbit/s')


def sent_again(run: Run) -> Finding | None:
    rows = sent(run, 'again')
    return Finding('sent-again', f'**Repeated frames are sent again in full** ({bytes_range(rows)} each). Bandwidth per user: '
                   f'{named(rows, mbit_words)} Mbit/s.', mbit_figure(rows[0]), 'bad', 'frame-bytes') if rows else None


def from_memory(run: Run) -> Finding | None:
    rows, part = sent(run, 'cached'), sent(run, 'in part')
    if not rows and not part:
        return None
    text = (f'**Repeated frames come from a cache** ({bytes_range(rows)} each on the wire). Bandwidth per user: '
            f'{named(rows, mbit_words)} Mbit/s' if rows else '**No protocol shows all repeated frames from a cache**')
    some = named(part, lambda row: f'({words.percent(row.get("share_percent"))} % of a new frame)')
    return Finding('from-memory', f'{text}.{f" Sent again in part: {some}." if part else ""}', mbit_figure((rows + part)[0]),
                   'good' if rows else 'none', 'bandwidth')


def users_words(users: float) -> str:
    return 'less than 1 user' if users < 1 else words.plural(users, 'user')


def few_frames(row: Row) -> str:
    """The banner of the page has ten frames a second."""
    seen = row.get('seen_per_s')
    return '' if seen is None or seen >= 7.5 else f' ({words.fixed(seen, 1)} of 10 frames/s arrive)'


def users(run: Run) -> Finding | None:
    page = [row for row in shown(run, 'page') if row.get('users_10mbit') is not None]
    loop = sorted((row for row in loop_rows(run) if row.get('users_10mbit') is not None),
                  key=lambda row: float(row['users_10mbit']))
    if not page and not loop:
        return None
    first, text = (page or loop)[0], ''
    if page:
        each = '; '.join(f'{row["protocol"]} {mbit_words(row)}, {words.thousands(row["users_10mbit"])}{few_frames(row)}'
                         for row in page)
        text = (f'**A link of 10 Mbit/s carries {users_words(first["users_10mbit"])} over {first["protocol"]}**, each with a page '
                f'of competing animations and a ticker. Mbit/s per user, and users that the link carries: {each}. Wong & Seltzer '
                '(2000): well over 1 Mbit/s per user with X, LBX and RDP; five users would fill the link.')
    elif loop:
        text = (f'**A link of 10 Mbit/s carries {users_words(loop[0]["users_10mbit"])} over {system(loop[0])}**, each with the '
                'loop. Wong & Seltzer (2000): the loop took 2.0 Mbit/s with X.')
    if loop:
        text += (' Users with the loop that the link carries, by display data: '
                 f'{named(loop, lambda row: words.thousands(row["users_10mbit"]))}.')
    return Finding('users-that-fill-a-link', text, Amount(first['users_10mbit'], unit='users'),
                   'bad' if first['users_10mbit'] < 10 else 'none', 'load')


def is_simple(row: Row) -> bool | None:
    return exceeds(Amount(float(SIMPLE_KB)), amount(row, 'kb_per_s'))


def simple(run: Run) -> Finding | None:
    rows = sorted((row for what in ('caret', 'bar') for row in shown(run, what) if row.get('kb_per_s') is not None),
                  key=lambda row: -float(row['kb_per_s']))
    if not rows:
        return None
    above, untold = [row for row in rows if is_simple(row) is False], [row for row in rows if is_simple(row) is None]
    what = sorted({SHOWN[row['shows']] for row in rows}, key=lambda name: (name != 'a caret', name))
    stay = 'stays' if len(what) == 1 else 'stay'
    if above:
        over = words.and_list([f'{"the progress bar" if row["shows"] == "bar" else "the caret"} over {row["protocol"]}'
                               for row in above])
        text = f'**{words.upper_first(over)} {"takes" if len(above) == 1 else "take"} more than {SIMPLE_KB} KB/s**'
    elif untold:
        text = f'**This run cannot tell whether {words.and_list(what)} {stay} below {SIMPLE_KB} KB/s**'
    else:
        text = f'**{words.upper_first(words.and_list(what))} {stay} below {SIMPLE_KB} KB/s** over every protocol with a figure'
    for shows, name in (('caret', 'the caret'), ('bar', 'the bar')):
        mine = [f'{row["protocol"]} {words.short(row["kb_per_s"])}' for row in rows if row['shows'] == shows]
        text += f'; {name} {", ".join(mine)} KB/s' if mine else ''
    return Finding('simple-animations', f'{text}. Wong & Seltzer (2000): simple animations took generally less than {SIMPLE_KB} '
                   'KB/s, for short durations.', replace(amount(rows[0], 'kb_per_s'), unit='KB/s'),
                   'bad' if above else 'unsure' if untold else 'good', 'load')


def loses(row: Row) -> bool | None:
    """Frames are lost if fewer than 95 % of those drawn arrive."""
    return exceeds(scaled(Amount(row.get('shown_per_s')), 0.95), amount(row, 'seen_per_s'))


def frames(run: Run) -> Finding | None:
    rows = sorted((row for row in loop_rows(run) if row.get('seen_per_s') is not None and (row.get('shown_per_s') or 0) > 0),
                  key=lambda row: float(row['seen_per_s']))
    if not rows:
        return None
    lost, untold = [row for row in rows if loses(row)], [row for row in rows if loses(row) is None]

    def each(some: list[dict[str, Any]]) -> str:
        seen = named(some, lambda row: words.fixed(row['seen_per_s'], 1))
        return f'{systems(some)}: {seen} of {words.fixed(some[0]["shown_per_s"], 1)} frames a second.'

    if lost:
        text = f"**Not all frames reach the user's screen** over {each(lost)}"
    elif untold:
        text = f"**This run cannot tell whether 95 % of the frames reach the user's screen** over {each(untold)}"
    else:
        text = ("**At least 95 % of the frames reach the user's screen** over each protocol with a figure: at least "
                f'{words.fixed(rows[0]["seen_per_s"], 1)} a second.')
    cpu = sorted((row for row in rows if row.get('cpu_percent') is not None), key=lambda row: float(row['cpu_percent']))
    ends = cpu[:1] + (cpu[-1:] if cpu and cpu[-1] != cpu[0] else [])
    taken = ' to '.join(f'{words.fixed(row["cpu_percent"], 1)} % ({system(row)})' for row in ends)
    return Finding('frames-seen', f'{text} CPU time of the server per user, application included: {taken}.',
                   amount(rows[0], 'seen_per_s'), 'bad' if lost else 'unsure' if untold else 'good', 'bandwidth')


def banner_words(row: Row) -> str:
    return f'({mbit(row.get("banner_mbit_per_s"))} Mbit/s)'


def banner(run: Run) -> Finding | None:
    size = (run.setting('banner_size') or '468x60').replace('x', ' x ', 1)
    rows = sorted((row for row in loop_rows(run) if row.get('banner_verdict') is not None),
                  key=lambda row: -float(row.get('banner_mbit_per_s') or 0))
    if not rows:
        return None
    parts = [f'{said} over {named(mine, banner_words)}' for word, said in SENT.items()
             if (mine := [row for row in rows if row['banner_verdict'] == word])]
    return Finding('banner', f"**The paper's animated banner** ({size} pixels, 200 frames), shown a second time, is "
                   f"{'; '.join(parts)}.",
                   Amount(rows[0].get('banner_mbit_per_s'), unit='Mbit/s'), 'none', 'frame-bytes')


def findings(run: Run) -> list[Finding]:
    """The banner has a table, too."""
    return [f for make in (sent_again, from_memory, users, simple, frames, banner) if (f := make(run))][:5]


def views(run: Run) -> list[View]:
    return [
        View('load', 'summary', 'Network load of what is shown',
             'protocol draw mbit_per_s kb_per_s users_10mbit users_100mbit cpu_percent seen_per_s', by='shows'),
        View('loop', 'summary', 'The loop', 'protocol draw mbit_per_s frame_wire_bytes new_frame_wire_bytes verdict',
             only='frame_wire_bytes'),
        View('frames', 'summary', 'Frames and packets',
             'protocol draw shown_per_s seen_per_s late_percent packets_per_frame input_mbit_per_s', only='packets_per_frame'),
        View('banner', 'summary', 'The banner',
             'protocol draw banner_mbit_per_s banner_frame_wire_bytes banner_share_percent banner_verdict', only='banner_verdict'),
    ]


# --- figures ------------------------------------------------------------------------------------------------------

KINDS = (('page', 'a page with animations', 2), ('loop', 'the loop', 0), ('bar', 'a progress bar', 4), ('caret', 'a caret', 3))


def spans(rows: list[dict[str, Any]], column: str, names: list[str], title: str) -> list[Place]:
    """Figures along the x axis, of a system a row."""
    found = [place(row_of(system(row), names), row, column, title) for row in rows if (row.get(column) or 0) > 0]
    return [replace(p, x=p.y, y=p.x, low=1e-9 if p.low is not None and p.low <= 0 and column == 'mbit_per_s' else p.low)
            for p in found if p]


def load_figure(run: Run) -> Drawing:
    rows = run.measured()
    names = distinct(map(system, rows))
    loads = [row['mbit_per_s'] for row in rows if (row.get('mbit_per_s') or 0) > 0]
    curves = [Curve('spans hover', spans([row for row in rows if row.get('shows') == kind], 'mbit_per_s', names, title),
                    Look(COLOURS[k], SHAPES[i], size=1), title) for i, (kind, title, k) in enumerate(KINDS)]
    curves += [Curve('line', [Place(0.08, 0)], Look(LINE, dash=dash), title)
               for dash, title in ((2, '10 KB/s'), (3, 'five users fill 10 Mbit/s'))]
    x = Axis('display data on the wire, Mbit/s', min([*loads, 0.1]) / 2, max([*loads, 10]) * 2, log=True)
    return Drawing('load', 'Network load of what is shown, for one user',
                   [Panel(x, rows_axis(names), curves, marks=[Mark(x=0.08, dash=2), Mark(x=2, dash=3)])])


def bytes_figure(run: Run) -> Drawing | None:
    rows = [row for row in run.measured() if row.get('shows') == 'loop']
    names = distinct(map(system, rows))
    curves = [Curve('spans hover', spans(rows, column, names, title), Look(colour, shape, size=size), title)
              for column, title, colour, shape, size in (('new_frame_wire_bytes', 'a new frame', HEAVY, 7, 1.5),
                                                         ('frame_wire_bytes', 'a frame of the loop', LIGHT, 5, 0.8))]
    return Drawing('frame-bytes', 'Bytes on the wire for a frame of the loop, and for a new frame',
                   [Panel(Axis('bytes on the wire per frame seen', log=True), rows_axis(names), curves)]) if names else None


def bandwidth_figure(run: Run) -> Drawing | None:
    rows = [row for row in run.table('bandwidth') if (row.get('mbit_per_s') or 0) > 0]
    if not any(row.get('shows') in ('loop', 'page') for row in run.measured()):
        return None
    x = Axis('seconds', 0, max([*(row['time_s'] for row in rows), 1]), step=5 if any(row['time_s'] > 8 for row in rows) else 1)
    loads = [row['mbit_per_s'] for row in rows] + [1]
    y = Axis('Mbit/s', min(loads) / 2, max(loads) * 2, log=True)
    kinds = (('loop', 'fresh', 'new frames', HEAVY), ('loop', 'loop', 'the loop', LIGHT), ('page', 'loop', 'the page', COLOURS[2]))
    panels = [Panel(x, y, [
        Curve('line', [Place(row['time_s'], row['mbit_per_s']) for row in rows
                       if system(row) == name and row.get('shows') == shows and row.get('step') == step],
              Look(colour, width=1.6), title)
        for shows, step, title, colour in kinds], name) for name in distinct(map(system, run.measured()))]
    return Drawing('bandwidth', 'Bandwidth over time', panels, high=210)


def drawings(run: Run) -> list[Drawing]:
    """load: network load by protocol and kind of animation; frame-bytes: bytes of a frame, when it is new and when it is repeated;
    bandwidth: over time, a panel for each condition, the page in the panel of its protocol's loop."""
    return [d for d in (load_figure(run), bytes_figure(run), bandwidth_figure(run)) if d]
