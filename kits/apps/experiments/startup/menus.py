# SPDX-License-Identifier: GPL-3.0-or-later
"""menus.py APPLICATION DISPLAY FILE COMMAND... - starts a command on a display and walks its menus depth first through AT-SPI.

FILE becomes a table with a row for each node, the application itself first: its number in the order of the walk, its parent's, its
depth, what it is (application, menu, event), its name, the path to it, the shortcut that does without the path, how many entries
it has, and where it and its parent stand in a drawing of the tree, from left to right, a step for each leaf.

It needs a message bus of its own, as dbus-run-session gives it: whoever shows menus there is the command. 1: it shows none."""
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import gi  # type: ignore[import]
gi.require_version('Atspi', '2.0')
from gi.repository import Atspi, GLib  # type: ignore[import]  # noqa: E402

SECONDS = 120  # for the menus to be there, twice alike
SILENT_SECONDS = 20  # who has not said anything by then never will
OPEN_SECONDS = 0.5  # for a menu that is filled when it is opened
COLUMNS = 'schema application node parent depth kind name path shortcut children place parent_place'.split()
ROLE = Atspi.Role
ITEMS = (ROLE.MENU, ROLE.MENU_ITEM, ROLE.CHECK_MENU_ITEM, ROLE.RADIO_MENU_ITEM, ROLE.TEAROFF_MENU_ITEM)
MODIFIERS = {'primary': 'ctrl', 'control': 'ctrl', 'ctl': 'ctrl', 'mod1': 'alt'}


def inside(node: Any) -> Iterator[Any]:
    return filter(None, (node.get_child_at_index(i) for i in range(node.get_child_count())))


def entries(node: Any) -> Iterator[Any]:
    """What a menu holds: separators are no entries, frames between it and its entries are none either."""
    for child in inside(node):
        if child.get_role() in ITEMS and child.get_name():
            yield child
        elif child.get_role() not in (ROLE.SEPARATOR, ROLE.TEAROFF_MENU_ITEM):
            yield from entries(child)


def acts(node: Any) -> bool:
    return 'Action' in node.get_interfaces() and node.get_n_actions() > 0


def opened(menu: Any) -> list[Any]:
    """The entries of a menu, which may come only when it is opened."""
    found = list(entries(menu))
    if found or menu.get_role() != ROLE.MENU or not acts(menu):
        return found
    menu.do_action(0)
    time.sleep(OPEN_SECONDS)
    menu.clear_cache()
    found = list(entries(menu))
    menu.do_action(0)
    return found


def shortcut(node: Any) -> str:
    """The last part of "mnemonic;way through the menus;<Primary><Shift>s", as ctrl+shift+s."""
    parts = (node.get_key_binding(0) or '').split(';') if acts(node) else []
    keys = re.findall(r'[^<>]+', parts[2]) if len(parts) > 2 else []
    return '+'.join(MODIFIERS.get(key.lower(), key.lower() if i < len(keys) - 1 else key) for i, key in enumerate(keys))


def walk(node: Any, name: str) -> dict[str, Any]:
    """{name, shortcut, menu, children} of an entry and all below it."""
    below = opened(node)
    return {'name': ' '.join(name.split()), 'menu': bool(below) or node.get_role() == ROLE.MENU,
            'shortcut': '' if below else shortcut(node), 'children': [walk(child, child.get_name()) for child in below]}


def menu_bar(node: Any, levels: int = 8) -> Any:
    for child in inside(node) if levels else ():
        if child.get_role() == ROLE.MENU_BAR and child.get_child_count():
            return child
        found = menu_bar(child, levels - 1)
        if found:
            return found
    return None


def look(name: str, desktop: Any) -> dict[str, Any] | None:
    """The tree as it is now; None: no menus."""
    try:
        bar = next(filter(None, map(menu_bar, inside(desktop))), None)
        return bar and {'name': name, 'menu': True, 'shortcut': '', 'children': [walk(e, e.get_name()) for e in entries(bar)]}
    except GLib.Error:  # what was there a moment ago is gone
        return None


def size(tree: dict[str, Any]) -> int:
    return 1 + sum(map(size, tree['children']))


def watch(app: 'subprocess.Popen[bytes]', name: str) -> dict[str, Any] | None:
    """The tree, once it is the same twice; None: there is none."""
    before, begun, desktop = None, time.monotonic(), Atspi.get_desktop(0)
    while time.monotonic() < begun + (SECONDS if desktop.get_child_count() else SILENT_SECONDS) and app.poll() is None:
        tree = look(name, desktop)
        if tree and before and size(tree) == size(before) > 1:
            return tree
        before = tree
        time.sleep(1)
    return None


def rows(tree: dict[str, Any]) -> list[dict[str, Any]]:
    """All nodes in the order of the walk, as dictionaries of COLUMNS."""
    out: list[dict[str, Any]] = []
    leaves = [0]

    def visit(node: dict[str, Any], parent: dict[str, Any] | None, depth: int, path: str) -> dict[str, Any]:
        row = {'schema': 'menus/1', 'application': tree['name'], 'node': len(out), 'parent': parent and parent['node'],
               'depth': depth, 'kind': 'menu' if node['menu'] else 'event', 'name': node['name'], 'path': path,
               'shortcut': node['shortcut'], 'children': len(node['children'])}
        out.append(row)
        below = [visit(child, row, depth + 1, '/'.join(filter(None, [path, child['name'].rstrip('.… ').replace('/', '|')])))
                 for child in node['children']]
        if not below:
            leaves[0] += 1
        row['place'] = (below[0]['place'] + below[-1]['place']) / 2 if below else leaves[0]
        for child in below:
            child['parent_place'] = row['place']
        return row

    visit(tree, None, 0, '')['kind'] = 'application'
    return out


def main(name: str, display: str, file: str, *command: str) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    app = subprocess.Popen(command, env=dict(os.environ, DISPLAY=display), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        tree = watch(app, name)
    finally:
        for number in signal.SIGTERM, signal.SIGKILL:
            try:
                os.killpg(app.pid, number)
                app.wait(2)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
    if not tree:
        sys.exit(f'menus.py: {name} shows no menus through AT-SPI')
    with open(file, 'w', encoding='utf-8') as out:  # not standard output: what the bus starts writes there, too
        print(*COLUMNS, sep='\t', file=out)
        for row in rows(tree):
            cells = ('' if row.get(c) is None else f'{row[c]:g}' if isinstance(row[c], float) else row[c] for c in COLUMNS)
            print(*cells, sep='\t', file=out)


if __name__ == '__main__':
    main(*sys.argv[1:])
