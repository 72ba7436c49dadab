# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run of visits found."""
from typing import Any

from analysis import notes, words
from analysis.amounts import Amount, Row, Rows, amount, level
from analysis.draw import Axis, Curve, Drawing, Look, Mark, Panel, Place
from analysis.notes import NO_BASELINE, NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run
from experiments.families import favour
from experiments.families.favour import ORDINARY, ends_words, first_job, fixed2, jobs, scheme
from experiments.families.schemes import place_of, scheme_bars

COLUMNS = '''
# PAGE_ms: from Return to content at rest; PAGE_rel: by the mean of the baseline in the same run.
table summary cells schema=browse/1
# column            heading                 unit  source                          estimator   decimals better
scheme              Scheme                  -     param                           -           text     -
job                 Job                     -     param                           -           text     -
include ../../../../experiments/families/state.py
all_rel             "All, to the baseline"  -     cell.json:relative_all          geomean+ci  4        lower
plain_ms            plain                   ms    cell.json:visits.plain.ms       geomean+ci  3        lower
plain_rel           "plain, relative"       -     cell.json:relative.plain        geomean+ci  4        lower
text_ms             text                    ms    cell.json:visits.text.ms        geomean+ci  3        lower
text_rel            "text, relative"        -     cell.json:relative.text         geomean+ci  4        lower
table_ms            table                   ms    cell.json:visits.table.ms       geomean+ci  3        lower
table_rel           "table, relative"       -     cell.json:relative.table        geomean+ci  4        lower
icons_ms            icons                   ms    cell.json:visits.icons.ms       geomean+ci  3        lower
icons_rel           "icons, relative"       -     cell.json:relative.icons        geomean+ci  4        lower
photo_ms            photo                   ms    cell.json:visits.photo.ms       geomean+ci  3        lower
photo_rel           "photo, relative"       -     cell.json:relative.photo        geomean+ci  4        lower
album_ms            album                   ms    cell.json:visits.album.ms       geomean+ci  3        lower
album_rel           "album, relative"       -     cell.json:relative.album        geomean+ci  4        lower
boxes_ms            boxes                   ms    cell.json:visits.boxes.ms       geomean+ci  3        lower
boxes_rel           "boxes, relative"       -     cell.json:relative.boxes        geomean+ci  4        lower
styles_ms           styles                  ms    cell.json:visits.styles.ms      geomean+ci  3        lower
styles_rel          "styles, relative"      -     cell.json:relative.styles       geomean+ci  4        lower
form_ms             form                    ms    cell.json:visits.form.ms        geomean+ci  3        lower
form_rel            "form, relative"        -     cell.json:relative.form         geomean+ci  4        lower
news_ms             news                    ms    cell.json:visits.news.ms        geomean+ci  3        lower
news_rel            "news, relative"        -     cell.json:relative.news         geomean+ci  4        lower
wrong               "Visits excluded"       -     cell.json:wrong                 sum         0        lower
think_s             "Between visits"        s     cell.json:think_s               mean        3        -
job_bytes_per_s     "Job reads"             B/s   cell.json:job.bytes_per_s       logmean+ci  0        higher
job_rel             "Job's time per unit"   -     cell.json:job_relative          logmean+ci  4        lower
held_up_ms_max      "Watcher stood still, at most" ms  cell.json:held_up_ms    max         3        lower
client_percent_max  "Client took, at most" %     cell.json:client_percent                         max         3        lower
foreign_percent_max "Interference, at most" %     cell.json:foreign_percent       max         3        lower
'''
PAGES = ('plain', 'text', 'table', 'icons', 'photo', 'album', 'boxes', 'styles', 'form', 'news')
PARTS = ('', '_low', '_high', '_both')  # of a figure
SCHEMES = favour.scheme_names('alone')


def title(run: Run) -> str:
    return 'Pages in a browser beside a job in the background'


def setup(run: Run) -> str:
    pages_ = words.plural(len(run.setting('pages', [])), 'page')
    return notes.sentence([f'{pages_}, visited {words.plain(run.setting("think_s"))} s apart', notes.protocol_words(run),
                           notes.repeats_words(run), notes.run_words(run)])


def excluded(run: Run) -> float:
    return sum(row.get('wrong') or 0 for row in run.measured())


