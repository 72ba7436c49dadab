# SPDX-License-Identifier: GPL-3.0-or-later
# trains.jq - shared by reports on trains of keys beside a load: the probe's own error, names of applications and loads.
include "words";

# ---- several protocols, or runs of one on several machines and days: a curve for each ----
def systems: .summary | distinct(.protocol);
def several: .run.runs != null or (systems | length > 1);
def systems_word: if .run.runs == null then "protocols" elif systems | map(split("/")[0]) | unique | length == 1 then "runs"
	else "protocols and runs" end;
def over($system): .run.settings = (settings_of($system) | .protocols = [$system])
	| .run.protocol = (.run.protocols[$system] // .run.protocol)
	| (.summary, (.compare | values)) |= map(select(.protocol == $system));	# the document with that system only

# ---- the probe's own error on this run's path, by the machine's calibration; Xvnc's frame clock is no error of the probe ----
def calibration_path: protocols[0] // "" | if startswith("vnc") then "vnc-refecho" elif startswith("x11")
	or startswith("attach") then "x11" else null end;
def calibrated($probe): (if several then null else calibration_path end) as $path | (.run.calibration // {}) as $record
	| [$record.paths // [] | .[] | select(.path == $path and .probe == $probe and .error_ms != null)
		| .started = (.started // $record.started)] | first;
def calibrated: calibrated("patch");
# Lower latencies are not reported as numbers. Without a calibration: the latency measured with a target inside the probe.
def resolution: (calibrated | if . == null then null else .error_ms end) // (.run.chain // {} | .latency_p99_ms // .latency_p50_ms
	// 0);
# Figures below the resolution (docs/method.md): a latency below the probe's error; a difference of two times below √2 times the
# spread; a mean stall below two errors over the train; a stage that begins or ends with a packet, below the spread on the wire.
def resolve: resolution as $error | calibrated as $pixels | (calibrated("wire") | .spread_ms // .sd_ms) as $wire
	| (.run.settings.seconds // 0) as $seconds
	| def limits: with_entries(select(.value != null and .value > 0) | .key += "_least");
	  def differences($spread): if $spread == null then null else 2 * $spread * $spread | sqrt end;
	  ({latency_sent_p50_ms: $error, jitter_sd_ms: differences($pixels | .spread_ms // .sd_ms),
		wire_jitter_sd_ms: differences($wire)} | .mean_positive_stall_ms = .jitter_sd_ms
		| reduce ("p50", "p90", "p95", "p99", "max") as $p (.; .["latency_\($p)_ms"] = $error
			| .["latency_high_\($p)_ms"] = $error)
		| limits) as $least
	| .summary |= map(. + $least + ({mean_stall_ms: (if $pixels == null or ($seconds * (.updates_per_s // 0)) <= 0 then null
		else 2 * $pixels.error_ms / ($seconds * .updates_per_s) end)} | limits))
	| if .stages == null then . else
		.stages |= map(if .stage | test("wire") then .
			+ ({mean_ms: $wire, p50_ms: $wire, p90_ms: $wire, max_ms: $wire} | limits)
			else . end) end
	| if .compare == null then . else .compare |= map(.p_least = 0.01) end;	# (in two decimals it would be 0)
# Keys that go one by one wait for the answer before and for the display to be at rest: they are late by what this machine adds to
# that, if it is over 10 ms (keyrepeat's keys_left_late).
def latest_us: [measured_rows("summary")[] | select(.left_late_max_ms == null).lateness_max_us | values] | max;
def latest_of_turns: [measured_rows("summary")[].left_late_max_ms | values] | max;
def late_claims: exceeds({value: latest_us}; {value: (1000, 10000)}), exceeds({value: latest_of_turns}; {value: 10});
def left_sentences($off; $turned): latest_us as $late | latest_of_turns as $turns
	| (if $turns == null then "" else " at a fixed rate" end) as $sent
	| (if $late == null then "" elif $off == "no" then " Each key\($sent) left within 1 ms of its due time." else
		" The latest key\($sent) left \($late / 1000 | with_unit("ms")) after its due time; that delay is part of the figures." end)
	+ (if $turns == null then "" elif $turned == "no" then
		" No key that goes one by one is known to have left over 10 ms after its turn." else
		" Of keys that go one by one, the latest left \($turns | with_unit("ms")) after its turn." end);
def probe_finding: calibrated as $c | .judged as $judged | [late_claims | is($judged)] as [$off, $far, $turned]
	| (latest_us | scaled(1e-3)) as $late | left_sentences($off; $turned) as $left
	| if $left == "" and $c == null then empty else
		finding("probe"; "**Probe quality.**" + $left
			+ (if several then "" elif $c == null then " The probe was not calibrated\(if .run.settings.on // ""
				| test("^ssh:[^,]*,(?![.](,|$))") then ": the client was another machine" else " on this machine (`thinprobe calibrate`)"
				end)." else
				" By calibration of \($c.started // "" | .[:10])\(if $c.disturbed == true then " (flagged)" else "" end), the probe's error"
					+ " is at most \($c.error_ms | fixed(2)) ms"
					+ (if $c.tail_percent == null then "." else " for \($c.tail_percent) % of the keys." end) end);
			{value: (if $turned == "yes" then [$late, latest_of_turns] | max else $late end), unit: "ms",
				verdict: (if $far == "yes" or $turned == "yes" then "unsure" else "good" end)}) end;

# ---- names ----
def cost: [.summary[].cost_ms | values] | first;
# Of several runs with other costs: [[cost, runs]].
def costs: if .run.runs == null then [] else [.summary[] | select(.cost_ms != null)] | group_by(.cost_ms)
	| map([.[0].cost_ms, distinct(.protocol)]) | if length < 2 then [] else . end end;
def cost_words: "ms of CPU per \(.run.settings.cost_per // "update" | sub("redraw"; "update"))";
# The protocol's own application counts as heavy if its CPU cost is known.
def costly: [.summary[] | select(.app == "own" and .cost_ms != null).protocol];
def all_roles: "light", "grouped", "heavy";
def role_of($app; $costly): if $app == "own" then (if $costly then "heavy" else "light" end) else $app end;
def rows_of($role): costly as $costly
	| [.summary[] | select(role_of(.app; IN(.protocol; $costly[])) == $role)] | sort_by(.sinks);
def app_name($app): cost_words as $per
	| if $app == "light" then "vim" elif $app == "grouped" then "vim in the CPU hogs' group" elif $app == "heavy" then
		(costs | to_entries | map("\(.value[0] | plain) \(if .key == 0 then $per else "ms" end) over \(.value[1] | and_list)")
			| select(. != []) | "the heavy application (\(join(", ")))")
			// (if [.summary[] | select(.app == "heavy").cost_ms | values] | unique | length > 1 then
				"the heavy application"	# of several costs, which a column has
				else "\(cost // .run.settings.cost_ms // 0 | plain) \($per)" end)
	else (if attached then (if .run.runs == null and .run.protocol.window == null then
			"typing on \(.run.settings.on | ltrimstr("attach:"))"
		else "the attached application" end) elif protocols[0] // "" | startswith("null") then "the null target"
		else "the server's own application" end) + (if cost == null or several then ""
			else " (\(cost | plain) \($per))" end) end;
# If several applications have a role, it is named after the first, not after a protocol's own application.
def role_name($role): . as $doc | [rows_of($role)[].app] | unique | if $role == "light" then . else .[:1] end
	| map(. as $app | $doc | app_name($app)) | join(" or ");
# Loads of an attached window are set by others, so their numbers are only labels; one that nobody set is the load as it is.
def load_as_is: attached and (.run.settings.set_load // "") == "" and ([.summary[].sinks] | unique) == [0];
def unloaded: if load_as_is then "with the load as it is" else "without load" end;
def with_load($n): if attached then (if $n == 0 then unloaded else "with the load \($n)" end)
	elif $n == 0 then "without CPU hogs" else "with \($n | plural("CPU hog"))" end;
def at_load($n): if attached or $n == 0 then with_load($n) else "at \($n | plural("CPU hog"))" end;
# Loads at which an application has no figure, although other rows have one there.
def loads_unmeasured($rows): . as $doc | ([.summary[] | select(.app == $rows[0].app).sinks] | unique) - ($rows | map(.sinks))
	| map(. as $n | $doc | with_load($n));
def but_unmeasured: if . == [] then "" else " (nothing was measured \(and_list))" end;
def loads_tried($rows): ($rows | map(.sinks)) as $n | (if $n == [0] then with_load(0) elif attached then "with every load tried"
	elif $n | length == 1 then with_load($n[0]) else "with \($n | min) to \($n | max | plural("CPU hog"))" end)
	+ (loads_unmeasured($rows) | but_unmeasured);
def train_labels: . as $doc | {
	heading: (if attached then {sinks: "Load"} else {} end),
	value: {app: ([.summary[].app] | unique | words_for(. as $app | $doc | app_name($app)))}};
