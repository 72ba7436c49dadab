# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run of the search for caches found."""
from dataclasses import replace

from analysis import decide, words
from analysis.amounts import Amount, Row, Rows, amount, exceeds, number, off
from analysis.draw import HEAVY, LINE, Axis, Curve, Drawing, Look, Mark, Panel, Place, look
from analysis.notes import NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run, bare, distinct, of_run, settings_of
from experiments.families import animations
from experiments.families.animations import byte_words, loop_rows, mbit, system, systems

COLUMNS = '''
# A source remembered:POINT.FIGURE is a figure of one step of the search: miss, hit, fits, over, random, hot (README.md).
table summary cells schema=cache/1
# column             heading                  unit   source                            estimator decimals better
cell                 Condition                -      count:name                        -         text     -
protocol             Protocol                 -      param                             -         text     -
draw                 "Drawn as"               -      param                             -         text     -
state                State                    -      count:measured                    -         text     -
repeats              Repeats                  -      count:complete                    -         0        -
failed               Failed                   -      count:failed                      -         0        -
marked               Flagged                  -      count:flagged                     -         0        -
verdict              Cache                    -      remembered:verdict                -         text     -
frames_low           "Frames that fit"        -      remembered:low                    min       0        higher
frames_high          "First that do not"      -      remembered:high                   max       0        higher
frames_most          "Longest tried"          -      remembered:most                   max       0        -
places               Places                   -      remembered:places                 mean      1        higher
new_frame_wire_bytes "A new frame"            bytes  remembered:miss.bytes_per_frame   mean      1        lower
hit_wire_bytes       "A hit"                  bytes  remembered:hit.bytes_per_frame    mean      1        lower
over_hits_percent    "Hits, longer loop"      %      remembered:over.hits_percent      mean      3        higher
random_hits_percent  "Hits, random order"     %      remembered:random.hits_percent    mean      3        higher
hot_hits_percent     "Hits, hot frames"       %      remembered:hot.hits_percent       mean      3        higher
random_places        "Places by random order" -      remembered:random_places          mean      3        higher
fits_mbit_per_s      "Loop that fits"         Mbit/s remembered:fits.mbit_per_s        mean      3        lower
over_mbit_per_s      "Longer loop"            Mbit/s remembered:over.mbit_per_s        mean      3        lower
fits_cpu_percent     "CPU, loop that fits"    %      remembered:fits.cpu_percent       mean      3        lower
over_cpu_percent     "CPU, longer loop"       %      remembered:over.cpu_percent       mean      3        lower
fits_seen_per_s      "Seen, loop that fits"   1/s    remembered:fits.seen_per_s        mean      3        higher
over_seen_per_s      "Seen, longer loop"      1/s    remembered:over.seen_per_s        mean      3        higher
over_frames          "Longer loop, frames"    -      remembered:over.frames            first     0        -
random_frames        "Random order, frames"   -      remembered:random.frames          first     0        -
hot_frames           "Hot order, frames"      -      remembered:hot.frames             first     0        -
policy               "Gives up"               -      remembered:policy                 -         text     -
scan_points          "Loops scanned"          -      remembered:scan_points            sum       0        -
scan_agree           "Loops that agree"       -      remembered:scan_agree             sum       0        -
cache_sent_bytes     "Cache, as sent"         bytes  remembered:sent_bytes             mean      0        -
cache_picture_bytes  "Cache, as pictures"     bytes  remembered:picture_bytes          mean      0        -
frame_bytes          "A frame as it is"       bytes  remembered:miss.frame_bytes       mean      0        -
information_bytes    "Least bytes, lossless"  bytes  remembered:miss.information_bytes mean      0        -

table points rows:remembered schema=cache-point/1        # every step of every repeat
cell             Condition      -      param - text -
protocol         Protocol       -      param - text -
draw             "Drawn as"     -      param - text -
repeat           Repeat         -      param - 0    -
name             Step           -      param - text -
order            Order          -      param - text -
frames           Frames         -      param - 0    -
mbit_per_s       Display        Mbit/s - - 4    lower
frame_wire_bytes "A frame"      bytes  - - 1    lower
hits_percent     Hits           %      - - 2    higher
cpu_percent      "Server CPU"   %      - - 2    lower
shown_per_s      "Frames drawn" 1/s    - - 2    higher
seen_per_s       "Frames seen"  1/s    - - 2    higher

table overtime rows:remembered schema=cache-time/1 raw       # of the first complete repeat, in pieces of half a second
cell         Condition     -      - - text -
protocol     Protocol      -      - - text -
draw         "Drawn as"    -      - - text -
part         Step          -      - - text -
frames       Frames        -      - - 0    -
time_s       Time          s      - - 3    -
mbit_per_s   Display       Mbit/s - - 4    lower
cpu_percent  "Server CPU"  %      - - 2    lower
hits_percent "Hits so far" %      - - 2    higher
'''
BANNER_PIXELS = 468 * 60 * 200
POLICIES = {'LRU': 'the least recently shown frame (LRU)', 'FIFO': 'the frame that was cached first (FIFO)',
            'random': 'a random frame', 'MRU': 'the most recently shown frame (MRU)'}