def pages(run: Run) -> str:
    """What the figures of all_rel are of: a visit that was excluded is missing from the mean of its repeat."""
    return 'the pages that were not excluded' if excluded(run) > 0 else 'all pages'


def labels(run: Run) -> Labels:
    return Labels({'all_rel': 'Not excluded, to the baseline'} if excluded(run) > 0 else {}, {'scheme': SCHEMES})


def says(row: Row) -> str:
    return SCHEMES.get(row['scheme'], row['scheme'])


# --- schemes, by the time of all visits to the baseline's -----------------------------------------------------------

def measured(run: Run) -> Rows:
    return [row for row in run.measured() if row.get('all_rel') is not None]


def job_rows(run: Run) -> Rows:
    return [row for row in measured(run) if row.get('job') == first_job(run)]


def compare(row: Row, other: Row | None) -> str:
    return favour.compare(row, other, 'all_rel', 'bad', 'good')


def vamps(rows: Rows) -> Rows:
    return [row for row in rows if row['scheme'] not in ORDINARY]


def best_vamp(rows: Rows) -> dict[str, Any] | None:
    found = vamps(rows)
    return min(found, key=lambda row: float(row['all_rel'])) if found else None


def times(row: Row) -> str:
    return f'{fixed2(row["all_rel"])} times as long{ends_words(row, "all_rel")}'


def verdict_of(run: Run) -> str:
    rows = job_rows(run)
    vamp, nice, base = best_vamp(rows), scheme(rows, 'nice'), scheme(rows, 'baseline')
    if not measured(run) and not run.measured():
        return NOTHING_MEASURED
    if base is None:
        return NO_BASELINE
    if vamp is None:
        return 'Vamp was not measured; only settings that a user can make by hand were.'
    # by chance alone, the best of several looks better than it is
    which = says(vamp) + (f' (the best of {len(vamps(rows))})' if len(vamps(rows)) > 1 else '')
    if not favour.has_interval(vamp, 'all_rel'):
        return (f'Too few repeats to compare schemes (three are needed). In these, {pages(run)} took {fixed2(vamp["all_rel"])} '
                f'times as long with {which} as in the baseline.')
    text = f'With {which}, {pages(run)} take {times(vamp)} as in the baseline'
    text += '' if compare(vamp, base) in ('good', 'bad') else ', which this run cannot tell apart'
    if nice is None:
        return f'{text}.'
    beside = {'good': ', and less than with', 'bad': ', and more than with'}.get(compare(vamp, nice),
                                                                                 '; this run cannot tell it from')
    return f'{text}{beside} the background job at nice 19 ({times(nice)}).'


def verdict(run: Run) -> str:
    return favour.verdicts(run, lambda part: verdict_of(part) + favour.no_figure(part, ['all_rel'], says))


# --- findings -------------------------------------------------------------------------------------------------------

def figure_name(run: Run) -> str:
    return f'visits-{first_job(run)}'


def schemes(run: Run) -> Finding | None:
    rows = [row for row in job_rows(run) if row['scheme'] != 'baseline']
    if not rows:
        return None
    of = best_vamp(rows) or min(rows, key=lambda row: float(row['all_rel']))
    word = compare(of, scheme(job_rows(run), 'baseline'))
    each = '; '.join(f'{says(row)} {level(row, "all_rel")}' for row in rows)
    return Finding('schemes', f'**Time to load {pages(run)}, in multiples of the baseline**: {each}.', amount(of, 'all_rel'),
                   word if word in ('good', 'bad') else 'unsure', figure_name(run))


def against(run: Run, name: str) -> Finding | None:
    """Is it worth having? Against what a user, or the kernel, does without it."""
    rows = job_rows(run)
    vamp, other = best_vamp(rows), scheme(rows, name)
    if vamp is None or other is None:
        return None
    word, mine, theirs = compare(vamp, other), says(vamp), SCHEMES.get(name, name)
    head = {'good': f'{words.upper_first(mine)} beats {theirs}', 'bad': f'{words.upper_first(mine)} loses to {theirs}',
            'none': f'{words.upper_first(mine)} cannot be told from {theirs} by this run'}.get(
                word, f'Too few repeats to compare {mine} with {theirs}')
    return Finding(f'against-{name}', f'**{head}**: {pages(run)} take {level(vamp, "all_rel")} times as long as in the baseline, '
                   f'{level(other, "all_rel")} with {theirs}.', amount(vamp, 'all_rel'), word, figure_name(run))


