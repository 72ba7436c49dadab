# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes of a run: what was not measured, flagged or unlike, so that its figures say less than they seem to. Pure."""
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any

from analysis import words
from analysis.run import Run, is_attached, is_in_guest, of_runs

NOTHING_MEASURED = 'No condition has a complete measurement, so there are no findings yet.'
NO_BASELINE = 'The baseline was not measured, so there is nothing to compare with.'
FOREIGN = 'foreign CPU time'  # a flag of the engine
Cell = Mapping[str, Any]


def cells(run: Run) -> Sequence[Cell]:
    return run.facts.get('cells') or []


def measured_cells(run: Run) -> list[Cell]:
    return [c for c in cells(run) if c.get('state') != 'missing']


def flagged_cells(run: Run) -> list[Cell]:
    return [c for c in measured_cells(run) if c.get('flags')]


def is_mostly_flagged(run: Run) -> bool:
    return len(flagged_cells(run)) * 2 > len(measured_cells(run))


def disturbed_runs(run: Run) -> list[str]:
    """Of several runs in one report: those of which most conditions were disturbed."""
    return [r['name'] for r in run.runs() if is_mostly_flagged(of_runs(run, [r['name']]))]


def is_disturbed(run: Run) -> bool:
    return disturbed_runs(run) == [r['name'] for r in run.runs()] if run.runs() else is_mostly_flagged(run)


def undisturbed(run: Run) -> Run:
    """The document without disturbed runs, which verdict, findings and comparisons are made of."""
    out = disturbed_runs(run)
    return run if not out or is_disturbed(run) else of_runs(run, [r['name'] for r in run.runs() if r['name'] not in out])


def flag_words(flags: Sequence[str]) -> str:
    """Why cells are flagged, each reason once."""
    reasons = list(dict.fromkeys(
        'other processes or the hypervisor took too much of the server\'s CPUs' if FOREIGN in part else part
        for flag in flags for part in flag.split('; ') if part))
    return '; '.join(reasons[:3]) + (f'; and {len(reasons) - 3} more' if len(reasons) > 3 else '')


def flags_of(found: Sequence[Cell]) -> list[str]:
    return [flag for c in found for flag in c['flags']]


def most(rows: Sequence[Mapping[str, Any]], *columns: str) -> float | None:
    """The largest of the rows' values in the first of the columns that each has."""
    found = [value for row in rows if (value := next((row[c] for c in columns if row.get(c) is not None), None)) is not None]
    return max(found, default=None)


def unusable(run: Run) -> str | None:
    """Why nothing can be concluded: most conditions were disturbed, or none could keep up. None: something can."""
    measured, flagged = measured_cells(run), flagged_cells(run)
    foreign = [c for c in flagged if any(FOREIGN in flag for flag in c['flags'])]
    rows = run.measured()
    if is_disturbed(run) and len(foreign) * 2 <= len(measured):
        return (f'{len(flagged)} of {words.plural(len(measured), "condition")} {"is" if len(measured) == 1 else "are"} flagged: '
                f'{flag_words(flags_of(flagged))}.')
    if is_disturbed(run):
        also = flag_words([part for flag in flags_of(flagged) for part in flag.split('; ') if FOREIGN not in part])
        stolen = most(rows, 'steal_percent_max') or 0.0
        took = most(rows, 'foreign_percent_max') if stolen < 1 else most(rows, 'disturbed_percent_max', 'foreign_percent_max')
        return (f'other processes{"" if stolen < 1 else " and the hypervisor"} took '
                + ('too much' if took is None else f'up to {words.percent(took)} %')
                + f" of the server's CPUs, in {len(foreign)} of {words.plural(len(measured), 'condition')}. Repeat it on a quiet "
                "machine."
                + (f' Also flagged: {also}.' if also else ''))
    if rows and all((row.get('overloaded') or 0) > 0 for row in rows):
        some = any(row['overloaded'] < (row.get('repeats') or 0) for row in rows)
        return (f'the server cannot keep up with the keys{" in repeats of each" if some else " in any"} condition (overloaded), so '
                'there is no response time.')
    return None


