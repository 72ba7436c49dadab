# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stranger may do to a run folder: mutate() changes it at random, planted() and renamed() in given columns of its tables."""
import json
import os
import shutil
import stat

# (without "/": a figure whose name has a column's word shall be drawn)
RUNS = [text % "touch${IFS}${RAN}" for text in (
    "`%s`", "$(%s)", "';%s;'", '";system("%s");"', '\\"`%s`', "x[$(%s)]", "|%s", "<%s", "';system('%s');'")]
PAGES = ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "</script><script>alert(1)</script>", '" onload="alert(1)',
         "' onload='alert(1)", "[x](javascript:alert(1))", "![x](http://x.invalid/x)", "`<img src=x onerror=alert(1)>", "&#39;<",
         "]]><script>alert(1)</script>", "\\[x](javascript:alert(1))", "a\n<script>alert(1)</script>", "```", "--><script>alert(1)"]
TEXTS = PAGES + ["\x1b]0;t\x07", "\u009b31m", "\r=1+1", "=HYPERLINK(1)", "::error::x", "##[add-path]x", "../../../keep", "%s%n",
                 "a\nb", "{/=9", "@x", "-o", "\0", "\ufffe", "\u202e", "x" * 9999, "a|b", "a\tb", "\ud800", "..", "/etc/passwd",
                 "é" * 300]
NUMBERS = ["", "NaN", "inf", "-inf", "1e999", "1e308", "-1e308", "5e-324", "-0", "0", "-1", "0x1", "1_000", " 7", "\u0663",
           "9" * 400, "9223372036854775807", "18446744073709551616", "0.1e-400", "1e17", "true", "-", "1;2"]
VALUES = [None, True, [], {}, ["x"], {"x": RUNS[0]}, -1, 0, 0.5, 1e308, -1e308, 2 ** 63, 10 ** 400, float("nan"), float("inf"),
          "", "0", [[[[]]]], [None], {"": None}, "@deep100@", "@deep400@", "@deep900@", "@deep99999@", ["x"] * 999]
NAMES = ["a\nb.tsv", "\x1b[31m.svg", b"\xff\xfe.tsv", "-o", "--help", " ", "x" * 255, ".tsv", "x.tsv", "summary.tsv.new", "é.tsv",
         "*", "<img src=x onerror=alert(1)>.svg", "a\\b", "##x", "report.html.new", ".report.x"]
TARGETS = ("", "secret", "/etc/passwd", "/dev/zero", "missing")
LARGE = 300 * 2 ** 20  # over the limit of a table


def read(path):
    with open(path, encoding="utf-8", newline="\n") as f:
        return f.read()


def write(path, text):
    with open(path, "w", encoding="utf-8", newline="\n", errors="surrogatepass") as f:
        f.write(text)


def read_table(path):
    return [line.split("\t") for line in read(path).rstrip("\n").split("\n")]


def write_table(path, rows):
    write(path, "\n".join("\t".join(row) for row in rows) + "\n")


def files(run, *ends):
    """Those at the top three times as likely: most of a run lies in its cells."""
    found = [os.path.join(top, name) for top, _, names in os.walk(run) for name in sorted(names) if name.endswith(ends)]
    return sorted(found + 2 * [path for path in found if os.path.dirname(path) == run])


# --- one file -----------------------------------------------------------------------------------------------------

def place(rng, value):
    """An object or array, and a key of it: on each level alike, since most leaves tell of the machine. IndexError: it has none."""
    while True:
        key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
        if rng.random() < 0.4 or not isinstance(value[key], dict | list) or not value[key]:
            return value, key
        value = value[key]


def other_value(rng, value):
    """Of the same type, of another one, or hostile text."""
    how = rng.random()
    if how < 0.3 and isinstance(value, int | float) and not isinstance(value, bool):
        return rng.choice((-value, value * 1e9, value + 0.5, value * 10 ** 30, -1, 0, 1))
    if how < 0.4:
        return str(value) + rng.choice(RUNS + PAGES)
    return rng.choice(RUNS + TEXTS + VALUES)


def deepened(text):
    """(json.dumps would not get so deep.)"""
    for depth in (100, 400, 900, 99999):
        text = text.replace('"@deep%d@"' % depth, "[" * depth + "]" * depth, 1).replace('"@deep%d@"' % depth, "0")
    return text


def mutate_json(rng, run, _):
    path = os.path.join(run, "run.json") if rng.random() < 0.7 else rng.choice(files(run, ".json"))
    document = json.loads(read(path))
    for _ in range(rng.choice((1, 1, 2, 5))):
        parent, key = place(rng, document)
        how = rng.random()
        if how < 0.1 and isinstance(parent, dict):
            parent[rng.choice(RUNS + TEXTS)] = parent.pop(key)
        elif how < 0.25:
            del parent[key]
        elif how < 0.3 and isinstance(parent, list):
            parent.append(parent[key])
        else:
            parent[key] = other_value(rng, parent[key])
    write(path, deepened(json.dumps(document)))


