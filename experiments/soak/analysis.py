# SPDX-License-Identifier: GPL-3.0-or-later
"""What a long session showed. The verdicts are those of judge (drift)."""
from typing import Any

from analysis import notes, words
from analysis.amounts import Amount, Row, Rows, range_words
from analysis.draw import COLOURS, DASHED, HEAVY, LIGHT, MARK, Axis, Curve, Drawing, Look, Mark, Panel, Place
from analysis.notes import NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run, distinct

COLUMNS = '''
table summary cells schema=soak/1
# column       heading              unit  source                                 estimator decimals better
protocol       Protocol             -     param                                  -         text     -
include ../families/state.py
verdict        Verdict              -     cell.json:drift.verdict                same      text     -
ended          "Ended early"        -     cell.json:reason                       same      text     -
seconds        Length               s     cell.json:drift.seconds                mean      1        -
blocks         Blocks               -     cell.json:drift.blocks                 sum       0        -
keys           Keys                 -     cell.json:keys                         sum       0        -
keys_in_doubt  "Keys in doubt"      -     cell.json:keys_in_doubt                sum       0        lower
blocks_in_doubt "Blocks in doubt"   -     cell.json:blocks_in_doubt              sum       0        lower
floor_ms       "Floor at first"     ms    cell.json:drift.figures.0.first        mean      3        lower
last_floor_ms  "Floor at last"      ms    cell.json:drift.figures.0.last         mean      3        lower
moved_first    "Grew first"         -     cell.json:drift.moved_first            same      text     -

table figures rows:drift schema=soak-figure/1
protocol       Protocol             -     param - text -
repeat         Repeat               -     -     - 0    -
figure         Figure               -     -     - text -
session        Session              -     -     - text -
ended          "Ended early"        -     -     - text -
unit           Unit                 -     -     - text -
verdict        Verdict              -     -     - text -
told_by        "Told by"            -     -     - text -
first          "At first"           -     -     - 4    lower
last           "At last"            -     -     - 4    lower
change         "Second half"        -     -     - 4    lower
low            "From"               -     -     - 4    -
high           "To"                 -     -     - 4    -
end            "Last eighth"        -     -     - 4    lower
change_unit    "Unit of change"     -     -     - text -
since_h        "Since"              h     -     - 3    -
step           "Step"               -     -     - 4    -
per_hour       "Each hour"          -     -     - 4    lower
told_h         "Told after"         h     -     - 3    -
returned_h     "Back after"         h     -     - 3    -

table blocks rows:drift schema=soak-block/1 raw
protocol       Protocol             -     -     - text -
repeat         Repeat               -     -     - 0    -
figure         Figure               -     -     - text -
time_h         Time                 h     -     - 5    -
value          Value                -     -     - 4    -
'''
NAMES = {
    'floor_ms': 'the 10 % value of the response time', 'median_ms': 'the median response time',
    'late_percent': 'the share of late keys', 'viewer_round_trip_ms': 'the TCP round trip seen by the viewer',
    'server_round_trip_ms': 'the TCP round trip seen by the server',
    'viewer_sent_again': 'what the viewer sends again', 'server_sent_again': 'what the server sends again',
    'viewer_memory_mb': "the viewer's memory", 'server_memory_mb': "the server's memory",
    'viewer_descriptors': "the viewer's open descriptors", 'server_descriptors': "the server's open descriptors"}
JUDGED = ('floor_ms', 'median_ms', 'late_percent')  # what the verdict is of
HEADS = {'slower': 'The session got slower', 'not slower': 'The session did not get slower',
         'comes and goes': 'The session was slower for a while', 'not decided': 'Not decided'}
WORST_FIRST = ('slower', 'failed', 'comes and goes', 'not decided', 'not slower')


def duration(seconds: float) -> str:
    if seconds < 120:
        return f'{words.short(seconds)} s'
    return f'{words.short(seconds / 60)} min' if seconds < 7200 else f'{words.short(seconds / 3600)} h'


def title(run: Run) -> str:
    return f'A session over hours: {notes.protocol_words(run)}'


def setup(run: Run) -> str:
    seconds = run.setting('seconds')
    return notes.sentence([notes.protocol_words(run), notes.link_words(run), None if seconds is None else duration(seconds),
                           notes.run_words(run)])


def labels(run: Run) -> Labels:
    return Labels(value={'figure': {figure: words.upper_first(name.removeprefix('the ')) for figure, name in NAMES.items()}})


# --- words of a figure of a session -------------------------------------------------------------------------------

def name_of(row: Row) -> str:
    return NAMES.get(row['figure'], row['figure'])


