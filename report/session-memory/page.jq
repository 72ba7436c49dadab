# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a run of logins.
include "lib";
include "markdown";
include "session-memory/say";

def spaced($name): if .[$name] == null then "" else (.[$name] | kb) end;
# One table for each protocol: every process of a login that is alone, private memory of a typical one beside a light one.
def paper_table($doc; $protocol):
	($doc | least_logins) as $n
	| [systems[] | select(.protocol == $protocol)] as $mine
	| (["typical", "light"] | map(. as $k | $mine | map(select(.kind == $k)) | first | values)) as $kinds
	| ($kinds | map(. as $s | $doc | processes($s.system; $n))) as $each
	| ([$each[][] | {name, class}] | unique_by([.name, .class])
		| sort_by([({display: 0, terminal: 1, desktop: 2, services: 3}[.class] // 4), -(. as $p | [$each[][] | select(.name == $p.name and .class == $p.class) | .private_bytes] | max)])) as $names
	| if $names == [] then empty else
	table(["process", "what"] + [$kinds[] | "\(.kind), KB"];
		[$names[] as $p | [([$each[][] | select(.name == $p.name and .class == $p.class) | .count] | max) as $count | $p.name + (if $count > 1.005 then " (\($count | plain))" else "" end), ($p.class | class_words)]
			+ [$each[] | map(select(.name == $p.name and .class == $p.class)) | if . == [] then "" else first | spaced("private_bytes") end]]
		+ [["all", ""] + [$each[] | map(.private_bytes) | add // null | kb]]) end;

def details($doc; $system; $n):
	table(["process", "what", "private dirty", "swap", "private clean", "PSS", "shared", "page tables"];
		[$doc | processes($system; $n)[] | [.name + (if .count > 1.005 then " (\(.count | plain))" elif .count < 0.995 then " (in \(.count * 100 | fixed(0)) % of logins)" else "" end), (.class | class_words)]
			+ [.private_dirty_bytes, .swap_bytes, .private_clean_bytes, .pss_bytes, .shared_bytes, .page_tables_bytes | kb]]);

. as $doc | .run as $run | ($doc | most_logins) as $most | ($doc | least_logins) as $least
| "# What a login needs in memory, and what one more user costs",
"",
"\($run.settings.systems | map(login_words) | unique | join(", ")); \($run.settings.logins | map(tostring) | join_and) logins at once; \(plural($run.settings.repeats; "repeat"; "repeats")), in random order; run of \($run.started), \($run.state).",
"",
("**This run is \($run.state // "of unknown state")**: \($run.cells.complete // "?") of \($run.cells.total // "?") cells were measured." | note($run.state != "complete")),
("**\($doc | indicative)**" | note($doc | indicative != null)),
"## Findings",
"",
(findings | to_entries[] | "\(.key + 1). \(.value)"),
"",
"## What one more user costs",
"",
"![Private memory over the number of logins, with the fitted lines](figures/logins.svg)",
"",
"MB for one more login: slope of a line through \($run.settings.logins | map(tostring) | join_and) logins, fitted in each repeat (95 % interval). Private: dirty pages and swap, what goes when the login goes. Charged: what the kernel counts in the memory group of each login, file cache left out. PSS: fair shares, in which a page that several map counts once. Server: what the machine has in use, less the clients and the lab's own processes; whatever else goes on on this machine is noise in it.",
"",
table(["login", "private", "charged", "PSS", "page tables", "server"];
	[systems[] as $s | [$s | login_words] + [("private", "group", "pss", "page_tables", "server") as $what | $doc | slope_of($s.system; $what)
		| if . == null then "" elif .slope_bytes_low != null and .slope_bytes_high - .slope_bytes_low > (.slope_bytes | fabs) and $what == "server" then "lost in noise" else with_interval("slope_bytes") end]]),
"## Processes of a login",
"",
"Private memory (dirty pages and swap) of each process of one login, \(if $least == 1 then "alone on the server" else "mean of \($least)" end), in KB; in brackets how many there are of that name. Typical: \("typical" | kind_words); light: \("light" | kind_words).",
"",
(([systems[].protocol] | unique | sort_by(. != $run.settings.protocol))[] as $p | "### \($run.protocols[$p].says // $p)", "", paper_table($doc; $p)),
"![Private memory of a login by what it goes to, one bar a system](figures/processes.svg)",
"",
"## All logins together",
"",
"MB, mean over the repeats (95 % interval). In the fair share (PSS) a page counts once, however many map it; whoever else on this machine maps the same files takes a part of it away.",
"",
table(["login", "logins", "processes", "private", "private clean", "PSS", "charged", "of it kernel", "file cache"];
	[.rows[] | select(.logins > 0) | [login_words, .logins] + if .repeats == 0 then ["failed"] else [(.processes | plain), with_interval("private_bytes"), with_interval("private_clean_bytes"), with_interval("pss_bytes"), with_interval("group_bytes"), (.group_kernel_bytes | mb), (.group_file_cache_bytes | mb)] end]),
"## A server without logins",
"",
(if $doc | idle_machine then
	"In use before the first login of each cell, in MB; the file cache, which goes when it is in the way, is not in use.", "",
	table(["before", "in use", "of it processes", "of it kernel", "file cache"]; [$doc | idle_rows[] | [login_words, with_interval("server_bytes"), (.machine_processes_bytes | mb), (.machine_kernel_bytes | mb), (.machine_file_cache_bytes | mb)]])
else "Not known.", "" end),
"## Process by process",
"",
"KB for one login, mean over \(plural($run.settings.repeats; "repeat"; "repeats")). Private clean: pages of files that nobody else maps at the moment; the second user of a program makes them shared. Shared: counted whole for everyone that maps it.",
"",
(systems[] as $s | [$least, $most] | unique | .[] as $n | "### \($s | login_words), \(if $n == 1 then "alone" else "one of \($n)" end)", "", details($doc; $s.system; $n)),
(if ($run.settings.absent // []) | length > 0 then "Not on this machine:", "", table(["system", "why"]; [$run.settings.absent[] | [.system, .why]]) else empty end),
"## How it was measured",
"",
"- A login is one display server, where that is at the server, with a bare terminal (bash in an xterm) or a light desktop (xfce4: session, window manager, panel, desktop, and the message bus they need) and a client connected to it. Nobody types. What a real server has besides for each login (sshd, a session manager) is not in it.",
"- Logins are started one after the other. One comes and goes before the first, so that programs are in the file cache. At each number they are read until their private memory changes by less than half a percent in two seconds.",
"- All processes of a login are stopped (by the freezer of control groups, without root by SIGSTOP), read from /proc/PID/smaps, and let go (sessmem); logins are read one after the other, all within a second or so.",
"- Private and shared are as the kernel counts pages: private is what one process maps alone. Memory that two processes of one login share only with each other (after a fork, or shared memory) is in PSS and in what the kernel charges, not in private.",
"- The machine emulates server and clients; clients, displays at the client and the lab's own processes (\(measured_rows | map(select(.logins > 0) | .lab_bytes / .logins) | if . == [] then "?" else max | mb end) MB for each login) are not in any figure of the server.",
"- Repeats of the systems come in a random order (seed \($run.settings.seed)).",
"",
"## This machine and this run",
"",
table(["fact", "value"]; [["command", $run.command], ["thinprobe", $run.version], ["started", $run.started], ["ended", $run.ended],
	($run.protocols // {} | to_entries[] | [.key, .value.says]),
	["server on CPU", $run.lab.cpus_server], ["as root", (if $run.lab.rootless then "no" else "yes" end)],
	["kernel", $run.host.kernel], ["system", $run.host.system], ["virtualisation", $run.host.virtualisation]]
	| map(select(.[1] != null) | map(tostring))),
"Data beside this report: summary.tsv (all figures), slope.tsv, who.tsv (processes), run.json, cells/ (every process of every login).",
"Made again from them by: thinprobe report RUN."
