# SPDX-License-Identifier: GPL-3.0-or-later
"""sessmem - the memory of a login, process by process, read twice to tell how much it changes meanwhile. proc.py reads /proc."""
import os
import signal
from collections.abc import Sequence
from errno import ENOENT, EPROTO, ESRCH
from functools import partial
from itertools import chain
from math import inf
from time import monotonic, monotonic_ns
from typing import Any, NamedTuple

from analysis import proc, report, words
from analysis.command import LOSSY, OK, Given, Option, Stop, Usage, parse
from analysis.proc import Group, Memory, Process
from analysis.report import Report, real

INTERRUPTED = 130
SECOND_STOP_S = 0.5
NAMED = 4  # processes with a row of their own in the short report
PID_MOST = 2 ** 31 - 1
UNITS = ((1, 'B'), *((1024.0 ** n, f'{letter}iB') for n, letter in enumerate('KMGT', 1)))
memory_text = partial(words.in_unit, units=UNITS)


def read_pids(option: str, text: str) -> list[int]:
    pids = [int(word) if word.isascii() and word.isdigit() else 0 for word in text.split(',')]
    if not all(1 <= pid <= PID_MOST for pid in pids):
        raise Usage(f'--{option} {text}: not a list of process ids such as 812,977')
    return pids


OPTIONS = (
    Option('session', 'call', 'these processes, all in sessions that they lead, and all descendants', many=PID_MOST,
           read=partial(read_pids, 'session'), meta='PID,...'),
    Option('cgroup', 'text', 'all processes in this cgroup and below: a folder with a cgroup.procs', meta='FOLDER'),
    Option('pid', 'call', 'only these processes', many=PID_MOST, read=partial(read_pids, 'pid'), meta='PID,...'),
    Option('machine', 'flag', "no processes: only the machine's memory in use"),
    Option('meminfo', 'file', "with --machine: its memory as in this copy of another machine's /proc/meminfo"),
    *report.OPTIONS,
)


class Asked(NamedTuple):
    """The processes that the command line names."""
    session: list[int]
    pid: list[int]
    cgroup: str | None


class Row(NamedTuple):
    """The memory of one process. `takes`: what one more would need, too, that is all but the pages of files."""
    process: Process
    memory: Memory
    page_tables: int | None
    takes: int
    command: str


class Login(NamedTuple):
    """One reading of all processes. `ended`: they wait for their parents; `room`: what limits of groups leave for one more."""
    rows: list[Row]
    vanished: int = 0
    unreadable: int = 0
    ended: int = 0
    room: float = inf
    changed: int = 0  # bytes by which private memory differs from the reading before
    read_ns: int = 0  # duration of both readings

    def total(self) -> Memory:
        total = Memory()
        for row in self.rows:
            total = total.plus(row.memory)
        return total


# --- reading ------------------------------------------------------------------------------------------------------

def catch_stop() -> list[float]:
    """A list that a signal to stop fills, so that the reading ends early. A second signal, not at once, ends the program."""
    stops: list[float] = []

    def stop(number: int, _frame: Any) -> None:
        stops.append(monotonic())
        if stops[-1] - stops[0] > SECOND_STOP_S:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # as nohup wants it
            signal.signal(number, stop)
    return stops


def find_login(asked: Asked) -> list[Process]:
    """The processes of the login now, by pid, without this one."""
    try:
        processes = proc.read_processes()
    except OSError as e:
        raise Stop(f'cannot read /proc: {e.strerror}') from None
    try:
        listed = proc.group_pids(asked.cgroup) if asked.cgroup else []
    except OSError as e:
        why = 'no cgroup.procs there' if e.errno == ENOENT else e.strerror
        raise Stop(f'{asked.cgroup}: {why}; name the folder of a control group') from None
    found = proc.members(processes, asked.session) | {*listed, *asked.pid}
    return [p for p in processes if p.pid in found and p.pid != os.getpid() and not p.is_kernel()]


def read_row(process: Process) -> Row | str:
    """The process, or the word for why it has no row."""
    folder = f'{proc.PROC}/{process.pid}'
    if process.state == 'Z':
        return 'ended'
    now = proc.read_process(process.pid)
    if not now or now.start != process.start:  # another process may have the pid by now
        return 'vanished'
    try:
        memory = proc.parse_smaps(proc.read_bytes(f'{folder}/smaps'))
    except OSError as e:
        return 'vanished' if e.errno in (ENOENT, ESRCH) else 'unreadable'
    except ValueError:
        return 'unreadable'
    if not memory:  # it is ending: it has released its memory
        return 'ended'
    nonfile = proc.nonfile_pss(proc.read_entries(f'{folder}/smaps_rollup'))
    return Row(process, memory, proc.read_entries(f'{folder}/status').get('VmPTE:'),
               (memory.private_dirty if nonfile is None else nonfile) + memory.swap_pss, proc.read_command(process.pid))


