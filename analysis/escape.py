# SPDX-License-Identifier: GPL-3.0-or-later
"""Text of a run, an experiment or a limits file where it could be more than text: Markdown, XML, gnuplot, a terminal. Pure."""
import re

from analysis.text import HIDDEN

UNSEEN = re.compile(f'[\x00-\x1f\x7f-\x9f\ud800-\udfff{HIDDEN}\ufffe\uffff]')
CELL = re.compile(r'[\\|*`\[]|[<&](?=[A-Za-z/!?#])')
UNDRAWN = re.compile('[`"\\\\$\'\x00-\x08\x0b-\x1f\x7f]')


def seen(text: str) -> str:
    """Without characters that hide, turn or control what stands beside them."""
    return UNSEEN.sub(lambda found: ' ' if found[0] in '\n\r\t\f' else '?', text)


def xml(text: str) -> str:
    return seen(text).replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;').replace('"', '&quot;')


def escaped(text: str) -> str:
    return text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;').replace('[', '&#91;')


def markdown(text: str) -> str:
    """Markdown with values in it: nothing there is HTML, or the start of a link. Between single backticks all is as it is."""
    text = re.sub('[\r\n\f]', ' ', text)
    if '``' in text or '\\`' in text:
        return escaped(text)
    parts = text.split('`')
    return '`'.join(part if i % 2 and i < len(parts) - 1 else escaped(part) for i, part in enumerate(parts))


def markdown_cell(text: str) -> str:
    """A cell of a table in Markdown."""
    return CELL.sub(lambda found: '\\' + found[0], re.sub('[\r\n\f]', ' ', text))


def drawable(text: str) -> str:
    """For gnuplot, and the scripts of an SVG: without a character that ends or begins anything there."""
    return UNDRAWN.sub('_', text)


def for_terminal(text: str) -> str:
    """A line for a terminal or the log of a CI job: no control character, no command of its service (##vso[ and ##teamcity[
    anywhere; :: also behind blanks that are not ASCII)."""
    line = re.sub(r'##([A-Za-z]*)\[', r'##\1_', seen(text))
    return re.sub('^([^!-~]*)::', r'\1_:', line)


def for_terminal_json(text: str) -> str:
    """JSON for the same readers: what would be such a command has an escape in it."""
    lines = (UNSEEN.sub('?', line) for line in text.split('\n'))
    return '\n'.join(re.sub(r'##([A-Za-z]*\[)', r'\\u0023#\1', line) for line in lines)
