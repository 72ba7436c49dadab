# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run of NAME found."""
from typing import Any

from analysis import draw, notes, words
from analysis.amounts import Row, above, amount, level
from analysis.draw import DOTTED, Axis, Drawing, Panel, look, over
from analysis.notes import NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run, distinct

COLUMNS = '''
table summary cells schema=NAME/1
# column        heading          unit  source                                             estimator  decimals better
protocol        Protocol         -     param                                              -          text     -
app             Application      -     param                                              -          text     -
state           State            -     count:measured                                     -          text     -
repeats         Repeats          -     count:complete                                     -          0        -
failed          Failed           -     count:failed                                       -          0        lower
marked          Flagged          -     count:flagged                                      -          0        lower
keys            Keys             -     keyrepeat.json!:result.latency_from_due_ms.n       sum        0        -
p50_ms          Median           ms    keyrepeat.json!:result.latency_from_due_ms.p50     range      3        lower
p90_ms          "90 %"           ms    keyrepeat.json!:result.latency_from_due_ms.p90     range      3        lower
max_ms          Largest          ms    keys:max                                           range      3        lower
late_percent    Late             %     keys:late                                          range      2        lower
'''
APPS = {'light': 'vim', 'heavy': 'refecho'}


def title(run: Run) -> str:
    return f'Response time of a key: {words.and_list(notes.protocols(run))}'


def setup(run: Run) -> str:
    return notes.setup(run)


def labels(run: Run) -> Labels:
    return Labels(value={'app': APPS})


def answered(run: Run) -> list[dict[str, Any]]:
    return [row for row in run.measured() if row.get('p50_ms') is not None]


def is_late(run: Run, row: Row) -> bool | None:
    """None: cannot tell."""
    return above(row, 'p50_ms', run.threshold_ms())


def verdict(run: Run) -> str:
    slowest = max(reversed(answered(run)), key=lambda row: float(row['p50_ms']), default=None)
    if not slowest:
        return NOTHING_MEASURED
    late, limit = is_late(run, slowest), words.plain(run.threshold_ms())
    if late is None:
        return f'This run cannot tell whether half of the keys take longer than {limit} ms in the slowest application.'
    if late:
        return f'Half of the keys take longer than {limit} ms in the slowest application.'
    most = slowest['p50_ms'] if slowest.get('p50_ms_high') is None else slowest['p50_ms_high']
    return f'The median response stays at {words.with_unit(most, "ms")} or less.'


def findings(run: Run) -> list[Finding]:
    return [Finding(f'median-{row["app"]}', f'**{APPS.get(row["app"], row["app"])}**: the median response time is '
                    f'{level(row, "p50_ms")}.', amount(row, 'p50_ms'),
                    {True: 'bad', False: 'good', None: 'unsure'}[is_late(run, row)], 'median') for row in answered(run)][:5]


def views(run: Run) -> list[View]:
    return [View('main', 'summary', 'Response time by application', 'app p50_ms p90_ms max_ms late_percent keys', by='protocol')]


def drawings(run: Run) -> list[Drawing]:
    """The median response time of each application."""
    apps, limit = distinct(row.get('app') for row in run.table('summary')), run.threshold_ms()
    medians = over([(apps.index(row.get('app')) + 1, row) for row in run.table('summary')], 'p50_ms', look(0),
                   'median, with its 95 % interval', draw='bars hover')
    return [Drawing('median', 'Response time of a key', [Panel(
        Axis(names=[APPS.get(app, app) for app in apps]), Axis('median response time, ms', 0),
        [*medians, draw.level(limit, DOTTED, f'{words.plain(limit)} ms')])])]
