# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of logins. KB and MB are 1,024 and 1,048,576 bytes."""
from dataclasses import replace
from math import floor

from analysis.amounts import Amount, Row, Rows, above, amount, exceeds, in_words, range_words, with_interval
from analysis.draw import Axis, Curve, Drawing, Look, Panel, Place, digits, look, place
from analysis import notes, words
from analysis.notes import NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run, bare, distinct

COLUMNS = '''
table summary rows:logins schema=login/1
# column                  heading                     unit source estimator decimals better
system                    Login                       -    param  -         text     -
protocol                  Protocol                    -    param  -         text     -
kind                      Kind                        -    param  -         text     -
logins                    Logins                      -    param  -         0        -
state                     State                       -    -      -         text     -
repeats                   Repeats                     -    -      -         0        -
failed                    Failed                      -    -      -         0        lower
marked                    Flagged                     -    -      -         0        lower
processes                 Processes                   -    -      -         2        lower
threads                   Threads                     -    -      -         2        lower
private_bytes             Private                     bytes -     ends      0        lower
private_clean_bytes       "Private clean"             bytes -     ends      0        lower
pss_bytes                 "Fair share (PSS)"          bytes -     ends      0        lower
group_bytes               Charged                     bytes -     ends      0        lower
server_bytes              "In use on the server"      bytes -     ends      0        lower
private_dirty_bytes       "Private dirty"             bytes -     -         0        lower
swap_bytes                Swap                        bytes -     -         0        lower
shared_bytes              Shared                      bytes -     -         0        -
page_tables_bytes         "Page tables"               bytes -     -         0        lower
group_kernel_bytes        "Charged, kernel"           bytes -     -         0        lower
group_shared_memory_bytes "Charged, shared memory"    bytes -     -         0        lower
group_file_cache_bytes    "Charged, file cache"       bytes -     -         0        -
machine_bytes             "In use on the machine"     bytes -     -         0        lower
lab_bytes                 "Used by the lab"           bytes -     -         0        -
machine_processes_bytes   "Machine, processes"        bytes -     -         0        lower
machine_kernel_bytes      "Machine, kernel"           bytes -     -         0        lower
machine_file_cache_bytes  "Machine, file cache"       bytes -     -         0        -
machine_total_bytes       "Memory of the machine"     bytes -     -         0        -
private_mb                Private                     MB   -      ends      3        lower
each_mb                   "Private, each"             MB   -      -         3        lower
private_clean_mb          "Private clean"             MB   -      ends      3        lower
pss_mb                    "Fair share (PSS)"          MB   -      ends      3        lower
group_mb                  Charged                     MB   -      ends      3        lower
server_mb                 "In use on the server"      MB   -      ends      3        lower

table slope rows:logins schema=login-slope/1
system                    Login                       -    param  -         text     -
what                      Memory                      -    param  -         text     -
repeats                   Repeats                     -    -      -         0        -
logins_min                "From logins"               -    -      -         0        -
logins_max                "To logins"                 -    -      -         0        -
slope_bytes               "One more login"            bytes -     ends      0        lower
start_bytes               "Beginning of the line"     bytes -     ends      0        lower
slope_mb                  "One more login"            MB   -      ends      3        lower

table who rows:logins schema=login-who/1
system                    Login                       -    param  -         text     -
logins                    Logins                      -    param  -         0        -
name                      Process                     -    param  -         text     -
class                     "Part of"                   -    param  -         text     -
count                     Count                       -    -      -         2        -
threads                   Threads                     -    -      -         2        -
private_bytes             Private                     bytes -     ends      0        lower
private_dirty_bytes       "Private dirty"             bytes -     -         0        lower
swap_bytes                Swap                        bytes -     -         0        lower
private_clean_bytes       "Private clean"             bytes -     -         0        lower
pss_bytes                 "Fair share (PSS)"          bytes -     -         0        lower
shared_bytes              Shared                      bytes -     -         0        -
page_tables_bytes         "Page tables"               bytes -     -         0        lower
private_kb                Private                     KB   -      ends      0        lower

# a guest with the kernel and process 1
table empty rows:logins schema=login-empty/1 optional
memory_bytes              Memory                      B    -      -         0        -
unavailable_bytes         "Not for applications"      B    -      -         0        lower
reserved_bytes            "Reserved at boot"          B    -      -         0        lower
used_bytes                "In use"                    B    -      -         0        lower
processes_bytes           "By processes"              B    -      -         0        lower
'''
setup = notes.setup
MIB = 1048576.0


