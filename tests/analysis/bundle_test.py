# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files of a run go into a bundle."""
import re
import subprocess
from pathlib import Path

import pytest

from analysis.commands import bundle

TOP = Path(__file__).resolve().parents[2]
KEPT = sorted(path for tree in (TOP, *TOP.glob('kits/*')) for path in tree.glob('results/reference/*'))


def in_archive(kept, *words):
    with open(kept / 'samples.tar.zst', 'rb') as archive:
        return subprocess.run(['tar', '--zstd', *words], stdin=archive, capture_output=True, text=True, check=False)


@pytest.mark.parametrize('kept', KEPT, ids=[kept.name for kept in KEPT])
def test_every_file_of_the_kept_runs_has_a_place_in_the_lists(kept, tmp_path):
    names = [name for name in in_archive(kept, '-t').stdout.splitlines() if not re.search('/$|~/|[.]err$', name)]
    assert len(names) > 3
    # tables that are packed: all, or those that its experiment gives to its report
    schema = in_archive(kept, '-xO', 'schema.tsv')
    text = schema.stdout
    if schema.returncode:
        stem = re.search('"experiment": *"([a-z0-9-]+)"', (kept / 'run.json').read_text())[1]
        analysis = (kept.parents[2] / f'experiments/{stem}/analysis.py').read_text()
        tables = re.findall(r'^table +([^ \n]+)', analysis, re.MULTILINE)
        text = 'schema\ttable\n' + ''.join(f'schema/1\t{name}\n' for name in tables)
    (tmp_path / 'schema.tsv').write_text(text)
    of = bundle.patterns(tmp_path)
    assert not [name for name in ('run.json', *names) if not any(pattern.fullmatch(name) for pattern in of.values())]


def test_a_file_that_no_run_has_has_none(tmp_path):
    of = bundle.patterns(tmp_path)
    for name in ('notes.txt', 'log/x.err', 'cells/vnc-light-0/1/capture.pcap', 'cells/vnc-light-0/1/own.tsv'):
        assert not any(pattern.fullmatch(name) for pattern in of.values())
