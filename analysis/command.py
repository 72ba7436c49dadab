# SPDX-License-Identifier: GPL-3.0-or-later
"""Command lines as tables of options with units and ranges; one-line errors; exit statuses.

The table drives the parser, the range checks and --help. A program is a module with main(words) -> status; run() starts it.
"""
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from math import fabs, fmod, inf, isfinite
from typing import Any, BinaryIO, NoReturn

from analysis.text import complain, nearest, wrapped

OK, RUN, USAGE, LOSSY, MISSING, WORSE = range(6)  # exit statuses; thinprobe-run(7)
HELP_COLUMN = 32


class Stop(Exception):
    """Ends the program: `status`, after one line that says what is wrong, and the cure. said_by: what begins the line (the
    program)."""

    def __init__(self, text: str, status: int = RUN, said_by: str = ''):
        super().__init__(text)
        self.status, self.said_by = status, said_by


class Usage(Stop):
    """A wrong word on the command line."""

    def __init__(self, text: str):
        super().__init__(text, USAGE)


# what the value of each kind is called in --help, and in errors
KINDS = {
    'flag': ('', ''), 'set': ('', ''),  # `set`: stores `value`
    'int': ('N', 'a whole number'), 'real': ('X', 'a number'), 'percent': ('PERCENT', 'a percentage such as 5 or 5%'),
    'time': ('TIME', 'a time such as 60s, 500ms or 20us'), 'bytes': ('SIZE', 'a size such as 4096, 32K or 1.5G'),
    'text': ('TEXT', ''), 'file': ('FILE', ''), 'word': ('WORD', ''), 'call': ('VALUE', ''), 'gone': ('', ''),
}
NS = {'s': 1e9, 'ms': 1e6, 'us': 1e3, 'ns': 1.0, 'm': 60e9, 'min': 60e9, 'h': 3600e9, 'd': 86400e9}
BYTES = {'': 1.0, 'B': 1.0, **{unit + end: 1024.0 ** n for n, unit in enumerate('KMG', 1) for end in ('', 'B', 'iB')},
         'T': 1024.0 ** 4}
RANGE_UNITS = {'time': {u: NS[u] for u in ('d', 'h', 's', 'ms', 'us', 'ns')}, 'bytes': {u: BYTES[u] for u in 'TGMK'}}


@dataclass(frozen=True, slots=True)
class Option:
    """A row of a table of options. `key`: where its value is stored (its name); `of`: the kinds or commands that have it."""
    name: str
    kind: str
    help: str
    letter: str = ''
    low: float = 0
    high: float = 0
    of: str = ''
    words: Sequence[str] = ()
    read: Callable[[str], Any] | None = None
    meta: str = ''
    key: str = ''
    value: Any = True
    many: int = 0  # most times that it may be given, each a value of a list; 0: the last counts

    def takes_value(self) -> bool:
        return self.kind not in ('flag', 'set')


@dataclass(slots=True)
class Given:
    """What the command line says: values by key, operands in order, and the options that were given."""
    values: dict[str, Any]
    operands: list[str] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)

    def __getitem__(self, key: str) -> Any:
        return self.values.get(key)

    def foreign(self, mode: str) -> Option | None:
        """The first option given, in the table's order, that the command or kind `mode` has not."""
        return next((o for o in self.options if o.of and mode not in o.of.split(', ')), None)

    def refuse_repeated(self) -> None:
        names = [option.name for option in self.options]
        twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if twice:
            raise Usage(f'--{twice} is given twice')

    def refuse_operands(self, most: int) -> None:
        if len(self.operands) > most:
            raise Usage(f'unexpected word {self.operands[most]}')


# --- values -------------------------------------------------------------------------------------------------------

DECIMAL = re.compile(r'[+-]?(?!0[xX])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?')


def decimal(text: str) -> tuple[float, str]:
    """A decimal number at the beginning of the text, and what follows it. ValueError: none; OverflowError: too large."""
    found = DECIMAL.match(text) if text.isascii() else None
    if not found:
        raise ValueError
    value = float(found[0])
    if not isfinite(value):
        raise OverflowError
    return value, text[found.end():]


def real(text: str) -> float:
    value, rest = decimal(text)
    if rest:
        raise ValueError
    return value


def whole(text: str) -> int:
    if not re.fullmatch(r'[+-]?\d+', text, re.ASCII):
        raise ValueError
    value = int(text) if len(text) < 30 else inf
    if not -2 ** 63 <= value < 2 ** 63:
        raise OverflowError
    return int(value)


def with_unit(text: str, units: dict[str, float]) -> int:
    value, unit = decimal(text)
    if unit not in units:
        raise ValueError
    value *= units[unit]
    if not fabs(value) < 9.2e18:
        raise OverflowError
    size, part = divmod(fabs(value), 1)
    return int(size + (part >= 0.5)) * (-1 if value < 0 else 1)  # as C's llround()