def title(run: Run) -> str:
    return 'How many frames of an animation each protocol caches'


def setup(run: Run) -> str:
    most = run.setting('most')
    return animations.setup(run, '' if most is None else f'loops of up to {words.plain(most)} frames')


def labels(run: Run) -> Labels:
    return Labels()


def of_verdict(run: Run, *verdicts: str) -> Rows:
    return [row for verdict in verdicts for row in loop_rows(run) if row.get('verdict') == verdict]


# --- what is decided of rows --------------------------------------------------------------------------------------

def has_other_size(row: Row) -> bool:
    """By steps in random order: the cache holds no fixed number of frames, or replaces them at random."""
    return off(amount(row, 'places'), amount(row, 'frames_low'), 20).word == decide.FAILS


def loses(point: Row) -> bool:
    """The cache never got the whole loop."""
    shown = point.get('shown_per_s')
    return exceeds(number(None if shown is None else shown * 0.9), number(point.get('seen_per_s'))) is True


def has_few_hits(point: Row) -> bool:
    """Of a loop that fits nearly all frames hit where the limit is sharp."""
    return exceeds(number(90), number(point.get('hits_percent'))) is True


def differs_in_scan(row: Row) -> bool:
    points = row.get('scan_points')
    return exceeds(number(None if points is None else points * 0.9), number(row.get('scan_agree'))) is True


def frames_words(row: Row) -> str:
    low, high = row['frames_low'], row.get('frames_high')
    if has_other_size(row):
        return f'about {words.fixed(row["places"], 0)} frames, by random order (loops of up to {words.plain(low)} hit half)'
    if high is None:
        return f'more than {words.plain(low)} frames'
    return f'{" to ".join(words.plain(v) for v in sorted({low, high - 1}))} frames'


def lost_steps(run: Run) -> Rows:
    return [p for p in run.table('points') if p.get('order') == 'loop' and p.get('name') != 'miss' and loses(p)]


def protocols(rows: Rows) -> list[str]:
    return sorted({row['protocol'] for row in rows})


def doubts(run: Run) -> list[str]:
    """Why a size is unsure."""
    size, lost = of_verdict(run, 'size'), lost_steps(run)
    found = [f'frames were lost over {words.and_list(protocols(lost))}'] if lost else []
    for row in size:
        hits = [p['hits_percent'] for p in run.table('points') if p.get('name') == 'fits' and p.get('order') == 'loop'
                and has_few_hits(p) and (p.get('protocol'), p.get('draw')) == (row.get('protocol'), row.get('draw'))]
        if hits and not has_other_size(row):
            found.append(f'the longest loop that fits hits only {words.percent(min(hits))} % over {system(row)}')
    return found + [f'only {words.plain(row["scan_agree"])} of {words.plain(row["scan_points"])} other loop lengths agree over '
                    f'{system(row)}'
                    for row in size if differs_in_scan(row)]


def most_frames(rows: Rows) -> str:
    return words.plain(max(row['frames_most'] for row in rows))


def verdict(run: Run) -> str:
    size, beyond, none, unclear = (of_verdict(run, word) for word in ('size', 'beyond', 'none', 'unclear'))
    if not loop_rows(run):
        return NOTHING_MEASURED
    if not (size or beyond or none):
        return 'The repeats disagree about the size of the cache.'
    parts = [words.and_list([f'{system(row)} caches {frames_words(row)}' for row in size])] if size else []
    if beyond:
        parts.append(f'{systems(beyond)}: the cache holds at least {most_frames(beyond)} frames, the most that were tried')
    if none:
        parts.append(f'{systems(none)}: no cache for animation frames')
    if unclear:
        parts.append(f'{systems(unclear)}: the repeats disagree')
    unsure = doubts(run)
    return ('; '.join(parts) + (' (one search each)' if run.setting('repeats', 1) == 1 else '') + '.'
            + (f' This is unsure: {words.and_list(unsure)}.' if unsure else ''))


# --- findings -----------------------------------------------------------------------------------------------------

def limit_words(row: Row) -> str:
    over = row['over_frames'] if row.get('over_frames') is not None else row.get('frames_high')
    scan = (f'; {words.plain(row["scan_agree"])} of {words.plain(row["scan_points"])} other loops agree'
            if (row.get('scan_points') or 0) > 0 else '')
    return (f'**{system(row)} caches {frames_words(row)}**, {byte_words(row.get("cache_sent_bytes"))} on the wire, '
            f'{byte_words(row.get("cache_picture_bytes"))} of pixels: a loop of them takes {mbit(row.get("fits_mbit_per_s"))} '
            f'Mbit/s, a loop of {words.plain(over)} frames {mbit(row.get("over_mbit_per_s"))} Mbit/s{scan}')


