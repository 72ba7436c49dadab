# SPDX-License-Identifier: GPL-3.0-or-later
# record.jq - all delays of a path together, one object for each path and probe.

# quick: no more than --quick measures; disturbed: over half of its trains were marked.
.run as $run | ($run.ended // $run.started) as $when
| {schema: "thinprobe.calibration/1", started: $run.started, version: $run.version,
	host: ($run.host // {} | {kernel, system, virtualisation, clocksource, model: .cpu.model}),
	lab: ($run.lab // {} | {rate, rootless, shared_cpus, real_time}),
	paths: [.rows[] | select(.delay == "all" and .keys > 0)
		| {path, probe, started: $run.started, server: ($run.protocols[.path].says), n: .keys, lost, offset_ms, sd_ms, tail_percent, tail_ms,
		spread_ms: ([.sd_ms, .tail_ms] | max), error_ms, there_ms, back_ms, floor_ms, less_floor_ms, trains, marked,
		quick: ($run.settings.repeats * $run.settings.seconds <= 2), disturbed: ((.marked // 0) * 2 > (.trains // 0))}]}
