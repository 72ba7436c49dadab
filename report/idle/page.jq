# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a run of idle sessions.
include "lib";
include "markdown";
include "idle/say";

. as $doc | .run as $run
| "# What idle sessions cost, and how long one would wait for them",
"",
"\($run.settings.systems | length) systems, \(plural($run.settings.repeats; "repeat"; "repeats")) of \($run.settings.seconds) s, in random order; run of \($run.started), \($run.state).",
"",
("**\($doc | shared_words)**" | note($doc | shared_words != null)),
("**This run is \($run.state // "of unknown state")**: \($run.cells.complete // "?") of \($run.cells.total // "?") cells were measured." | note($run.state != "complete")),
("**\($doc | disturbed_words)**" | note($doc | disturbed_words != null)),
("**Who took the CPU is not known**: \($doc | who_why). Other people's processes are in all figures." | note($doc | named | not)),
("**\($doc | indicative)**" | note($doc | indicative != null)),
"## Findings",
"",
(findings | to_entries[] | "\(.key + 1). \(.value)"),
"",
"## The CPU over ten seconds",
"",
"![Share of the CPU in use over ten seconds, one panel a system](figures/utilisation.svg)",
"",
"Blue: the lab's processes, the kernel and interrupts. Grey on top: processes that are not the lab's, the measurement itself, stolen or unexplained. Ticks are left out. The first ten seconds of each system's first repeat.",
"",
"## Lost time by length of event",
"",
"![Cumulative lost time by length of event, one curve a system](figures/lost-time.svg)",
"",
"Height at x: what was lost, a minute, to all events no longer than x; a step is a length that matters. Processes that are not the lab's are taken out of each event.",
"",
(if $doc.slopes | length > 0 then "![Lost time over the number of sessions, with the line of the slope](figures/per-session.svg)", "" else empty end),
"## Lost time a minute",
"",
"ms of CPU time in a minute, mean over the repeats (95 % interval). Lost: the lab's processes, the kernel and interrupts. Above: less the machine without a session, repeat by repeat.",
"",
table(["system", "lost", "the lab's", "kernel", "above none", "per session", "events", "longest, ms"];
	[.rows[] | if .repeats == 0 then [system_name, "failed"] else [system_name, with_interval("lost_ms_per_min"), with_interval("own_ms_per_min"), with_interval("kernel_ms_per_min"), with_interval("above_ms_per_min"),
		(if .above_ms_per_min == null or .sessions == 0 then "" else .above_ms_per_min / .sessions | ms end), (.events_per_min | fixed(0)), (.longest_ms | ms)] end]),
"Apart, in none of these figures, and the check: what the kernel itself accounts to the lab's processes.",
"",
table(["system", "others'", "not told", "this measurement", "stolen or unexplained", "ticks", "check: the lab's by the kernel's account"];
	[.rows[] | select(.repeats > 0) | [system_name] + ([.foreign_ms_per_min, .ended_ms_per_min, .itself_ms_per_min, .unexplained_ms_per_min, .tick_ms_per_min, .accounted_ms_per_min] | map(if . == null then "" else ms end))]),