def limits(run: Run) -> Finding | None:
    size, beyond, unclear = (of_verdict(run, word) for word in ('size', 'beyond', 'unclear'))
    lost, unsure = lost_steps(run), doubts(run)
    if not (size or beyond or unclear):
        return None
    parts = [limit_words(row) for row in size]
    if beyond:
        each = ', '.join(f'{system(row)} ({mbit(row.get("fits_mbit_per_s"))} Mbit/s)' for row in beyond)
        parts.append(f'the cache holds at least {most_frames(beyond)} frames, the most that were tried: {each}')
    if unclear:
        parts.append(f'the repeats disagree over {systems(unclear)}')
    if lost:
        parts.append(f'in {words.plural(len(lost), "step")} ({", ".join(protocols(lost))}) more than 10 % of the frames were lost, '
                     'so the cache never got the whole loop')
    parts += unsure[1 if lost else 0:]
    first = next(iter(size + beyond), None)
    return Finding('limit', '. '.join(map(words.upper_first, parts)) + '.',
                   Amount(first.get('frames_low') if first else None, unit='frames'),
                   'unsure' if first is None or unclear or unsure else 'good', 'cliff')


def given_up(run: Run) -> Finding | None:
    rows = [row for row in loop_rows(run) if row.get('over_hits_percent') is not None]
    if not rows:
        return None

    def said(row: Row) -> str:
        hot = row.get('hot_hits_percent')
        return (f'**{system(row)} evicts {POLICIES.get(row.get("policy") or "", "frames by an unknown rule")}**: the hit rate is '
                f'{words.percent(row["over_hits_percent"])} % in a loop of {words.plain(row.get("over_frames"))} frames, '
                f'{words.percent(row.get("random_hits_percent"))} % in random order of {words.plain(row.get("random_frames"))}'
                + ('' if hot is None else f', {words.percent(hot)} % if every second frame comes from a small popular set'))

    return Finding('given-up', '. '.join(map(said, rows)) + '.', Amount(rows[0]['over_hits_percent'], unit='%'),
                   'unsure' if rows[0].get('policy') is None else 'none', 'overtime')


def hit_share(row: Row) -> float:
    return float(100 * row['hit_wire_bytes'] / row['new_frame_wire_bytes'])


def no_cache(run: Run) -> Finding | None:
    rows = of_verdict(run, 'none')
    each = ', '.join(f'{system(row)} {words.fixed(hit_share(row), 0)} %' for row in rows)
    return Finding('no-cache', '**Animation frames are not cached**: in a loop of two, a repeated frame takes of the bytes of a '
                   f'new one {each}.', Amount(hit_share(rows[0]), unit='%'), 'bad', 'cliff') if rows else None


def banner_part(run: Run, row: Row) -> float:
    """The share of the paper's banner (468 x 60 pixels, 200 frames) that the cache holds, by pixels."""
    width, height = map(float, settings_of(run, row['protocol'])['size'].split('x'))
    places = row['places'] if row.get('places') is not None else row['frames_low']
    return float(places * (width * height) / BANNER_PIXELS)


def banner(run: Run) -> Finding | None:
    rows = [(system(row), row.get('verdict') == 'beyond', banner_part(run, row)) for row in of_verdict(run, 'size', 'beyond')]
    if not rows:
        return None
    larger = {name: exceeds(number(1), number(part)) is True for name, _, part in rows}
    fits = [name for name, _, _ in rows if not larger[name]]
    may = [name for name, is_open, _ in rows if larger[name] and is_open]
    exceed = [f'{name} ({words.fixed(100 * part, 0)} % of it fits)' for name, is_open, part in rows if larger[name] and not is_open]
    parts = ([f'fits, by its pixels, into the cache of {words.and_list(fits)}'] if fits else []) + (
        [f'may fit into the cache of {words.and_list(may)}, whose limit was not reached'] if may else []) + (
        [f'exceeds the cache of {", ".join(exceed)}'] if exceed else [])
    return Finding('banner', "**The paper's animated banner** (468 x 60 pixels, 200 frames in 10 s: 5.6 million pixels) "
                   f'{"; ".join(parts)}. This is calculated from pixels, not measured: a cache may count bytes or tiles.',
                   Amount(100 * rows[0][2], unit='%'), 'none', 'cliff')


