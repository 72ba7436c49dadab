# SPDX-License-Identifier: GPL-3.0-or-later
"""Text for terminals: what may be printed, where lines are wrapped, and which word was probably meant."""
import os
import re
import sys

WIDTH = 80  # columns of a report
NARROWEST = 20  # a terminal that reports a smaller width is not believed

# Unicode's Default_Ignorable_Code_Point: characters without a picture that hide or turn their neighbours
HIDDEN = (
    '\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff'
    '\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff'
)
# ## begins a command of CI services; surrogates are bytes that were no UTF-8
UNPRINTABLE = re.compile(f'[\x00-\x1f\x7f-\x9f\ud800-\udfff{HIDDEN}]|#(?=#)')


def printable(text: str) -> str:
    """The text in one line that shows all of its characters: a question mark for each that has no picture."""
    return UNPRINTABLE.sub(lambda found: ' ' if found[0] in '\t\n\r' else '?', text)


def line_width(descriptor: int) -> int:
    """Columns of a line there: of a terminal its own, if fewer than WIDTH."""
    try:
        if not os.isatty(descriptor):
            return WIDTH
        text = re.match(r'\s*\d+', os.environ.get('COLUMNS', ''))
        columns = int(text[0]) if text else 0
        columns = columns or os.get_terminal_size(descriptor).columns
    except (OSError, ValueError):
        return WIDTH
    return columns if NARROWEST <= columns < WIDTH else WIDTH


def wrapped(mark: str, text: str, indent: int, most: int = WIDTH) -> str:
    """The lines of `mark` and text, printable, those after the first indented. Words are never cut."""
    out, at = [mark], len(mark)
    for gap, word in re.findall('( *)([^ ]*)', text):
        if at + len(gap) + len(word) > most and word and at > indent:
            out.append('\n' + ' ' * indent)
            at = indent
        else:
            out.append(gap)
            at += len(gap)
        out.append(printable(word))
        at += len(word)
    return ''.join(out) + '\n'


def folded(text: str, most: int = WIDTH) -> list[str]:
    """The lines of a text: broken behind a blank, or where there is none."""
    lines = []
    while len(text) > most:
        at = text.rfind(' ', 0, most) + 1 or most
        lines.append(text[:at].rstrip(' '))
        text = text[at:]
    return [*lines, text.rstrip(' ')]


def distance(word: str, name: str) -> int:
    """Optimal string alignment: Levenshtein's distance, with swaps of neighbours."""
    before: list[int] = []
    row = list(range(len(name) + 1))
    for i, letter in enumerate(word, 1):
        older, before, row = before, row, [i]
        for j, other in enumerate(name, 1):
            best = min(before[j - 1] + (letter != other), before[j] + 1, row[j - 1] + 1)
            if i > 1 and j > 1 and letter == name[j - 2] and word[i - 2] == other:
                best = min(best, older[j - 2] + 1)
            row.append(best)
    return row[-1]


def nearest(word: str, names: list[str]) -> str | None:
    """The first of the names that is nearest to the word; None: none is near."""
    most = 1 if len(word) < 4 else 2
    near = [(d, i) for i, name in enumerate(names) if len(word) <= 40 and len(name) <= 40
            and (d := distance(word, name)) <= most and d < min(len(word), len(name))]
    return names[min(near)[1]] if near else None


def complain(tool: str, text: str) -> None:
    """One line on standard error, in one write, so that lines of several processes do not mix."""
    line = f'{tool}: {printable(text.encode(errors="surrogateescape")[:799].decode(errors="replace"))}\n'
    try:
        sys.stderr.flush()
        os.write(2, line.encode(errors='replace'))
    except (OSError, AttributeError):
        pass