def title(run: Run) -> str:
    return 'Server memory that each login takes'


def labels(run: Run) -> Labels:
    return Labels(value={
        'what': {'private': 'private', 'private_clean': 'private clean', 'pss': 'proportional share (PSS)',
                 'page_tables': 'page tables', 'group': 'charged', 'server': 'server in use'},
        'class': {'display': 'display server', 'terminal': 'terminal', 'services': 'services', 'desktop': 'desktop'}})


def system_words(row: Row) -> str:
    *protocol, kind = row['system'].split('.')
    return f'{kind} login over {".".join(protocol)}'


def mb(row: Row, name: str) -> Amount:
    return replace(amount(row, name), unit='MB')


def mb_words(row: Row, name: str) -> str:
    a = mb(row, name)
    if a.low is None and a.both is None:
        return f'{in_words(a)} (no interval)'
    return in_words(a) + ('' if a.low is not None and words.short(a.low) == words.short(a.high) else with_interval(a))


def plain_mb(value: float | None) -> str:
    return words.with_unit(value, 'MB')


# --- slopes: the cost of one more login ---------------------------------------------------------------------------

def slopes(run: Run, what: str) -> Rows:
    return [row for row in run.table('slope') if row.get('what') == what and row.get('slope_mb') is not None]


def is_told(row: Row) -> bool:
    """The slope must be significant: an interval that includes 0 gives no finding."""
    return above(row, 'slope_mb', 0) is True


def light_of(run: Run, row: Row) -> Row:
    """Of a desktop's slope, that of a terminal."""
    system = (row.get('system') or '')
    system = system.removesuffix('typical') + 'light' if system.endswith('typical') else system
    return next((s for s in run.table('slope') if s.get('what') == row.get('what') and s.get('system') == system), {})


def bent(run: Run) -> list[str]:
    return [system_words(row) for row in run.table('slope') if row.get('what') == 'private' and row.get('slope_mb') is None]


def verdict(run: Run) -> str:
    private, curved = slopes(run, 'private'), bent(run)
    rows = [row for row in run.measured() if row['logins'] > 0 and row.get('private_mb') is not None]
    if not private and not rows:
        return NOTHING_MEASURED
    if not private and not curved:
        each = '; '.join(f'{mb_words(row, "private_mb")} of private memory with {words.plural(row["logins"], "login")} '
                         f'({system_words(row)})'
                         for row in rows)
        return f'The cost of one more user takes two numbers of logins. Measured: {each}.'
    told, untold = [row for row in private if is_told(row)], [system_words(row) for row in private if not is_told(row)]
    parts = []
    if told:
        each = words.and_list([f'{mb_words(row, "slope_mb")} of private memory ({system_words(row)})'
                               for row in sorted(told, key=lambda row: -float(row['slope_mb']))])
        parts.append(f'One more user costs {each}.')
    if untold:
        parts.append(f'This run cannot tell what one more user costs: {words.and_list(untold)}.')
    if curved:
        parts.append('What one more user costs is no single number, as memory grows along no straight line: '
                     f'{words.and_list(curved)}.')
    return ' '.join(parts)


def cost(run: Run) -> Finding | None:
    rows = sorted((row for row in slopes(run, 'private') if is_told(row)), key=lambda row: -float(row['slope_mb']))
    if not rows:
        return None
    each = '; '.join(f'{mb_words(row, "slope_mb")} for a {system_words(row)}' for row in rows)
    more = []
    for row in rows:
        light = light_of(run, row)
        if (row['system'].endswith('.typical') and (light.get('slope_mb') or 0) > 0
                and exceeds(amount(row, 'slope_mb'), amount(light, 'slope_mb')) is True):
            more.append(f'{plain_mb(row["slope_mb"] - light["slope_mb"])} more ({words.short(row["slope_mb"] / light["slope_mb"])} '
                        f'times as much) over {row["system"].removesuffix(".typical")}')
    return Finding('cost', f'**One more login costs**, in private memory (slope from {words.plain(rows[0]["logins_min"])} to '
                   f'{words.plain(rows[0]["logins_max"])} logins), {each}.'
                   + (f' A desktop instead of a terminal costs {words.and_list(more)}.' if more else ''), mb(rows[0], 'slope_mb'),
                   'none', 'logins')