class NoUnit(ValueError):
    """A number other than 0 where a time is wanted."""


def nanoseconds(text: str) -> int:
    """A time with its unit, in ns."""
    try:
        bare = real(text)
    except (ValueError, OverflowError):
        return with_unit(text, NS)
    if bare != 0:
        raise NoUnit
    return 0


def bound_text(option: Option, value: float) -> str:
    """A bound of the range in the largest unit in which it is a whole number."""
    for unit, factor in RANGE_UNITS.get(option.kind, {}).items():
        if value and not fmod(fabs(value), factor):
            return f'{value / factor:.15g}{unit}'
    return f'{value:.15g}'


def read_time(option: Option, text: str) -> int:
    try:
        return nanoseconds(text)
    except NoUnit:
        if option.name in ('time', 'seconds'):
            return nanoseconds(text + 's')
        raise Usage(f'--{option.name} {text}: which unit? {text}ms or {text}s') from None


def read_number(option: Option, text: str) -> float:
    kind = option.kind
    value: float
    try:
        if kind == 'percent':
            value, rest = decimal(text)
            if rest not in ('', '%'):
                raise ValueError
        else:
            value = (read_time(option, text) if kind == 'time' else whole(text) if kind == 'int'
                     else with_unit(text, BYTES) if kind == 'bytes' else real(text))
    except OverflowError:
        raise Usage(f'--{option.name} {text}: too large') from None
    except ValueError:
        raise Usage(f'--{option.name} {text}: not {KINDS[kind][1]}') from None
    if (option.low or option.high) and not option.low <= value <= option.high:
        bounds = f'{bound_text(option, option.low)} to {bound_text(option, option.high)}'
        raise Usage(f'--{option.name} {text} is out of range: {bounds}')
    return value


def read_value(option: Option, text: str | None) -> Any:
    name = option.name
    if option.kind == 'gone':
        raise Usage(f'--{name} is gone: {option.help}')
    if text is None:
        return option.value
    if option.kind in ('text', 'file'):
        if not text:
            raise Usage(f'--{name} needs a value')
        return text
    if option.kind == 'word':
        if text not in option.words:
            raise Usage(f'--{name} {text}: not one of {", ".join(option.words)}')
        return text
    if option.kind == 'call':
        assert option.read
        try:
            return option.read(text)
        except NoUnit:
            raise Usage(f'--{name} {text}: which unit? write each time with one, as in 20ms or 20s') from None
        except (ValueError, OverflowError):
            raise Usage(f'--{name} {text}: not {option.meta or "understood"}') from None
    return read_number(option, text)


# --- the line -----------------------------------------------------------------------------------------------------

HELP = Option('help', 'flag', '', 'h')
VERSION = Option('version', 'flag', '', 'V')


def find_long(word: str, options: Sequence[Option]) -> Option:
    """The option of a word such as --name=value: its name, or the beginning of one only."""
    name = word[2:].split('=', 1)[0]
    found = [o for o in options if o.name == name] or [o for o in options if o.name.startswith(name)]
    if len(found) == 1:
        return found[0]
    near = nearest(word.lstrip('-').split('=', 1)[0], [o.name for o in options if o.kind != 'gone' and o not in (HELP, VERSION)])
    raise Usage(f'unknown or ambiguous option {word}' + (f'; did you mean --{near}?' if near else ''))


def split_words(words: Sequence[str], options: Sequence[Option]) -> Any:
    """Yields (option, text or None) as given, and (None, operand)."""
    left = list(reversed(words))
    while left:
        word = left.pop()
        if word == '--':
            yield from ((None, w) for w in reversed(left))
            return
        if word.startswith('--'):
            option = find_long(word, options)
            text = word.split('=', 1)[1] if '=' in word else None
            if text is not None and not option.takes_value():
                raise Usage(f'--{option.name} takes no value')
            if text is None and option.takes_value() and option.kind != 'gone':
                if not left:
                    raise Usage(f'{word} needs a value')
                text = left.pop()
            yield option, text
        elif word.startswith('-') and word != '-':
            yield from split_letters(word, left, options)
        else:
            yield None, word


def split_letters(word: str, left: list[str], options: Sequence[Option]) -> Any:
    for i, letter in enumerate(word[1:], 2):
        option = next((o for o in options if o.letter == letter), None)
        if not option:
            raise Usage(f'unknown option -{letter if letter.isascii() and letter.isprintable() and letter != " " else "?"}')
        if not option.takes_value():
            yield option, None
            continue
        if not word[i:] and not left:
            raise Usage(f'{word} needs a value')
        yield option, word[i:] or left.pop()
        return


