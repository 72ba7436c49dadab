# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run of clips found."""
from dataclasses import replace
from typing import Any

from analysis import notes, words
from analysis.amounts import Amount, Row, Rows, amount
from analysis.draw import DOTTED, Axis, Curve, Drawing, Look, Panel, Place, level, look
from analysis.notes import NO_BASELINE, NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run, distinct
from experiments.families import favour
from experiments.families.favour import ends_words, first_job, fixed2, jobs, scheme
from experiments.families.schemes import bars_of, beside, place_of, quanta

COLUMNS = '''
# fps: as the player says, which frames it dropped; seen: as read from the screen.
table summary cells schema=video/1
# column            heading                  unit  source                            estimator  decimals better
scheme              Scheme                   -     param                             -          text     -
job                 Job                      -     param                             -          text     -
mult                Sound                    -     param                             -          text     -
include ../../../../experiments/families/state.py
fps_per_s           "Shown a second"         1/s   cell.json:video.fps               mean+ci    5        higher
dropped_percent     Dropped                  %     cell.json:video.dropped_percent   percent+ci 3        lower
seen_per_s          "Seen a second"          1/s   cell.json:video.seen_fps          mean+ci    3        higher
frames_due          Frames                   -     cell.json:video.due               sum        0        -
frames_shown        Shown                    -     cell.json:video.shown             sum        0        higher
frames_seen         Seen                     -     cell.json:video.seen              sum        0        higher
gap_ms              "Longest still picture"  ms    cell.json:video.gap_ms            max        3        lower
playing_s           "Playing time"           s     cell.json:video.seconds           mean       3        lower
player_percent      "Player's CPU, with its start"           %     cell.json:video.player_percent    mean       2        -
job_bytes_per_s     "Job reads"              B/s   cell.json:job.bytes_per_s         logmean+ci 0        higher
job_rel             "Job's time per unit"    -     cell.json:job_relative            logmean+ci 4        lower
episodes            Episodes                 -     cell.json:vamp.episodes           sum        0        -
player_tagged       "Player throttled in"    -     cell.json:vamp.player             sum        0        lower
others_tagged       "Others throttled in"    -     cell.json:vamp.others             sum        0        -
client_percent_max  "Client took, at most" %     cell.json:client_percent                         max         3        lower
foreign_percent_max "Interference, at most"  %     cell.json:foreign_percent         max        3        lower
'''
SCHEMES = favour.scheme_names('no job')
PARTS = ('', '_low', '_high', '_both')  # of a figure
CHANGES = {'good': 'more frames are shown', 'bad': 'fewer frames are shown', 'none': 'no difference is shown'}


def title(run: Run) -> str:
    return 'A video beside a job in the background'


def clip_words(run: Run) -> str | None:
    clip = run.facts.get('clip')
    return None if not clip else (
        f'a clip of {clip["size"]}, {words.plain(run.setting("seconds"))} s; in a short trial without a job, the CPU time of the '
        f'player for each frame shown was that of {words.fixed(clip["needs_percent"], 0)} % of a CPU')


def setup(run: Run) -> str:
    return notes.sentence([clip_words(run), notes.protocol_words(run), notes.repeats_words(run), notes.run_words(run)])


def labels(run: Run) -> Labels:
    return Labels(value={'scheme': SCHEMES, 'mult': {'none': '-', 'without': 'ignored', 'with': 'players exempt'}})


def scheme_words(row: Row) -> str:
    return SCHEMES.get(row['scheme'], row['scheme'])


def says(row: Row) -> str:
    return scheme_words(row) + {'without': ' that may throttle sound players',
                                'with': ' that exempts sound players'}.get(row.get('mult') or '', '')


# --- schemes, by frames ---------------------------------------------------------------------------------------------

def is_on_screen(run: Run) -> bool:
    """Where less than nine in ten of the frames that a player counts as shown reached the screen, all rows count those seen
    there."""
    return any(row['frames_seen'] < 0.9 * (row.get('frames_shown') or 0) for row in run.measured()
               if row.get('frames_seen') is not None)