def of_columns(rng, rows):
    """The table with a column less, twice, or of another name; with rows of other lengths, none, or twice."""
    at = rng.randrange(len(rows[0]))
    return rng.choice((
        lambda: [row[:at] + row[at + 1:] for row in rows], lambda: [row + row[at:at + 1] for row in rows],
        lambda: [rows[0][:at] + [rng.choice(rows[0])] + rows[0][at + 1:]] + rows[1:],
        lambda: [rows[0][:at] + ["n" * 70000] + rows[0][at + 1:]] + rows[1:],
        lambda: [row[:-1] for row in rows], lambda: rows[:1] + [row[:rng.randrange(len(row) + 1)] for row in rows[1:]],
        lambda: rows[:rng.randrange(len(rows) + 1)], lambda: rows + rows[1:], lambda: rows[:1] + rows[:0:-1],
        lambda: rows[:1] + [row + [""] * 9999 for row in rows[1:]], lambda: rows[:1], lambda: rows + [["x" * 10 ** 6]]))()


def mutate_table(rng, run, _):
    path = rng.choice(files(run, ".tsv"))
    rows = read_table(path)
    for _ in range(rng.choice((1, 1, 3, 10))):
        row = rng.choice(rows)
        at = rng.randrange(len(row))
        row[at] = rng.choice((rng.choice(RUNS), rng.choice(TEXTS), rng.choice(NUMBERS), rng.choice(NUMBERS),
                              rng.choice(rows)[at % len(rows[0])], rng.choice(row)))
    write_table(path, rows if rng.random() < 0.7 else of_columns(rng, rows))


def mutate_lines(rng, run, _):
    """The ends and the beginning of a text."""
    path = rng.choice(files(run, ".tsv", ".json", ".md"))
    text = read(path)
    write(path, rng.choice((text.replace("\n", "\r\n"), "\ufeff" + text, text.rstrip("\n"), text.replace("\t", " "), text.upper(),
                            "", "\n", text + "\0", text * 3, "\n" * 9999 + text, text[:len(text) // 2] + rng.choice(TEXTS) + text)))


def mutate_bytes(rng, run, _):
    path = rng.choice(files(run, ""))
    with open(path, "rb") as f:
        data = bytearray(f.read())
    for _ in range(rng.choice((1, 4, 32))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    with open(path, "wb") as f:
        f.write(data[:rng.randrange(len(data) + 1)] if rng.random() < 0.2 else data)


def mutate_size(rng, run, _):
    os.truncate(rng.choice(files(run, ".tsv", ".json", ".md")), LARGE)


# --- what is no file ----------------------------------------------------------------------------------------------

def mutate_kind(rng, run, keep):
    others = [os.path.join(run, name) for name in ("figures", "summary.json", "report.md", "cells")]
    path = rng.choice(files(run, "") + others * 3)
    path = rng.choice((path, path, os.path.dirname(path))) if os.path.dirname(path) != run else path
    if os.path.lexists(path):
        (shutil.rmtree if os.path.isdir(path) and not os.path.islink(path) else os.remove)(path)
    target = rng.choice(TARGETS)
    rng.choice((lambda: os.symlink(os.path.join(keep, target), path), lambda: os.mkfifo(path), lambda: os.mkdir(path),
                lambda: os.mknod(path, 0o600 | stat.S_IFSOCK), lambda: None))()


def mutate_name(rng, run, keep):
    """One more file, folder or link, of a name that a command could take for something else."""
    folder = rng.choice([run, run] + [top for top, _, _ in os.walk(run)])
    path = os.path.join(os.fsencode(folder), os.fsencode(rng.choice(NAMES)))
    rng.choice((lambda: shutil.copyfile(os.path.join(run, "run.json"), path), lambda: os.mkdir(path),
                lambda: os.symlink(os.fsencode(os.path.join(keep, "secret")), path)))()


HOW = [mutate_json] * 8 + [mutate_table] * 8 + [mutate_bytes] * 2 + [mutate_lines] * 2 + [mutate_kind, mutate_kind, mutate_name]


def mutate(rng, run, keep):
    """keep: a folder outside of the run, with a file "secret"."""
    for _ in range(rng.choice((1, 1, 2))):
        how = mutate_size if rng.random() < 0.01 else rng.choice(HOW)
        paths = [path for path in files(run, "") if not os.path.isfile(path) or os.path.islink(path)]
        try:
            if not paths:    # (a pipe or a link of the first turn: reading it would wait without end)
                how(rng, run, keep)
        except (OSError, ValueError, IndexError):   # that kind of thing is not there, or not any more
            pass


# --- given columns ------------------------------------------------------------------------------------------------

def planted(run, columns):
    """Beside its rows, a table gets copies of some that differ in one of its columns alone: a payload each."""
    for file, names in columns.items():
        rows = read_table(os.path.join(run, file))
        more = [rows[1 + k * (len(rows) - 1) // len(RUNS)] for k in range(len(RUNS))]
        write_table(os.path.join(run, file), rows + [
            row[:at] + [row[at] + payload] + row[at + 1:] for at in map(rows[0].index, names) for row, payload in zip(more, RUNS)])


def renamed(run, columns):
    """Each value of these columns becomes another one, with payloads, the same in all tables: rows still belong together."""
    for file, names in columns.items():
        rows = read_table(os.path.join(run, file))
        for row in rows[1:]:
            for at in map(rows[0].index, names):
                row[at] += row[at] and "".join(RUNS[:3])
        write_table(os.path.join(run, file), rows)