def cpu(run: Run) -> Finding | None:
    rows = [row for row in loop_rows(run) if row.get('over_cpu_percent') is not None and row.get('fits_cpu_percent') is not None]
    each = ', '.join(f'{system(row)} {words.fixed(row["fits_cpu_percent"], 1)} and {words.fixed(row["over_cpu_percent"], 1)} %'
                     for row in rows)
    return Finding('cpu', f'**CPU of the server** for a loop that fits into the cache, and for a longer one: {each}.',
                   Amount(rows[0]['over_cpu_percent'], unit='%'), 'none', 'overtime') if rows else None


def findings(run: Run) -> list[Finding]:
    """What follows from a size that is unsure is so, too."""
    unsure = bool(doubts(run) or of_verdict(run, 'unclear'))
    following = [replace(f, verdict='unsure', text=f'{f.text} This is unsure, as the size is.') if unsure else f
                 for make in (given_up, no_cache, banner) if (f := make(run))]
    return [f for f in (limits(run), *following, cpu(run)) if f]


def views(run: Run) -> list[View]:
    return [
        View('places', 'summary', 'Frames that are remembered', 'protocol draw verdict frames_low new_frame_wire_bytes '
             'hit_wire_bytes policy'),
        View('loops', 'summary', 'A loop that fits', 'protocol draw frames_low fits_mbit_per_s fits_cpu_percent fits_seen_per_s'),
        View('over', 'summary', 'A longer loop', 'protocol draw over_frames over_mbit_per_s over_cpu_percent over_seen_per_s'),
        View('orders', 'summary', 'Which frames are given up',
             'protocol draw places over_hits_percent random_hits_percent hot_hits_percent policy'),
        View('size', 'summary', 'Size of the cache', 'protocol draw random_places cache_sent_bytes cache_picture_bytes scan_points '
             'scan_agree'),
    ]


# --- figures ------------------------------------------------------------------------------------------------------

def condition(row: Row) -> str:
    """Several runs share the panel of a condition, and have a colour each."""
    return system({**row, 'protocol': bare(row['protocol'])})


def cliff(run: Run) -> Drawing:
    """Bandwidth of loops by their frames, and where the limit was found."""
    rows, points = run.measured(), run.table('points')
    names, joined = distinct(of_run(row['protocol']) for row in rows), bool(run.runs())
    most = max([p['frames'] for p in points if p.get('order') == 'loop' and p.get('frames') is not None] + [100]) * 1.2
    loads = [p['mbit_per_s'] for p in points if (p.get('mbit_per_s') or 0) > 0] + [1]
    panels = []
    for name in distinct(map(condition, rows)):
        found = [row for row in rows if condition(row) == name and row.get('frames_high') is not None]
        curves = []
        for r, of in enumerate(names):
            mine = [p for p in points if condition(p) == name and of_run(p['protocol']) == of and (p.get('mbit_per_s') or 0) > 0]
            colour = look(r).colour
            curves += [
                Curve('points', [Place(p.get('frames'), p['mbit_per_s']) for p in mine if p.get('order') == 'loop'],
                      Look(colour, size=0.5), f'a loop{of}'),
                Curve('line', [place for p in mine if p.get('name') == 'miss'
                               for place in (Place(2, p['mbit_per_s']), Place(most, p['mbit_per_s']), Place())],
                      Look(colour if joined else HEAVY, width=1.2), 'new frames')]
            if found:
                curves.append(Curve('line', [Place(1, 1e-9)], Look(dash=2), 'the limit'))
        marks = [Mark(x=(row['frames_low'] + row['frames_high']) / 2, dash=2,
                      colour=str(look(names.index(of_run(row['protocol']))).colour) if joined else LINE) for row in found]
        panels.append(Panel(Axis('frames of the loop', 2, most, log=True), Axis('Mbit/s', min(loads) / 2, max(loads) * 2, log=True),
                            curves, name, marks))
    return Drawing('cliff', 'Bandwidth over the frames of the loop', panels, high=240)


def overtime(run: Run) -> Drawing | None:
    """The loop that fits and a longer one over time: share of hits so far, bandwidth, the server's CPU."""
    rows = run.table('overtime')
    panels = [Panel(Axis('seconds', 0), Axis(name, 0, most), [
        Curve('line points', [Place(row['time_s'], row[c]) for row in rows
                              if system(row) == name and row.get('part') == part and row.get(c) is not None],
              Look(look(i).colour, size=0.25, width=1.6), title)
        for i, (part, title) in enumerate((('fits', 'the longest loop that fits'), ('over', 'a longer loop')))], head)
        for name in distinct(map(system, rows))
        for c, head, most in (('hits_percent', 'hits so far, %', 105.0), ('mbit_per_s', 'display, Mbit/s', None),
                              ('cpu_percent', 'server CPU, %', None))]
    return Drawing('overtime', 'The longest loop that fits, and a longer one', panels, high=200) if rows else None


def drawings(run: Run) -> list[Drawing]:
    return [d for d in (cliff(run), overtime(run)) if d]
