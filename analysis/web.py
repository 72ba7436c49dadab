# SPDX-License-Identifier: GPL-3.0-or-later
"""The frame of all pages, and HTML of Markdown dressed for them: drawings inside, tables with room. A page loads nothing from
elsewhere."""
import base64
import hashlib
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from analysis.foreign import need
from analysis.trees import home

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; script-src '{}'; base-uri 'none'; form-action 'none'"


def page_html(title: str, body: str, of: str = '', script: str = '') -> str:
    """A page by itself, in which no script runs but this one. title: escaped as Markdown has it."""
    code, attribute = f'\n{script}', f' class="{of}"' if of else ''
    allowed = f'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}' if script else 'none'
    return ''.join((
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY.format(allowed)}">\n',
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
        f'<title>{title.replace("<", "&lt;").replace(">", "&gt;")}</title>\n<style>\n',
        (home() / 'analysis/page.css').read_text(encoding='utf-8'),
        f'</style>\n</head>\n<body>\n<main{attribute}>\n', body, '</main>\n',
        f'<script>{code}</script>\n' if script else '', '</body>\n</html>\n'))


def html_of(markdown: str) -> str:
    need('cmark-gfm', 'cmark-gfm')
    return subprocess.run(['cmark-gfm', '-e', 'table', '--unsafe'], input=markdown, capture_output=True, text=True, check=True,
                          encoding='utf-8', errors='replace').stdout


# --- drawings -----------------------------------------------------------------------------------------------------

HYPERTEXT = re.compile(r"""showHypertext\(evt,'(.*)'\)" onmouseout""")


def text_in_title(line: str) -> str:
    """The text of a hypertext point in its title, which browsers show where the pointer rests."""
    found = HYPERTEXT.search(line)
    if not found:
        return line
    line = re.sub(' onmousemove="[^"]*" onmouseout="[^"]*"', '', line, count=1)
    text = found[1]
    return re.sub('<title>[^<]*', lambda _: f'<title>{text}', line, count=1)


def inlined(file: Path, alt: str, stem: str, of: str) -> Iterator[str]:
    """A drawing without its empty groups, the stem in front of all names inside, since drawings share a page."""
    is_begun, group = False, ''
    for line in file.read_text(encoding='utf-8', errors='replace').split('\n'):
        if line.startswith('<svg'):
            is_begun = True
            line = f'<svg class="{of}" role="img" aria-label="{alt}"{line[4:]}'
        if not is_begun or line in ('', '<title>Gnuplot</title>'):
            continue
        if group and line == '</g>':
            group = ''
            continue
        if group:
            yield group
            group = ''
        line = re.sub(r""" id=["']|href=["']#|url\(#""", rf'\g<0>{stem}-', line)
        line = text_in_title(re.sub('<title>gnuplot_plot_[0-9a-z]*</title>', '', line))
        if re.match('<g fill="none"[^>]*>$', line):
            group = line
        else:
            yield line


def figure_lines(folder: Path, file: str, alt: str) -> Iterator[str]:
    """The drawing itself, and for phones the narrow one."""
    stem = Path(file).stem
    wide, narrow = folder / file, folder / file.replace('figures', 'figures/narrow', 1)
    yield f'<figure id="figure-{stem}">'
    if narrow.is_file():
        yield from inlined(narrow, alt, f'{stem}-narrow', 'narrow')
    if wide.is_file():
        yield from inlined(wide, alt, stem, 'wide' if narrow.is_file() else '')
    yield '</figure>'


# --- tables -------------------------------------------------------------------------------------------------------

def boxed(lines: Sequence[str]) -> Iterator[str]:
    """A table in a box to scroll in; a first column with words for several rows is also there as rows of their own, for phones."""
    pairs = list(zip(lines, lines[1:]))
    is_grouped = any(a == '<tr>' and re.match('<td[^>]*></td>$', b) for a, b in pairs)
    heads = sum(line.startswith('<th') for line in lines if not line.startswith('<thead'))
    yield '<div class="table">'
    for i, line in enumerate(lines):
        after = lines[i + 1] if i + 1 < len(lines) else ''
        if is_grouped and i == 0:
            yield '<table class="grouped">'
            continue
        if is_grouped and line == '<tr>' and re.match('<td[^>]*>.+</td>$', after):
            yield re.sub('^<td[^>]*', lambda _: f'<tr class="group"><td colspan="{heads}"', after) + '</tr>'
        yield line
    yield '</div>'


def dressed(html: str, folder: Path) -> str:
    """An image of figures/ becomes the drawing; tables get their box; the interval in a cell is small."""
    out: list[str] = []
    table: list[str] | None = None
    for line in html.removesuffix('\n').split('\n'):
        image = re.search('<img src="(figures/[a-z0-9-]+[.]svg)" alt="([^"]*)" />', line)
        if image:
            out += figure_lines(folder, image[1], image[2])
            continue
        if re.match('<t[dh]', line):
            line = re.sub(r'( \(-?[0-9.]+(?: to|,) [^()]*\))</td>$', r'<small>\1</small></td>', line)
        if line == '<table>':
            table = []
        if table is None:
            out.append(line)
            continue
        table.append(line)
        if line == '</table>':
            out += boxed(table)
            table = None
    return ''.join(f'{line}\n' for line in out + (table or []))


def run_page(folder: Path, markdown: str, title: str) -> str:
    """report.html of a run."""
    links = ''.join(f' <a download="{name}" href="data:text/plain;charset=utf-8;base64,'
                    f'{base64.b64encode((folder / name).read_bytes()).decode()}">{name}</a>'
                    for name in ('summary.tsv', 'findings.json', 'run.json', 'report.md'))
    files = (f'<p class="files">In this page:{links}.<br>Links to other files work where this page lies in the folder of its '
             'run.</p>\n')
    return page_html(title, dressed(html_of(markdown), folder) + files, '',
                     (home() / 'analysis/page.js').read_text(encoding='utf-8'))
