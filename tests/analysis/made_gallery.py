# SPDX-License-Identifier: GPL-3.0-or-later
"""made_gallery.py TREE WORD...: thinprobe gallery on a made-up tree, whose runs and reports are short scripts; for tests of its
pages, in their own process."""
import json
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import analysis
from analysis import command, gallery_pages
from analysis.commands import gallery, report
from analysis.command import Stop

TOP = Path(__file__).resolve().parents[2]
PAPER = 'Author & Second 2001'
# "slow" waits for a signal, "broken" lacks a cell at first, "big" has large samples
RUN = r'''#!/bin/bash
echo "$*" >>"$TP_HOME/../called"
echo "${*: -1} ${LAB_SERVER_ROOT-}" >>"$TP_HOME/../roots"
run=${*: -1} state=complete
printf -v words ' %q' "$@"
[[ $* != *--resume* ]] || words=$(jq -r '.command | ltrimstr("thinprobe run")' "$run/run.json")
[[ $run != */broken || $* == *--resume* ]] || state=failed
[[ $run != */slow || -e $TP_HOME/../quick ]] || state=interrupted
mkdir -p "$run/cells/a/1"
echo >"$run/cells/a/1/picture.png"
echo '{}' | tee "$run/cells/a/1/cell.json" >"$run/more.json"
printf 'schema\tsinks\tstall_ms\tstall_ms_low\tstall_ms_high\tapp\tcpus\n' >"$run/summary.tsv"
printf 'made/1\t5\t10.5\t9.25\t11.75\tvim\t1\nmade/1\t20\t163.2\t\t\tvim\t2\nmade/1\t3\t7\t\t\tother\t\n' >>"$run/summary.tsv"
printf 's\tsummary\t%b\n' 'sinks\tint\t' 'cpus\tint\t' 'app\ttext\t' 'stall_ms\treal\tms' |
	sed '1ischema\ttable\tcolumn\ttype\tunit' >"$run/schema.tsv"
yes a_long_table | head -n 4000 >"$run/long.tsv"
cp "$run"/*.tsv "$run/cells/a/1"
for name in b c; do
	[[ $run == */big ]] || continue
	mkdir -p "$run/cells/$name/1" && head -c 250000 /dev/urandom >"$run/cells/$name/1/samples"
done
system=${LAB_SERVER_ROOT:+$(sed -n 's/PRETTY_NAME="\(.*\)"/\1/p' "$LAB_SERVER_ROOT/etc/os-release" 2>/dev/null)}
printf '{"started": "2026-01-01T0%s:00:00Z", "ended": "2026-01-01T09:00:00Z", "measured_s": 620, "state": "%s",
	"experiment": "made", "lab": {"server_root": "/home/me/roots/old"%s}, "cells": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
	"command": "thinprobe run%s", "settings": {}}' $((SECONDS % 9)) "$state" "${system:+, \"server_system\": \"$system\"}" \
	"${words//\\/\\\\}" >"$run/run.json"
[ $state != interrupted ] || { trap 'echo ended >>"$TP_HOME/../called"; exit 130' TERM; sleep 60 & echo $! >sleeper; wait; }
[ $state = complete ] || exit 3
'''
REPORT = '''#!/bin/sh
mkdir -p "$1/figures" && cd "$1" && tar --zstd -xf samples.tar.zst && cp cells/a/1/*.tsv . || exit
rm -r cells more.json report.md 2>/dev/null
for name in stall other; do
	echo '<svg/>' >figures/$name.svg
	echo "![]($PWD/figures/$name.svg)" >>report.md
done
echo '> **Fine.**' >>report.md
echo page | tee report.html >findings.json
'''
SCRIPTS = {
    'experiments/engine/run.sh': RUN, 'report.sh': REPORT,
    'bin/summarize': '#!/bin/sh\nfor run; do :; done\ncd "$run" && cp cells/a/1/*.tsv .\n',
    'bin/adder': '#!/bin/sh\nprintf "a\\tsum\\n$1\\t5.128\\n"; printf "0 0\\n1 $2\\n" >"$5"\n',
}
PAPERS = '''# Papers

## A paper

Ann Author and Bob Second, 2001.

### Fig. 1: stalls

- Command: `thinprobe run made --n 1`
- File and column: `figures/stall.svg`; `summary.tsv: sinks, stall_ms`
- Difference: none.

### Fig. 2: others

- Command: `thinprobe run made`
- File and column: `figures/stall.svg`

### Fig. 3: a sum

- Command: `thinprobe adder`

### Fig. 4: a default

- Command: `thinprobe help`
'''
# figure, what, text, table, where, ours; NAME: of the first run
FACTS = '''1|figure|3 s ¦ 5 hogs|NAME/summary|app=vim sinks=5.00|{app}, {sinks} hogs: {stall_ms}
1|text|2 s|NAME/summary||{app}, {cpus} CPUs
1|text|9 s, most hogs|NAME/summary|app=vim sinks=max|{stall_ms}
1|table|1 s|NAME/summary|app=gone|{stall_ms}
1|text|8 s|NAME/summary|app!=vim|{sinks} hogs
1|text|8 s|NAME/summary|sinks=5|{sinks} hogs
1|table|4 s|NAME/summary|sinks=3|{gone_ms}
1|since|Kernels changed.|||
2|text|7 s|two/summary||{stall_ms}
2|partial|half of it.|||
3|text|5.13|sum/rows|a=2|adds up to {sum}
4|text|here|||a default
|claim|hogs stall|NAME/summary|sinks=5|by {stall_ms}
|claim|hogs stall|NAME/summary|sinks=5|{sinks} of them'''