def counted(run: Run) -> Run:
    if not is_on_screen(run):
        return run
    rows = [row | {f'fps_per_s{part}': row.get(f'seen_per_s{part}') for part in PARTS} for row in run.table('summary')]
    return replace(run, tables={**run.tables, 'summary': [row | {'seen': True} for row in rows]})


def measured(run: Run) -> Rows:
    return [row for row in counted(run).measured() if row.get('fps_per_s') is not None]


def job_rows(run: Run) -> Rows:
    return [row for row in measured(run) if row.get('job') == first_job(run)]


def rating(row: Row) -> tuple[float, float]:
    """Most frames; of those alike, the job pays least."""
    return float(row['fps_per_s']), -float(row.get('job_rel') or 0)


def best(rows: Rows) -> dict[str, Any] | None:
    """Of schemes that exempt sound players."""
    exempt = [row for row in reversed(rows) if row.get('mult') == 'with']
    return max(exempt, key=rating) if exempt else None


def compare(row: Row, other: Row | None) -> str:
    return favour.compare(row, other, 'fps_per_s', 'good', 'bad')


def fps_words(row: Row) -> str:
    return words.short(row['fps_per_s']) + ends_words(row, 'fps_per_s', words.short)


def frames(row: Row) -> str:
    return (f'{words.short(row["fps_per_s"])} frames per second{" seen on the screen" if row.get("seen") else ""}'
            f'{ends_words(row, "fps_per_s", words.short)}, {words.percent(row.get("dropped_percent"))} % dropped by the player')


def share_seen(row: Row) -> float:
    return float(100 * row['frames_seen'] / row['frames_shown'])


def verdict_of(run: Run) -> str:
    rows = job_rows(run)
    vamp, base, nice = best(rows), scheme(rows, 'baseline'), scheme(rows, 'nice')
    if not measured(run):
        return NOTHING_MEASURED
    if base is None:
        return NO_BASELINE
    if vamp is None:
        return f'In the baseline, {frames(base)}; vamp that exempts sound players was not measured.'
    about = []
    if (n := sum(row.get('mult') == 'with' for row in rows)) > 1:
        about.append(f'the best of {n}')
    if (vamp.get('player_tagged') or 0) > 0:
        about.append(f'it throttled the player in {words.plain(vamp["player_tagged"])} of '
                     f'{words.plural(vamp["episodes"], "episode")}')
    brackets = f' ({"; ".join(about)})' if about else ''
    change = CHANGES.get(compare(vamp, base))
    text = (f'With {says(vamp)}{brackets}, {change}' if change else
            'Too few repeats to compare vamp with the baseline (three are needed)')
    text += f': {frames(vamp)}, in the baseline {frames(base)}' + (f'; with the job at nice 19 {frames(nice)}' if nice else '')
    reached = [f'{says(row)} {words.percent(share_seen(row))} %' for row in (vamp, base, nice) if row and row.get('seen')]
    if reached:
        text += f'. Of the frames that the player counts as shown, these reached the screen: {", ".join(reached)}'
    return f'{text}.'


def verdict(run: Run) -> str:
    return favour.verdicts(run, lambda part: verdict_of(part) + favour.no_figure(counted(part), ['fps_per_s'], says))


# --- findings -------------------------------------------------------------------------------------------------------

def figure_name(run: Run) -> str:
    return f'frames-{first_job(run)}'


def schemes(run: Run) -> Finding | None:
    rows = [row for row in job_rows(run) if row.get('mult') != 'without']
    if not rows:
        return None
    of = best(rows) or max(reversed(rows), key=lambda row: float(row['fps_per_s']))
    each = '; '.join(f'{says(row)} {fps_words(row)}' for row in rows)
    return Finding('schemes', f'**Frames {"seen on the screen" if of.get("seen") else "shown"} per second**: {each}.',
                   amount(of, 'fps_per_s'), figure=figure_name(run))