def at_client(run: Run, who: Rows) -> str:
    """Where the display server is not on the server."""
    text = ''
    for protocol, facts in (run.facts.get('protocols') or {}).items():
        if facts.get('display_at') != 'client':
            continue
        mine = [p for p in who if p['system'].startswith((f'{protocol}.', f'{protocol}/'))]
        if not mine:
            continue
        display = [p for p in mine if p.get('class') == 'display']
        text += f' Over {protocol} the display server runs on the client'
        if not display:
            text += ' and takes no memory of the server.'
            continue
        sums = [sum(p['private_kb'] for p in display if p['system'] == s) for s in distinct(p['system'] for p in display)]
        text += (f"; the protocol's processes on the server: {words.and_list(sorted({p['name'] for p in display}))} (at most "
                 f'{plain_mb(max(sums) / 1024)} of a login).')
    return text


def largest(run: Run) -> Finding | None:
    """The process with most of a login's memory."""
    who = [p for p in run.table('who') if (p.get('count') or 0) > 0]
    fewest = [p for p in who if p['logins'] == min(q['logins'] for q in who)]
    found = []
    for system in sorted({p['system'] for p in fewest}):
        mine = [p for p in fewest if p['system'] == system]
        total = sum(p['private_bytes'] for p in mine)
        if total > 0:
            most = max(reversed(mine), key=lambda p: float(p['private_bytes']))
            found.append((most, 100 * most['private_bytes'] / total))
    if not found:
        return None
    found.sort(key=lambda pair: -float(pair[1]))
    each = '; '.join(f'{p["name"]} has {words.percent(share)} % of a {system_words(p)} ({plain_mb(p["private_kb"] / 1024)})'
                     for p, share in found)
    return Finding('largest', f'**The largest process**: {each}.{at_client(run, fewest)}', Amount(found[0][1], unit='%'),
                   'none', 'processes')


def charged(run: Run) -> Finding | None:
    """The kernel's own account beside the sum over processes."""
    rows = []
    for row in slopes(run, 'group'):
        private = next((p for p in slopes(run, 'private') if p['system'] == row['system']), None)
        if not private:
            continue
        kernel = next((r['group_kernel_bytes'] / MIB / row['logins_max'] for r in run.measured() if r.get('system') == row['system']
                       and r.get('logins') == row['logins_max'] and r.get('group_kernel_bytes') is not None), None)
        rows.append((row, row['slope_mb'] - private['slope_mb'], private['slope_mb'], kernel))
    if not rows:
        return None
    odd = [row for row, more, of, _ in rows if more < -0.02 * of or more > 0.25 * of]
    told = [row for row, *_ in rows if is_told(row)]
    each = '; '.join(f'{mb_words(row, "slope_mb")} for a {system_words(row)} ({"" if more < 0 else "+"}{words.short(more)} MB)'
                     for row, more, _, _ in rows)
    text = (f'**The kernel charges the cgroup of a login** {each}. Charged but not private are page tables, kernel stacks, sockets '
            'and memory shared within the login.')
    kernels = [f'{plain_mb(kernel)} of a {system_words(row)}' for row, more, _, kernel in rows if kernel is not None
               and more > kernel]
    if kernels:
        text += f" The kernel's own memory is {'; '.join(kernels)}; what else was charged was not measured."
    if told:
        def fit(row: Row) -> str:
            return words.thousands(floor(1024 / (row['slope_mb_high'] if row.get('slope_mb_high') is not None
                                                 else row['slope_mb'])))

        holds = words.and_list([f'{fit(row)} of the {system_words(row)}' for row in told])
        text += (f' By these charges, 1 GB (1,024 MB) holds {holds} while idle (by the upper end of the interval, where there is '
                 'one).')
    if odd:
        text += f' Unexplained, because below private memory or over 25 % above it: {words.and_list(list(map(system_words, odd)))}.'
    most = max(reversed(rows), key=lambda r: float(r[0]['slope_mb']))[0]
    return Finding('charged', text, mb(most, 'slope_mb'), 'good' if not odd and len(told) == len(rows) else 'unsure', 'logins')


