# SPDX-License-Identifier: GPL-3.0-or-later
# try.jq - the object of `try --json`, and its text. Input of `result`: summary.tsv of the run, which has one row; $run: run.json;
# $k: the reports of keyrepeat; $limits: "NAME MS STATUS" a line, the status of bin/fail; $folder, $status;
# $no_page: why there is no page.
include "words";

def row: (split("\n") | map(split("\t"))) as [$head, $row]
	| reduce range($head | length) as $i ({}; .[$head[$i]] = ($row[$i] | if . == "" then null else tonumber? // . end));
def known($name): figure($name) | {value, low, high, from, to};

def late: "How late: half of the keys show within \(level("latency_p50_ms")), "
	+ if figure("latency_p90_ms") | at_least then "90 % within \(level("latency_p90_ms"))."
	  else "of the others there were too few to tell (-t 20s gives more)." end;
def even: "How evenly: \(level("late_share_percent")) of \(.keys | plural("key")) took longer than 100 ms; the slowest"
	+ " took \(figure("latency_max_ms") | figure_words).";
def whose($net): "Whose time: cannot tell what is the server's and what the application's"
	+ (if $net == null then ", nor the network's: its round trip is not known."
	   else ". The network is \($net.rtt_ms | with_unit("ms")) a round trip (the least that TCP saw)"
		+ ($net | if .share_percent_to == null then "" else ": \(if .share_percent_from == null then "at most " else
			([.share_percent_from | select(. != $net.share_percent_to)] | map("\(percent) to ") | join("")) end
			)\(.share_percent_to | percent) % of the median" end) + "." end)
	+ ($run.protocol.terminal_ms
		| if . == null then "" else " The terminal on this machine takes \(with_unit("ms")), as with cat here." end);

# Keys that are in no figure: the warm-up, and two pairs to find the field where it was looked for.
def uncounted: ([$k[].result.keys_skipped] | add // 0)
	+ 4 * ([$k[].settings.region_from | select(. == "found by typing")] | length);
def left: {keys: ([$k[].result.keys_left_late] | add // 0), ms: ([$k[].result.left_late_max_ms] | max)};
def late_probe($asked): left | select(.keys > 0)
	| "Left late: \(.keys) of \($asked | plural("key")) were sent over 10 ms too late, the latest by"
		+ " \(.ms | with_unit("ms")), because this machine was busy. The upper ends of ranges include this delay.";

def ended_early: $run.reason | values | "Ended early: \(.). What is missing may change the figures.";

# Of a range the share is one, too: from that of its late end to that of its early one.
def network($rtt): def share: if . == null or . == 0 or . == infinite then null else
		[100 * $rtt / ., 100] | min | . * 100 | round / 100 end;
	if $rtt == null then null else figure("latency_p50_ms") | (at_most | share) as $from | (at_least | share) as $to
		| {rtt_ms: $rtt, share_percent: (if $from == $to then $to else null end), share_percent_from: $from, share_percent_to: $to} end;
# The value or range by which a limit is judged has no interval, as of one part.
def bare: figure("latency_p90_ms") | at_least != null and .low == null and .high == null and .both == null;

def result: row as $row | ($row | network($run.protocol.rtt_ms)) as $net
	| ([$k[].result.keys_sent] | add) as $sent | ([$k[].result.keys_answered] | add) as $answered
	| {schema: "thinprobe.try/1", target: ($run.settings.on | ltrimstr("attach:")), into: $run.protocol.says, status: $status,
		seconds: $run.measured_s, run: $folder, command: $run.command,
		report: (if $no_page == "" then "\($folder)/report.html" else null end),
		version: $run.version, started: $run.started, system: $run.host.system, kernel: $run.host.kernel,
		server: $run.protocol.server, region: $run.protocol.region, repeats: $run.settings.repeats,
		keys_sent: $sent, keys_answered: $answered, keys_left_late: left.keys, left_late_max_ms: left.ms,
		latency_ms: ($row | {p50: known("latency_p50_ms"), p90: known("latency_p90_ms"), max: known("latency_max_ms")}),
		late_share_percent: ($row | known("late_share_percent")), threshold_ms: 100, network: $net,
		sentences: ($row | [late, even, whose($net), late_probe(.keys), ended_early]),
		limits: ($limits | split("\n") | map(select(. != "") / " " | {name: .[0], ms: (.[1] | tonumber),
			holds: {"0": true, "5": false}[.[2]]} + ($row | if bare then {bare: true} else {} end)))}
	| .for_a_bug_report = [
		"thinprobe \(.version), \(.system // "?"), \(.kernel)",
		"server: \(.server)",
		"link: \(if $net then "round trip \($net.rtt_ms | with_unit("ms")) (least of TCP)" else "not known" end)",
		"typed: \(.keys_sent) keys, \(.keys_answered) answered, after \(uncounted) to warm up and to find the field; \"a\" and BackSpace,"
			+ " into \(.into)",
		"pixels: \(.region // "?"); which encodings and caps were in use is not known beyond the line of the server",
		(.sentences[:2] + .sentences[3:])[], "not known: which part is the server's",
		"again: \(.command)"];

def tick: if . == true then "✓ holds:      " elif . == false then "✗ fails:      " else "? cannot tell:" end;
def text: .sentences[], "", (.limits[] | "  \(.holds | tick) 90 % of the keys within \(.ms) ms (\(.name))"
		+ if .bare then ", by a figure without an interval" else "" end),
	"", "Report: \(.report // $no_page)", "", "For a bug report:", (.for_a_bug_report[] | "  " + .);
