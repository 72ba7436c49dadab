# SPDX-License-Identifier: GPL-3.0-or-later
"""summarize - statistics over the repeats of a run: reads its cells, writes summary.tsv and the other tables of its experiment.

How it is built, from the files of a run folder to its tables; each part is a module and knows only those above it:
    samples       a run folder: run.json, cells, repeats, JSON files and tables of bounded size
    spreads       intervals, lines, adjusted p-values
    estimates     estimators of one number of each repeat; quantiles of the values of all repeats
    columns       what a column is: name, unit, source, estimator, decimals; how figures become cells
    table_file    reads COLUMNS of an experiment's analysis.py. It alone knows that form: another may make the same objects
    NAME_columns  extractors: plain functions that read files of a repeat, and give numbers, figures and rows by name. The engine
                  finds them by the name that COLUMNS say, in the core and in kits; a new one is one file
    engine        takes what columns say from repeats, combines it, writes the tables
A new column is a line of COLUMNS; if no extractor has its figure, one entry in the dict that an extractor's numbers or figures
return. With --values the program only computes statistics of plain numbers."""
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from math import isfinite, nan, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis import report, words
from analysis.command import LOSSY, OK, RUN, Option, Stop, Usage, open_input, parse, real, write_all
from analysis.text import complain

if TYPE_CHECKING:
    from analysis import engine

OPTIONS = (
    Option('draws', 'int', 'bootstrap resamples, used from ten repeats on (2000)', low=100, high=1000000, of='run'),
    Option('seed', 'int', "seed of the bootstrap (the run's)", low=0, high=4294967295, of='run'),
    Option('experiment', 'text', "folder of the experiment, with its table (the run's)", of='run', meta='DIR'),
    Option('values', 'text', 'RUN is a file of values: report these quantiles of each group', meta='P,...'),
    Option('above', 'real', 'share of values above this', of='values'),
    Option('schema', 'flag', "RUN is an experiment's table: print its columns as schema.tsv"),
    *report.OPTIONS,
)
SHARES = 15  # most quantiles
LINE_BYTES = 255  # of a line of values


# --- plain numbers ------------------------------------------------------------------------------------------------

def parse_shares(text: str) -> list[float]:
    try:
        shares = [float(word) for word in text.split(',')]
    except ValueError:
        shares = []
    if not 0 < len(shares) <= SHARES or not all(0 <= share <= 1 for share in shares):
        raise Usage(f'--values {text}: shares from 0 to 1, such as 0.1,0.5')
    return shares


def read_values(file: str) -> Iterator[tuple[str, float]]:
    """(group, number) of each line."""
    with open_input(file) as stream:
        for at, line in enumerate(iter(lambda: stream.readline(LINE_BYTES), b''), 1):
            group, tab, value = line.decode(errors='surrogateescape').partition('\t')
            try:
                number = real(value.removesuffix('\n').strip())
            except (ValueError, OverflowError):
                number = nan
            if not tab or not line.endswith(b'\n') or not isfinite(number):
                raise Stop(f'{file}, line {at}: no group, tab and number')
            yield group, number


def group_figures(values: list[float], shares: list[float], above: float | None) -> dict[str, Any]:
    from analysis import spreads
    n, middle, squares = len(values), 0.0, 0.0
    for i, value in enumerate(values, 1):
        off = value - middle
        middle += off / i
        squares += off * (value - middle)
    return {'n': n, **report.reals(6, mean=middle, sd=sqrt(squares / (n - 1)) if n > 1 else nan),
            **({} if above is None else {'above_percent': report.real(100 * sum(v > above for v in values) / n, 6)}),
            **{f'p{100 * share:g}': report.real(spreads.quantile(values, share), 6) for share in shares}}


def summarize_values(file: str, out: report.Report) -> int:
    shares = parse_shares(out.given['values'])
    groups: dict[str, list[float]] = {}
    for group, value in read_values(file):
        groups.setdefault(group, []).append(value)
    out.result = {'groups': [{'group': name, **group_figures(values, shares, out.given['above'])}
                             for name, values in groups.items()]}
    out.main_table = 'groups'
    out.close()
    return OK


# --- a run --------------------------------------------------------------------------------------------------------

def find_table(experiment: str) -> str:
    """The analysis.py of an experiment, in the core or in a kit, below TP_HOME or beside the program."""
    home = os.environ.get('TP_HOME')
    trees = [Path(home)] if home else [Path(p) for p in sys.path if os.path.isdir(f'{p}/experiments')]
    kits = [kit for tree in trees for kit in sorted(tree.glob('kits/[!.]*'))]
    paths = [f'{tree}/experiments/{experiment}/analysis.py' for tree in [*trees, *kits]]
    return next((p for p in paths if os.access(p, os.R_OK)), paths[0] if paths else f'experiments/{experiment}/analysis.py')


def write_report(out: report.Report, made: 'engine.Made') -> None:
    run, unit = made.work.run, made.work.tables.counts
    out.settings = {'run': run.folder, 'repeats': run.repeats, 'threshold_ms': report.real(run.threshold_ms, 3), 'draws': run.draws,
                    'seed': run.seed}
    out.result = {
        'cells': len(run.cells), f'{unit}_complete': made.complete, f'{unit}_failed': made.failed, f'{unit}_marked': made.flagged,
        **{f'{name.removesuffix("s")}_rows': rows for name, rows in made.rows.items()}, **made.report()}
    failed, flagged = (words.count(n) if n else 'none' for n in (made.failed, made.flagged))
    out.say(f'{len(run.cells)} conditions, {run.repeats} repeats: {words.count(made.complete)} {unit} complete, {failed} failed, '
            f'{flagged} flagged')
    wrote = ', '.join(f'{name}.tsv ({words.count(rows)} rows)' for name, rows in made.rows.items() if rows)
    if wrote:
        out.say(f'wrote {wrote}')


def summarize_run(folder: str, out: report.Report) -> int:
    from analysis import engine, samples, table_file  # (not before: --help needs none of the many)
    given = out.given
    run = samples.read_run(folder)
    run = replace(run, draws=given['draws'] or run.draws, seed=run.seed if given['seed'] is None else given['seed'])
    tables = table_file.read_tables(f'{given["experiment"]}/analysis.py' if given['experiment'] else find_table(run.experiment))
    samples.read_cells(run, tables.skip_missing)
    made = engine.make(run, tables, lambda text: complain('summarize', text))
    write_report(out, made)
    engine.save(made)
    out.close()
    if not made.complete:
        raise Stop(f'{folder}: no repeat of any cell is complete; the tables hold no figures', RUN)
    return LOSSY if made.failed else OK


def main(argv: list[str]) -> int:
    given = parse(argv, 'summarize RUN [options]',
                  'Computes statistics over the repeats of a run, and writes RUN/summary.tsv and other tables.', OPTIONS)
    if not given.operands:
        raise Usage('which run folder?')
    given.refuse_operands(1)
    if given['schema'] and given['values']:
        raise Usage('--schema and --values: choose one')
    foreign = given.foreign('schema' if given['schema'] else 'values' if given['values'] else 'run')
    if foreign:
        raise Usage(f'--{foreign.name} is for {"a run" if foreign.of == "run" else "--values"}')
    if given['schema']:
        from analysis import engine, table_file
        write_all(1, ''.join(engine.schema_lines(table_file.read_tables(given.operands[0]))))
        return OK
    out = report.Report('summarize', given)
    return summarize_values(given.operands[0], out) if given['values'] else summarize_run(given.operands[0], out)
