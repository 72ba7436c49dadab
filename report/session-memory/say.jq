# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of logins found, in words. KB and MB are 1,024 and 1,048,576 bytes.
include "lib";

def thousands: fixed(0) | if startswith("-") then "-" + (ltrimstr("-") | thousands) else until(test("^[0-9]{1,3}(,|$)"); sub("(?<a>[0-9])(?<b>[0-9]{3})(?<c>,|$)"; "\(.a),\(.b)\(.c)")) end;
def kb: if . == null then "" else . / 1024 | thousands end;
def mb_text: if . == null then "" elif fabs >= 99.95 then fixed(0) elif fabs >= 9.995 then fixed(1) elif fabs >= 0.005 or . == 0 then fixed(2) else fixed(3) end;
def mb: if . == null then "" else . / 1048576 | mb_text end;
def interval($name): .[$name + "_low"] as $l | .[$name + "_high"] as $h | if $l == null or $h == null or ($l | mb) == ($h | mb) then "" else " (\($l | mb)–\($h | mb))" end;
def with_interval($name): if .[$name] == null then "" else (.[$name] | mb) + interval($name) end;

def kind_words: {light: "a bare terminal", typical: "a light desktop"}[.] // .;
def class_words: {display: "display server", desktop: "desktop", services: "message bus and settings", terminal: "terminal and shell"}[.] // .;
def login_words: "\(.kind) login over \(.protocol)";
def systems: .run.settings.systems;
def measured_rows: [.rows[] | select(.repeats > 0)];
def at_logins($system; $n): [.rows[] | select(.system == $system and .logins == $n and .repeats > 0)] | first;
def most_logins: [.run.settings.logins[]] | max;
def least_logins: [.run.settings.logins[]] | min;
def slope_of($system; $what): [.slopes[] | select(.system == $system and .what == $what)] | first;
def processes($system; $n): [.who[] | select(.system == $system and .logins == $n and .count > 0)];

# What one more login costs, the systems with a slope: [{system, protocol, kind, slope row}].
def slopes($what): . as $doc | [systems[] | . as $s | ($doc | slope_of($s.system; $what)) as $row | select($row.slope_bytes != null) | $s + $row];

def finding_slope: . as $doc | slopes("private") | if . == [] then empty else
	"One more user costs, in private memory (slope from \(.[0].logins_min) to \(.[0].logins_max) logins): "
	+ (group_by(.kind) | sort_by(.[0].kind != "typical") | map("\(if .[0].kind == "typical" then "for a typical login (\("typical" | kind_words))" else "for a light one (\("light" | kind_words))" end) "
		+ (sort_by(-.slope_bytes) | map("\(with_interval("slope_bytes")) MB over \(.protocol)") | join_and)) | join("; ")) + "." end;

def finding_kind: . as $doc | slopes("private") | group_by(.protocol) | map(select(length == 2) | (map(select(.kind == "typical")) | first) as $t | (map(select(.kind == "light")) | first) as $l
		| select($t != null and $l != null and $l.slope_bytes > 0) | {protocol: $t.protocol, times: ($t.slope_bytes / $l.slope_bytes), more: ($t.slope_bytes - $l.slope_bytes)})
	| if . == [] then empty else "The desktop instead of a bare terminal costs " + (map("\(.more | mb) MB more over \(.protocol) (\(.times | number) times as much)") | join_and) + "." end;

# What each login holds most of.
def finding_most: . as $doc | [systems[] | . as $s | ($doc | processes($s.system; $doc | least_logins)) as $all | select($all != [])
		| ($all | map(.private_bytes) | add) as $sum | ($all | max_by(.private_bytes)) as $most | select($sum > 0)
		| "\($most.name) with \($most.private_bytes / $sum * 100 | fixed(0)) % of the \($s | login_words)"]
	| if . == [] then empty else "The largest process of each: " + join_and + "." end;

def finding_display: . as $doc | [.run.protocols // {} | to_entries[] | select(.value.display_at == "client") | .key] as $remote
	| if $remote == [] then empty else "Over \($remote | join_and) the display server is in front of the user and none of its memory is the server's." end;

# The kernel's own account beside the sum over processes.
def finding_group: . as $doc | slopes("group") | map(. as $g | ($doc | slope_of($g.system; "private")) as $p | select($p.slope_bytes != null) | . + {more: (.slope_bytes - $p.slope_bytes), of: $p.slope_bytes}) | if . == [] then empty else
	"By the kernel's own account: " + (map("\(.slope_bytes | mb) MB to a \(login_words) (\(if .more < 0 then "" else "+" end)\(.more | mb))") | join_and)
	+ ". What is more is mapped by no process alone: page tables, stacks in the kernel, sockets, memory shared within the login."
	+ (map(select(.more < -0.02 * .of or .more > 0.25 * .of)) | if . == [] then "" else " Less, or over a quarter more, which wants an explanation: \(map(login_words) | join_and)." end) end;

def finding_pss: . as $doc | slopes("pss") | if . == [] then empty else
	"Shared pages cost once, not for each user: at \(.[0].logins_max) logins the fair shares (PSS) of a login sum to "
	+ (map(. as $s | ($doc | at_logins($s.system; $s.logins_max)) as $row | ($doc | at_logins($s.system; $s.logins_min)) as $one
		| "\($row.pss_bytes / $s.logins_max | mb) MB for a \(login_words)" + (if $s.logins_min == 1 and $one != null then ", alone \($one.pss_bytes | mb)" else "" end)) | join("; "))
	+ ". Whoever else here uses the same programs and libraries has a part of these." end;

def finding_fit: . as $doc | (slopes("group") | if . == [] then ($doc | slopes("private")) else . end) | map(select(.slope_bytes > 0)) | if . == [] then empty else
	"By that, 1 GB of memory holds " + (map("\(1073741824 / .slope_bytes | floor) \(.kind) logins over \(.protocol)") | join_and) + " that do nothing: before any document, browser or cache." end;

def idle_rows: [.rows[] | select(.logins == 0 and .repeats > 0 and .machine_bytes != null)];
def idle_machine: idle_rows | if . == [] then null else . end;
# Before each cell it was a little different: a range, no statistic.
def mb_range(f): map(f | values) | if . == [] then "?" elif (min | mb) == (max | mb) then min | mb else "\(min | mb) to \(max | mb)" end;
def finding_idle: idle_machine | if . == null then empty else
	"Compulsory memory: without any login this machine has \(mb_range(.server_bytes)) MB in use (of \(.[0].machine_total_bytes / 1073741824 | fixed(1)) GB; file cache left out): \(mb_range(.machine_processes_bytes)) MB of processes, \(mb_range(.machine_kernel_bytes)) MB of the kernel's tables and stacks, the rest in the kernel's hands. Everything that runs on this machine anyway is in it." end;

def finding_rest: [measured_rows[] | select(.marked > 0) | {system, marked}] | unique | if . == [] then empty else
	"Not everything was at rest or readable in \(map("\(.marked) of the cells of \(.system)") | join_and)." end;

def findings: [finding_slope, finding_kind, finding_most, finding_display, finding_group, finding_pss, finding_fit, finding_idle, finding_rest]
	| if . == [] then ["No cell was measured to the end: there is nothing to say yet."] else . end;

def absent_words: [.run.settings.absent // [] | .[] | "Not on this machine: \(.system): \(.why)."] + [.run.lab.missing // [] | .[] | "Not on this machine: \(.)."];
def indicative: [.rows[].repeats] | max as $r | if $r == null or $r >= 5 then null else "Indicative: \(plural($r; "repeat"; "repeats")) of each cell." end;
