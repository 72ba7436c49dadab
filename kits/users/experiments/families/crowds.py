# SPDX-License-Identifier: GPL-3.0-or-later
"""What reports of runs with many users share."""

from analysis import words
from analysis.amounts import Amount, Row, Rows, exceeds, failed_requests, failed_words, is_mostly_answered, level, number
from analysis.page import Finding
from analysis.run import Run, known

COLUMNS = '''
table summary cells schema=users/1
# column                  heading                      unit    source                                       estimator  decimals
cell                      Cell                         -       count:name                                   -          text  -
part                      Part                         -       param                                        -          text  -
users                     Users                        -       param                                        -          0     -
think_s                   "Think time"                 s       param                                        -          6     -
include ../../../../experiments/families/state.py
invalid                   Invalid                      -       vusers.json!:result.valid                    false      0     lower
poisson                   Poisson                      -       arrivals.json:result.poisson                 true       0     -
judged                    Judged                       -       arrivals.json:result.poisson                 count      0     -
requests                  Requests                     -       vusers.json!:result.requests                 sum        0     -
errors                    Errors                       -       vusers.json!:result.errors                   sum        0     lower
timeouts                  "Timed out"                  -       vusers.json!:result.timeouts                 sum        0     lower
unanswered                Unanswered                   -       vusers.json!:result.unanswered               sum        0     lower
lambda_per_s              Rate                         1/s     vusers.json!:result.rate_per_s               mean+ci    4     higher
response_ms               "Response time"              ms      vusers.json!:result.response_ms.mean         logmean+ci 4     lower
p50_ms                    Median                       ms      vusers.json!:result.response_ms.p50          mean       4     lower
p95_ms                    "95 %"                       ms      vusers.json!:result.response_ms.p95          logmean+ci 4     lower
max_ms                    Largest                      ms      vusers.json!:result.response_ms.max          max        4     lower
late_percent              Late                         %       vusers.json:result.over_threshold_percent    percent+ci 3     lower
concurrency               Concurrency                  -       vusers.json!:result.concurrency.mean         mean+ci    4     lower
pages_per_s               Pages                        1/s     vusers.json!:result.pages_per_s              mean       4     higher
received_kbyte_per_s      Received                     kbyte/s vusers.json!:result.received_kbyte_per_s     mean       2     -
little_users              "Users by Little's law"      -       arrivals:users_by_little                     mean+ci    2     -
fairness_max_by_median    "Slowest by median"    -       vusers.json:result.fairness.mean_response_ms.max_by_median mean 4 lower
fairness_jain             "Fairness (Jain)"            -       vusers.json!:result.fairness.mean_response_ms.jain mean 5     higher
late_p99_ms_max           "Requests sent late, 99 %"   ms      vusers.json!:result.generator.late_ms.p99    max        4     lower
started_late_ms_max       "Started late"               ms      vusers.json:result.started_late_ms           max        2     lower
generator_cpu_percent_max "CPU of the generator"       %       vusers.json!:result.generator.cpu_percent    max        2     lower
gaps                      Gaps                         -       arrivals.json:result.n                       sum        0     -
gap_ms                    "Mean gap"                   ms      arrivals.json:result.mean_ms                 mean       5     -
gap_sd_ms                 "Standard deviation of gaps" ms      arrivals.json:result.sd_ms                   mean       5     -
cov                       "Coefficient of variation"   -       arrivals.json:result.cov                     mean+ci    4     -
cov_band                  "Band of a Poisson process"  -       arrivals.json:result.band                    band       4     -
arrivals_p                "p of a Poisson process"     -       arrivals.json:result.p                       chance     5     -
model_lambda_per_s        "Rate by model"              1/s     model.json:result.rows.0.lambda              mean       4     -
model_concurrency         "Concurrency by model"       -       model.json:result.rows.0.q                   mean       4     -
model_response_s          "Response time by model"     s       model.json:result.rows.0.r_s                 mean       6     -
model_lambda_most_per_s   "Largest rate by model"      1/s     model.json:result.rows.0.x_most              mean       4     -
model_response_least_s    "Least response time by model" s     model.json:result.rows.0.r_least_s           mean       6     -
approximate_lambda_per_s  "Rate, approximate"          1/s     model.json:result.rows.0.lambda_schweitzer   mean       4     -
approximate_concurrency   "Concurrency, approximate"   -       model.json:result.rows.0.q_schweitzer        mean       4     -
server_busy_percent       "Server CPUs busy"           %       cell.json:server_busy_percent                mean       2     -
server_own_percent        "by the server"              %       cell.json:server_own_percent                 mean       2     -
client_busy_percent       "Client CPUs busy"           %       cell.json:client_busy_percent                mean       2     -
link_percent              Link                         %       cell.json:link_percent                       percent+ci 2     -
kernel_percent            Kernel                       %       cell.json:kernel_percent                     mean       2     -
foreign_percent_max       "Interference"               %       cell.json:foreign_percent                    max        2     lower
steal_percent_max         "Stolen CPU time"            %       cell.json:steal_percent                      max        2     lower
cov_independent           "Coefficient of variation of independent users" - arrivals:cov_independent        -          4     -
arrivals_p_of_all         "p of a Poisson process, Holm" -     arrivals.json:result.p                       chance+holm 5    -
'''


