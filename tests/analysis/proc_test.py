# SPDX-License-Identifier: GPL-3.0-or-later
"""Accounts of the kernel and tables of processes written by hand, added up by hand; and real ones: this process."""
import os
from math import inf

import pytest

from analysis import proc
from analysis.proc import Memory, Process

MB = 1 << 20


def put(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def process(pid, ppid, session, flags=0):
    return Process(pid, 'x', 'S', ppid, session, flags, 1, 7)


# A login as they are: a door (10) starts a display server (11) and a terminal (12), whose shell (13) leads a session of its own and
# runs an editor (14); a daemon (15) of that session lost its parent; another (16) made a session for itself first. 20 is somebody
# else's; 2 and 21 are the kernel's. The editor stands before its parent.
TABLE = [process(1, 0, 1), process(2, 0, 0, proc.KERNEL_THREAD), process(10, 1, 5), process(11, 10, 5), process(14, 13, 13),
         process(13, 12, 13), process(12, 10, 5), process(15, 1, 13), process(16, 1, 16), process(20, 1, 20),
         process(21, 2, 0, proc.KERNEL_THREAD)]


@pytest.mark.parametrize('roots, found', [
    ([10], {10, 11, 12, 13, 14}),  # a session that 10 is merely in does not pull in its others
    ([12], {12, 13, 14}),
    ([20], {20}),
    ([13], {13, 14, 15}),  # the daemon is still of the session that 13 leads; not the one that left it
    ([10, 13], {10, 11, 12, 13, 14, 15}),
    ([5], {10, 11, 12, 13, 14}),  # the leader has gone, its session is still there
    ([99], set()), ([], set()), ([2], set()),
])
def test_a_login_is_its_sessions_and_descendants(roots, found):
    assert proc.members(TABLE, roots) == found


def test_names_of_processes_may_hold_blanks_and_brackets():
    text = b'42 (a ) (b) R 7 42 40 34816 42 4194304 1 2 3 4 5 6 7 8 20 0 3 0 987 1 2\n'
    assert proc.parse_stat(42, text) == Process(42, 'a ) (b', 'R', 7, 40, 4194304, 3, 987)
    for bad in (b'', b'42 bash R 7', b'42 (bash) R 7 42\n'):
        with pytest.raises(ValueError):
            proc.parse_stat(42, bad)


def test_this_process_is_read():
    me = proc.read_process(os.getpid())
    assert (me.ppid, me.session, me.is_kernel()) == (os.getppid(), os.getsid(0), False)
    assert me.pid in [p.pid for p in proc.read_processes()]
    assert proc.read_process(2 ** 31 - 1) is None
    assert 'python' in proc.read_command(os.getpid()) and proc.read_command(2 ** 31 - 1) == ''
    memory = proc.parse_smaps(proc.read_bytes('/proc/self/smaps'))
    assert memory.rss == memory.private_dirty + memory.private_clean + memory.shared_dirty + memory.shared_clean > 0


def test_sums_of_mappings():
    """A mapping of a file whose name looks like a value, and a heap in swap; lines of kernels that we do not know between."""
    text = (b'55b8fbb8a000-55b8fbbca000 r-xp 00002000 fe:00 247026                     /usr/bin/Rss: 4 kB\n'
            b'Size:                256 kB\nRss:                 200 kB\nPss:                  90 kB\nPss_Dirty:             0 kB\n'
            b'Shared_Clean:        160 kB\nShared_Dirty:          0 kB\nPrivate_Clean:        40 kB\nPrivate_Dirty:         0 kB\n'
            b'Anonymous:             0 kB\nSwap:                  0 kB\nSwapPss:               0 kB\nVmFlags: rd ex mr mw me\n'
            b'56000000a000-56000040a000 rw-p 00000000 00:00 0                          [heap]\n'
            b'Rss:                 512 kB\nPss:                 510 kB\nShared_Clean:          0 kB\nShared_Dirty:          4 kB\n'
            b'Private_Clean:        16 kB\nPrivate_Dirty:       492 kB\nSwap:               3500 kB\nSwapPss:            3400 kB\n')
    kb = dict(rss=712, private_dirty=492, private_clean=56, shared_dirty=4, shared_clean=160, pss=600, swap=3500, swap_pss=3400)
    assert proc.parse_smaps(text) == Memory(**{name: n * 1024 for name, n in kb.items()})
    assert proc.parse_smaps(text).private() == 3992 * 1024
    assert proc.parse_smaps(b'') is None
    with pytest.raises(ValueError):
        proc.parse_smaps(b'nonsense\n')


def test_pss_without_files():
    """As of proc(5); old kernels do not tell the parts."""
    text = ('5617e11c1000-7ffd00a6d000 ---p 00000000 00:00 0                          [rollup]\n'
            'Rss:                1716 kB\nPss:                 221 kB\nPss_Dirty:           112 kB\nPss_Anon:            100 kB\n'
            'Pss_File:            109 kB\nPss_Shmem:            12 kB\nShared_Clean:       1568 kB\nAnonymous:           112 kB\n')
    assert proc.nonfile_pss(proc.entries(text)) == 112 * 1024
    assert proc.nonfile_pss(proc.entries('Pss: 221 kB\nAnonymous: 112 kB\n')) is None
    assert proc.read_entries('/nothing') == {}


def test_memory_of_a_machine():
    """In MB: 1000 there, 300 free, 400 + 20 cached of which 30 shared memory, 50 of slabs can go: 260 are in use."""
    text = ('MemTotal: 1024000 kB\nMemFree: 307200 kB\nMemAvailable: 700000 kB\nBuffers: 20480 kB\nCached: 409600 kB\nSwapCached: '
            '7 kB\nAnonPages: 102400 kB\nShmem: 30720 kB\nSReclaimable: 51200 kB\nSUnreclaim: 20480 kB\nKernelStack: 2048 kB\n'
            'PageTables: 3072 kB\nSecPageTables: 0 kB\nPercpu: 1024 kB\nSwapTotal: 2048 kB\nSwapFree: 1024 kB\nHugePages_Total: '
            '0\n')
    assert proc.machine_use(text) == {
        'total_bytes': 1000 * MB, 'used_bytes': 260 * MB, 'processes_bytes': 130 * MB, 'kernel_bytes': 26 * MB,
        'file_cache_bytes': 390 * MB, 'available_bytes': 700000 * 1024, 'swap_bytes': MB}
    assert proc.machine_use('MemTotal: 1024000 kB\n') is None


def test_charge_of_a_group_of_version_1(tmp_path):
    """The plain lines are of the group alone, those with total_ of all below it, too."""
    assert proc.read_group(str(tmp_path)) is None
    put(tmp_path, 'memory.usage_in_bytes', '1000\n')
    put(tmp_path, 'memory.kmem.usage_in_bytes', '100\n')
    put(tmp_path, 'memory.stat',
        'cache 1\nrss 2\nshmem 3\nswap 4\ntotal_cache 600\ntotal_rss 300\ntotal_rss_huge 9\ntotal_shmem 50\ntotal_swap 70\n')
    assert proc.read_group(str(tmp_path)) == (1, 1000, 300, 50, 100, 550, 70)


def test_charge_of_a_group_of_version_2(tmp_path):
    put(tmp_path, 'memory.current', '5000\n')
    put(tmp_path, 'memory.swap.current', '40\n')
    put(tmp_path, 'memory.stat', 'anon 3000\nfile 1500\nkernel 500\nkernel_stack 16\nshmem 200\nfile_mapped 7\n')
    assert proc.read_group(str(tmp_path)) == (2, 5000, 3000, 200, 500, 1300, 40)
    # a kernel that does not sum up its own part, a group without swap
    (tmp_path / 'memory.swap.current').unlink()
    put(tmp_path, 'memory.stat', 'anon 3000\nfile 1500\nshmem 200\n')
    assert proc.read_group(str(tmp_path)) == (2, 5000, 3000, 200, None, 1300, None)
    put(tmp_path, 'memory.stat', 'file 1500\nshmem 200\n')
    assert proc.read_group(str(tmp_path)) is None


def test_room_within_limits_of_a_group_and_of_those_above(tmp_path):
    put(tmp_path, 'a/memory.max', '1000\n')
    put(tmp_path, 'a/memory.current', '700\n')
    put(tmp_path, 'a/memory.stat', 'active_file 100\ninactive_file 50\nslab_reclaimable 25\n')
    assert proc.limit_room(str(tmp_path / 'a/b')) == 1000 - (700 - 175)
    put(tmp_path, 'a/b/memory.max', 'max\n')
    put(tmp_path, 'a/b/memory.high', '300\n')
    put(tmp_path, 'a/b/memory.current', '290\n')
    assert proc.limit_room(str(tmp_path / 'a/b')) == 10
    put(tmp_path, 'a/b/memory.current', '290000\n')
    assert proc.limit_room(str(tmp_path / 'a/b')) == 0
    assert proc.limit_room(str(tmp_path)) == inf


def test_room_within_the_limit_of_version_1_of_a_group_far_above(tmp_path):
    put(tmp_path, 'memory.limit_in_bytes', '9223372036854771712\n')
    put(tmp_path, 'memory.usage_in_bytes', '700\n')
    put(tmp_path, 'memory.stat', 'hierarchical_memory_limit 1000\ntotal_active_file 100\ntotal_inactive_file 0\n')
    assert proc.limit_room(str(tmp_path)) == 400


def test_processes_of_a_group_and_of_those_below(tmp_path):
    put(tmp_path, 'cgroup.procs', '12\n7\n')
    put(tmp_path, 'below/further/cgroup.procs', '5\n')
    put(tmp_path, 'below/cgroup.procs', '')
    (tmp_path / 'gone').mkdir()
    assert proc.group_pids(str(tmp_path)) == [12, 7, 5]
    with pytest.raises(FileNotFoundError):
        proc.group_pids(str(tmp_path / 'gone'))


def test_groups_of_processes(tmp_path):
    second, first = 'cgroup2 /c\\040d cgroup2 rw 0 0\n', 'cgroup /m cgroup rw,memory 0 0\n'
    assert proc.memory_mount('tmpfs /tmp tmpfs rw 0 0\n' + second) == '/c d'
    assert proc.memory_mount(second + 'cgroup /x cgroup rw,cpu 0 0\n' + first) == '/m'
    assert proc.memory_mount('') is None
    assert proc.memory_group('3:cpu:/q\n7:memory,x:/a:b\n0::/e\n') == '/a:b'
    assert proc.memory_group('3:cpu:/q\n0::/e\n') == '/e'
    assert proc.memory_group('3:cpu:/q\n') is None
    put(tmp_path, 'self/mounts', f'cgroup2 {tmp_path}/cg cgroup2 rw 0 0\n')
    for pid, group, limit in ((5, '/a', 600), (6, '/b', 900)):
        put(tmp_path, f'{pid}/cgroup', f'0::{group}\n')
        put(tmp_path, f'cg{group}/memory.max', f'{limit}\n')
        put(tmp_path, f'cg{group}/memory.current', '100\n')
    assert proc.groups_room([5, 6, 7], str(tmp_path)) == 500
    assert proc.groups_room([6], str(tmp_path)) == 800