def job_words(row: Row) -> str:
    return ends_words(row, 'job_rel') if (row.get('repeats') or 0) >= 3 else ' (no interval)'


def job(run: Run) -> Finding | None:
    rows = job_rows(run)
    vamp = best_vamp(rows)
    if vamp is None or vamp.get('job_rel') is None:
        return None
    others = [f'; {fixed2(row["job_rel"])}{job_words(row)} with {says(row)}' for row in rows
              if row['scheme'] in ('nice', 'autogroup') and row.get('job_rel') is not None]
    value, low, high = (None if vamp.get(c) is None else (vamp[c] - 1) * 100 for c in ('job_rel', 'job_rel_low', 'job_rel_high'))
    return Finding('job', f'**The background job takes {fixed2(vamp["job_rel"])} times as long**{job_words(vamp)} per unit of work '
                   f'with {says(vamp)}{"".join(others)}, while a user opens a page every few seconds.',
                   Amount(value, low=low, high=high, unit='%'))


def wrong(run: Run) -> Finding | None:
    n = excluded(run)
    return Finding('wrong', f'**{words.plural(n, "page load")} excluded**: the screen showed a wrong picture at the end, or kept '
                   'changing. So schemes may be compared by different pages.', Amount(n), 'unsure') if n else None


def findings(run: Run) -> list[Finding]:
    def beside(part: Run) -> list[Finding]:
        return [f for f in (schemes(part), against(part, 'nice'), against(part, 'autogroup'), job(part)) if f]

    return favour.of_jobs(run, beside) + [f for f in (favour.vamp_found(run, 'Vamp'), wrong(run)) if f]


def views(run: Run) -> list[View]:
    return [View('main', 'summary', 'Time of a visit, and what the job pays', 'job all_rel job_rel wrong? think_s', by='scheme'),
            View('pages', 'summary', 'From Return to content at rest', ' '.join(['job', *(f'{page}_ms' for page in PAGES)]),
                 by='scheme'),
            View('relative', 'summary', 'The same, to the baseline', ' '.join(['job', *(f'{page}_rel' for page in PAGES)]),
                 by='scheme')]


# --- figures --------------------------------------------------------------------------------------------------------

def visits_figure(rows: Rows, names: list[str], job_: str) -> Drawing:
    """Time of a visit by page and scheme, to that of the baseline, whose own time stands above its bar."""
    visits: Rows = [{'page': page, 'scheme': row.get('scheme'), 'job': row.get('job'), 'ms': row.get(f'{page}_ms'),
                     **{f'rel{part}': row.get(f'{page}_rel{part}') for part in PARTS}} for page in names for row in rows]
    these = [v for v in visits if v['job'] == job_ and v['scheme'] != 'alone']
    alone = [(place_of(v['page'], names) or 0, v['rel']) for v in visits if v['scheme'] == 'alone' and v['rel'] is not None]
    marks = [Mark(x=place_of(v['page'], names), dash=0,
                  text=f'{words.fixed(ms / 1000, 1)} s' if ms >= 995 else f'{words.fixed(ms, 0)} ms')
             for v in these if v['scheme'] == 'baseline' and (ms := v['ms']) is not None]
    curves = [*scheme_bars(these, 'page', names, 'rel'),
              Curve('segment', [Place(x - 0.44, y, x2=x + 0.44, y2=y) for x, y in alone], Look('#000000', dash=3, width=1.4),
                    'alone, without the job')]
    return Drawing(f'visits-{job_}', f"Time of a visit beside the job {job_}, to the baseline's",
                   [Panel(Axis(names=names), Axis("time of a visit, times the baseline's", 0, 2.2), curves, marks=marks)], high=360)


def drawings(run: Run) -> list[Drawing]:
    rows = run.measured()
    names = [page for page in PAGES if any(row.get(f'{page}_ms') is not None for row in rows)] + ['all']
    return [visits_figure(rows, names, job_) for job_ in jobs(run)]