def is_measured(row: Row) -> bool:
    return known(row.get('repeats'), 0) > 0


def part(run: Run, name: str) -> Rows:
    return sorted((row for row in run.table('summary') if row.get('part') == name and is_measured(row)),
                  key=lambda row: float(row['users']))


def is_valid(row: Row) -> bool:
    """A row in which the load generator interfered describes no server."""
    return not row.get('invalid')


def response_words(row: Row) -> str:
    """A mean of what was answered, where requests were not."""
    if not is_mostly_answered(row) or row.get('response_ms') is None:
        return f'unknown: {failed_words(row)}'
    failed = failed_requests(row)
    return level(row, 'response_ms') + (f' (without {words.plural(failed, "failed request")})' if failed else '')


def late_words(row: Row, limit_ms: float) -> str:
    """How many requests of a row are answered late."""
    if row.get('late_percent') is None:
        return ''
    answered = ' answered' if failed_requests(row) > 0 else ''
    return f', and {level(row, "late_percent")} of the{answered} requests take longer than {words.plain(limit_ms)} ms'


def are_at_random(p: float | None) -> bool:
    """Requests as of a Poisson process: they are not shown to be otherwise."""
    return exceeds(number(0.05), number(p)) is not True


def together(run: Run) -> Finding | None:
    """Each condition by itself (its repeats together), and all together (Holm)."""
    rows = [row for row in run.table('summary') if row.get('arrivals_p_of_all') is not None]
    if len(rows) < 2:
        return None
    alone, odd = (sum(not are_at_random(row.get(name)) for row in rows) for name in ('arrivals_p', 'arrivals_p_of_all'))
    return Finding('arrivals', '**Nothing speaks against requests at random times (Poisson)** in '
                   f'{len(rows) - alone} of {words.plural(len(rows), "condition")}, each tested by itself (5 % false alarms); '
                   f'corrected for all tests (Holm), {odd} {"is" if odd == 1 else "are"} not random.', Amount(odd), figure='cov')


def lost_requests(run: Run) -> Finding | None:
    rows = [row for row in run.table('summary') if is_measured(row) and failed_requests(row) > 0]
    if not rows:
        return None
    each = ', '.join(f'{words.plain(failed_requests(row))} of {words.plain((row.get("requests") or 0) + failed_requests(row))} '
                     f'with {words.plural(row["users"], "user")}' for row in rows)
    return Finding('lost', f'**Requests failed or were not answered** in {words.plural(len(rows), "condition")}: {each}.',
                   Amount(sum(map(failed_requests, rows))), 'bad')


def invalid_requests(run: Run) -> Finding | None:
    n = sum(known(row.get('invalid'), 0) > 0 for row in run.table('summary'))
    return Finding('invalid', f'**The load generator interfered**, or some users were missing, in {words.plural(n, "condition")}: '
                   'these figures do not describe the server alone.', Amount(n), 'unsure') if n else None