def shared(run: Run) -> Finding | None:
    def row_at(system: str, logins: float) -> Row:
        return next(r for r in run.measured() if r.get('system') == system and r.get('logins') == logins)

    rows = [(s, row_at(s['system'], s['logins_max'])['pss_mb'] / s['logins_max'],
             row_at(s['system'], s['logins_min'])['pss_mb'] / s['logins_min'])
            for s in slopes(run, 'pss')]
    if not rows:
        return None
    each = '; '.join(f'{plain_mb(many)} ({system_words(s)}; {plain_mb(one)} '
                     + ('alone' if s['logins_min'] == 1 else f'at {words.plain(s["logins_min"])}') + ')' for s, many, one in rows)
    return Finding('shared', '**Shared pages count once**: the proportional share (PSS) of each of '
                   f'{words.plain(rows[0][0]["logins_max"])} logins is {each}. Other processes on this machine that run the same '
                   'programs share these pages, too.',
                   Amount(rows[0][1], unit='MB'), 'none', 'logins')


# --- the machine's memory without logins --------------------------------------------------------------------------

def mb_range(rows: Rows, name: str) -> str:
    """It differs from cell to cell: a range, no statistic."""
    values = [row[name] / MIB for row in rows if row.get(name) is not None]
    if not values:
        return '?'
    return plain_mb(min(values)) if words.short(min(values)) == words.short(max(values)) else range_words(min(values),
                                                                                                          max(values), 'MB')


def here_words(here: Rows, few: Rows) -> str:
    text = (f'{mb_range(here, "server_bytes")} are in use without any login (of '
            f'{words.fixed(here[0]["machine_total_bytes"] / 2 ** 30, 1)} GB, without file cache): '
            f'{mb_range(here, "machine_processes_bytes")} by processes, {mb_range(here, "machine_kernel_bytes")} by kernel tables '
            'and stacks, including everything else that runs on this machine')
    return text + ('.' if not few else
                   f', so this figure varies (with {words.plural(few[0]["logins"], "login")}: {mb_range(few, "server_bytes")}).')


def idle(run: Run) -> Finding | None:
    here = [row for row in run.measured() if row['logins'] == 0 and row.get('machine_bytes') is not None]
    some = [row for row in run.measured() if row['logins'] > 0 and row.get('server_bytes') is not None]
    few = [row for row in some if row['logins'] == min(r['logins'] for r in some)]
    empty = run.facts.get('empty_server')
    if not empty:
        return Finding('idle', '**Compulsory memory** of an empty server was not measured; on this machine '
                       f'{here_words(here, few)}',
                       Amount(max(row['server_bytes'] / MIB for row in here), unit='MB')) if here else None
    taken = empty['unavailable_bytes'] / MIB
    kvm = 'KVM' if empty.get('accel') == 'kvm' else 'emulated'
    return Finding('idle', f'**Compulsory memory: {plain_mb(taken)}** of {words.plain(empty["memory_bytes"] / MIB)} MB are '
                   f'unavailable to applications on a server without any login (a virtual machine, {kvm}, Linux '
                   f'{empty.get("kernel")}, one process): the kernel reserves {plain_mb(empty["reserved_bytes"] / MIB)} at boot, '
                   f'{plain_mb(empty["used_bytes"] / MIB)} are in use '
                   f"({plain_mb(empty['processes_bytes'] / MIB)} by processes), the rest is the kernel's reserve. Wong & Seltzer "
                   "(2000): 17 MB for "
                   'Linux, 19 MB for TSE, login services included.' + (f' On this machine {here_words(here, few)}' if here else ''),
                   Amount(taken, unit='MB'))


def findings(run: Run) -> list[Finding]:
    return [f for make in (cost, largest, charged, shared, idle) if (f := make(run))] if run.measured() else []


def views(run: Run) -> list[View]:
    return [View('slopes', 'slope', 'Memory of one more login', 'what slope_mb', by='system'),
            View('processes', 'who', 'Processes of a login', 'logins name class count private_kb', by='system'),
            View('all', 'summary', 'All logins together', 'logins processes private_mb each_mb private_clean_mb pss_mb group_mb '
                 'server_mb',
                 by='system')]