def parse(words: Sequence[str], synopsis: str, summary: str, options: Sequence[Option]) -> Given:
    """Reads options anywhere on the line. -h, --help, -V and --version are built in, and end the program."""
    given = Given({})
    for option, text in split_words(words, [*options, HELP, VERSION]):
        if option is None:
            given.operands.append(text)
        elif option is HELP:
            print_and_end(help_text(synopsis, summary, options))
        elif option is VERSION:
            print_and_end(version_text(synopsis.split()[0]))
        else:
            key, value = option.key or option.name, read_value(option, text)
            values = given.values.setdefault(key, []) if option.many else []
            if option.many and len(values) == option.many:
                raise Usage(f'--{option.name} {text}: not {option.meta}')
            values.append(value)
            given.values[key] = values if option.many else value
            given.options.append(option)
    given.options.sort(key=list(options).index)
    return given


# --- help ---------------------------------------------------------------------------------------------------------

def option_help(option: Option) -> str:
    meta = option.meta or KINDS[option.kind][0]
    left = f'  {f"-{option.letter}, " if option.letter else "    "}--{option.name}{f" {meta}" if option.takes_value() else ""}'
    text = (f'{option.of}: ' if option.of else '') + option.help + (f': {", ".join(option.words)}' if option.words else '')
    above, left = (left + '\n', '') if len(left) >= HELP_COLUMN else ('', left)
    return above + wrapped(f'{left:<{HELP_COLUMN}}', text, HELP_COLUMN)


def examples(synopsis: str) -> str:
    """Up to two short commands of the manual's examples; where the synopsis begins with one command of several, of that."""
    tool, *rest = synopsis.split(' ')
    common = f'{tool} {rest[0]}' if rest and rest[0][:1].islower() and ' | ' not in synopsis else tool
    page = next(filter(os.path.isfile, (f'{room}/{tool}.1' for room in sys.modules['analysis'].__path__)), None)
    if not page:
        return ''
    with open(page, encoding='utf-8') as text:
        lines = [line.removeprefix('.Dl ').removesuffix(' &') for line in text.read().partition('.Sh EXAMPLES')[2].splitlines()]
    lines = [line for line in lines if line.startswith(f'thinprobe {common} ') and not set('|"&') & set(line) and len(line) < 77]
    return ''.join(['examples:\n', *(f'    {line}\n' for line in lines[:2])]) if lines else ''


def help_text(synopsis: str, summary: str, options: Sequence[Option]) -> str:
    return ''.join([
        wrapped('usage: thinprobe ', synopsis, 7),
        *(wrapped('', line, len(line) - len(line.lstrip(' '))) for line in summary.split('\n')), '\n',
        *(option_help(o) for o in options if o.kind != 'gone' and o.help),
        '  -h, --help                    print this\n  -V, --version                 print the version\n',
        f'times: 60s 500ms 20us 5m; sizes: 32K 1.5G. Manual: thinprobe help {synopsis.split(" ")[0]}\n', examples(synopsis)])


def version() -> str:
    return str(getattr(sys, 'thinprobe_version', 'unknown'))


def version_text(tool: str) -> str:
    return f'{tool} (thinprobe) {version()}\n'


def print_and_end(text: str) -> NoReturn:
    try:
        write_all(1, text)
    except OSError as e:
        raise Stop(f'cannot write to standard output: {e.strerror}') from None
    raise SystemExit(OK)


# --- files, and the program itself --------------------------------------------------------------------------------

def write_all(descriptor: int, text: str) -> None:
    data = memoryview(text.encode(errors='surrogateescape'))
    while data:
        data = data[os.write(descriptor, data):]


def open_input(file: str) -> BinaryIO:
    """An input file, or standard input for -."""
    try:
        return open(0, 'rb', closefd=False) if file == '-' else open(file, 'rb')
    except OSError as e:
        raise Stop(f'cannot read {file}: {e.strerror}') from None


def occupy_descriptors() -> None:
    """No file that is opened becomes standard output or error: it would get their text. (Read-only: a report there still fails.)"""
    while (descriptor := os.open('/dev/null', os.O_RDONLY)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def run(name: str) -> NoReturn:
    """Runs the program or command of that name (a module of analysis), and ends as it ends: each error is one line."""
    tool = name.removeprefix('commands.')
    said_by = tool if tool == name else 'thinprobe' if tool in ('report', 'fail', 'gallery', 'tried') else f'thinprobe: {tool}'
    for number in (signal.SIGINT, signal.SIGPIPE):
        if signal.getsignal(number) != signal.SIG_IGN or number == signal.SIGPIPE:
            signal.signal(number, signal.SIG_DFL if number == signal.SIGINT else signal.SIG_IGN)
    os.environ['LC_ALL'] = 'C.UTF-8'  # of gnuplot and others, which would warn of a degree sign and sort names otherwise
    occupy_descriptors()
    try:
        raise SystemExit(import_module(f'analysis.{name}').main(sys.argv[1:]))
    except Stop as stop:
        complain(stop.said_by or said_by, f'{stop} (see thinprobe {tool} --help)' if isinstance(stop, Usage) else str(stop))
        status = stop.status
    except MemoryError:
        complain(said_by, 'out of memory')
        status = RUN
    raise SystemExit(status)
