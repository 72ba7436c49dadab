# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the runs of the gallery, one after the other, until a signal ends it."""
import os
import re
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.command import MISSING, USAGE
from analysis.gallery_facts import Planned
from analysis.gallery_folders import Gallery, plain_command, read_json
from analysis.gallery_keep import keep
from analysis.gallery_pages import write_pages
from analysis.text import complain
from analysis.trees import home

FOREIGN_MOST = 3  # percent of the CPU time that others may take, as of a cell of a run
ROOT = 'LAB_SERVER_ROOT'
INTERRUPTED, NOT_KEPT = 130, 3  # exit statuses


def warn(text: str) -> None:
    complain('thinprobe', text)


# --- signals ------------------------------------------------------------------------------------------------------

@dataclass(slots=True)
class Child:
    """What runs now, and ends when the gallery is told to stop."""
    process: subprocess.Popen[bytes] | None = None
    is_stopped: bool = False

    def stop(self, _signal: int, _frame: Any) -> None:
        self.is_stopped = True
        if self.process:
            self.process.terminate()

    def run(self, words: Sequence[str | Path], env: dict[str, str] | None = None, is_silent: bool = False) -> int:
        """Its exit status; at once where the gallery was stopped. (A terminal's ^C is for the gallery, which tells the child.)"""
        if self.is_stopped:
            return INTERRUPTED
        self.process = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL if is_silent else None,
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        if self.is_stopped:
            self.process.terminate()
        status = self.process.wait()
        self.process = None
        return status if status >= 0 else 128 - status


def catch_signals(child: Child) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, child.stop)


# --- a quiet machine ----------------------------------------------------------------------------------------------

def machine(command: str) -> list[str]:
    return ['bash', '-c', f'. "$0/lab/machine.sh"; {command}', str(home())]


def cpu_times() -> tuple[list[int], int]:
    """Of all CPUs together: now, busy, steal, own, in ns; and how many there are."""
    words = machine('cpus=$(</sys/devices/system/cpu/online); echo "$(machine_cpu "$cpus") $(machine_cpu_list "$cpus" | wc -w)"')
    *times, cpus = map(int, subprocess.run(words, stdout=subprocess.PIPE, text=True).stdout.split())
    return times, cpus


def await_quiet(child: Child) -> None:
    """Returns when for a while all that runs here took no more CPU time than a cell may lose, or after a signal."""
    last, _ = cpu_times()
    is_said = False
    while not child.is_stopped:
        child.run(machine('sleep 5'), is_silent=True)
        now, cpus = cpu_times()
        percent = round(100 * (now[1] + now[2] - last[1] - last[2]) / cpus / max(now[0] - last[0], 1))
        if percent <= FOREIGN_MOST:
            return
        if not is_said and not child.is_stopped:
            print(f'waiting for a quiet machine: {percent} % of the CPU time is taken, more than {FOREIGN_MOST} %', flush=True)
        is_said, last = True, now


# --- a run --------------------------------------------------------------------------------------------------------

def root_system(root: str) -> str:
    """The name of the system in this root."""
    try:
        text = (Path(root) / 'etc/os-release').read_text(encoding='utf-8', errors='replace')
    except OSError:
        return ''
    found = re.search('^PRETTY_NAME="?([^"\n]*)', text, re.MULTILINE)
    return found[1] if found else ''


def other(g: Gallery, run: Planned) -> str | None:
    """Of a run that is there: what differs from the planned one."""
    facts = read_json(g.made(run) / 'run.json')
    if not facts:
        return None
    command, system = plain_command(facts), (facts.get('lab') or {}).get('server_system')
    system = system if system is not None else 'this machine' if facts.get('state') == 'complete' else ''
    if command != run.command(g.quick):
        return f'is a run of another command, {command}'
    return f'has a server of {system}, not {run.release}' if system and run.release not in system else None


def refused(g: Gallery, run: Planned, root: str) -> tuple[int, str] | None:
    """Why it cannot be measured: an exit status, and words. root: the server's."""
    variable = run.given.split('=')[0]
    if variable and not os.environ.get(variable):
        return MISSING, f'{run.name} needs {variable} ({run.given})'
    why = other(g, run)
    if why:
        return USAGE, f'{g.made(run)} {why}'
    if root and run.release not in root_system(root):
        return USAGE, f'{run.name} needs a server of {run.release}, and {root} is {root_system(root)} ({run.given})'
    return None


def measure(g: Gallery, run: Planned, child: Child) -> int:
    """Measures it, or what it lacks; returns the status. (The run would outlive this program, killed, without a signal.)"""
    root = os.environ.get(ROOT, '') if run.given.startswith(f'{ROOT}=') else ''  # else another run's
    why = refused(g, run, root)
    if why:
        warn(why[1])
        return why[0]
    folder = g.made(run)
    state = read_json(folder / 'run.json').get('state') or ''
    if state == 'complete':
        return 0
    if g.when_quiet:
        await_quiet(child)
    if child.is_stopped:
        return 0
    words = ['--resume'] if state else [*run.options.split(), *['--quick'] * g.quick, '-o']
    print(f'\n== {run.name}: {run.command(g.quick)}', flush=True)
    return child.run(['setpriv', '--pdeathsig', 'TERM', home() / 'experiments/engine/run.sh', run.experiment, *words, folder],
                     {**os.environ, ROOT: root})


def measure_all(g: Gallery, chosen: Sequence[Planned]) -> int:
    child, lost = Child(), []
    catch_signals(child)
    for run in chosen:
        status = measure(g, run, child)
        if child.is_stopped or status == INTERRUPTED:
            warn(f'interrupted; go on with: {g.go_on()}')
            return INTERRUPTED
        if read_json(g.made(run) / 'run.json').get('state') == 'complete' and not other(g, run):
            keep(g, run)
            write_pages(g)
        else:
            lost.append(f'{run.name} (exit status {status})')
    if lost:
        warn(f'not kept: {", ".join(lost)}; mend what they said, or remove their folders in {g.made(chosen[0]).parent} to begin '
             f'anew, then: {g.go_on()}')
        return NOT_KEPT
    print(f'Gallery: {g.page()}')
    return 0