# --- one function a note; None: nothing to say --------------------------------------------------------------------

def incomplete(run: Run) -> str | None:
    facts = run.facts
    state, counts = facts.get('state') or 'unknown', facts.get('counts') or {}
    if state == 'complete':
        return None
    said = f'({state}{": " + facts["reason"] if facts.get("reason") else ""})'
    total, complete = counts.get('total'), counts.get('complete')
    if total is not None and complete == total:
        return f'**Ended early** {said}, after all {words.plain(total)} measurements were made.'
    complete_text, total_text = (words.plain(n) if n is not None else '?' for n in (complete, total))
    return (f'**Incomplete** {said}: {complete_text} of {total_text} measurements were made. What is missing may change the '
            'findings.')


def missing(run: Run) -> str | None:
    names = [c['name'] for c in cells(run) if c.get('state') == 'missing']
    if not names:
        return None
    return f'**Missing**: no complete measurement of {", ".join(names[:6])}' + (
        f' and {len(names) - 6} more.' if len(names) > 6 else '.')


def impossible(run: Run) -> str | None:
    """Figures that were refused, of a mistake in measuring or computing."""
    def said(row: Mapping[str, Any]) -> str:
        heading = next((c.heading for c in run.columns if c.table == row.get('table') and c.column == row.get('metric')),
                       str(row.get('metric')))
        at = [value_text(row[axis]) for axis in run.axes() if row.get(axis) is not None]
        return heading + (f' ({", ".join(at)})' if at else '')

    found = [said(row) for row in run.table('impossible')]
    if not found:
        return None
    return (f'**Left out as impossible**: {words.and_list(found[:6])}{f", and {len(found) - 6} more" if len(found) > 6 else ""}. '
            'Please report it: only a mistake of thinprobe makes a negative time, or a figure outside its interval.')


def kept(run: Run) -> str | None:
    """Of a kept run whose samples were too large."""
    facts = run.facts.get('kept')
    if not isinstance(facts, dict) or not (facts.get('left_out_bytes') or 0) > 0:
        return None
    return (f'**Samples left out**: those of {words.plain(facts.get("conditions") or 0)} of '
            f'{words.plural(len(cells(run)), "condition")} are kept with this run; its tables and figures were made from all.')


def runs(run: Run) -> str | None:
    """Of several runs in one report: which they are."""
    if not run.runs():
        return None

    def said(one: Mapping[str, Any]) -> str:
        about = [str(text) for text in (one.get('host'), (one.get('started') or '')[:16].replace('T', ' '))
                 if text not in (None, one['name'])]
        return f'{one["name"]} ({", ".join(about)})'

    return f'**{len(run.runs())} runs in one report**: {words.and_list([said(one) for one in run.runs()])}.'


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, v in pairs:
        if isinstance(v, dict | list):
            yield from leaves(v, (*path, str(key)))
        else:
            yield ' '.join((*path, str(key))), v


def unlike(values: Mapping[str, Any]) -> dict[str, Any]:
    """Of objects only what differs."""
    if not all(isinstance(v, dict) for v in values.values()):
        return dict(values)
    flat = {name: dict(leaves(v)) for name, v in values.items()}
    return {name: ', '.join(f'{key.replace("_", " ")} {value_text(v)}' for key, v in one.items()
                            if len({repr(other.get(key)) for other in flat.values()}) > 1) for name, one in flat.items()}


def value_text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: 'true', False: 'false', None: 'null'}[value]
    return words.plain(value) if isinstance(value, int | float) and value == int(value) else str(value)


