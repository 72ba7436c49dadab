# SPDX-License-Identifier: GPL-3.0-or-later
# record.jq - what a calibration found, as the record that later runs carry: all delays of a path together, for each path and probe.
include "words";

def record: .run as $run | {schema: "thinprobe.calibration/1", started: $run.started, version: $run.version,
	host: ($run.host // {} | {kernel, system, virtualisation, clocksource, model: .cpu.model}),
	lab: ($run.lab // {} | {rate, rootless, shared_cpus, real_time}),
	paths: [.summary[] | select(.delay == "all" and .keys > 0)
		| {path, probe, started: $run.started, server: $run.protocols[.path].says, n: .keys, lost, offset_ms, sd_ms, tail_percent,
			tail_ms,
		spread_ms: ([.sd_ms, .tail_ms] | max), error_ms, there_ms, back_ms, floor_ms, less_floor_ms, trains, marked,
		quick: ($run.settings.repeats * $run.settings.seconds <= 2), disturbed: ((.marked // 0) * 2 > (.trains // 0))}]} | tojson;