def speed(row: Row) -> str:
    unit = row.get('unit') or ''
    if row.get('step') is not None:
        return f', by {words.with_unit(row["step"], unit)} at once'
    return '' if row.get('per_hour') is None else f', by {words.with_unit(row["per_hour"], unit)} an hour'


def since(row: Row) -> str:
    return '' if row.get('since_h') is None else f' since {duration(row["since_h"] * 3600)}'


def halves(row: Row) -> str:
    unit = row.get('change_unit') or ''
    if row.get('change') is None:
        return 'too few blocks have a figure'
    if row.get('told_by') == 'end':
        return f'the last eighth is {words.with_unit(row.get("end"), unit)} above the first three quarters'
    return (f'the second half is {words.with_unit(row["change"], unit)} above the first '
            f'({range_words(row["low"], row["high"], unit)})')


def change(row: Row) -> Amount:
    """(Its unit may be None.)"""
    return Amount(row.get('change'), low=row.get('low'), high=row.get('high'), unit=row['change_unit'])


def figure_words(row: Row) -> str:
    verdict_ = row.get('verdict')
    if verdict_ == 'grows':
        return (f'{name_of(row)} rose from {words.short(row.get("first"))} to '
                f'{words.with_unit(row.get("last"), row.get("unit") or "")}{speed(row)}{since(row)}')
    if verdict_ == 'does not grow':
        return (f'{name_of(row)} grew by less than {words.with_unit(row.get("high"), row.get("change_unit") or "")} from the first '
                'half to the second')
    if verdict_ == 'comes and goes':
        return f'{name_of(row)} rose, and came back after {duration(row["returned_h"] * 3600)}'
    return f'whether {name_of(row)} grows cannot be told: {halves(row)}'


# --- sessions -----------------------------------------------------------------------------------------------------

def by_session(rows: Rows) -> list[Rows]:
    def key(row: Row) -> tuple[str, float]:
        return row.get('protocol') or '', row.get('repeat') or 0.0

    return [[row for row in rows if key(row) == session] for session in sorted(set(map(key, rows)))]


def judged(run: Run) -> list[Rows]:
    """Of each session what the verdict is of, the floor first."""
    return by_session(sorted((row for row in run.table('figures') if row.get('figure') in JUDGED),
                             key=lambda row: JUDGED.index(row['figure'])))


def rank(session: Rows) -> int:
    return WORST_FIRST.index(session[0]['session'])


def session_words(session: Rows) -> str:
    """What grew, with what did not beside it; or what is not decided; or the floor."""
    floor = session[0]
    told = [row for row in session if row.get('verdict') == {'slower': 'grows'}.get(floor['session'], floor['session'])]
    if not told or told[0]['figure'] == 'floor_ms':
        return figure_words((told or [floor])[0])
    head = {'does not grow': 'the fastest keys did not get slower, but ',
            'comes and goes': 'the fastest keys got slower for a while, and '}.get(
                floor.get('verdict') or '', 'whether the fastest keys got slower cannot be told, but ')
    return head + words.and_list([figure_words(row) for row in told])


def doubtful(run: Run) -> str:
    """Keys whose echo is in doubt do not count, and blocks with mostly such keys are not measured."""
    rows = [row for row in run.table('summary') if (row.get('keys_in_doubt') or 0) > 0]
    if not rows:
        return ''
    blocks = sum(row.get('blocks_in_doubt') or 0 for row in rows)
    without = f', so {words.plural(blocks, "block")} have no response time' if blocks > 0 else ''
    return (f' {words.thousands(sum(row["keys_in_doubt"] for row in rows))} of '
            f'{words.plural(sum(row.get("keys") or 0 for row in rows), "key")} were in doubt and do not count{without}.')


def verdict(run: Run) -> str:
    sessions = judged(run)
    if not sessions:
        return NOTHING_MEASURED
    worst = min(sessions, key=rank)
    word, ended = worst[0]['session'], worst[0].get('ended')
    text = f'{words.upper_first(ended)}. ' if ended else ''
    if word == 'failed':
        return f'{text}The session failed, so there is no verdict.{doubtful(run)}'
    same = sum(session[0]['session'] == word for session in sessions)
    return (f'{text}{"Before that: " if ended else ""}{HEADS[word]}'
            f'{f" in {same} of {len(sessions)} sessions" if len(sessions) > 1 else ""}: {session_words(worst)}.{doubtful(run)}')


# --- findings -----------------------------------------------------------------------------------------------------

