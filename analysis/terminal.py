# SPDX-License-Identifier: GPL-3.0-or-later
"""What commands print: lines and JSON in which nothing of a stranger's run is more than text."""
import json
from collections.abc import Iterable
from math import isfinite
from typing import Any

from analysis.command import Stop, write_all
from analysis.escape import for_terminal, for_terminal_json
from analysis.text import folded


def show(text: str) -> None:
    """To standard output. (A reader that has gone is no error.)"""
    try:
        write_all(1, text)
    except BrokenPipeError:
        pass
    except OSError as e:
        raise Stop(f'cannot write to standard output: {e.strerror}') from None


def show_lines(lines: Iterable[str]) -> None:
    show(''.join(f'{for_terminal(line)}\n' for line in lines))


def show_folded(lines: Iterable[str]) -> None:
    show_lines(part for line in lines for part in folded(line))


def plain_numbers(value: Any) -> Any:
    """Whole numbers without a point; what is no number in JSON is null."""
    if isinstance(value, float):
        return None if not isfinite(value) else int(value) if value == int(value) and abs(value) < 1e17 else value
    if isinstance(value, dict):
        return {key: plain_numbers(v) for key, v in value.items()}
    return [plain_numbers(v) for v in value] if isinstance(value, list | tuple) else value


def json_text(value: Any) -> str:
    return json.dumps(plain_numbers(value), indent=2, ensure_ascii=False) + '\n'


def show_json(value: Any) -> None:
    show(for_terminal_json(json_text(value)))