def read_limits(asked: Asked, group: Group | None, processes: Sequence[Process]) -> float:
    """Those of the groups above the group of --cgroup if it is a memory group, else those of the processes' groups and above."""
    if group:
        return proc.limit_room(os.path.realpath(f'{asked.cgroup}/..'))
    return proc.groups_room(p.pid for p in processes)


def read_login(asked: Asked, group: Group | None, stops: list[float]) -> Login:
    """Reads all processes of the login once."""
    processes = find_login(asked)
    read = []
    for process in processes:
        if stops:
            break
        read.append(read_row(process))
    return Login([row for row in read if isinstance(row, Row)], read.count('vanished'), read.count('unreadable'),
                 read.count('ended'), read_limits(asked, group, processes))


def changed_bytes(a: Login, b: Login) -> int:
    """Bytes by which the private memory of processes differs; a process in only one reading counts with all of it."""
    one, other = ({row.process.pid: row.memory.private() for row in login.rows} for login in (a, b))
    return sum(abs(one.get(pid, 0) - other.get(pid, 0)) for pid in {*one, *other})


def read_twice(asked: Asked, group: Group | None, stops: list[float]) -> Login:
    since = monotonic_ns()
    first, second = read_login(asked, group, stops), read_login(asked, group, stops)
    return second._replace(changed=changed_bytes(first, second), read_ns=monotonic_ns() - since)


def read_machine(path: str) -> dict[str, int]:
    try:
        machine = proc.machine_use(proc.read_text(path))
    except OSError as e:
        raise Stop(f'cannot read {path}: {e.strerror}') from None
    if not machine:
        raise Stop(f'cannot read {path}: {os.strerror(EPROTO)}')
    return machine


# --- the report ---------------------------------------------------------------------------------------------------

def count(value: float | None) -> float | None:
    return None if value is None or value < 0 else value


def figures(m: Memory, before: str = '') -> dict[str, int]:
    values = {'private': m.private(), 'private_dirty': m.private_dirty, 'swap': m.swap, 'private_clean': m.private_clean,
              'pss': m.pss, 'swap_pss': m.swap_pss, 'shared': m.shared_clean + m.shared_dirty, 'rss': m.rss}
    return {f'{before}{name}_bytes': value for name, value in values.items()}


def process_row(row: Row) -> dict[str, Any]:
    p = row.process
    return {'name': p.name, 'pid': p.pid, 'ppid': p.ppid, 'session': p.session, 'threads': p.threads, **figures(row.memory),
            'page_tables_bytes': row.page_tables, 'command': row.command or None}


def login_tree(s: Login) -> dict[str, Any]:
    tables = [row.page_tables for row in s.rows]
    return {'processes': [process_row(row) for row in s.rows], 'processes_read': len(s.rows), **figures(s.total(), 'total_'),
            'total_page_tables_bytes': None if None in tables else sum(n or 0 for n in tables),
            'vanished': s.vanished, 'unreadable': s.unreadable, 'ended': s.ended, 'changed_bytes': s.changed,
            'exact': not s.changed, 'read_ms': real(s.read_ns / 1e6, 3)}


def say_processes(out: Report, s: Login) -> None:
    table = out.table('lrrr', 'process', 'private', 'of it swapped', 'shared*')

    def say(name: str, m: Memory, *note: str) -> None:
        table.row(name, memory_text(m.private()), memory_text(m.swap), memory_text(m.pss - m.private_dirty - m.private_clean),
                  *note)

    rows = sorted(s.rows, key=lambda row: -row.memory.private())
    named = len(rows) if len(rows) <= NAMED + 1 else NAMED
    for row in rows[:named]:
        say(row.process.name, row.memory)
    if rows[named:]:
        say(f'{len(rows) - named} more', Login(rows[named:]).total())
    if len(rows) > 1:
        say('total', s.total(), '*fair share of it')