def found(row: Row) -> Finding:
    verdict_ = row.get('verdict')
    is_more = (verdict_ == 'grows' and row.get('told_by') != 'begin') or verdict_ == 'comes and goes'
    good = verdict_ == 'does not grow' and row.get('ended') is None
    return Finding(f'{row["figure"]}-{words.plain(row["repeat"])}',
                   f'**{words.upper_first(figure_words(row))}**{f"; {halves(row)}" if is_more else ""}.', change(row),
                   'bad' if verdict_ == 'grows' else 'good' if good else 'unsure', 'over-time')


def grown(run: Run) -> Rows:
    return sorted((row for row in run.table('figures') if row.get('verdict') == 'grows'),
                  key=lambda row: float(row.get('since_h') or 0))


def order(run: Run) -> list[Finding]:
    """What grew first, where that is of one session."""
    found_ = [rows for rows in by_session(grown(run)) if len(rows) > 1 and rows[0].get('since_h') != rows[1].get('since_h')]
    if len(found_) != 1:
        return []
    first, *rest = found_[0]
    then = words.and_list([f'{name_of(row)}{since(row)}' for row in rest])
    return [Finding('first', f'**{words.upper_first(name_of(first))} grew first**, {since(first).removeprefix(" ")}; then {then}.',
                    change(first), 'none', 'over-time')]


def findings(run: Run) -> list[Finding]:
    """Of the two worst sessions the floor, and what else the verdict is of, unless it does not grow; then what else grew."""
    worst = [row for floor, *rest in sorted(judged(run), key=rank)[:2]
             for row in (floor, *(r for r in rest if r.get('verdict') != 'does not grow'))]
    more = [row for row in grown(run) if row not in worst]
    back = [row for row in run.table('figures') if row.get('verdict') == 'comes and goes' and row not in worst]
    return [*map(found, worst), *order(run), *map(found, more), *map(found, back)][:6]


def views(run: Run) -> list[View]:
    return [View('figures', 'figures', 'What grew',
                 'protocol? repeat? figure unit first last change_unit change low high end verdict since_h step per_hour'),
            View('main', 'summary', 'Sessions', 'protocol verdict ended? seconds blocks keys keys_in_doubt floor_ms last_floor_ms '
                 'moved_first')]


# --- figures ------------------------------------------------------------------------------------------------------

LATE = ('late_percent', 'median, late keys', MARK)
PANELS = (('response time', 'ms', (('floor_ms', '10 % value', LIGHT), ('median_ms', *LATE[1:]))), ('late keys', 'percent', (LATE,)),
          *((title_, of, ((f'viewer_{kind}', 'viewer', HEAVY), (f'server_{kind}', 'server', COLOURS[2]))) for title_, of, kind in (
              ('TCP round trip', 'ms', 'round_trip_ms'), ('packets sent again', 'in each block', 'sent_again'),
              ('memory', 'MB', 'memory_mb'), ('open descriptors', 'number', 'descriptors'))))


def session_of(row: Row) -> tuple[Any, Any]:
    return row.get('protocol'), row.get('repeat')


def drawings(run: Run) -> list[Drawing]:
    """over-time: what the blocks of a session measured; of several sessions each has its dashes."""
    blocks = run.table('blocks')
    if not blocks:
        return []
    sessions, longest = distinct(map(session_of, blocks)), max(row['time_h'] for row in blocks)
    by, unit = (1, 'hours') if longest > 2 else (60, 'minutes') if longest > 0.05 else (3600, 'seconds')
    warm = run.setting('warmup_blocks', 0) * run.setting('block_s', 0) / 3600
    x = Axis(f'{unit} from the begin of the session', 0)
    panels = []
    for head, of, kinds in PANELS:
        if not any(row.get('figure') == kind for row in blocks for kind, *_ in kinds):
            continue
        marks = [Mark(x=0, to=warm * by, colour='#f0f0f0')] if warm > 0 else []
        marks += [Mark(x=by * row['since_h'], colour=colour, dash=2) for kind, _, colour in kinds for row in run.table('figures')
                  if row.get('figure') == kind and row.get('since_h') is not None and session_of(row) == sessions[0]]
        curves = [Curve('line', [Place(by * row['time_h'], row['value']) for row in blocks
                                 if session_of(row) == session and row.get('figure') == kind and row.get('value') is not None],
                        Look(colour, dash=dash, width=1.2), name) for kind, name, colour in kinds
                  for dash, session in enumerate(sessions, 1)]
        panels.append(Panel(x, Axis(of, 0), curves, head, marks))
    legend = [Curve('box', [], Look('#e4e4e4'), 'warm-up'), Curve('line', [], DASHED, 'grows since')]
    return [Drawing('over-time', 'A session over time', panels, across=2, high=235, legend=legend)]