def write(file, text, mode=0o644):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding='utf-8')
    file.chmod(mode)


def make(tree, name='one'):
    """A tree with two runs, NAME and two, and what needs no run, "sum"."""
    for script, text in SCRIPTS.items():
        write(tree / script, text, 0o755)
    write(tree / 'experiments/made/analysis.py', "COLUMNS = '''\ntable summary cells\n'''\n")
    write(tree / 'experiments/made/plan', 'says  Made up\nminutes 90 quick=2\n')
    write(tree / 'data/computed.tsv', 'name\tcommand\tdrawing\nsum\tadder 2 3\tdots.gp red\n')
    write(tree / 'data/gallery.tsv', f'name\texperiment\tminutes\toptions\n{name}\tmade\t45\t--n 1\ntwo\tmade\t30\t\n')
    write(tree / 'plots/dots.gp', 'set terminal svg; set output ARG2; plot ARG1 lc rgb ARG3\n')
    write(tree / 'docs/papers.md', PAPERS)
    rows = [row.split('|') for row in FACTS.replace('NAME', name).split('\n')]
    write(tree / 'data/papers.tsv', 'paper\tfigure\twhat\ttext\ttable\twhere\tours\n' + ''.join(
        '\t'.join([PAPER, f'Fig. {figure}' if figure else '', *cells]).replace('¦', '|') + '\n' for figure, *cells in rows))
    (tree / 'lab').symlink_to(TOP / 'lab')


def enter(tree, setattr_):
    """From here on, the gallery is that of this tree."""
    setattr_(analysis, '__path__', [str(tree / 'analysis')])
    setattr_(report, 'report', lambda folder, part: subprocess.run([tree / 'report.sh', folder], check=True))


class Done(NamedTuple):
    status: int
    out: str
    err: str

    def lines(self):
        return self.out.splitlines()