def sound(run: Run) -> Finding | None:
    """The same scheme with the exemption and without it."""
    rows = job_rows(run)
    pairs = [(row, other) for row in rows if row.get('mult') == 'with'
             if (other := next((r for r in rows if r.get('mult') == 'without' and r['scheme'] == row['scheme']), None))]
    if not pairs:
        return None
    exempt, not_exempt = max(reversed(pairs), key=lambda pair: rating(pair[0]))
    word = compare(exempt, not_exempt)
    head = {'good': 'Exempting sound players helps', 'bad': 'Exempting sound players shows fewer frames',
            'none': 'No difference is shown between exempting sound players and not'}.get(
                word, 'Too few repeats to tell whether exempting sound players matters')

    def count(row: Row, name: str) -> float:
        return row.get(name) or 0

    return Finding('sound', f'**{head}**: with {scheme_words(exempt)} {words.short(exempt["fps_per_s"])} frames per second'
                   f'{" seen" if exempt.get("seen") else ""} instead of {words.short(not_exempt["fps_per_s"])}; the player was '
                   f'throttled in {words.plain(count(exempt, "player_tagged"))} of '
                   f'{words.plural(count(exempt, "episodes"), "episode")} with the exemption, in '
                   f'{words.plain(count(not_exempt, "player_tagged"))} of {words.plain(count(not_exempt, "episodes"))} without it.',
                   amount(exempt, 'fps_per_s'), word, figure_name(run))


def against(run: Run, name: str) -> Finding | None:
    """Is it worth having? Against what a user, or the kernel, does without it."""
    rows = job_rows(run)
    vamp, other = best(rows), scheme(rows, name)
    if vamp is None or other is None:
        return None
    word, mine, theirs = compare(vamp, other), words.upper_first(scheme_words(vamp)), says(other)
    head = {'good': f'{mine} beats {theirs}', 'bad': f'{mine} loses to {theirs}',
            'none': f'Vamp cannot be told from {theirs} by this run'}.get(word, f'Too few repeats to compare vamp with {theirs}')
    return Finding(f'against-{name}', f'**{head}**: {frames(vamp)}, with {theirs} {frames(other)}.', amount(vamp, 'fps_per_s'),
                   word, figure_name(run))


def job(run: Run) -> Finding | None:
    vamp = best(job_rows(run))
    if vamp is None or vamp.get('job_rel') is None:
        return None
    ends = ends_words(vamp, 'job_rel') if favour.has_interval(vamp, 'fps_per_s') else ' (no interval)'
    return Finding('job', f'**The background job takes {fixed2(vamp["job_rel"])} times as long**{ends} per unit of work as in the '
                   f'baseline, while the player runs, with {says(vamp)}.', Amount((vamp['job_rel'] - 1) * 100, unit='%'))


def seen(run: Run) -> Finding | None:
    rows = [row for row in measured(run) if row.get('frames_seen') is not None and (row.get('frames_shown') or 0) > 0]
    if not rows:
        return None
    percent = 100 * sum(row['frames_seen'] for row in rows) / sum(row['frames_shown'] for row in rows)
    least = min(rows, key=share_seen)
    odd = any(share_seen(row) > 100 for row in rows) or share_seen(least) < 90
    return Finding('seen', f'**{words.fixed(percent, 1)} % of the frames that the player reports as shown reached the screen** '
                   f'(least: {words.fixed(share_seen(least), 1)} % with {says(least)}), by the frame numbers read there.',
                   Amount(percent, unit='%'), 'unsure' if odd else 'good')


def findings(run: Run) -> list[Finding]:
    def of_job(part: Run) -> list[Finding]:
        return [f for f in (schemes(part), sound(part), against(part, 'nice'), against(part, 'autogroup'), job(part)) if f]

    return favour.of_jobs(run, of_job) + [f for f in (seen(run),) if f]