(if ($run.settings.absent // []) | length > 0 then "Not on this machine:", "", table(["system", "why"]; [$run.settings.absent[] | [.system, .why]]) else empty end),
(if $doc.slopes | length > 0 then
	"What one more idle session of \($doc.slopes[0].system) costs (least squares over 0 to \($doc.slopes[0].sessions_max) sessions in each repeat; what the machine takes without one is the line's beginning and not in it):", "",
	table(["whose", "ms a minute", "of a CPU, %"]; [.slopes[] | [({system: "lost (lab, kernel, interrupts)", own: "the lab's processes", kernel: "kernel and interrupts"}[.what] // .what), with_interval("slope_ms_per_min"), (.slope_cpu_percent | thousandths)]]) else empty end),
(if $doc | named then
	"## Who", "",
	"The five that took most, a minute, of each system.", "",
	table(["system", "culprit", "whose", "ms", "share, %", "times", "longest, ms"];
		[.rows[] | select(.repeats > 0) | . as $row | [$doc.who[] | select(.system == $row.system and .sessions == $row.sessions)][:5] | to_entries[]
		| [(if .key == 0 then $row | system_name else "" end)] + (.value | [culprit_words, (.class | class_words), (.lost_ms_per_min | ms), (.share_percent | percent), (.times_per_min | fixed(0)), (.longest_ms | ms)])]) else empty end),
"## Compulsory latency",
"",
"Share of moments, in %. Bound: who comes at a random moment and has to wait until what runs is done would wait for longer than that (run to completion). Measured: normal tasks woken at random moments, in a run of its own right after, with everything else on the CPU. Today's scheduler lets a task that slept go first, so that usually fewer wait than the bound says. The profiler's own loop runs beside them and yields at once.",
"",
table(["system", "what"] + [waits[] | "> \(.) ms"];
	[.rows[] | select(.repeats > 0) | ([system_name, "bound"] + [waits[] as $x | .["bound_\($x)ms_percent"] | share]),
		(if .wakeups == 0 then empty else ["", "measured, \(.wakeups) woken"] + [waits[] as $x | measured_share($x)] end)]),
(if [.rows[] | select((.bound_all_1ms_percent // 0) > 1.05 * (.bound_1ms_percent // 0) + 0.001)] | length > 0 then
	"With everything on the CPU, other people's processes included, the bound would be: " + ([.rows[] | select(.repeats > 0) | "\(system_name) \([waits[] as $x | .["bound_all_\($x)ms_percent"] | share] | join(" / "))"] | join("; ")) + " % (longer than \(waits | map(tostring) | join(" / ")) ms).", "" else empty end),
"## How it was measured",
"",
"- A loop in the idle scheduling class on each of the server's CPUs reads the clock; where it did not run, something else did (idleprofile). Lost parts less than 100 µs apart are one event, whose length is the sum of its parts.",
"- An idle session: display server, terminal, editor waiting for a key, client connected; nobody types. They are started for each cell and left alone until they are at rest. Several are those of \($run.settings.protocol).",
"- Who took the CPU is read from the kernel's own records. A task is the lab's if it lives in a process namespace of the lab, which is looked up once a second while it lives. What is not is somebody else's, and stands apart. Interrupts and kernel threads are counted with the system: without a session they are there as well, and what is above that is the session's.",
"- The profiler's loop keeps timer ticks alive that an idle CPU would not have, and spares sleepers the way out of the idle state. Ticks are left out of all figures.",
"- Repeats of the systems come in a random order (seed \($run.settings.seed)). A cell in which others took over 3 % of the CPU is marked and, up to one in four, measured once more.",
"- Not told: tasks that ended before they were looked up, and what was too much for one event's list. The check is the run time of the lab's threads.",
"",
"## This machine and this run",
"",
table(["fact", "value"]; [["command", $run.command], ["thinprobe", $run.version], ["started", $run.started], ["ended", $run.ended],
	($run.protocols // {} | to_entries[] | [.key, .value.says]),
	["server on CPU", $run.lab.cpus_server], ["client on CPU", $run.lab.cpus_client], ["as root", (if $run.lab.rootless then "no" else "yes" end)],
	["the loop", $run.profiler.placed], ["its clock", $run.profiler.clock], ["resolution", (if $run.profiler.resolution_ns == null then null else "\($run.profiler.resolution_ns) ns" end)],
	["a normal task's wake-up beside the loop", (if $run.profiler.own.wakeup_beside_us.p50 == null then null else "\($run.profiler.own.wakeup_beside_us.p50) µs, alone \($run.profiler.own.wakeup_alone_us.p50) µs" end)],
	["kernel", $run.host.kernel], ["system", $run.host.system], ["CPU", $run.host.cpu.model], ["virtualisation", $run.host.virtualisation], ["clock", $run.host.clocksource]]
	| map(select(.[1] != null) | map(tostring))),
"Data beside this report: summary.tsv (all figures), who.tsv, slope.tsv, curve.tsv, utilisation.tsv, run.json, cells/ (every event and who was in it).",
"Made again from them by: thinprobe report RUN."
