# SPDX-License-Identifier: GPL-3.0-or-later
"""What reports of runs with many users share."""
from typing import Any

from analysis import words
from analysis.amounts import Amount, Row, exceeds, failed_requests, failed_words, is_mostly_answered, level, number
from analysis.page import Finding
from analysis.run import Run, known

Rows = list[dict[str, Any]]


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
