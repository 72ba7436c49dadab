# SPDX-License-Identifier: GPL-3.0-or-later
"""How what is written in Python is built, in all trees: typed, short functions, nothing but the standard library, nothing that
evaluates data."""
import ast
import subprocess
import sys
from functools import cache
from pathlib import Path
from shutil import which

import pytest

TOP = Path(__file__).parents[2]
TREES = [TOP, *sorted(TOP.glob('kits/*'))]
FILES = sorted(file for tree in TREES for room in ('analysis', 'experiments') for file in tree.glob(f'{room}/**/*.py'))
TESTS = sorted([*TOP.glob('tests/analysis/**/*.py'), *TOP.glob('kits/*/tests/analysis/**/*.py')])
EVALUATE = {'eval', 'exec', 'compile', '__import__', 'breakpoint'}
NOT_ALLOWED = {'pickle', 'marshal', 'shelve', 'ctypes', 'code', 'runpy'}
OURS = {'analysis', 'experiments'}
OTHERS = {'menus.py: gi', 'menus.py: gi.repository'}  # of what walks menus on a display; nothing imports it


def name(file):
    return str(file.relative_to(TOP))


def module(file):
    """As it is imported: an experiment's name may hold what no name in Python does."""
    tree = max((tree for tree in TREES if file.is_relative_to(tree)), key=lambda tree: len(tree.parts))
    return '.'.join(file.relative_to(tree).with_suffix('').parts)


MODULES = set(map(module, FILES))


@cache
def all_nodes(file):
    return list(ast.walk(ast.parse(file.read_text())))


def nodes(file, kind):
    return (node for node in all_nodes(file) if isinstance(node, kind))


def imported(file):
    """The modules of ours."""
    found = ((node.module, f'{node.module}.{alias.name}') for node in nodes(file, ast.ImportFrom) for alias in node.names)
    return {deeper if deeper in MODULES else one for one, deeper in found if one.split('.')[0] in OURS}


@pytest.mark.parametrize('tool, options', [
    ('mypy', ['--strict', '--python-version', '3.11', '--namespace-packages', '--explicit-package-bases',
              '--cache-dir', '/dev/null']),
    ('pyflakes3', []),
])
def test_a_checker_finds_nothing(tool, options):
    if not which(tool):
        pytest.skip(f'{tool} is not installed')
    what = [word for file in FILES for word in ('-m', module(file))] if tool == 'mypy' else map(str, FILES + TESTS)
    said = subprocess.run([tool, *options, *what], capture_output=True, text=True, cwd=TOP,
                          env={'PATH': '/usr/bin:/bin', 'MYPYPATH': ':'.join(map(str, TREES))})
    assert said.returncode == 0, said.stdout + said.stderr


def test_names_of_modules_are_unique_and_none_hides_another_package():
    names = [module(file) for file in FILES]
    assert len(names) == len(set(names)) > 5 and not any(one.endswith('.__init__') for one in names)


def test_functions_are_short():
    long = [f'{name(file)}:{f.lineno} {f.name}: {f.end_lineno - f.lineno + 1} lines' for file in FILES + TESTS
            for f in nodes(file, ast.FunctionDef) if f.end_lineno - f.lineno >= 60]
    assert not long


def test_only_the_standard_library_is_imported():
    wrong = set()
    for file in FILES:
        for node in nodes(file, ast.Import | ast.ImportFrom):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module]
            wrong |= {f'{file.name}: {m}' for m in modules if m.split('.')[0] not in sys.stdlib_module_names - NOT_ALLOWED | OURS}
    assert wrong <= OTHERS


def test_the_core_imports_no_kit():
    own = [file for file in FILES if not file.is_relative_to(TOP / 'kits')]
    assert set().union(*map(imported, own)) <= set(map(module, own))


def test_nothing_evaluates_data_or_starts_a_shell():
    wrong = [f'{name(file)}:{call.lineno}' for file in FILES for call in nodes(file, ast.Call)
             if (isinstance(call.func, ast.Name) and call.func.id in EVALUATE)
             or (isinstance(call.func, ast.Attribute) and call.func.attr in ('system', 'popen'))
             or any(k.arg == 'shell' for k in call.keywords)]
    assert not wrong


def test_imports_have_no_circle():
    arrows = {module(file): imported(file) for file in FILES}
    while free := [one for one, uses in arrows.items() if not uses & set(arrows)]:
        for one in free:
            del arrows[one]
    assert not arrows