def differences(run: Run) -> str | None:
    """What was set otherwise in some of several runs."""
    differs = run.facts.get('differs') or {}
    if not differs:
        return None

    def said(key: str, values: Mapping[str, Any]) -> str:
        texts = [f'{" ".join(map(value_text, v)) if isinstance(v, list) else value_text(v)} ({name})'
                 for name, v in unlike(values).items()]
        return f'{key.replace("_", " ")} {words.and_list(texts)}'

    return f'**Not alike**: {"; ".join(said(k, v) for k, v in differs.items())}. What differs between the runs may come from this.'


def repeats_words(run: Run) -> str | None:
    found = sorted({r['repeats'] for r in (run.runs() or [run.settings()]) if r.get('repeats') is not None})
    if not found:
        return None
    return f'{words.plain(found[0])} to {words.plural(found[-1], "repeat")}' if len(found) > 1 else words.plural(found[0], 'repeat')


def again_command(run: Run) -> str | None:
    """The command of the run with more repeats, into a folder of its own."""
    command = run.facts.get('command') or ''
    if run.facts.get('runs') is not None or not command.startswith('thinprobe '):
        return None
    return re.sub(r" ((--rep[a-z]*|--res[a-z]*|--ou[a-z-]*)(=| +)|-o(=| *))('[^']*'|([^ \\]|\\.)+)", '', command) + ' --repeat 5'


def again_minutes(run: Run) -> int | None:
    counts = run.facts.get('counts') or {}
    try:
        minutes = ceil(run.facts['measured_s'] * counts['total'] / counts['complete'] / 60 * 5 / run.settings()['repeats'])
    except (KeyError, TypeError, ZeroDivisionError):
        return None
    return minutes if minutes > 0 else None


def preliminary(run: Run) -> str | None:
    repeats = run.setting('repeats')
    if repeats is None or repeats >= run.setting('repeats_needed', 5):
        return None
    command, minutes = again_command(run), again_minutes(run)
    if run.facts.get('sweep'):
        how = " (`repeat 5` in the sweep's file)."
    elif command is None:
        how = ' (`--repeat 5`).'
    else:
        about = f' (about {words.plural(minutes, "minute")})' if minutes else ''
        how = f': `{command}`{about}.'
    return f'**Preliminary**: {repeats_words(run)} per condition. Use 5 or more before you rely on this{how}'


def unwatched(run: Run) -> str | None:
    """Without the lab's hosts, or without a view of the kernel's threads."""
    return None if run.facts.get('unwatched') is not True else (
        "**Interference unknown**: what other processes took of the server's CPUs was not watched, so no condition is flagged for "
        "it. "
        'Take verdicts as preliminary.')


def unusable_runs(run: Run) -> list[str]:
    return [] if is_disturbed(run) else [f'{name}: {unusable(of_runs(run, [name]))}' for name in disturbed_runs(run)]


def not_usable(run: Run) -> str | None:
    why = unusable_runs(run)
    return f'**Not usable**: {" ".join(why)} Verdict and findings leave out {words.and_list(disturbed_runs(run))}.' if why else None


def flagged(run: Run) -> str | None:
    if is_disturbed(run):
        return None

    def count(part: Run) -> str | None:
        n = len(flagged_cells(part))
        return f'{n} of {words.plural(len(cells(part)), "condition")}' if n else None

    if run.runs():
        out = disturbed_runs(run)
        named = [(r['name'], count(of_runs(run, [r['name']]))) for r in run.runs() if r['name'] not in out]
        found = [f'{n} of {name}' for name, n in named if n]
    else:
        found = [n for n in (count(run),) if n]
    if not found:
        return None
    flags = flags_of(flagged_cells(undisturbed(run)))
    text = flag_words(flags)
    only_foreign = all(FOREIGN in flag and '; ' not in flag for flag in flags)
    return f'**Flagged**: in {words.and_list(found)}, ' + (f'{text} in at least one repeat.' if only_foreign else
                                                            f'in at least one repeat: {text}.')


