# SPDX-License-Identifier: GPL-3.0-or-later
"""What --fail-if asks, and try of its limits, for scripts:

fail check STEM CONDITIONS   checks that this experiment has these columns; if not, exit status 2 and a line with the reason.
fail judge RUN CONDITIONS    prints whether each condition holds in a row of the run's tables. Exit status: 5 if one does, or may (a
range,
                             a lower bound, an overloaded condition); otherwise 3 if the interval of a row is on both sides of the
                             limit, a row has no such figure, or the run is not usable, which a line says.
fail limits RUN FILE         the same of limits that are to hold, "METRIC CELLS OP VALUE" a line: prints JSON, and what may break a
limit
                             is not decided.
fail folder RUN              prints what in a folder of a run is not as in one; 1 if so."""
from pathlib import Path

from analysis import conditions, limits
from analysis.command import LOSSY, OK, RUN, USAGE, WORSE, Stop
from analysis.foreign import check_folder
from analysis.terminal import show_json, show_lines

STATUS = {limits.HOLDS: OK, limits.BROKEN: WORSE, limits.OPEN: LOSSY}


def check(stem: str, text: str) -> int:
    conditions.read(conditions.columns_of(stem), text)
    return OK


def judge(folder: Path, text: str) -> int:
    judged = conditions.judge(folder, text)
    show_lines(conditions.text_lines(judged))
    return STATUS[judged.word()]


def judge_limits(folder: Path, file: str) -> int:
    judged = conditions.judge(folder, conditions.read_file(file), file)
    show_json({'limits': conditions.as_json(judged)})
    return STATUS[judged.word()]


def main(words: list[str]) -> int:
    match words:
        case ['check', stem, text]:
            return check(stem, text)
        case ['judge', folder, text]:
            return judge(Path(folder), text)
        case ['limits', folder, file]:
            return judge_limits(Path(folder), file)
        case ['folder', folder]:
            wrong = check_folder(Path(folder))
            show_lines([wrong] if wrong else [])
            return RUN if wrong else OK
    raise Stop('usage: fail check STEM CONDITIONS | judge RUN CONDITIONS | limits RUN FILE | folder RUN', USAGE)
