# SPDX-License-Identifier: GPL-3.0-or-later
"""warm.py TREE: runs programs of TREE/analysis in children of a process that has read its modules (tests/warm.bash asks it).

Each line of standard input names a pipe. Beside it, PIPE.ask says what to run, each word with a NUL: the asking process, its
folder, how many words follow, the words (a program of bin, or a script, and its arguments), then the environment. The child has
standard input, output and error of that process. The pipe gets its exit status."""
import os
import runpy
import subprocess
import sys
from importlib import import_module
from pathlib import Path

MAIN = ('commands.report', 'commands.fail', 'summarize')


def read_modules(tree: Path) -> None:
    sys.path += [str(tree), *(str(kit) for kit in sorted(tree.glob('kits/[!.]*')))]
    sys.thinprobe_version = 'warm'
    for name in (*MAIN, 'kept', 'engine', 'table_file', 'samples', *(path.stem for path in tree.glob('analysis/*_columns.py'))):
        import_module(f'analysis.{name}')


def take_streams(pid: str) -> None:
    """Those of the asking process; of a file from where it stands, so one file takes the output of one program."""
    for n in range(3):
        try:
            at = dict(line.split(':\t') for line in Path(f'/proc/{pid}/fdinfo/{n}').read_text().splitlines()[:2])
            opened = os.open(f'/proc/{pid}/fd/{n}', int(at['flags'], 8) & (os.O_ACCMODE | os.O_APPEND))
            if int(at['pos']):
                os.lseek(opened, int(at['pos']), os.SEEK_SET)
        except OSError:
            opened = os.open('/dev/null', os.O_RDWR)
        if opened != n:
            os.dup2(opened, n)
            os.close(opened)


def start(words: list[str]) -> None:
    sys.argv = words
    if '/' in words[0]:
        runpy.run_path(words[0], run_name='__main__')
        raise SystemExit(0)
    name = next((main for main in MAIN if main.rpartition('.')[2] == words[0]), words[0])
    import_module('analysis.command').run(name)


def in_child(work) -> int:
    """Exit status of a child that does this work."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    status = 1
    try:
        work()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except OSError:
                status = status or 120
        os._exit(status)


def summarize(folder: Path) -> None:
    """What analysis/kept.py does by another program."""
    words = ['summarize', '--format', 'json', '-o', str(folder / 'summary.json'), str(folder)]
    out, into = os.pipe()

    def work() -> None:
        os.dup2(into, 2)
        start(words)

    status = in_child(work)
    os.close(into)
    with open(out, errors='replace') as said:
        first = said.readline()
    if status not in (0, 3):
        raise import_module('analysis.command').Stop(first.rstrip('\n').removeprefix('summarize: '))


def answer(pipe: str) -> None:
    pid, folder, n, *more = Path(f'{pipe}.ask').read_bytes().split(b'\0')[:-1]
    words, environment = [os.fsdecode(word) for word in more[:int(n)]], more[int(n):]

    def work() -> None:
        take_streams(pid.decode())
        os.chdir(folder)
        os.environb.clear()
        os.environb.update(entry.split(b'=', 1) for entry in environment)
        start(words)

    status = in_child(work)
    try:
        told = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        os.write(told, b'%d\n' % (status if status >= 0 else 128 - status))
        os.close(told)
    except OSError:
        pass  # it has ended meanwhile


read_modules(Path(sys.argv[1]))
import_module('analysis.kept').summarize = summarize
for line in sys.stdin:
    answer(line.rstrip('\n'))