def shared(run: Run) -> str | None:
    lab = run.facts.get('lab') or {}
    if lab.get('shared_cpus') is not True or is_in_guest(run):
        return None
    server, client = lab.get('cpus_server'), lab.get('cpus_client')
    if server == client and server is not None:
        return 'Server and client shared CPUs, so latencies are upper bounds.'
    if set((client if client is not None else '-').split(',')) <= set((server or '').split(',')):
        return f"The client had CPU {client}, one of the server's; cells in which it took too much are flagged."
    return 'Other labs were allowed to use the same CPUs: their work is part of these figures.'


ALL: tuple[Callable[[Run], str | None], ...] = (incomplete, missing, impossible, kept, runs, differences, preliminary,
                                                unwatched, not_usable,
                                               flagged, shared)


def notes(run: Run) -> list[str]:
    return [text for note in ALL if (text := note(run)) is not None]


# --- what was set up ----------------------------------------------------------------------------------------------

def link_words(run: Run) -> str | None:
    link = run.setting('link')
    if link is None:
        return None
    if any((s.get('on') or 'lab') != 'lab' for s in (run.runs() or [run.settings()])):
        return 'the link as it is'
    if link == 'none':
        return 'a link without a limit'
    parts: list[str | None] = [re.sub(r'([0-9])(us|ms|s)$', r'\1 \2', part, count=1) for part in link.split(',')]
    parts[1:3] = [None if part == '0' else part for part in parts[1:3]]
    rates = [re.sub(r'([0-9])([KMG]?)bit', r'\1 \2bit/s', rate, count=1) for rate in (parts[0] or '').split('/')]
    delay, jitter, loss = (parts[1:] + [None] * 3)[:3]
    lost = float((loss or '0').removesuffix('%'))
    text = (f'{rates[0]} to the client and {rates[1]} from it' if len(rates) > 1 else
            'a link without a rate limit' if rates[0] == 'none' else rates[0])
    text += f', {delay}{f" ± {jitter}" if jitter else ""} of delay' if delay else ''
    text += f', {words.plain(lost)} % of loss' if lost > 0 else ''
    return text + (' each way' if delay or lost > 0 else '')


def protocols(run: Run) -> list[str]:
    """That were asked for, as far as they can run here."""
    many = run.setting('protocols')
    return list(many) if many is not None else [run.setting('protocol')] if run.setting('protocol') is not None else []


def protocol_words(run: Run) -> str | None:
    protocol = run.facts.get('protocol') or {}
    if is_attached(run) and not run.runs():
        title = protocol.get('title')
        window = title if protocol.get('window') is None else f'window "{title if title is not None else "?"}"'
        return f'{window} of a server that others run'
    if protocol.get('server'):
        return ' '.join(text for text in (protocol['server'], protocol.get('version')) if text)
    return ', '.join(protocols(run)) or None


def run_words(run: Run) -> str:
    if run.runs():
        return f'{len(run.runs())} runs'
    return f'run of {(run.facts.get("started") or "?")[:16].replace("T", " ")}, {run.facts.get("state") or "state unknown"}'


def sentence(parts: Sequence[str | None]) -> str:
    return '; '.join(part for part in parts if part) + '.'


def setup(run: Run) -> str:
    return sentence([protocol_words(run), link_words(run), repeats_words(run), run_words(run)])


def not_here(run: Run) -> list[str]:
    """What is not on this machine, with its reason."""
    found: list[str] = []
    for part in (run.facts.get('host'), run.facts.get('lab'), run.facts):
        if not isinstance(part, dict):
            continue
        for value in (part.get('missing'), part.get('cannot'), part.get('not_here')):
            if isinstance(value, dict):
                found += [f'{key}: {value_text(v)}' for key, v in value.items()]
            elif isinstance(value, list):
                found += [f'{v.get("what") if v.get("what") is not None else v.get("name")}: {v.get("why")}' if isinstance(v, dict)
                          else value_text(v) for v in value]
            elif value is not None:
                found.append(value_text(value))
    return [text for text in found if not (is_in_guest(run) and 'client_percent' in text)]
