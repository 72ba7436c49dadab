# SPDX-License-Identifier: GPL-3.0-or-later
"""Command lines: options anywhere, values with units and ranges, and one-line errors."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

from analysis import command
from analysis.command import Option, Usage, parse

OPTIONS = (
    Option('count', 'int', 'how many (3)', letter='n', low=1, high=100),
    Option('time', 'time', 'how long (1s)', letter='t', low=1e6, high=3600e9),
    Option('limit', 'time', 'at most (1s)', low=1e6, high=86400e9),
    Option('share', 'percent', 'of all (5)', low=0, high=100),
    Option('size', 'bytes', 'of a block (4K)', low=512, high=1024 ** 3),
    Option('colour', 'word', 'of it (red)', words=('red', 'green')),
    Option('column', 'text', 'its name', of='show, count'),
    Option('json', 'set', 'as JSON', key='format', value='json'),
    Option('all', 'flag', 'everything', letter='a'),
    Option('old', 'gone', 'say --count'),
)


def given(*words):
    return parse(words, 'tool FILE [options]', 'Does it.', OPTIONS)


def test_options_stand_anywhere():
    got = given('one', '--count=5', '-t', '20ms', '--', '--all')
    assert got.operands == ['one', '--all'] and got['count'] == 5 and got['time'] == 20_000_000 and got['all'] is None
    assert given('-an7', 'x', '-', '--json')['count'] == 7
    assert given('--cou', '9')['count'] == 9
    assert given('--json')['format'] == 'json'


@pytest.mark.parametrize('option, text, value', [
    ('time', '5m', 300e9), ('time', '1.5s', 1.5e9), ('time', '2', 2e9), ('limit', '20us', None), ('limit', '1min', 60e9),
    ('share', '5%', 5),
    ('share', '.5', 0.5), ('size', '4K', 4096), ('size', '1KiB', 1024), ('size', '1.5MB', 1572864), ('size', '600B', 600),
    ('count', '+7', 7), ('count', '7x', None), ('count', '0x10', None), ('count', '', None), ('count', '9' * 30, None),
    ('count', '٣', None),
    ('share', 'nan', None), ('share', 'inf', None), ('share', '1e999', None), ('limit', '5', None), ('size', '4k', None),
    ('count', '101', None),
])
def test_values_with_units_and_ranges(option, text, value):
    if value is None:
        with pytest.raises(Usage, match=f'--{option}'):
            given(f'--{option}', text)
    else:
        assert given(f'--{option}', text)[option] == value


@pytest.mark.parametrize('words, names', [
    (['--colour', 'blue'], 'red, green'), (['--clour', 'red'], '--colour'), (['--co', '5'], '--co'), (['--all=yes'], '--all'),
    (['-x'], '-x'),
    (['--column', ''], '--column'), (['--count'], '--count'), (['--old'], '--count'), (['--count', '0'], '1 to 100'),
    (['--limit', '25h'], '1ms to 1d'),
])
def test_errors_name_the_word_and_the_cure(words, names):
    with pytest.raises(Usage) as stop:
        given(*words)
    assert names in str(stop.value) and stop.value.status == 2


def test_options_of_another_kind():
    assert given('--column', 'x').foreign('show') is None
    assert given('--column', 'x', '--all').foreign('list').name == 'column'


def start(*words, **kwargs):
    """A program in a process of its own."""
    top = Path(command.__file__).parents[1]
    code = f'import sys; sys.path.append({str(top)!r}); sys.thinprobe_version = "1"; from analysis.command import run; run("score")'
    return subprocess.run([sys.executable, '-IBS', '-c', code, *words], capture_output=True, text=True, **kwargs)


def test_a_program_ends_with_one_line():
    wrong = start('--bogus\x1b[31m')
    assert wrong.returncode == 2 and wrong.stderr.count('\n') == 1 and '\x1b' not in wrong.stderr and not wrong.stdout
    missing = start('/nonexistent/\udcff')
    assert missing.returncode == 1 and missing.stderr.count('\n') == 1 and missing.stderr.startswith('score: ')
    assert start('--help').returncode == 0 and start('--version').stdout.endswith(' 1\n')


def test_what_cannot_be_written_is_an_error():
    with open('/dev/full', 'w') as full:
        code = 'import sys, os; os.dup2(int(sys.argv[1]), 1); os.execv(sys.argv[2], sys.argv[2:])'
        top = str(Path(command.__file__).parents[1])
        program = f'import sys; sys.path.append({top!r}); from analysis.command import run; run("score")'
        said = subprocess.run([sys.executable, '-c', code, str(full.fileno()), sys.executable, '-IBS', '-c', program, '--help'],
                              capture_output=True, text=True, pass_fds=[full.fileno()])
    assert said.returncode == 1 and said.stderr.count('\n') == 1


def test_no_file_becomes_standard_error():
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(2)
        command.occupy_descriptors()
        os.write(write, b'y' if os.open('/dev/null', os.O_RDONLY) > 2 else b'n')
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 1) == b'y'