def say_room(out: Report, s: Login, available: int, group: Group | None) -> None:
    """What one more takes: what its processes map, or what its group is charged for, if that is more."""
    room, takes = min(s.room, available), sum(row.takes for row in s.rows)
    if group:
        takes = max(takes, int(group.anonymous + group.shared_memory + (group.swap or 0)))
    if takes > 0:
        out.say(f'One more takes at least {memory_text(takes)}; {memory_text(room)} are free'
                f'{" within the limits of memory groups" if room < available else ""}: '
                f'room for at most {words.count(int(room) // takes)}, by memory alone.')


def say_login(out: Report, s: Login, available: int, group: Group | None) -> None:
    if s.unreadable:
        out.warn(f'{s.unreadable} of {s.unreadable + len(s.rows)} processes may not be read; '
                 + ('as root they may' if os.geteuid() else 'this root lacks CAP_SYS_PTRACE (a container)'))
    if s.vanished:
        out.warn(f'{s.vanished} processes ended while they were read')
    say_processes(out, s)
    if s.changed:
        out.say(f'Sums are not exact: private memory changed by {memory_text(s.changed)} between two readings.')
    if not s.unreadable and not s.vanished:
        say_room(out, s, available, group)


def say_machine(out: Report, m: dict[str, int]) -> None:
    text = {name.removesuffix('_bytes'): memory_text(value) for name, value in m.items()}
    out.say(f'{text["used"]} of {text["total"]} in use: processes {text["processes"]}, kernel {text["kernel"]}')
    out.say(f'{text["available"]} available, {text["file_cache"]} of file cache; {text["swap"]} in swap')


# --- the program --------------------------------------------------------------------------------------------------

def require_live_processes(asked: Asked) -> None:
    for pid in (*asked.session, *asked.pid):
        process = proc.read_process(pid)
        if not process:
            raise Stop(f'there is no process {pid} (any more)')
        if pid in asked.pid and (process.state == 'Z' or process.is_kernel()):
            raise Stop(f'process {pid} has no memory: it '
                       + ('has ended and waits for its parent' if process.state == 'Z' else 'is a kernel thread'))


def read_options(argv: list[str]) -> Given:
    given = parse(argv, 'sessmem --session PID,... | --cgroup FOLDER | --pid PID,... [options]',
                  'Reports the memory of a login, process by process: private, shared and fair share.', OPTIONS)
    given.refuse_operands(0)
    named = given['session'] or given['pid'] or given['cgroup']
    if not named and not given['machine']:
        raise Usage('no processes named: give --session PID, --cgroup FOLDER or --pid PID')
    if named and given['machine']:
        raise Usage('--machine measures no processes: leave --session, --cgroup and --pid out')
    if given['meminfo'] and not given['machine']:
        raise Usage('--meminfo is for --machine')
    return given


def measure(given: Given, asked: Asked, stops: list[float]) -> tuple[Login, dict[str, int], Group | None]:
    machine = read_machine(given['meminfo'] or f'{proc.PROC}/meminfo')
    group = proc.read_group(asked.cgroup) if asked.cgroup else None
    if given['machine']:
        return Login([]), machine, group
    login = read_twice(asked, group, stops)
    if not login.rows and login.unreadable:
        raise Stop(f"none of {login.unreadable} processes may be read; they are somebody else's: run it as root")
    if not login.rows and not asked.cgroup and not stops:
        raise Stop('none of the processes has memory: they have ended, or are kernel threads')
    return login, machine, group


def main(argv: list[str]) -> int:
    given = read_options(argv)
    asked = Asked(list(chain(*given['session'] or ())), list(chain(*given['pid'] or ())), given['cgroup'])
    require_live_processes(asked)
    stops = catch_stop()
    out = Report('sessmem', given)
    login, machine, group = measure(given, asked, stops)
    out.settings = {'session': asked.session, 'cgroup': asked.cgroup, 'pid': asked.pid, 'machine': bool(given['machine']),
                    'page_bytes': os.sysconf('SC_PAGESIZE')}
    out.main_table = 'processes'
    if given['machine']:
        say_machine(out, machine)
    else:
        out.result |= login_tree(login)
        say_login(out, login, machine['available_bytes'], group)
    if group:
        out.result['cgroup'] = {'version': group.version,
                                **{f'{name}_bytes': count(value) for name, value in group._asdict().items() if name != 'version'}}
    out.result['machine'] = machine
    out.close()
    return INTERRUPTED if stops else LOSSY if login.unreadable or login.vanished else OK
