# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin for pytest: says what the tests did as TAP, which prove reads."""
import sys

import pytest

count = 0


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    config.pluginmanager.unregister(name='terminalreporter')  # (its options stay: comparisons want one of them)


def pytest_runtest_logreport(report):
    global count
    if report.when != 'call' and not (report.when == 'setup' and report.outcome != 'passed') and not report.failed:
        return
    count += 1
    name = report.nodeid.split('::', 1)[-1].replace('#', '')
    print(f'{"not ok" if report.failed else "ok"} {count} - {name}' + (f' # skip {report.longrepr[2].removeprefix("Skipped: ")}'
                                                                      if report.skipped else ''), file=sys.__stdout__)
    if report.failed:
        print(''.join(f'# {line}\n' for line in report.longreprtext.split('\n')), end='', file=sys.__stdout__)


def pytest_sessionfinish(session, exitstatus):
    print(f'1..{count}', file=sys.__stdout__, flush=True)
