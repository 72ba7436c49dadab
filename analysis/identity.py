# SPDX-License-Identifier: GPL-3.0-or-later
"""What in the files of a run names people and machines, and other words in its place. A file is JSON (*.json), or else a table.
Texts and their values are as text stands in JSON. Pure."""
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

KINDS = ('host', 'user', 'title', 'address', 'interface', 'command', 'path', 'folder', 'machine', 'text')
TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(?=([ \t]*:)?)|[\[{}\]]')
IPV4 = re.compile('(?<![0-9])[0-9]+[.][0-9]+[.][0-9]+[.][0-9]+')
COLONS = re.compile('(?<![0-9A-Fa-f])[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:]*')
PATH = re.compile(r'''/[^][ \t"'\\,:;()<>|*=]+''')
SYSTEM = re.compile('/(usr|lib[0-9]*|bin|sbin|etc|dev|proc|sys)/|/var/tmp$')
NOBODY = ('', '-', 'lo', 'localhost')
LETTER = 'A-Za-z0-9_\x80-\U0010ffff'


class Named(NamedTuple):
    """place: where the value stands."""
    kind: str
    value: str
    place: str


# --- texts of a file ----------------------------------------------------------------------------------------------

def each_text(file: str, data: str, change: Callable[[str, str, str], str]) -> str:
    """The file with each of its texts changed: change(text, path, key). (What is measured is no text, and stays as it is.)"""
    if not file.endswith('.json'):
        return '\n'.join(change(line, '', '') for line in data.split('\n'))
    names: list[str] = []

    def token(found: re.Match[str]) -> str:
        text = found[1]
        if text is None:
            if found[0] in '{[':
                names.append('')
            elif names:
                names.pop()
            return found[0]
        path, key = '', ''
        if found[2] is not None:
            if names:
                names[-1] = text
        else:
            known = [name for name in names if name]
            path, key = '.'.join(known), known[-1] if known else ''
        return f'"{change(text, path, key)}"'

    return TOKEN.sub(token, data)


@lru_cache(10000)  # (files of repeats have the same keys)
def kind_of(is_run: bool, path: str, key: str) -> str:
    """What its key says that a text is; '': nothing. is_run: it is in run.json."""
    if re.fullmatch('(.*_)?host(name)?', key) or path in ('lab.server', 'lab.client', 'lab.listener'):
        return 'host'
    if key == 'hosts' or re.search(r'(^|\.)settings\.clients$|^sweep\.from$', path):
        return 'hosts'
    if re.search(r'(^|\.)settings\.(on|to|server|target|listen|bind)$|^protocol\.server$|^sweep\.on$', path):
        return 'on'
    if re.fullmatch('(user|login)(name|_name)?', key):
        return 'user'
    if path == 'command' or re.search(r'(^|\.)settings\.(set_load|before|hog|own_display)$', path):
        return 'command'
    if key == 'interface' or path in ('lab.link', 'lab.capture'):
        return 'interface'
    if re.fullmatch('(.*_)?title', key):
        return 'title'
    return key if key in ('machine', 'says') else 'text' if is_run and path.startswith('settings.') else ''


# --- what they name -----------------------------------------------------------------------------------------------

Found = Iterator[tuple[str, str]]  # kind, value


def host(text: str) -> Found:
    """[USER@]HOST[:PORT]"""
    user, at, rest = text.partition('@')
    if at:
        yield 'user', user
        text = rest
    is_address = re.match(r'[0-9]+\.[0-9]+\.[0-9.]+|[0-9A-Fa-f]*:[0-9A-Fa-f]+:', text)
    if is_address or not re.fullmatch('[A-Za-z0-9_][A-Za-z0-9_.-]*([:%][^ ]*)?', text):
        return
    name = re.sub('[:%].*', '', text)
    yield 'host', name
    if '.' in name:
        yield 'host', name.partition('.')[0]


def vnc_server(text: str) -> Found:
    """Version, size, and the desktop's name."""
    title = re.sub(r'\\"[^"]*$', '', re.sub(r'^[^"]*\\"', '', text))
    yield 'title', title
    if re.fullmatch('[^ ]+@[^ ]+', title):
        yield from host(title)
    if re.fullmatch(r'[^ ]+:[0-9]+ \([^ ]+\)', title):  # HOST:N (USER)
        yield from host(title)
        yield 'user', title.partition('(')[2][:-1]


