# SPDX-License-Identifier: GPL-3.0-or-later
"""thinprobe gallery: its runs, how they are kept, its pages; on a made-up tree (made_gallery.py). Of kept runs, stall_ms of vim is
10.5 (9.25 to 11.75) beside 5 hogs, and 163.2 beside 20."""
import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time

import pytest

import made_gallery
from made_gallery import PAPER, TOP, Made, write

VIM = 'app=vim sinks=5'
SOUGHT = [os.path.abspath(path) for path in sys.path]


@pytest.fixture(autouse=True)
def signals():
    """The gallery takes them for the time that it runs."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before):
        signal.signal(number, handler)


@pytest.fixture(name='made', scope='module')
def kept_once(tmp_path_factory):
    """A tree, and a gallery of both runs."""
    folder = tmp_path_factory.mktemp('kept')
    made_gallery.make(folder / 'tree')
    assert begun(folder, subprocess.DEVNULL).wait() == 0
    return folder


def begun(folder, said, *words):
    """A gallery in a process of its own."""
    env = {**os.environ, 'TP_HOME': str(folder / 'tree'), 'PYTHONPATH': os.pathsep.join(SOUGHT)}
    command = [sys.executable, '-B', made_gallery.__file__, folder / 'tree', '-o', 'out', *words]
    return subprocess.Popen(command, cwd=folder, env=env, stdout=said, stderr=subprocess.STDOUT)


@pytest.fixture(name='m')
def kept_copy(made, tmp_path, monkeypatch, capfd):
    """Its copy."""
    shutil.copytree(made, tmp_path / 'x', symlinks=True)
    return Made(tmp_path / 'x', monkeypatch, capfd)


@pytest.fixture(name='new')
def new_tree(tmp_path, monkeypatch, capfd):
    """Trees in which nothing was run, by the name of the first run."""
    def new(name='one', drawn=False):
        made_gallery.make(tmp_path / 'tree', name)
        return Made(tmp_path, monkeypatch, capfd, drawn)
    return new


def has(text, *lines):
    for line in lines:
        assert f'\n{line}\n' in text, line


def packed(file):
    with subprocess.Popen(['zstd', '-qdc', file], stdout=subprocess.PIPE) as unpacked:
        return sorted(one.name for one in tarfile.open(fileobj=io.BytesIO(unpacked.stdout.read())) if one.isfile())


# --- runs ---------------------------------------------------------------------------------------------------------

def test_it_says_the_time_measures_each_run_and_keeps_it_without_the_folder_in_its_command(new):
    m = new()
    (m.folder / 'a folder').mkdir()
    os.chdir('a folder')
    said = m.gallery('-o', 'out').lines()
    # two shows a figure in 30 minutes, one in 45
    assert ' one ' in said[1] and '45 min  figures: 1 ' in said[1] and said[1].endswith('thinprobe run made --n 1')
    assert said[2].startswith('Runs: 2,') and ' about 1 h 15 min ' in said[2]
    out = m.folder / 'a folder/out'
    assert m.called() == [f'made -o {out}/runs/two', f'made --n 1 -o {out}/runs/one']
    # what is made again is not kept, nor a figure that no page shows
    assert sorted(os.listdir(out / 'one')) == ['figures', 'report.md', 'run.json', 'samples.tar.zst']
    assert os.listdir(out / 'one/figures') == ['stall.svg']
    assert packed(out / 'one/samples.tar.zst') == [f'cells/a/1/{name}' for name in (
        'cell.json', 'long.tsv', 'schema.tsv', 'summary.tsv')] + ['more.json']
    m.out = out
    with m.facts('one') as of:
        assert of['command'] == 'thinprobe run made --n 1' and of['lab']['server_root'] == 'old'
        assert of['kept']['left_out_bytes'] == 0 < of['kept']['samples_bytes'] and of['kept']['figures'] == ['stall']


def test_what_is_kept_comes_after_the_others_unless_named(new):
    m = new()
    m.gallery('-o', 'out', 'two')
    said = m.gallery('--list', '-o', 'out').lines()
    assert ' one ' in said[0] and ' two ' in said[1] and ' kept ' in said[1]
    said = m.gallery('--list', '-o', 'out', 'two', 'one').lines()
    assert ' two ' in said[0] and ' one ' in said[1]
    # figures are those that it has numbers of
    m.add(('Fig. 1', 'needs', 'x', 'two/summary', '', '{sinks}'), ('Fig. 4', 'since', 'x', 'two/summary', '', 'sinks > 1'))
    assert 'figures: 1 ' in m.gallery('--list', '-o', 'out', 'two').out


def test_of_large_samples_those_of_the_first_conditions_are_kept_with_all_tables(new):
    m = new('big')
    done = m.gallery('--quick', '-o', 'out', 'big')
    assert 'samples of' in done.err and f'are left out; they are in {m.out}/runs/big' in done.err and '2 min' in done.out
    assert packed(m.out / 'big/samples.tar.zst') == [
        *(f'cells/a/1/{name}' for name in ('cell.json', 'long.tsv', 'schema.tsv', 'summary.tsv')), 'cells/b/1/samples', 'long.tsv',
        'more.json', 'schema.tsv', 'summary.tsv']
    with m.facts('big') as of:
        assert of['kept']['left_out_bytes'] > 200000 and of['kept']['samples_bytes'] < 300000 and of['kept']['conditions'] == 2
    assert '--quick' in m.called()[0]


def test_a_run_whose_tables_are_others_when_made_from_what_is_packed_is_not_kept(new):
    m = new()
    m.edit('report.sh', lambda text: text + 'echo more >>summary.tsv\n')
    assert 'runs/one: summary.tsv differs' in m.gallery('-o', 'out', 'one', status=1).err
    assert os.listdir(m.out) == ['runs']


def test_resume_goes_on_with_failed_runs_and_without_it_a_folder_of_runs_is_refused(new):
    m = new('broken')
    said = m.gallery('-o', 'out', status=3).err
    assert 'not kept: broken (exit status 3)' in said and '--resume' in said
    assert not (m.out / 'broken').exists() and (m.out / 'two').is_dir()
    assert 'out/runs/two is there already' in m.gallery('-o', 'out', 'two', status=2).err
    (m.folder / 'called').unlink()
    m.gallery('-o', 'out', '--resume')
    assert m.called() == [f'made --resume {m.out}/runs/broken'] and (m.out / 'broken').is_dir()


def started(m, *words):
    (m.folder / 'sleeper').unlink(missing_ok=True)
    with open(m.folder / 'said', 'wb') as said:
        return begun(m.folder, said, *words)


def until(true, seconds=30):
    for _ in range(seconds * 20):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError


def end_sleeper(m):
    os.kill(int((m.folder / 'sleeper').read_text()), signal.SIGTERM)


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_the_run_under_way_and_the_command_goes_on(new, number):
    m = new('slow')
    sleeper = m.folder / 'sleeper'
    with started(m, 'slow') as child:
        until(lambda: sleeper.exists() and sleeper.read_text())
        child.send_signal(number)
        status = child.wait()
    until(lambda: m.called()[-1] == 'ended')
    end_sleeper(m)
    assert not (m.out / 'slow').exists()
    if number == signal.SIGTERM:
        assert status == 130
        assert f'interrupted; go on with: thinprobe gallery --resume -o {m.out} slow' in (m.folder / 'said').read_text()


def test_it_goes_on_in_a_third_session_where_two_were_interrupted_and_measures_no_run_twice(new):
    m = new('slow')
    sleeper = m.folder / 'sleeper'
    for _ in range(2):
        with started(m, '--resume', 'two', 'slow') as child:
            until(lambda: sleeper.exists() and sleeper.read_text())
            child.terminate()
            assert child.wait() == 130
        end_sleeper(m)
    assert (m.out / 'two').is_dir() and not (m.out / 'slow').exists()
    (m.folder / 'quick').touch()
    m.gallery('-o', 'out', '--resume', 'two', 'slow')
    assert (m.out / 'slow').is_dir()
    assert [line.split()[1] for line in m.called() if line.endswith('runs/two')] == ['-o']
    assert [line.split()[1] for line in m.called() if line.endswith('runs/slow')] == ['--n', '--resume', '--resume']


def test_it_waits_until_others_leave_the_cpus_alone_and_a_signal_ends_the_wait(new):
    m = new()
    (m.tree / 'lab').unlink()
    turn, cpu = m.folder / 'turn', m.folder / 'cpu'
    write(m.tree / 'lab/machine.sh', 'sleep() { :; }\nmachine_cpu_list() { echo 0; }\n'
          f"machine_cpu() {{ n=$(cat {turn}); echo $((n + 1)) >{turn}; sed -n \"${{n}}p\" {cpu}; }}\n")
    write(turn, '1')
    write(cpu, '0 0 0 0\n5000000000 4000000000 0 0\n10000000000 4050000000 0 0\n15000000000 4050000000 0 0\n'
          '20000000000 4050000000 10000000 0\n')
    said = m.gallery('--when-quiet', '-o', 'out').lines()
    assert sum(line.startswith('waiting for a quiet machine: 80 %') for line in said) == 1
    assert turn.read_text().strip() == '6' and len(m.called()) == 2  # twice taken, once quiet; and before the other run
    write(cpu, ''.join(f'{n * 10 ** 9} {n * 9 * 10 ** 8} 0 0\n' for n in range(1, 100001)))
    write(turn, '1')
    shutil.rmtree(m.out)
    with started(m, '--when-quiet') as child:
        until(lambda: 'waiting' in (m.folder / 'said').read_text())
        child.terminate()
        assert child.wait() == 130
    assert 'go on with: thinprobe gallery --resume --when-quiet -o' in (m.folder / 'said').read_text() and len(m.called()) == 2


@pytest.mark.parametrize('status, words, why', [
    (2, 'none', 'did you mean one'), (2, '--quikc', '--quick'), (2, '--quick', '-o DIR'), (2, '-o', '-o needs a value'),
    (2, '--page one', '--page'), (1, '-o file/out', 'another folder'),
    *((2, f'{words} -o out', '--') for words in ('--list --resume', '--list --when-quiet', '--page --when-quiet', '--page --resume',
                                                 '--page one', '--list --page'))])
def test_wrong_words_are_refused_before_anything_is_run(new, status, words, why):
    m = new()
    (m.folder / 'file').touch()
    assert why in m.gallery(*words.split(), status=status).err
    assert not m.called()


def test_a_run_that_needs_another_root_is_not_made_without_and_no_other_run_has_it(new, monkeypatch):
    m = new()
    m.edit('data/gallery.tsv', lambda text: text + 'three\tmade\t20\t--n 3\tLAB_SERVER_ROOT=/a/root\n')
    assert m.gallery('--list', '-o', 'out', 'three').lines()[0].endswith(' LAB_SERVER_ROOT=/a/root thinprobe run made --n 3')
    said = m.gallery('-o', 'out', status=3).err
    assert 'three needs LAB_SERVER_ROOT (LAB_SERVER_ROOT=/a/root)' in said and 'not kept: three (exit status 4)' in said
    assert (m.out / 'one').is_dir() and '| three | `LAB_SERVER_ROOT=/a/root thinprobe run made --n 3` |' in m.read()
    shutil.rmtree(m.out)
    (m.folder / 'roots').unlink()
    monkeypatch.setenv('LAB_SERVER_ROOT', str(m.folder))
    m.gallery('-o', 'out', 'one', 'three')
    assert (m.folder / 'roots').read_text() == f'{m.out}/runs/one \n{m.out}/runs/three {m.folder}\n'


def test_a_root_of_another_release_is_not_measured_and_a_run_of_one_is_not_kept(new, monkeypatch):
    m = new()
    m.edit('data/gallery.tsv', lambda text: text + 'three\tmade\t20\t--n 3\tLAB_SERVER_ROOT=/a/root\tbookworm\n')
    for root, system in (('new', '13 (trixie)'), ('old', '12 (bookworm)')):
        write(m.folder / root / 'etc/os-release', f'PRETTY_NAME="Debian GNU/Linux {system}"\n')
    monkeypatch.setenv('LAB_SERVER_ROOT', str(m.folder / 'new'))
    said = m.gallery('-o', 'out', 'three', status=3).err
    assert 'bookworm' in said and 'trixie' in said and not m.called()
    monkeypatch.setenv('LAB_SERVER_ROOT', str(m.folder / 'old'))
    m.gallery('-o', 'out', 'three')
    # one that was measured before, of another system or of one that is not known
    shutil.rmtree(m.out / 'three')
    for system in ('Debian GNU/Linux 13 (trixie)', None):
        with m.facts('runs/three') as of:
            del of['lab']['server_system']
            of['lab'] |= {'server_system': system} if system else {}
        m.gallery('--resume', '-o', 'out', 'three', status=3)
        if system:
            with m.facts('runs/three') as of:
                assert of['lab']['server_system'] == system
        assert not (m.out / 'three').exists()


def test_resume_keeps_no_run_of_another_command_and_does_not_go_on_with_one(new):
    m = new()
    m.gallery('--quick', '-o', 'out', 'one')
    shutil.rmtree(m.out / 'one')
    said = m.gallery('--resume', '-o', 'out', 'one', status=3).err
    assert 'out/runs/one is a run of another command, thinprobe run made --n 1 --quick' in said and len(m.called()) == 1
    m.gallery('--resume', '--quick', '-o', 'out', 'one')
    shutil.rmtree(m.out / 'one')
    with m.facts('runs/one') as of:
        of['state'] = 'interrupted'
    m.gallery('--resume', '-o', 'out', 'one', status=3)
    assert len(m.called()) == 1
    m.gallery('--resume', '--quick', '-o', 'out', 'one')
    assert (m.out / 'one/run.json').exists()


def test_a_folder_that_is_no_kept_run_stays_and_nothing_is_measured_for_it(new):
    m = new()
    mine = m.out / 'one/2026-11-01T10-00-00'
    for folder in (m.out / 'one', mine):
        write(folder / 'run.json', '{}\n')
    assert 'out/one is no kept run' in m.gallery('-o', 'out', 'one', status=2).err and not m.called()
    m.gallery('-o', 'out', 'two')
    shutil.rmtree(m.out / 'two')
    (m.out / 'two').mkdir()  # made meanwhile: as kept is what it is, too
    m.gallery('--resume', '-o', 'out', 'two', status=2)
    assert (m.out / 'two').is_dir()
    for name in ('figures/mine.svg', 'report.md'):
        write(m.out / 'one' / name, 'figures of others\n')
    m.page()
    assert (mine / 'run.json').exists() and (m.out / 'one/run.json').read_text() == '{}\n'
    assert (m.out / 'one/figures/mine.svg').exists()


def test_what_another_gallery_of_the_folder_is_packing_stays(new):
    m = new()
    for folder in ('.new', '.new.abcdef'):
        write(m.out / folder / 'two/samples.tar', '')
    m.gallery('-o', 'out', 'one')
    assert sorted(path.name for path in m.out.glob('.new*')) == ['.new', '.new.abcdef']
    assert len(list(m.out.glob('.new*/two/samples.tar'))) == 2


# --- numbers ------------------------------------------------------------------------------------------------------

def test_numbers_stand_beside_what_the_paper_says(m):
    page = m.read()
    # a value with its interval by the conditions, the largest; what is missing is said
    has(page, r'| 3 s \| 5 hogs *(read off the figure)* | vim, 5 hogs | 10.5 ms | 9.3 to 11.8 ms |',
        '| 9 s, most hogs |  | 163 ms |  |', '| 2 s | vim … CPUs | 1 |  |\n|  | vim … CPUs | 2 |  |',  # not where it is empty
        '| 1 s | not in this run |  |  |', '| 8 s | hogs | 3 |  |\n|  | hogs | 5 |  |', '| 4 s |  | no column gone_ms |  |',
        'Not whole: half of it.')
    assert 'Kernels changed.\n' in page and ' | 2026-01-01 | 10 min | ' in page  # 620 s
    assert '\n<a href="one/figures/stall.svg"><img src="one/figures/stall.svg" width="' in page
    assert 'alt="Fig. 1: stalls"></a>' in page
    # of the paper: what it showed, both numbers beside it; those shown whole
    assert 'It showed: hogs stall. Here, today: by 10.5 ms (9.3 to 11.8 ms); 5 of them.' in page
    assert '**3** are shown whole' in page


@pytest.mark.parametrize('unit, value, low, high, words', [
    ('ms', 9857.2, 7089, 13705, '9.9 s | 7.1 to 13.7 s'), ('ms', 9857.2, 9712, 9901, '9857 ms | 9712 to 9901 ms'),
    ('-', 1.013, 0.954, 1.066, '1.01 | 0.95 to 1.07'), ('-', 12.34, 9.57, 15.1, '12.3 | 9.6 to 15.1')])
def test_a_number_and_its_interval_have_one_unit_or_the_digits_of_the_runs_own_tables(m, unit, value, low, high, words):
    m.interval(value, low, high, unit)
    has(m.page(), rf'| 3 s \| 5 hogs *(read off the figure)* | vim, 5 hogs | {words} |')


def test_few_repeats_disturbed_conditions_and_samples_left_out_are_named(m):
    page = m.read()
    assert '2 runs, which are kept in this repository (2 with all of their samples)' in page and '(preliminary' not in page
    assert 'Of the runs 0 are preliminary, with fewer than five repeats, and 0 had disturbed' in page
    m.tables_alone()
    with m.facts('one') as of:
        of['settings']['repeats'], of['cells'][1]['flags'], of['kept']['conditions'] = 3, ['foreign CPU time 9 %'], 0
    page = m.page()
    assert '(1 with all of their samples, 1 with tables alone)' in page
    assert 'Of the runs 1 are preliminary, with fewer than five repeats, and 1 had disturbed' in page
    assert '[one](one/report.md) (preliminary: 3 repeats; 1 of the conditions flagged)' in page
    # a word that no rule decides, and what the paper's head says, have the marks of the run, too
    assert m.verdict(1) == '**nothing to compare** (preliminary, flagged)'
    assert 'by 10.5 ms (9.3 to 11.8 ms) (preliminary, flagged); 5 of them (preliminary, flagged).' in page
    with m.facts('one') as of:
        of['settings']['repeats'], of['cells'][1]['flags'], of['unwatched'] = 5, [], True
    assert '[one](one/report.md) (preliminary: interference unknown)' in m.page()
    assert m.verdict(1) == '**nothing to compare** (preliminary)'


def test_what_was_not_run_is_listed_with_its_command_and_what_a_program_computes_needs_no_run(new):
    m = new(drawn=True)
    assert m.gallery('--page', '-o', 'out').out == f'{m.out}/gallery.md\n' and not m.called()
    page = m.read()
    has(page, '**Not run yet**: `thinprobe run made --n 1`', '| 5.13 | adds up to | 5.13 |  |', '| here | a default |  |  |',
        '`thinprobe adder`. Computed by `thinprobe adder 2 3`.')
    assert 'Kernels changed' not in page and '| one | `thinprobe run made --n 1` | 45 min |' in page
    assert 'It showed: hogs stall. Here, today: not run yet.' in page and '**2** are shown whole' in page
    assert '<img src="gallery/sum.svg"' in page and '</svg>' in (m.out / 'gallery/sum.svg').read_text()


def test_a_figure_of_which_a_kept_run_has_no_number_is_not_run_yet(m):
    m.edit('data/papers.tsv', lambda text: '\n'.join('\t'.join([*line.split('\t')[:5], 'app=gone', line.split('\t')[6]])
                                                     if 'Fig. 1\t' in line else line for line in text.split('\n')))
    page = m.page()
    has(page, '**Not run yet**: `thinprobe run made --n 1`')
    assert 'not in this run' not in page and not [line for line in page.split('\n') if 'stall.svg"' in line and 'Fig. 1' in line]


def test_a_program_that_fails_is_named_and_the_page_stays(new):
    m = new()
    m.edit('bin/adder', lambda text: text + 'exit 3\n')
    assert m.gallery('--page', '-o', 'out', status=1).err.startswith('adder 2 3 fails')
    assert not list(m.out.iterdir())


@pytest.mark.parametrize('paper, figure, table, why', [
    ('Author & Second 2002', 'Fig. 1', 'one/summary', 'no Fig. 1 of Author & Second 2002'),
    (PAPER, 'Fig. 5', 'one/summary', 'no Fig. 5'), (PAPER, 'Fig. 1', 'none/summary', 'no run none')])
def test_a_number_of_what_is_not_there_is_refused_by_name(new, paper, figure, table, why):
    m = new()
    m.edit('data/papers.tsv', lambda text: f'{text}{paper}\t{figure}\ttext\tx\t{table}\t\t{{stall_ms}}\n')
    said = m.gallery('--page', '-o', 'out', status=1).err
    assert said.startswith('data/papers.tsv:16: ') and why in said and not (m.out / 'gallery.md').exists()


def test_below_the_error_of_a_runs_probe_is_no_number_as_on_the_runs_own_page(m):
    m.add(('Fig. 1', 'text', '1 ms', 'one/summary', VIM, '{latency_p50_ms}'))
    for value, words in ((0.4, 'less than 0.50 ms |  '), (0.6, '0.60 ms | 0.20 to 0.90 ms ')):
        m.table('latency_p50_ms latency_p50_ms_low latency_p50_ms_high', f'5 vim 5 {value} 0.2 0.9')
        with m.facts('one') as of:
            of['chain'] = {'latency_p50_ms': 0.5}
        has(m.page(), f'| 1 ms |  | {words}|')


# --- verdicts -----------------------------------------------------------------------------------------------------

def test_a_verdict_flips_with_the_interval_from_as_then_over_cannot_tell_to_no_longer(m):
    m.rule(1, 'as then', 'one/summary', VIM, 'stall_ms > 9 and sinks > 4')
    m.rule(1, 'no longer', 'one/summary', VIM, 'stall_ms < 9')
    for low, high, word in ((9.25, 11.75, 'as then'), (8.75, 11.75, 'cannot tell'), (6.25, 8.75, 'no longer')):
        m.interval(10.5, low, high)
        with m.facts('one') as of:
            of['settings']['repeats'] = 3
        page = m.page()
        assert m.verdict(1) == f'**{word}** (preliminary)' and f'{word} **1**' in page
        assert any(line.startswith('| [A') and '[Fig. 1](#fig-1-stalls)ᵖ' in line for line in page.split('\n'))
    assert m.verdict(2) == '**nothing to compare**'
    assert '**no longer** (preliminary), by `one/summary app=vim sinks=5: stall_ms < 9`.' in page


LESS = 'as then but smaller or in part'


@pytest.mark.parametrize('word, mark, condition', [
    ('as then', ' (computed)', 'sum > 2.5 a'), (LESS, ' (computed)', 'sum > 2.6 a'), ('as then', ' (computed)', 'sum = 5.1..5.2'),
    (LESS, ' (computed)', 'sum = 5.2..5.3'), ('as then', ' (computed)', 'a < 1 sum a=2'),
    ('as then', '', 'a < 0.5 sinks one/summary app=vim'), (LESS, ' (computed)', 'a < 0.3 sinks one/summary app=vim'),
    ('as then', '', 'some a < 0.3 sinks one/summary app=vim'), ('as then', '', 'a < 1 stall_ms one/summary sinks=5'),
    (LESS, ' (computed)', 'a < 1 stall_ms one/summary sinks=20'), ('as then', ' (computed)', 'a = 1..3 and sum > 5'),
    (LESS, ' (computed)', 'a = 1..3 and sum > 6')])
def test_conditions_hold_in_each_row_or_some_against_another_column_or_row_or_in_a_range(m, word, mark, condition):
    m.rule(3, 'as then', 'sum/rows', '', condition)
    m.rule(3, 'as then, smaller', 'sum/rows', '', 'sum > 0')
    m.page()
    assert m.verdict(3) == f'**{word}**{mark}'


@pytest.mark.parametrize('where, rule, words', [
    ('sinks=5', 'stall_ms > 9', 'Now 10.5 ms (9.3 to 11.8 ms) beside 5.'),
    ('app=vim', 'sinks > 4', 'Now 10.5 to 163 ms beside 5 to 20.'), ('app=vim', 'stall_ms > 99', 'Always.'),
    ('app=vim', None, 'no column gone')])
def test_of_sentences_with_rules_of_the_same_rows_the_first_is_shown_that_holds(m, where, rule, words):
    sentences = (('Never.', 'stall_ms > 999' if rule else 'gone > 1'), ('Now {stall_ms} beside {sinks}.', rule or 'sinks > 4'),
                 ('Always.', 'sinks > 0'))
    m.edit('data/papers.tsv', lambda text: text.replace('Kernels changed.\t\t\t\n', ''.join(
        f'{PAPER}\tFig. 1\tsince\t{said}\tone/summary\t{where}\t{when}\n' for said, when in sentences)
                                                        .removeprefix(f'{PAPER}\tFig. 1\tsince\t')))
    if not rule:
        assert words in m.gallery('--page', '-o', 'out', status=1).err
        return
    page = m.page()
    assert words in page and sum(page.count(word) for word in ('Never.', 'Now 1', 'Always.')) == 1


def test_a_sentence_has_the_range_of_all_of_its_rows_with_ranges_and_lower_bounds(m):
    m.add(('Fig. 1', 'since', 'Now {wait_ms}.', 'one/summary', 'app=vim', 'wait_ms > 9'))
    for second, words in (('163 _ _', '10.5 to 163 ms'), ('_ 150 180', '10.5 to 180 ms'), ('_ 150 _', 'more than 10.5 ms')):
        m.table('wait_ms wait_ms_from wait_ms_to', '5 vim 5 10.5 _ _', f'20 vim 5 {second}')
        assert f'Now {words}.' in m.page()


def test_a_sentence_with_a_rule_is_shown_only_where_it_holds(m):
    m.add(*(('Fig. 1', 'since', said, 'one/summary', VIM, f'stall_ms {when}') for said, when in (
        ('Slower than 9 ms: {stall_ms}.', '> 9'), ('Faster than 9 ms.', '< 9'), ('Slower than 10 ms.', '> 10'))))
    page = m.page()
    assert 'Kernels changed. Slower than 9 ms: 10.5 ms (9.3 to 11.8 ms).' in page
    assert 'Faster than 9' not in page and 'Slower than 10' not in page
    m.edit('data/papers.tsv', lambda text: text.replace('> 10\n', '>= 10\n'))
    assert 'what is stall_ms >= 10?' in m.gallery('--page', '-o', 'out', status=1).err


def keep_in_tree(m):
    """The kept runs are those of the tree, where its page is written."""
    for name in ('one', 'two'):
        shutil.copytree(m.out / name, m.tree / 'results/reference' / name)


@pytest.mark.parametrize('word, where, condition, why', [
    ('as then', 'sinks=5', 'gone_ms > 9', 'gone_ms'), ('as then', 'gone=5', 'stall_ms > 9', 'gone'),
    ('as then', 'sinks=6', 'stall_ms > 9', 'sinks=6'), ('as then', 'sinks=5', 'stall_ms > 1 gone_ms', 'gone_ms'),
    ('as then', 'sinks=5', 'stall_ms > 1 stall_ms sinks=7', 'sinks=7'), ('as ever', 'sinks=5', 'stall_ms > 9', 'as ever'),
    *(('as then', 'sinks=5', rule, rule) for rule in ('stall_ms >= 9', 'stall_ms = 12..9', 'stall_ms > 9.2.5')),
    ('as then', 'app=vim sinks<20', 'stall_ms > 9', 'sinks<20'), ('as then', 'app=vim sinks>4', 'stall_ms > 9', 'sinks>4')])
def test_a_rule_that_names_what_is_not_there_is_refused_with_its_line(m, word, where, condition, why):
    keep_in_tree(m)
    m.rule(1, word, 'one/summary', where, condition)
    m.rule(2, 'as then', 'two/summary', '', 'sinks > 1')
    said = m.gallery('--page', status=1).err
    assert said.startswith('data/papers.tsv:16: ') and why in said
    assert not (m.tree / 'docs/gallery.md').exists()


def test_a_need_names_columns_and_elsewhere_a_run_may_have_fewer_rows(m):
    keep_in_tree(m)
    with m.kept() as n:
        m.add(('Fig. 1', 'needs', 'all', 'one/summary', 'app=vim', 'stall_ms'))
        said = m.gallery('--page', status=1).err
        assert said.startswith(f'data/papers.tsv:{n + 1}: ') and '{column}' in said
    m.rule(1, 'as then', 'one/summary', 'sinks=6', 'stall_ms > 9')
    m.page()
    assert m.verdict(1) == '**cannot tell**'


def test_of_a_kept_run_of_an_older_plan_a_missing_row_is_not_run_yet_and_no_error(m):
    keep_in_tree(m)
    m.rule(1, 'as then', 'one/summary', 'app=vim sinks=9', 'stall_ms > 9')
    m.gallery('--page', status=1)
    m.edit('data/gallery.tsv', lambda text: text.replace('--n 1', '--n 2'))
    m.gallery('--page')
    assert m.verdict(1, m.tree / 'docs') == '**not run yet**'
    has(m.read(of=m.tree / 'docs'), '| 1 s | `one` is to be run again |  |  |')
    m.rule(1, 'as then, smaller', 'one/summary', VIM, 'stall_ms > 9')
    m.gallery('--page')
    assert m.verdict(1, m.tree / 'docs').startswith(f'**{LESS}**')


@pytest.mark.parametrize('word, whole, where, columns', [
    ('no longer', 3, 'app=vim sinks=5|20', '{stall_ms}'), ('no longer', 3, 'app=vim|other', '{stall_ms}'),
    ('cannot tell', 2, 'app=vim sinks=5|21', '{stall_ms}'), ('cannot tell', 2, 'app=vim|other', '{stall_ms} {cpus}'),
    ('cannot tell', 2, 'app=vim sinks=5', '{wait_ms}'), ('cannot tell', 2, 'app=vim hogs=5', '{stall_ms}')])
def test_a_figure_is_whole_only_if_the_kept_run_has_what_it_needs(m, word, whole, where, columns):
    m.rule(3, 'as then', 'sum/rows', '', 'sum > 5')
    m.rule(1, 'no longer', 'one/summary', VIM, 'stall_ms > 9')
    m.add(('Fig. 1', 'needs', 'both', 'one/summary', where, columns))
    page = m.page()
    assert m.verdict(1) == f'**{word}**' and f'**{whole}** are shown whole' in page
    assert where != 'app=vim hogs=5' or 'Not whole: both (`one/summary` lacks `app=vim hogs=5`).' in page


def test_a_figure_that_is_not_whole_is_as_then_in_part(m):
    m.rule(3, 'as then', 'sum/rows', '', 'sum > 5')
    m.add(('Fig. 3', 'needs', 'all', 'sum/rows', 'a=2|7', '{sum}'))
    m.page()
    assert m.verdict(3) == f'**{LESS}** (computed)'


def test_columns_of_two_units_are_not_compared(m):
    with m.kept():
        m.rule(1, 'as then', 'one/summary', VIM, 'stall_ms > 1 cpus')
        m.page()
        assert m.verdict(1) == '**as then**'
        m.tables_alone()
        file = m.out / 'one/schema.tsv'
        write(file, file.read_text().replace('\tcpus\tint\t', '\tcpus\tint\ts'))
        assert 'papers.tsv:16: stall_ms and cpus have different units' in m.gallery('--page', '-o', 'out', status=1).err


def test_a_run_that_is_not_usable_by_its_own_page_decides_nothing(m):
    m.rule(1, 'as then', 'one/summary', VIM, 'stall_ms > 9')
    for n, mark in ((1, 'flagged'), (2, 'not usable')):
        with m.facts('one') as of:
            for i, cell in enumerate(of['cells']):
                cell['flags'] = ['foreign CPU time 9 %'] if i < n else []
        m.page()
        assert m.verdict(1).endswith(f' ({mark})')
    assert m.verdict(1) == '**cannot tell** (not usable)'


@pytest.mark.parametrize('repeats, where, condition, word', [
    (2, VIM, 'stall_ms > 9', 'as then'), (1, VIM, 'stall_ms > 9', 'cannot tell'), (1, 'app=vim sinks=20', 'cpus > 1', 'as then'),
    (1, 'app=vim sinks=20', 'cpus > 1 cpus app=vim sinks=5', 'cannot tell'),
    (2, 'app=vim sinks=20', 'cpus > 1 cpus app=vim sinks=5', 'as then')])
def test_a_condition_of_which_each_repeat_was_disturbed_decides_nothing_also_beside_another(m, repeats, where, condition, word):
    with m.facts('one') as of:
        of['cells'] = [{'name': f'{app}-{sinks}', 'parameters': {'app': app, 'sinks': sinks}, 'complete': repeats,
                        'flags': ['foreign CPU time 9 %'] * (sinks == 5)} for app, sinks in (('vim', 5), ('vim', 20), ('other', 3))]
    m.rule(1, 'as then', 'one/summary', where, condition)
    m.page()
    assert m.verdict(1) == f'**{word}** (flagged)'


@pytest.mark.parametrize('without, with_, same, contrary', [
    ('as then', LESS, 'stall_ms > 9', 'stall_ms < 9'), ('cannot tell', 'no longer', 'stall_ms > 99', 'stall_ms < 12')])
def test_rules_of_a_run_that_is_not_kept_lower_no_word_and_the_page_names_the_run(m, without, with_, same, contrary):
    for word, run, condition in (('as then', 'one', same), ('as then', 'two', 'stall_ms > 99'), ('as then, smaller', 'one', same),
                                 ('no longer', 'one', contrary)):
        m.rule(1, word, f'{run}/summary', VIM, condition)
    m.add(('Fig. 1', 'needs', 'more', 'two/summary', 'app=vim', '{stall_ms}'))
    m.page()
    assert m.verdict(1) == f'**{with_}**'
    shutil.rmtree(m.out / 'two')
    page = m.page()
    assert m.verdict(1) == f'**{without}**'
    assert without != 'as then' or '; `two` is still to be run.' in page


def test_runs_whose_display_servers_had_different_frame_clocks_are_not_compared(m):
    m.rule(1, 'as then', 'one/summary', VIM, f'stall_ms > 0.5 stall_ms two/summary {VIM}')
    for clock, word in ((None, 'as then'), (60, 'as then'), (1000, 'cannot tell')):
        for name, rate in (('one', clock), ('two', 60)):
            with m.facts(name) as of:
                of['protocol'] = {'frame_rate_per_s': rate}
        m.page()
        assert m.verdict(1) == f'**{word}**'


@pytest.mark.parametrize('unit, model, word', [('ms', 'one', 'as then'), ('ms', 'other', 'cannot tell'),
                                               ('s/key', 'one', 'as then'), ('s/key', 'other', 'as then')])
def test_times_of_runs_on_different_cpus_are_not_compared_nor_is_anything_else_kept_from_it(m, unit, model, word):
    m.rule(1, 'as then', 'one/summary', 'app=vim', 'stall_ms > 0.5 stall_ms two/summary app=vim')
    for name in ('one', 'two'):
        m.table('stall_ms stall_ms_low stall_ms_high', '5 vim 5 10.5 9.25 11.75', name=name, unit=unit)
        with m.facts(name) as of:
            of['host'] = {'cpu': {'model': model if name == 'two' else 'one'}}
    m.page()
    assert m.verdict(1) == f'**{word}**'


def test_runs_of_several_protocols_are_not_compared_over_one_that_had_different_frame_clocks(m):
    m.rule(1, 'as then', 'one/summary', 'app=vim protocol=vnc',
           'stall_ms > 0.5 stall_ms two/summary app=vim protocol={protocol}')
    for clock, word in ((60, 'as then'), (1000, 'cannot tell')):
        for name in ('one', 'two'):
            m.table('stall_ms stall_ms_low stall_ms_high', *(f'5 vim {protocol} 5 10.5 9.25 11.75' for protocol in ('vnc', 'rdp')),
                    name=name, more=('sinks', 'app', 'protocol', 'repeats'))
            with m.facts(name) as of:
                of |= {'protocol': None, 'protocols': {'vnc': {'frame_rate_per_s': clock if name == 'one' else 60},
                                                       'rdp': {'frame_rate_per_s': clock}}}
        m.page()
        assert m.verdict(1) == f'**{word}**'


@pytest.mark.parametrize('repeats, word, condition', [
    (3, 'as then', 'wait_ms > 9'), (1, 'cannot tell', 'wait_ms > 9'), (1, 'cannot tell', 'wait_max_ms > 1 wait_ms'),
    (1, 'as then', 'wait_max_ms > 11'), (1, 'as then', 'sinks > 4')])
def test_what_was_measured_once_without_an_interval_decides_nothing(m, repeats, word, condition):
    m.rule(1, 'as then', 'one/summary', VIM, condition)
    m.table('wait_ms wait_max_ms', f'5 vim {repeats} 10.5 12')
    m.page()
    assert m.verdict(1) == f'**{word}**'


def test_short_runs_decide_nothing_and_pictures_at_the_head_are_those_that_the_data_name(m):
    m.rule(1, 'as then', 'one/summary', VIM, 'stall_ms > 9')
    m.add(('Fig. 1', 'thumbnail', 'of stalls', 'one/stall', '', ''), ('', 'thumbnail', 'of others', 'one/other', '', ''),
          ('Fig. 3', 'thumbnail', 'sums', 'sum/rows', '', ''))
    has(m.page(), *(f'[<img src="{file}" width="230" alt="{alt}">]({to})' for file, alt, to in (
        ('one/figures/stall.svg', 'of stalls', '#fig-1-stalls'), ('one/figures/other.svg', 'of others', 'one/report.md'),
        ('gallery/sum.svg', 'sums', '#fig-3-a-sum'))))
    assert m.verdict(1) == '**as then**' and (m.out / 'one/figures/other.svg').exists()
    with m.facts('one') as of:
        of['settings']['quick'] = True
    m.page()
    assert m.verdict(1) == '**not run yet**'


# --- questions on desktops: in the made-up tables the applications are protocols ----------------------------------

def ask(m):
    m.edit('data/papers.tsv', lambda text: text.replace('app=', 'protocol=').replace('app!=', 'protocol!=')
           .replace('{app}', '{protocol}'))
    m.add(('question', 'what', 'text', 'table', 'where', 'ours'), ('Speed', 'asks', 'Which is first?', '', '', ''),
          ('Speed', 'column', '5 hogs', 'one/summary', 'sinks=5', '{stall_ms}'),
          ('Speed', 'column', '3 hogs', 'two/summary', 'sinks=3', '{stall_ms}'),
          ('Speed', 'picture', 'stalls', 'one/stall', '', ''),
          ('Speed', 'answer', 'Slow: {stall_ms}.', 'one/summary', 'sinks=5', 'stall_ms > 9'),
          ('Speed', 'answer', 'Quick.', 'one/summary', 'sinks=5', 'stall_ms < 9'), ('Speed', 'paste', './setup it', '', '', ''),
          ('More', 'asks', 'And more?', '', '', ''), ('More', 'partial', 'There is none.', '', '', ''), page='desktops')


def rows_of_protocols(m, low, high):
    m.table('stall_ms stall_ms_low stall_ms_high', f'5 vim 10.5 {low} {high}', '20 vim 163.2 _ _', '3 other 7 _ _',
            more=('sinks', 'protocol'))
    m.table('stall_ms', '5 vim 10.5', '3 other 7', name='two', more=('sinks', 'protocol'))


def test_a_question_has_a_row_for_each_protocol_the_answer_whose_rule_holds_and_what_to_paste(m):
    ask(m)
    rows_of_protocols(m, 9.25, 11.75)
    assert m.gallery('--page', '-o', 'out').lines()[1] == f'{m.out}/desktops.md'
    page = m.read('desktops')
    has(page, '| [Which is first?](#speed) | Slow: 10.5 ms (9.3 to 11.8 ms). |', '| protocol | 5 hogs | 3 hogs |',
        '| `vim` | 10.5 ms<br>9.3 to 11.8 ms |  |', '| `other` |  | 7.0 ms |', '![stalls](one/figures/stall.svg)', 'There is none.',
        '```\n./setup it\n./thinprobe run made --n 1\n./thinprobe run made\n```')
    assert (m.out / 'one/figures/stall.svg').exists()
    assert 'Reports of the kept runs: [one](one/report.md), 2026-01-01; [two](two/report.md), 2026-01-01.' in page
    for low, high, answer in ((8.75, 11.75, '**Cannot tell**'), (6.25, 8.75, 'Quick. |')):
        rows_of_protocols(m, low, high)
        assert f'(#speed) | {answer}' in m.page('desktops')
    for name in ('one', 'two'):
        shutil.rmtree(m.out / name)
    has(m.page('desktops'), '| [Which is first?](#speed) | **Not run yet.** |')


@pytest.mark.parametrize('row, why', [
    (('asked', 'what?', '', '', ''), 'no row is called asked'),
    (('column', 'x', 'none/summary', '', '{stall_ms}'), 'data/gallery.tsv has no run none'),
    (('answer', 'x', 'one/summary', 'sinks=5', 'stall_ms >= 9'), 'what is stall_ms >= 9?')])
def test_a_row_of_questions_that_says_nothing_or_names_no_planned_run_is_refused_with_its_line(m, row, why):
    ask(m)
    (m.out / 'desktops.md').unlink(missing_ok=True)
    m.add(('Speed', *row), page='desktops')
    assert m.gallery('--page', '-o', 'out', status=1).err.startswith(f'data/desktops.tsv:11: {why}')
    assert not (m.out / 'desktops.md').exists()


def test_the_pages_are_what_the_data_and_the_kept_runs_say(tmp_path):
    """Else: thinprobe gallery --page"""
    if not (TOP / 'kits').is_dir():
        pytest.skip('no kits here')
    tree = tmp_path / 'tree'
    for name in ('results', 'kits'):  # figures that no page shows are removed
        shutil.copytree(TOP / name, tree / name, symlinks=True)
    shutil.copytree(TOP / 'analysis', tree / 'analysis', copy_function=os.symlink)
    for name in ('lab', 'data', 'experiments', 'plots', *(file.name for file in TOP.glob('*.md'))):
        (tree / name).symlink_to(TOP / name)
    scripts = [file for file in (TOP / 'bin').iterdir() if file.read_bytes()[:2] == b'#!']
    for file in (*scripts, TOP / 'docs/papers.md'):
        (tree / file.relative_to(TOP)).parent.mkdir(exist_ok=True)
        shutil.copy(file, tree / file.relative_to(TOP))
    subprocess.run([tree / 'bin/gallery', '--page'], check=True, stdout=subprocess.DEVNULL)
    for page in ('docs/gallery.md', 'docs/desktops.md'):
        assert (tree / page).read_text() == (TOP / page).read_text()
        assert 'no column' not in (tree / page).read_text() and 'not in this run' not in (tree / page).read_text()
    assert subprocess.run(['diff', '-r', TOP / 'results/reference', tree / 'results/reference'], check=False).returncode == 0
