# SPDX-License-Identifier: GPL-3.0-or-later
"""Judged figures as JUnit XML. Pure."""
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.escape import xml


def case(one: Mapping[str, Any]) -> str:
    why = xml(one['why'])
    inner = {'error': f'<error message="{why}"/>', 'broken': f'<failure message="{why}"/>',
             'not decided': f'<skipped message="not decided: {why}"/>'}.get(one['verdict'], '')
    return f'<testcase classname="thinprobe" name="{xml(one["name"])}">{inner}</testcase>'


def junit(of: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Of rows {name, verdict: holds|broken|not decided|error, why}."""
    broken, undecided, errors = (sum(row['verdict'] == word for row in rows) for word in ('broken', 'not decided', 'error'))
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<testsuites>'
    yield (f'<testsuite name="thinprobe {xml(of)}" tests="{len(rows)}" failures="{broken}" skipped="{undecided}" '
           f'errors="{errors}">')
    yield from map(case, rows)
    yield '</testsuite>'
    yield '</testsuites>'
