# SPDX-License-Identifier: GPL-3.0-or-later
"""How analysis/ is built, in all trees: typed, short functions, nothing but the standard library, nothing that evaluates data."""
import ast
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

TOP = Path(__file__).parents[2]
FILES = sorted([*TOP.glob('analysis/**/*.py'), *TOP.glob('kits/*/analysis/**/*.py')])
TESTS = sorted([*TOP.glob('tests/analysis/**/*.py'), *TOP.glob('kits/*/tests/analysis/**/*.py')])
EVALUATE = {'eval', 'exec', 'compile', '__import__', 'breakpoint'}
NOT_ALLOWED = {'pickle', 'marshal', 'shelve', 'ctypes', 'code', 'runpy'}


def name(file):
    return str(file.relative_to(TOP))


def nodes(file, kind):
    return (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, kind))


@pytest.mark.parametrize('tool, options', [
    ('mypy', ['--strict', '--python-version', '3.11', '--namespace-packages', '--explicit-package-bases',
              '--cache-dir', '/dev/null']),
    ('pyflakes3', []),
])
def test_a_checker_finds_nothing(tool, options):
    if not which(tool):
        pytest.skip(f'{tool} is not installed')
    files = FILES if tool == 'mypy' else FILES + TESTS
    paths = ':'.join(map(str, [TOP, *sorted(TOP.glob('kits/*'))]))
    said = subprocess.run([tool, *options, *map(str, files)], capture_output=True, text=True, cwd=TOP,
                          env={'PATH': '/usr/bin:/bin', 'MYPYPATH': paths})
    assert said.returncode == 0, said.stdout + said.stderr


def test_names_of_modules_are_unique_and_none_hides_another_package():
    names = [f'{file.parent.name}/{file.stem}' for file in FILES]
    assert len(names) == len(set(names)) > 5 and not any(one.endswith('/__init__') for one in names)


def test_functions_are_short():
    long = [f'{name(file)}:{f.lineno} {f.name}: {f.end_lineno - f.lineno + 1} lines' for file in FILES + TESTS
            for f in nodes(file, ast.FunctionDef) if f.end_lineno - f.lineno >= 60]
    assert not long


def test_only_the_standard_library_is_imported():
    wrong = []
    for file in FILES:
        for node in nodes(file, ast.Import | ast.ImportFrom):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module]
            wrong += [f'{name(file)}: {m}' for m in modules if m.split('.')[0] not in sys.stdlib_module_names - NOT_ALLOWED
                      and m.split('.')[0] != 'analysis']
    assert not wrong


def test_the_core_imports_no_kit():
    core = {file.stem for file in FILES if file.parent == TOP / 'analysis'}
    used = {node.module.split('.')[1] for file in FILES if file.parent == TOP / 'analysis' for node in nodes(file, ast.ImportFrom)
            if node.module.startswith('analysis.')}
    assert used <= core


def test_nothing_evaluates_data_or_starts_a_shell():
    wrong = [f'{name(file)}:{call.lineno}' for file in FILES for call in nodes(file, ast.Call)
             if (isinstance(call.func, ast.Name) and call.func.id in EVALUATE)
             or (isinstance(call.func, ast.Attribute) and call.func.attr in ('system', 'popen'))
             or any(k.arg == 'shell' for k in call.keywords)]
    assert not wrong


def test_imports_have_no_circle():
    arrows = {file.stem: {node.module.split('.')[1] if node.module != 'analysis' else alias.name
                          for node in nodes(file, ast.ImportFrom) for alias in node.names
                          if node.module.split('.')[0] == 'analysis'} for file in FILES}
    while free := [module for module, uses in arrows.items() if not uses & set(arrows)]:
        for module in free:
            del arrows[module]
    assert not arrows
