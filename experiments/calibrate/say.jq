# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - how far the probe itself is off. A finding holds for all delays of a path together.
include "words";

def path_name: {"vnc-refecho": "vnc:refecho"}[.] // .;
def title: "Error of the probe itself: \([.run.settings.paths[]? | path_name] | and_list)";
def labels: {value: {path: {"vnc-refecho": "vnc:refecho"}, probe: {patch: "from pixels", wire: "on the wire"}}};
def all_rows: [.summary[] | select(.delay == "all" and .keys > 0)];
def has_floor: (.floor_ms // 0) > 0;
def below($limit): . != null and fabs < $limit;
# Of more than one key in twenty without an answer, the errors of the others say nothing.
def mostly_seen: 19 * (.lost // 0) <= .keys;
def wanted: mostly_seen and (.offset_ms | below(1)) and (.sd_ms | below(0.5)) and (.tail_ms // 0) < 0.5;	# without a frame clock
def two: if . == null then "?" else "\(fixed(2)) ms" end;
# How much the offset depends on the injected delay.
def drift($doc): .path as $path | .probe as $probe
	| [$doc.summary[] | select(.path == $path and .probe == $probe and .delay != "all") | .less_base_ms | values | fabs]
		| if length < 2 then null else max end;

def path_finding($doc): ($doc.run.protocols[.path] // {}) as $protocol | (.path | path_name) as $name
	| "\($name) \({patch: "from pixels", wire: "on the wire"}[.probe] // .probe)" as $what
	| finding("\(.path)-\(.probe)";
		(if has_floor then "**\($what): the probe sees a response \(.offset_ms | two) after the application drew it.** Of this,"
			+ " \(.floor_ms | two) is \($protocol.floor_of // "half a frame of the server's clock"),"
			+ " \(.less_floor_ms | two) is server, link and probe."
		else "**\($what): the probe's error is \(.offset_ms | two)** (median of \(.keys) keys), standard deviation \(.sd_ms | two)."
			+ (if .tail_percent == null then ""
				else " For \(.tail_percent) % of the keys the error is at most \(.error_ms | two)." end) end)
		+ (if (.lost // 0) > 0 then " No answer was seen to \(.lost) of \(.keys + .lost) keys." else "" end)
		+ (drift($doc) | if . == null then "" else " The error varies by up to \(two) with the injected delay." end);
		{value: .offset_ms, unit: "ms", verdict: (if has_floor or .probe != "patch" then "none" elif wanted then "good"
			else "bad" end),
			figure: "offset"});
def misses: [all_rows[] | select(.probe == "patch" and (has_floor | not) and (wanted | not)) | .path | path_name];
def unanswered: [.summary[] | select(.delay == "all" and .probe == "patch" and .keys == 0 and (.lost // 0) > 0)
	| .path | path_name];
def verdict: if unanswered != [] then "The probe saw no response on the screen to any key over \(unanswered | and_list)."
	elif all_rows == [] then nothing_measured
	elif all(all_rows[]; .probe != "patch" or has_floor) then
		"The probe's error is unknown: every path measured has a frame clock, which hides it."
	elif misses == [] then "The probe is accurate: its median error is below 1 ms, its spread below 0.5 ms on "
		+ "\([all_rows[] | select(.probe == "patch" and (has_floor | not)) | .path | path_name] | and_list)."
	else "The probe's error is not within the limits (median 1 ms, spread 0.5 ms, 1 key in 20 not seen) on \(misses | and_list). "
		+ (if any(.summary[]; .marked > 0) then "Other processes used the CPUs during the calibration: repeat it on a quiet machine."
		elif .run.lab.real_time == false then "The probe had no real-time priority: calibrate as root."
			else "The figure shows at which injected delays it is large." end) end;
def findings: . as $doc | (all_rows | map(select(.probe == "patch")) + map(select(.probe != "patch")))
	| map(path_finding($doc))[:5];

# What a calibration found, as the record that later runs carry: all delays of a path together, for each path and probe.
def record: .run as $run | {schema: "thinprobe.calibration/1", started: $run.started, version: $run.version,
	host: ($run.host // {} | {kernel, system, virtualisation, clocksource, model: .cpu.model}),
	lab: ($run.lab // {} | {rate, rootless, shared_cpus, real_time}),
	paths: [.summary[] | select(.delay == "all" and .keys > 0)
		| {path, probe, started: $run.started, server: $run.protocols[.path].says, n: .keys, lost, offset_ms, sd_ms,
			tail_percent,
			tail_ms, spread_ms: ([.sd_ms, .tail_ms] | max), error_ms, there_ms, back_ms, floor_ms, less_floor_ms,
				trains, marked,
			quick: ($run.settings.repeats * $run.settings.seconds <= 2),
				disturbed: ((.marked // 0) * 2 > (.trains // 0))}]} | tojson;

def views:
	view("main"; "summary"; "Offset by path and delay"; {by: "path"};
		"probe delay keys offset_ms sd_ms error_ms lost floor_ms less_floor_ms"),
	view("ways"; "summary"; "The two ways"; {by: "path"};
		"probe delay injected_ms measured_ms there_ms back_ms offset_min_ms less_base_ms");