def machines(text: str) -> Found:
    attached = text.startswith('attach:')
    for i, part in enumerate(text.removeprefix('attach:').split(',')):
        bare = re.sub('^(ssh|vnc|rdp|x11):(//)?', '', part)
        if bare != part or not attached or not i:
            yield from host(bare)
        elif i == 1 and not re.fullmatch('0x[0-9A-Fa-f]+|[0-9]+|pick', bare):
            yield 'title', bare


def interface(text: str, path: str) -> Found:
    parts = text.split(' ')
    if path == 'lab.link':
        yield from (('interface', part) for part in parts[1:4:2])
    elif path != 'lab.capture' or 'listener, ' in text:
        yield 'interface', parts[-1]


def by_kind(kind: str, text: str, path: str) -> Found:
    if kind == 'host':
        yield from host(text)
    elif kind in ('user', 'title', 'machine', 'command'):
        yield kind, text
    elif kind == 'interface':
        yield from interface(text, path)
    elif kind == 'hosts':
        for part in text.split(','):
            yield from () if re.fullmatch('[0-9]+', part) else host(part)
    elif kind == 'on' and re.search(r'\\".*\\"', text):
        yield from vnc_server(text)
    elif kind == 'on' and (':' in text or '@' in text or (path == 'on' or path.endswith('.on')) and text != 'lab'):
        yield from machines(text)
    elif kind == 'text' and re.search('[^A-Za-z0-9_.,:%+=-]', text):
        yield 'text', text
    elif kind == 'text':  # (words that are thinprobe's are left out later)
        yield from (('text', part) for part in re.split('[,:=+]', text) if re.search('[A-Za-z]', part)
                    and not re.fullmatch('[0-9.]+[A-Za-z]*', part))


def folder(text: str) -> Found:
    text = re.sub('^/+', '/', text)
    if not re.match('/[^/]+/.', text) or SYSTEM.match(text):
        return
    whole, cells, _ = text.partition('/cells/')
    whole = whole.rstrip('.')
    parts = whole.split('/')
    if cells:
        yield 'folder', parts[-1]
    if parts[1] in ('home', 'Users') and len(parts) > 2:
        yield 'user', parts[2]
    yield 'path', whole


def address(text: str) -> Found:
    if '.' in text and not re.search(r'^(0|127|255)\.|[3-9][0-9][0-9]|[0-9][0-9][0-9][0-9]', text):
        yield 'address', text
    parts = text[text.startswith(':') and text[1:2] != ':':].split(':')
    text, n, full = ':'.join(parts), len(parts), sum(map(bool, parts))
    if any(len(part) > 4 for part in parts):
        return
    if n == 8 == full or n == 6 and [*map(len,
                                          parts)] == [2] * 6 or n <= 8 and full > 1 and '::' in text and not re.search(':::|::.*::',
                                                                                                                       text):
        yield 'address', text