class Made:
    """A made-up tree in a folder, and what its gallery wrote to `out`. drawn: what programs compute is drawn."""

    def __init__(self, folder, monkeypatch, capfd, drawn=False):
        self.folder, self.tree, self.out, self.capfd = folder, folder / 'tree', folder / 'out', capfd
        monkeypatch.chdir(folder)
        monkeypatch.setenv('TP_HOME', str(self.tree))  # for run.sh
        enter(self.tree, monkeypatch.setattr)
        if not drawn:
            monkeypatch.setattr(gallery_pages, 'draw', lambda g, script, words, picture, work: None)

    def gallery(self, *words, status=0):
        self.capfd.readouterr()
        why = ''
        try:
            got = gallery.main(list(map(str, words)))
        except Stop as stop:
            got, why = stop.status, f'{stop}\n'
        out, err = self.capfd.readouterr()
        assert got == status, f'{words}: {got}\n{out}{err}{why}'
        assert not why or (err + why).count('\n') == 1
        return Done(got, out, err + why)

    def page(self, name='gallery'):
        self.gallery('--page', '-o', 'out')
        return self.read(name)

    def read(self, name='gallery', of=None):
        return ((of or self.out) / f'{name}.md').read_text(encoding='utf-8')

    def called(self):
        file = self.folder / 'called'
        return file.read_text().splitlines() if file.exists() else []

    def add(self, *rows, page='papers'):
        """Rows, with the paper's name before each."""
        with open(self.tree / f'data/{page}.tsv', 'a', encoding='utf-8') as file:
            file.writelines('\t'.join((PAPER, *row) if page == 'papers' else row) + '\n' for row in rows)

    def rule(self, figure, word, table, where, *conditions):
        self.add(*((f'Fig. {figure}', 'verdict', word, table, where, condition) for condition in conditions))

    def edit(self, name, change):
        """A file of the tree by a function of its text."""
        file = self.tree / name
        file.write_text(change(file.read_text(encoding='utf-8')), encoding='utf-8')

    @contextmanager
    def kept(self):
        """Rows that are added within are gone afterwards."""
        before = (self.tree / 'data/papers.tsv').read_text(encoding='utf-8')
        yield before.count('\n')
        write(self.tree / 'data/papers.tsv', before)

    @contextmanager
    def facts(self, name):
        """run.json of a kept run."""
        file = self.out / name / 'run.json'
        of = json.loads(file.read_text())
        yield of
        file.write_text(json.dumps(of))

    def tables_alone(self, name='one'):
        """Of a kept run, samples were left out, so its tables are those beside them."""
        with self.facts(name) as of:
            of['kept']['left_out_bytes'] = 5
        for table in ('summary', 'schema'):
            if not (self.out / name / f'{table}.tsv').exists():
                shutil.copy(self.out / f'runs/{name}/{table}.tsv', self.out / name)

    def table(self, columns, *rows, name='one', unit='ms', more=('sinks', 'app', 'repeats')):
        """From here on, the summary of a kept run has these columns, and words of rows; _: nothing."""
        self.tables_alone(name)
        columns = columns.split()
        write(self.out / name / 'summary.tsv', '\t'.join(('schema', *more, *columns)) + '\n' + ''.join(
            '\t'.join(('made/1', *row.split())).replace('_', '') + '\n' for row in rows))
        types = {'sinks': 'int', 'cpus': 'int', 'app': 'text', 'protocol': 'text'}
        write(self.out / name / 'schema.tsv', 'schema\ttable\tcolumn\ttype\tunit\tbetter\n' + ''.join(
            f's\tsummary\t{c}\t' + (f'{types[c]}\t\t\n' if c in types else f'real\t{unit}\tlower\n')
            for c in (*more, *columns) if c != 'repeats'))

    def interval(self, value, low, high, unit='ms'):
        """From here on, stall_ms of vim beside 5 hogs."""
        self.table('stall_ms stall_ms_low stall_ms_high cpus', f'5 vim {value} {low} {high} 1', '20 vim 163.2 _ _ 2',
                   '3 other 7 _ _ _', unit=unit, more=('sinks', 'app'))

    def verdict(self, figure, of=None):
        part = self.read(of=of).partition(f'\n### Fig. {figure}: ')[2].partition('<details>')[0]
        return '\n'.join(re.findall(r'^(\*\*[^*]*\*\*(?: \([a-z, ]*\))?)', part, re.MULTILINE))


if __name__ == '__main__':
    enter(Path(sys.argv.pop(1)), setattr)
    command.run('commands.gallery')