# --- figures ------------------------------------------------------------------------------------------------------

CLASSES = (('services', 'message bus, settings, sshd', '#999999'), ('desktop', 'desktop', '#E69F00'),
           ('terminal', 'terminal and shell', '#56B4E9'), ('display', 'display server', '#0072B2'))


def login_words(row: Row) -> str:
    protocol, kind = (row['system'].split('.') + [''])[:2]
    _, slash, name = protocol.partition('/')
    return f'{kind} login, {bare(protocol)}{f", {name}" if slash else ""}'


def logins_figure(run: Run, rows: Rows) -> Drawing:
    most, least = max([row['logins'] for row in rows] or [1]), min([row['logins'] for row in rows] or [1])
    curves = []
    for i, system in enumerate(distinct(row['system'] for row in rows)):
        mine = [row for row in rows if row['system'] == system]
        slope: Row = next((s for s in run.table('slope') if s['system'] == system and s.get('what') == 'private'), {})
        group = next((s['slope_mb'] for s in run.table('slope') if s['system'] == system and s.get('what') == 'group'
                      and s.get('slope_mb') is not None), None)
        rate, colour, name = slope.get('slope_mb'), look(i).colour, login_words(mine[0])
        if rate is not None:
            name += f': {digits(rate, 3)} MB for one more' + (f' (charged {digits(group, 3)})' if group else '')
        both = [(p, row) for row in mine if (p := place(row['logins'], row, 'private_mb', name))]
        both.sort(key=lambda pair: float(pair[0].x or 0))
        curves += [Curve('bars hover', [p for p, _ in both if p.y is not None], Look(colour, 7), name),
                   Curve('points', [Place(p.x, float(v)) for p, row in both if row.get('private_mb_both')
                                    for v in row['private_mb_both'].split(' ')], Look(colour, 6, size=0.5))]
        if rate is not None:
            curves.append(Curve('line', [Place(x, slope['start_bytes'] / MIB + rate * x) for x in (least, most)],
                                Look(colour, dash=3)))
        curves.append(Curve('points', [Place(row['logins'], row['group_mb']) for row in mine if row.get('group_mb') is not None],
                            Look(colour, 2), 'charged by the kernel'))
    x = Axis('logins at once', 0, most * 1.04 + 0.1, step=1 if most <= 12 else None)  # whole logins only
    return Drawing('logins', 'Memory of all logins together', [Panel(x, Axis('MB', 0), curves)])


def processes_figure(run: Run, rows: Rows) -> Drawing:
    """Private memory by process, of a login at the smallest number of logins."""
    bars = []
    for system in distinct(row['system'] for row in rows):
        mine = [row for row in rows if row['system'] == system]
        fewest, upto, parts = min(row['logins'] for row in mine), 0.0, {}
        for name, _, _ in reversed(CLASSES):
            mib = (sum(p['private_kb'] for p in run.table('who') if p['system'] == system and p['logins'] == fewest
                       and p.get('class') == name and p.get('private_kb') is not None) / 1024)
            parts[name] = (upto, upto + mib)
            upto += mib
        bars.append((login_words(mine[0]), parts, upto))
    names = [name.replace(' login, ', '|') if len(bars) > 3 else name for name, _, _ in bars]
    curves = [Curve('box', [Place(i + 0.72, parts[name][0], x2=i + 1.28, y2=parts[name][1])
                            for i, (_, parts, _) in enumerate(bars)],
                    Look(colour), title_)
              for name, title_, colour in CLASSES if any(parts[name][1] > parts[name][0] for _, parts, _ in bars)]
    curves.append(Curve('label', [Place(i, upto, text=words.fixed(upto, 1)) for i, (_, _, upto) in enumerate(bars, 1)]))
    return Drawing('processes', 'What the private memory of one login goes to',
                   [Panel(Axis(names=names), Axis('private memory, MB', 0), curves)])


def drawings(run: Run) -> list[Drawing]:
    rows = [row for row in run.measured() if row['logins'] > 0]
    return [logins_figure(run, rows), processes_figure(run, rows)]
