# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kernel tells as text in /proc and in the folders of control groups: processes, their memory, groups and limits.

Sizes are bytes. `proc` is the folder /proc, but for tests."""
import os
import re
from collections.abc import Iterable
from errno import ENODEV, ENOENT
from math import inf
from typing import NamedTuple

PROC = '/proc'
KERNEL_THREAD = 0x200000  # PF_KTHREAD of linux/sched.h
NAME_BYTES = 15  # of a process; those of kernel threads may be longer
COMMAND_BYTES = 255
ENTRY = re.compile(r'^(\S+)[ \t]+(\d+)(?:[ \t]+(\S+))?')


def read_bytes(path: str) -> bytes:
    with open(path, 'rb', buffering=0) as stream:
        return stream.readall() or b''


def read_text(path: str) -> str:
    return read_bytes(path).decode(errors='surrogateescape')


# --- counters -----------------------------------------------------------------------------------------------------

def entries(text: str) -> dict[str, int]:
    """The numbers behind the first words of the lines ("total_swap", "VmSwap:"), in bytes where the line has kB."""
    found = (ENTRY.match(line) for line in text.splitlines())
    return {line[1]: int(line[2]) * (1024 if line[3] == 'kB' else 1) for line in found if line}


def read_entries(path: str) -> dict[str, int]:
    """Those of a file; none if it cannot be read."""
    try:
        return entries(read_text(path))
    except OSError:
        return {}


def read_number(path: str) -> float | None:
    """The number that is all of a file, inf for "max"; None: missing, or no number."""
    try:
        text = read_text(path)
    except OSError:
        return None
    found = re.match(r'\s*\d+', text)
    return inf if text.startswith('max') else int(found[0]) if found else None


# --- processes ----------------------------------------------------------------------------------------------------

class Process(NamedTuple):
    """Values of /proc/PID/stat (proc(5)). `start`: clock ticks since boot, by which a pid that is used again is recognised."""
    pid: int
    name: str
    state: str
    ppid: int
    session: int
    flags: int
    threads: int
    start: int

    def is_kernel(self) -> bool:
        """A kernel thread has no memory of its own."""
        return bool(self.flags & KERNEL_THREAD)


def parse_stat(pid: int, text: bytes) -> Process:
    """ValueError: no such text. The name may contain blanks and brackets."""
    name, cells = text[text.index(b'(') + 1:text.rindex(b')')], text[text.rindex(b')') + 1:].split()
    if len(cells) < 20:
        raise ValueError
    # 3 state, 4 parent, 6 session, 9 flags, 20 threads, 22 start
    return Process(pid, name[:NAME_BYTES].decode(errors='surrogateescape'), cells[0].decode(errors='replace'),
                   *(int(cells[n - 3]) for n in (4, 6, 9, 20, 22)))


def read_process(pid: int, proc: str = PROC) -> Process | None:
    """None: it has ended."""
    try:
        return parse_stat(pid, read_bytes(f'{proc}/{pid}/stat'))
    except (OSError, ValueError):
        return None


def read_processes(proc: str = PROC) -> list[Process]:
    """All there are, by pid; those that end meanwhile are left out."""
    pids = sorted(int(name) for name in os.listdir(proc) if name.isascii() and name.isdigit())
    return [process for process in (read_process(pid, proc) for pid in pids) if process]


def members(processes: Iterable[Process], roots: Iterable[int]) -> set[int]:
    """Pids of a login: of its roots, of every process whose session a root leads, and of every descendant of those.

    A daemon (a session of its own, and its parent has ended) is not found; kernel threads are in no login."""
    some, roots = [p for p in processes if not p.is_kernel()], set(roots)
    found: set[int] = set()
    new = {p.pid for p in some if p.pid in roots or p.session in roots}
    while new:
        found |= new
        new = {p.pid for p in some if p.ppid in new} - found
    return found


def read_command(pid: int, proc: str = PROC) -> str:
    """The command line, words separated by spaces, as much as is shown; empty where there is none or it may not be read."""
    try:
        text = read_bytes(f'{proc}/{pid}/cmdline')[:COMMAND_BYTES]
    except OSError:
        return ''
    return text.rstrip(b'\0').replace(b'\0', b' ').decode(errors='surrogateescape')


class Memory(NamedTuple):
    """Memory of a process, or of several. "Private": mapped once, by this process."""
    rss: int = 0  # the sum of the next four
    private_dirty: int = 0
    private_clean: int = 0
    shared_dirty: int = 0
    shared_clean: int = 0
    pss: int = 0
    swap: int = 0  # of shared memory all its swapped pages
    swap_pss: int = 0

    def private(self) -> int:
        return self.private_dirty + self.swap

    def plus(self, other: 'Memory') -> 'Memory':
        return Memory(*(a + b for a, b in zip(self, other)))


SMAPS = (b'Rss', b'Private_Dirty', b'Private_Clean', b'Shared_Dirty', b'Shared_Clean', b'Pss', b'Swap', b'SwapPss')
SMAPS_LINE = re.compile(rb'^(%s):[ \t]*(\d+) kB$' % b'|'.join(SMAPS), re.M)


def parse_smaps(text: bytes) -> Memory | None:
    """Sums over all mappings of an smaps text; None: an empty one, of a process that is ending. ValueError: another text.

    The kernel cuts PSS to kB in every mapping: sums may be below those of smaps_rollup by up to 1 kB for each."""
    kb = dict.fromkeys(SMAPS, 0)
    found = SMAPS_LINE.findall(text)
    if text and not found:
        raise ValueError
    for name, number in found:
        kb[name] += int(number)
    return Memory(*(n * 1024 for n in kb.values())) if text else None


def nonfile_pss(rollup: dict[str, int]) -> int | None:
    """PSS without the pages of files, from the entries of smaps_rollup; None: the kernel does not tell."""
    parts = [rollup.get(name) for name in ('Pss_Anon:', 'Pss_Shmem:')]
    return None if parts[0] is None or parts[1] is None else parts[0] + parts[1]


# --- memory of the machine, and of groups -------------------------------------------------------------------------

NEEDED = ('MemTotal', 'MemAvailable', 'MemFree', 'Buffers', 'Cached', 'Shmem', 'SReclaimable', 'AnonPages')
KERNEL = ('SUnreclaim', 'KernelStack', 'PageTables', 'SecPageTables', 'Percpu')  # not every kernel has these


def machine_use(meminfo: str) -> dict[str, int] | None:
    """Memory in use, from the text of /proc/meminfo; None: another text.

    `used`: what cannot be dropped at once, that is all but free memory, file cache and reclaimable slabs; shared memory (also
    tmpfs) is in it. The file cache is not."""
    of = {name.removesuffix(':'): value for name, value in entries(meminfo).items()}
    if not all(name in of for name in NEEDED):
        return None
    cache = of['Buffers'] + of['Cached'] - of['Shmem']
    return {'total_bytes': of['MemTotal'], 'used_bytes': of['MemTotal'] - of['MemFree'] - of['SReclaimable'] - cache,
            'processes_bytes': of['AnonPages'] + of['Shmem'], 'kernel_bytes': sum(of.get(name, 0) for name in KERNEL),
            'file_cache_bytes': cache, 'available_bytes': of['MemAvailable'],
            'swap_bytes': of.get('SwapTotal', 0) - of.get('SwapFree', 0)}


class Group(NamedTuple):
    """The charge of a memory group of version 1 or 2, with the groups below it; None: not known. A page of a file is charged to
    the group that used it first."""
    version: int
    charged: float
    anonymous: int
    shared_memory: int
    kernel: float | None
    file_cache: int
    swap: float | None


def read_group(folder: str) -> Group | None:
    """None: no group of the memory controller, or its account lacks what every kernel has."""
    charged, version = read_number(f'{folder}/memory.usage_in_bytes'), 1
    if charged is None:
        charged, version = read_number(f'{folder}/memory.current'), 2
    stat = read_entries(f'{folder}/memory.stat')
    parts = [stat.get(name) for name in (('total_rss', 'total_shmem', 'total_cache') if version == 1
                                         else ('anon', 'shmem', 'file'))]
    anonymous, shared, files = parts
    if charged is None or anonymous is None or shared is None or files is None:
        return None
    kernel = read_number(f'{folder}/memory.kmem.usage_in_bytes') if version == 1 else stat.get('kernel')
    swap = stat.get('total_swap') if version == 1 else read_number(f'{folder}/memory.swap.current')
    return Group(version, charged, anonymous, shared, kernel, files - shared, swap)


LIMITS = (  # of each version: limits, the charge, and what of it can be dropped
    (('memory.limit_in_bytes',), 'memory.usage_in_bytes', ('total_active_file', 'total_inactive_file')),
    (('memory.max', 'memory.high'), 'memory.current', ('active_file', 'inactive_file', 'slab_reclaimable')),
)


def limit_room(folder: str) -> float:
    """The least that the memory limits of a group and of those above it leave, file and kernel caches included; inf: no limit.

    (Above memory.high the kernel slows down what allocates.)"""
    parts, room = folder.rstrip('/').split('/'), inf
    for n in range(len(parts), 0, -1):
        at = '/'.join(parts[:n])
        for limits, charge, caches in LIMITS:
            least = min((n for n in (read_number(f'{at}/{name}') for name in limits) if n is not None), default=inf)
            if least < inf:
                stat = read_entries(f'{at}/memory.stat')
                used = (read_number(f'{at}/{charge}') or 0) - sum(stat.get(name, 0) for name in caches)
                room = min(room, max(0, min(least, stat.get('hierarchical_memory_limit', inf)) - max(0, used)))
    return room


def group_pids(folder: str) -> list[int]:
    """The pids of the processes in a group and in all groups below it. OSError: it is none."""
    pids = [int(number) for number in read_bytes(f'{folder}/cgroup.procs').split()]
    with os.scandir(folder) as found:
        below = [entry.path for entry in found if entry.is_dir(follow_symlinks=False) and not entry.name.startswith('.')]
    for path in below:
        try:
            pids += group_pids(path)
        except OSError as e:
            if e.errno not in (ENOENT, ENODEV):  # the group was removed meanwhile
                raise
    return pids


def memory_mount(mounts: str) -> str | None:
    """The mount point of memory groups, from the text of /proc/self/mounts: of version 1, else of version 2."""
    second = None
    for line in mounts.splitlines():
        _, place, kind, options = line.split(' ')[:4]
        place = re.sub(r'\\([0-7]{3})', lambda found: chr(int(found[1], 8)), place)
        if kind == 'cgroup' and 'memory' in options.split(','):
            return place
        if kind == 'cgroup2' and not second:
            second = place
    return second


def memory_group(cgroup: str) -> str | None:
    """The memory group of a process, from the text of /proc/PID/cgroup: of version 1 ("7:memory:/a/b"), else of version 2
    ("0::/a/b")."""
    lines = [line.split(':', 2) for line in cgroup.splitlines()]
    named = {name: parts[2] for parts in reversed(lines) if len(parts) == 3 for name in parts[1].split(',')}
    return named.get('memory', named.get(''))


def groups_room(pids: Iterable[int], proc: str = PROC) -> float:
    """What the limits of these processes' groups leave; inf: no limit."""
    mount = memory_mount(read_text(f'{proc}/self/mounts'))
    groups = set()
    for pid in pids if mount else ():
        try:
            groups.add(memory_group(read_text(f'{proc}/{pid}/cgroup')))
        except OSError:
            continue
    return min((limit_room(f'{mount}{group}') for group in groups if group is not None), default=inf)