def standing(text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Those that do not go on a word or a number."""
    return (found for found in pattern.finditer(text) if not re.match('[A-Za-z0-9_.]', text[found.start() - 1:found.start()]))


def by_shape(text: str, path: str, key: str) -> Found:
    """Addresses and folders."""
    if key == 'version' or '.tools.' in path:
        yield 'version', text
    for pattern in (IPV4, COLONS) if text.count('.') > 2 or ':' in text else ():
        for found in standing(text, pattern):
            if not re.match(r'[A-Za-z0-9_]|\.[0-9]', text[found.end():]):
                yield from address(found[0])
    # a file of a run, and nothing else: its folder may have blanks
    is_in_run = re.match(r'/[^/]+/.*/cells/[^ ]*$', text) and ' /' not in text
    if is_in_run or re.fullmatch('file|folder|output|script|trace|traffic', key) and re.match('/[^/]+/', text):
        yield from folder(text)
    elif '/' in text:
        for found in standing(text, PATH):
            yield from folder(found[0])


def names_in(file: str, data: str, run: str) -> list[Named]:
    """run: the run's folder."""
    out: list[Named] = []

    def look(text: str, path: str, key: str) -> str:
        place = file + (f': {path}' if path else '')
        found = [*by_kind(kind_of(file == 'run.json', path, key), text, path), *(folder(f'{run}/cells/') if run in text else ()),
                 *by_shape(text, path, key)]
        out.extend(Named(kind, value, place) for kind, value in found if value not in NOBODY and (kind, value) != ('user', 'root'))
        return text

    each_text(file, data, look)
    return out


def told(found: Iterable[Named]) -> list[tuple[Named, int]]:
    """Each value of a kind once, with how often it is there. (A version is no address, and a time no name of a folder.)"""
    times: dict[tuple[str, str], int] = {}
    first: dict[tuple[str, str], Named] = {}
    for one in found:
        times[one[:2]] = times.get(one[:2], 0) + 1
        first.setdefault(one[:2], one)
    versions = ' '.join(value for kind, value in first if kind == 'version')
    return [(one, times[one[:2]]) for kind in KINDS for one in first.values() if one.kind == kind
            and not (kind == 'address' and one.value in versions)
            and not (kind == 'folder' and re.fullmatch('[0-9]+-[0-9]+-[0-9]+T[0-9.-]+', one.value))]


# --- other words --------------------------------------------------------------------------------------------------

def stand_in(kind: str, value: str, n: int, words: Mapping[str, str]) -> str:
    """The word number n of a kind. words: of values in lower case that have one."""
    if kind == 'path':
        home = re.match('(/(?:home|Users))/([^/]*)(/.)?', value)
        if not home:
            return f'/path-{n}'
        return f'{home[1]}/{words.get(home[2].lower(), f"user-{n}")}' + (f'/path-{n}' if value.count('/') > 2 else '')
    if kind != 'address':
        return f'{kind}-{n}'
    if '.' in value:
        return f'192.0.2.{n}' if n < 255 else f'198.18.{n // 256}.{n % 256}'
    return f'00:00:5e:00:53:{n:02x}' if re.fullmatch('(..:){5}..', value) else f'2001:db8::{n:x}'


@dataclass(slots=True)
class Words:
    """Words for values, none of which is itself a value."""
    taken: set[str]
    words: dict[str, str]
    last: dict[str, int]

    def word(self, kind: str, value: str) -> str:
        word = self.words.get(value.lower(), '')
        while not word:
            self.last[kind] = self.last.get(kind, 0) + 1
            word = stand_in(kind, value, self.last[kind], self.words)
            word = '' if word in self.taken else word
        self.words[value.lower()] = word
        self.taken.add(word)
        return word


class Change(NamedTuple):
    """where: 2: as a whole word in all texts, also in other letter case; 1: in the same; 0: only where the key says what the text
    is."""
    value: str
    word: str
    where: int


def whole_word(change: Change) -> str:
    """A pattern: neither a letter nor a digit joins it before or behind (\\n is none), nor another number those of an address."""
    value = change.value
    before = rf'(?:(?<![{LETTER}])|(?<=(?<!\\)\\[bfnrt]))' if re.match(f'[{LETTER}]', value) else ''
    behind = f'(?![{LETTER}])' if re.search(f'[{LETTER}]$', value) else ''
    if re.fullmatch('[0-9.]+', value):
        before, behind = rf'(?<!\.){before}', rf'{behind}(?!\.[0-9])'
    text = re.escape(value)
    return before + (f'(?i:{text})' if change.where == 2 else text) + behind


def replaced_there(text: str, change: Change, kind: str) -> str:
    """The value where a text of this kind has a name: alone, or between the signs that stand beside names."""
    blank = ' ' if kind == 'interface' else ''

    def place(found: re.Match[str]) -> str:
        before, behind = text[:found.start()][-1:], text[found.end():][:1]
        begins = before in '@:,/=%"' + blank if before else not behind or kind != 'on'
        return change.word if begins and (not behind or behind in ':,%/@\\' + blank) else found[0]

    return re.sub(re.escape(change.value), place, text)


def renamed(file: str, data: str, changes: Sequence[Change]) -> str:
    """The file with other words in the place of names."""
    lower = data.lower()
    there = sorted((change for change in changes if change.value.lower() in lower), key=lambda change: -len(change.value))
    named = {change.value: change for change in there if not change.where}
    word = {change.value if change.where == 1 else change.value.lower(): change.word for change in there if change.where}
    if not there:
        return data
    pattern = re.compile('|'.join(whole_word(change) for change in there if change.where) or '(?!)', re.ASCII)

    def change_text(text: str, path: str, key: str) -> str:
        kind = kind_of(file == 'run.json', path, key)
        if kind == 'command' and text in named:
            return named[text].word
        text = pattern.sub(lambda found: word.get(found[0]) or word[found[0].lower()], text)
        for change in named.values() if kind else ():
            text = replaced_there(text, change, kind)
        return text

    return each_text(file, data, change_text)
