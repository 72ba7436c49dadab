# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a calibration found, in words. A claim holds for all delays together; what was wanted is said beside it.
include "lib";

def path_name($path): {"vnc-refecho": "vnc:refecho"}[$path] // $path;
def probe_name: {patch: "from pixels", wire: "on the wire"}[.probe] // .probe;
def all_rows: [.rows[] | select(.delay == "all" and .keys > 0)];
def ms: if . == null then "?" else fixed(2) end;
def has_floor: (.floor_ms // 0) > 0;

def spread_words: "spread \(.sd_ms | ms) ms (sd)" + if .tail_percent == null then "" else ", p\(.tail_percent) − p50 \(.tail_ms | ms) ms" end;

# How far the offset moves with the injected delay, of the constant ones.
def drift($doc): .path as $path | .probe as $probe
	| [$doc.rows[] | select(.path == $path and .probe == $probe and .delay != "all") | .less_base_ms | values | fabs] | if length < 2 then null else max end;

def path_words($doc):
	. as $row | ($doc.run.protocols[.path] // {}) as $protocol
	| "\(path_name(.path)) \(probe_name): " + if has_floor then
		"\(.offset_ms | ms) ms later than the application answered, \(spread_words). Of this \(.floor_ms | ms) ms would be \($protocol.floor_of // "half a frame of the server's clock (\($protocol.frame_rate_per_s) a second)"); \(.less_floor_ms | ms) ms are left for server, link and probe."
	  else "off by \(.offset_ms | ms) ms (median of \(.keys) keys), \(spread_words)."
		+ if .tail_percent == null then "" else " \(.tail_percent) % of keys are within \(.error_ms | ms) ms of what really happened." end
	  end
	+ (drift($doc) as $d | if $d == null then "" else " It moves by up to \($d | ms) ms with the delay injected." end);

# What was wanted of the paths without a frame clock: offset below 1 ms, spread below 0.5 ms.
def misses: [.rows[] | select(.delay == "all" and .probe == "patch" and (has_floor | not) and .keys > 0 and (.offset_ms >= 1 or .sd_ms >= 0.5 or (.tail_ms // 0) >= 0.5))];

def findings:
	. as $doc | all_rows
	| if length == 0 then ["No train was measured to the end: there is nothing to say yet."] else map(path_words($doc))
	  + ($doc | misses | if length == 0 then [] else ["More than this probe needs (offset below 1 ms, spread below 0.5 ms) on: \(map(path_name(.path)) | join(", ")). "
		+ (if any($doc.rows[]; .marked > 0) then "Others used the CPUs meanwhile; calibrate again on a quiet machine." elif $doc.run.lab.real_time == false then "The probe had no real-time priority: as root it has." else "Look at the figure: which delay, which tail." end)] end) end;

def disturbed: [.rows[] | select(.delay == "all") | {path, trains, marked}] | unique | {trains: (map(.trains) | add // 0), marked: (map(.marked) | add // 0)};
def disturbed_words: disturbed | if .marked == 0 then null else "\(.marked) of \(.trains) trains were disturbed: other processes or the hypervisor took more than 3 % of the CPUs of one side." end;
