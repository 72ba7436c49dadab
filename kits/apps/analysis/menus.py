# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a user has to wait for an action (Wu, Zhang, Gu & Sun 2005): T_total = T_index + T_think + T_handle, the times to find
it in menus, to think, and to have it carried out. Pure.

An action is a path through menus ("File/Open"), or a keyboard shortcut ("ctrl+o"). Times of the user are those of
kits/apps/data/think.tsv. All times in seconds."""
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from analysis.numbers import power
from analysis.samples import elements, number, text

ACTIONS_MOST = 256


class Times(NamedTuple):
    """Of the keystroke-level model."""
    key: float
    point: float
    button: float
    home: float
    mental: float


@dataclass(frozen=True, slots=True)
class Action:
    application: str
    path: str
    shortcut: str
    count: float


def parts(words: str, separator: str) -> int:
    """The number of non-empty parts between separators."""
    return sum(bool(part) for part in words.split(separator))


def selection_s(t: Times, path: str, shortcut: str) -> float:
    """T_index: one keystroke for each part of the shortcut ("+" is a key, too); without a shortcut, moving the hand to the mouse,
    then pointing and clicking for each level of the path."""
    if shortcut:
        return (parts(shortcut, '+') or 1) * t.key
    return t.home + parts(path, '/') * (t.point + 2 * t.button)


def felt_delay_s(total: float, expected: float, beta: float) -> float:
    """The delay that the user feels: 0 up to the expected time, (total - expected)^beta beyond."""
    return 0.0 if total <= expected else power(total - expected, beta)


def actions_of(group: Any) -> list[Action]:
    """Those of one class of users."""
    out = []
    for one in elements(group, 'events'):
        application, path = text(one, 'application'), text(one, 'path')
        if application is None or path is None:
            break
        out.append(Action(application, path, text(one, 'shortcut') or '', number(one, 'count')))
    return out


def common_actions(model: Any) -> list[Action]:
    """The actions that every class of users performs, in the order of the first class: adds up their counts; keeps the shortcut
    only if all classes have the same."""
    first, *others = elements(model, 'classes') or [None]
    named = []
    for group in others:
        if text(group, 'class') is None:
            break
        named.append(actions_of(group))
    out: list[Action] = []
    for action in actions_of(first):
        same = [next((a for a in group if (a.application, a.path) == (action.application, action.path)), None) for group in named]
        found = [a for a in same if a]
        if len(found) == len(same) and len(out) < ACTIONS_MOST:
            shortcut = action.shortcut if all(a.shortcut == action.shortcut for a in found) else ''
            out.append(replace(action, shortcut=shortcut, count=action.count + sum(a.count for a in found)))
    return out