def views(run: Run) -> list[View]:
    return [View('main', 'summary', 'Frames shown, and what the job pays',
                 'scheme mult fps_per_s dropped_percent seen_per_s gap_ms job_rel', by='job'),
            View('vamp', 'summary', 'Whom vamp throttled', 'scheme mult episodes player_tagged others_tagged player_percent',
                 by='job'),
            View('frames', 'summary', 'Frames, as the player says and as seen',
                 'scheme mult frames_due frames_shown frames_seen playing_s', by='job')]


# --- figures --------------------------------------------------------------------------------------------------------

# As the paper: vamp without a look at sound, and with it; what there is without vamp beside both.
PANELS = (('without', 'vamp may throttle sound players'), ('with', 'vamp exempts sound players'))


def frames_panel(rows: Rows, name: str, rate: float) -> Panel:
    names = distinct(row['scheme'] for row in rows)
    at = [place_of(row['scheme'], names) or 0 for row in rows]
    tops = [min(row['fps_per_s'] if row.get('fps_per_s_high') is None else row['fps_per_s_high'], 1.12 * rate) for row in rows]
    curves = [curve for one in names for curve in bars_of(rows, at, one, 'fps_per_s', 0.7)]
    curves += [Curve('points', [Place(x, row['seen_per_s']) for x, row in zip(at, rows) if row.get('seen_per_s') is not None],
                     Look('#000000', 2), 'seen on the screen'),
               level(rate, DOTTED),
               Curve('label', [Place(x, y, text=f'{words.fixed(row.get("dropped_percent"), 1)} %')
                               for x, y, row in zip(at, tops, rows)])]
    words_ = ['no job' if one == 'alone' else one.replace('+', '|+', 1) for one in names]
    return Panel(Axis(start=0.4, end=len(names) + 0.6, names=words_, is_bare=True),
                 Axis('frames shown per second', 0, rate * 1.18), curves, name)


def frames_figure(rows: Rows, rate: float, job_: str) -> Drawing:
    """With the share that was dropped above the bars."""
    panels = []
    for mult, name in PANELS:
        these = [row for row in beside(rows, job_) if row.get('mult') in (mult, 'none')]
        has_vamp = any(row.get('mult') == mult for row in these)
        if has_vamp or mult == 'with':
            panels.append(frames_panel(these, name if has_vamp else '', rate))
    return Drawing(f'frames-{job_}', f'Video frames shown per second, and dropped (above), with the job {job_}', panels, across=2,
                   high=380)


def sound_figure(run: Run) -> Drawing | None:
    """Counters of sound over time."""
    rows = [row for row in run.table('audio') if row.get('s') is not None and row.get('average') is not None]
    if not rows:
        return None
    names = distinct(row['comm'] for row in rows)
    x = Axis('seconds since vamp began', 0, max(row['s'] for row in rows) * 1.02)
    least = 0.1  # less is drawn there
    y = Axis('counter, averaged', least, 2 * max([1, *(row['average'] for row in rows)]), log=True,
             tics=[(least, '0'), *((at, words.plain(at)) for at in (1, 10, 100, 1000))])
    panels = []
    for scheme_, job_ in distinct((row['scheme'], row['job']) for row in rows):
        mine = [row for row in rows if (row['scheme'], row['job']) == (scheme_, job_)]
        curves = [Curve('line points', [Place(row['s'], max(row['average'], least)) for row in mine if row['comm'] == name],
                        look(i), name) for i, name in enumerate(names)]
        panels.append(Panel(x, y, curves, f'vamp {scheme_}, job {job_}'))
    return Drawing('sound', 'Counters of wake-ups of the sound server, by process', panels, across=1, high=240)


def drawings(run: Run) -> list[Drawing]:
    rows = [row for row in run.measured() if row.get('fps_per_s') is not None]
    frames_ = [frames_figure(rows, run.setting('rate_per_s', 24), job_) for job_ in jobs(run)]
    return [*frames_, *(d for d in (sound_figure(run), quanta(run)) if d)]
