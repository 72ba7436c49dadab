# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run with held keys found.
include "words";

def title: "A key held down: \(protocol_words)";
def apps: {light: "vim", own: (if attached then "the attached application" else "the server's own application" end),
	heavy: (.run.settings.cost_ms
	| if . == null then "the heavy application" else "\(plain) ms of CPU per update" end)};
def load_words($n): if attached then "the load \($n)" else $n | plural("CPU hog") end;
def labels: {heading: (if attached then {sinks: "Load"} else {} end), value: {app: apps, mode: {tap: "typed", hold: "held"}},
	figures: ({app_light: "vim", app_heavy: apps.heavy, app_own: apps.own,
		load_axis: (if all_attached then "load on the server" elif attached then "CPU hogs, or load on the server" else
			"CPU hogs beside the session" end)}
	+ (.run.settings.cost_ms | if . == null then {} else {cost_ms: .} end))};

# Rows of both modes beside the same load.
def pairs: [measured_rows("summary")[] | select(.mean_stall_ms != null)] | group_by([.app, .protocol, .sinks])
	| map({app: .[0].app, protocol: .[0].protocol, sinks: .[0].sinks, tap: (first(.[] | select(.mode == "tap")) // null),
		hold: (first(.[] | select(.mode == "hold")) // null)}
		| select(.tap and .hold))
	| length as $n | map(.more = compared(.tap; .hold; "mean_stall_ms"; $n));
def told: .more != null;	# two repeats have no interval
def differs: .more.apart == true;

def verdict: pairs as $p | [$p[] | select(differs)] as $apart
	| ([$p[] | select(told | not)] | if . == [] then "" else
		"; \(length) of \($p | length) have too few repeats to compare" end) as $few
	| if $p == [] then "No load was measured with both held and typed keys: there is nothing to compare yet."
	  elif any($p[]; told) | not then "Too few repeats to compare held with typed keys (three are needed)."
	  elif $apart == [] then "No load shows a difference in stalls between a held key and typed keys\($few)."
	  else "Stalls differ between a held key and typed keys in \($apart | length) of \($p | length | plural("condition"))\($few)." end;

def several: .summary | distinct(.protocol) | length > 1;
def least: min_by(.updates_per_key);
def rate: several as $several | [measured_rows("summary")[] | select(.mode == "hold" and .sinks == 0 and .updates_per_key != null)]
	| select(. != []) | least as $r | finding("held-rate";
		"**Without load, \($r | level("updates_per_key")) screen updates answer each auto-repeat of a held key**"
		+ "\(if $several then " over \($r.protocol), and no fewer over the others" else "" end); the client repeats a held key 20 times"
		+ " a second.";
		($r | figure("updates_per_key")) + {verdict: (if $r | surely_above("updates_per_key"; 0.95) then "good"
			else "unsure" end),
			figure: "mean-stall"});

# Rows with the most CPU hogs; of several protocols, the one where held and typed keys differ most.
def modes: . as $doc | several as $several | [pairs[] | .app] | unique[] as $app
	| [$doc | pairs[] | select(.app == $app)] | (map(.sinks) | max) as $most | map(select(.sinks == $most))
	| map(select(differs)) as $apart | any(.[]; told) as $told
	| max_by([differs, (.hold.mean_stall_ms - .tap.mean_stall_ms | fabs)])
	| finding("held-\($app)";
		"**\($doc | apps[$app] // $app | upper_first): \(if $told | not then "too few repeats to compare"
			elif $apart == [] then "no difference shown" elif $several then
			"held and typed keys differ over \($apart | map(.protocol) | and_list)" else "held and typed keys differ" end)**"
			+ " with \(.sinks as $n | $doc | load_words($n)):"
		+ " the mean stall is \(.hold | level("mean_stall_ms")) with a held key, \(.tap | level("mean_stall_ms")) with typed keys"
		+ (if $several then " (over \(.protocol), where the difference is largest)." else "." end);
		(.hold | figure("mean_stall_ms")) + {verdict: (if differs or ($told | not) then "unsure" else "none" end),
			figure: "mean-stall"});

def findings: [modes, rate][:5];

def views:
	view("main"; "summary"; "Stalls of held and of typed keys"; {by: "app", breaks: ["sinks", "late_percent", 5]};
		"protocol? mode sinks mean_stall_ms jitter_sd_ms largest_gap_ms updates_per_key late_percent"),
	view("wire"; "summary"; "On the wire"; {by: "app"};
		"protocol? mode sinks wire_mean_stall_ms wire_jitter_sd_ms keys updates input_packets wire_bytes");
