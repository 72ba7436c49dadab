# SPDX-License-Identifier: GPL-3.0-or-later
# words.jq - vocabulary of all reports: numbers and intervals as text, notes, shared verbs of findings.
# An experiment's say.jq includes this file, defines title, verdict and findings, and may redefine setup and labels.
# The document is {run, schema: [columns], thresholds: [...], TABLE: [rows]}; each filter says what its input is.

# ---- a number as text (input: the number or null) ----
def fixed($decimals):
	if . == null then "" else
		(fabs * pow(10; $decimals) | round) as $n | ($n | tostring) as $digits
		| (if . < 0 and $n > 0 then "-" else "" end)
		+ if $decimals == 0 then $digits
		  else ("0" * ($decimals + 1 - ($digits | length)) // "") + $digits | .[:-$decimals] + "." + .[-$decimals:] end
	end;
def number:	# as many decimals as make sense to read
	if . == null then "" elif fabs >= 99.95 then fixed(0) elif fabs >= 0.995 or . == 0 then fixed(1)
	elif fabs >= 0.0095 then fixed(2) else fixed(4) | sub("0+$"; "") end;
def plain: if . == null then "" elif . == round then fixed(0) else fixed(3) | sub("0+$"; "") end;	# a setting: 10, 2.5
def percent:
	if . == null then "" elif . == round then fixed(0) elif . >= 99.95 and . < 100 then "99.9"
	elif fabs < 0.1 then fixed(2) else fixed(1) end;
def thousands: fixed(0) | [while(length > 0; .[:-3]) | .[-3:]] | reverse | join(",");
def plural($one; $many): "\(thousands) \(if . == 1 then $one else $many end)";
def plural($one): plural($one; $one + "s");
def and_list: if length < 2 then join("") else (.[:-1] | join(", ")) + " and " + .[-1] end;
def upper_first: (.[:1] | ascii_upcase) + .[1:];
def with_unit($unit):
	if . == null then "unknown" elif $unit == "%" then "\(percent) %" elif $unit == "ms" and fabs >= 9950 then "\(. / 1000 | number) s"
	elif $unit == "" or $unit == "/s" then number + $unit else "\(number) \($unit)" end;

# ---- a figure: {value, low, high, above, unit} of a column NAME with NAME_low, NAME_high, NAME_above (input: a row) ----
def unit_of($name):
	$name | if test("_percent$") then "%" elif test("_per_s$") then "/s" else capture("_(?<u>ms|s|us|bytes|kib|mib)$").u // "" end;
def figure($name): {value: .[$name], low: .[$name + "_low"], high: .[$name + "_high"], above: (.[$name + "_above"] == 1),
	unit: unit_of($name)};
# The same from two columns, of latencies that are only known as a range.
def figure($low; $high): figure($high) as $late | figure($low) | .to = $late.value | .high = ($late.high // .high)
	| .above = (.above or $late.above);
def range_words($low; $high; $unit; words):
	if $unit == "%" then "\($low | percent) to \($high | percent) %"
	elif $unit == "ms" and ($high | fabs) >= 9950 then range_words($low / 1000; $high / 1000; "s"; words)
	else "\($low | words) to \($high | words)\(if $unit == "" or $unit == "/s" then $unit else " \($unit)" end)" end;
def range_words($low; $high; $unit): range_words($low; $high; $unit; number);
def interval($low; $high; $unit; words):
	if $low == null or $high == null then "" else " (95 % CI \(range_words($low; $high; $unit; words)))" end;
def interval($low; $high; $unit): interval($low; $high; $unit; number);
def figure_words:	# "19.1 ms"; input: a figure
	(if .above then "more than " else "" end)
	+ (.unit as $unit | if .value != null and .to != null and .to != .value then range_words(.value; .to; $unit) else .value
		| with_unit($unit) end);
# With as many decimals as the value has.
def figure_interval: (.value // 0) as $v | (if .unit == "ms" and (.high // 0 | fabs) >= 9950 then $v / 1000 else $v end | number
		| (split(".")[1] // "" | length)) as $decimals
	| interval(.low; .high; .unit; if $v == 0 then number else fixed($decimals) end);
def level($name): figure($name) | figure_words + figure_interval;	# "19.1 ms (95 % CI 18.8 to 19.3 ms)"; input: a row

# ---- shared verbs: each compares with the ends of intervals, not with the values alone ----
def surely_above($name; $limit): (.[$name + "_low"] // .[$name]) as $v | $v != null and $v > $limit;
def surely_below($name; $limit): (.[$name + "_high"] // .[$name]) as $v | $v != null and $v <= $limit;
# A slope as a whole number (input: a row): the number, "none" where the interval excludes each, "impossible" where it is surely
# below one, "unsure" where it is too wide or there is no interval.
def whole_slope($name):
	figure($name) | .value as $s | if $s == null or .low == null then "unsure" else ($s | round) as $n
	| if .high - .low >= 1 then "unsure" elif .high < 0.9 then "impossible" elif $n < 1 then "unsure"
	  elif .low > $n + 0.1 or .high < $n - 0.1 then "none" elif ($s - $n | fabs) > 0.25 then "unsure" else $n end end;
# How much of a value (input: a number) a known floor explains: "all", "most", "some", "none".
def floor_explains($floor):
	if $floor == null or $floor <= 0 then "none" elif $floor > 1.1 * . then "none" elif $floor >= 0.9 * . then "all"
		elif $floor >= 0.5 * . then "most" else "some" end;

# ---- findings ----
# id: stable words; text: Markdown, a bold verdict first; about: a figure's value, low, high, unit with verdict (good, bad, none,
# unsure) and figure (stem of the SVG that shows it).
def finding($id; $text; $about):
	{id: $id, text: $text, value: $about.value, low: $about.low, high: $about.high, unit: $about.unit,
	 verdict: ($about.verdict // "none"), figure: $about.figure};
def threshold: .run.settings.threshold_ms // 100;
def threshold_source: .run.settings.threshold as $name | first((.thresholds // [])[] | select(.name == $name) | .source) // null;
# A time such as 2.5ms, in ms.
def time_ms: capture("^(?<n>[0-9.]+)(?<u>us|ms|s)$") | (.n | tonumber) * {us: 1e-3, ms: 1, s: 1e3}[.u];
def attached: (.run.runs // [.run.settings])[0].on // "" | startswith("attach:");	# a window of another's server
def nothing_measured: "No condition has a complete measurement, so there are no findings yet.";
def no_baseline: "The baseline was not measured, so there is nothing to compare with.";
def measured_rows($table): [.[$table] // [] | .[] | select((.repeats // 1) > 0)];
def distinct(value): reduce (.[] | value) as $v ([]; if index([$v]) then . else . + [$v] end);

# ---- notes (input: the document); null: nothing to say ----
def shared_note: .run.lab // {} | if .shared_cpus != true then null
	elif .cpus_server == .cpus_client and .cpus_server != null then "Server and client shared CPUs, so latencies are upper bounds."
	else "Other labs were allowed to use the same CPUs: their work is part of these figures." end;
def incomplete_note: .run | if (.state // "unknown") == "complete" then null else
	"(\(.state // "unknown")\(if .reason then ": \(.reason)" else "" end))" as $state | .counts
	| if .total != null and .complete == .total then "**Ended early** \($state), after all \(.total) measurements were made."
	  else "**Incomplete** \($state): \(.complete // "?") of \(.total // "?") measurements were made. What is missing may change the"
		+ " findings." end end;
# The command of the run with more repeats, into a folder of its own; and the minutes that it takes.
def again_command: .run | select(.runs == null) | .command // "" | select(startswith("thinprobe "))
	| gsub(" (--repeat|-o|--output|--output-dir|--resume)(=| +)('[^']*'|([^ \\\\]|\\\\.)+)"; "") + " --repeat 5";
def again_minutes: [.run | try (.measured_s * .counts.total / .counts.complete / 60 * 5 / .settings.repeats | ceil
	| select(. > 0)) catch null] | .[0];
def repeats_words: [.run.runs // [.run.settings] | .[].repeats | values] | unique | select(. != [])
	| if length > 1 then "\(min) to \(max | plural("repeat"))" else .[0] | plural("repeat") end;
def preliminary_note: . as $doc | .run.settings.repeats | if . == null or . >= 5 then null else
	"**Preliminary**: \($doc | repeats_words) per condition. Use 5 or more before you rely on this"
		+ ([$doc | again_command] | if $doc.run.sweep then " (`repeat 5` in the sweep's file)." elif . == [] then " (`--repeat 5`)." else
			": `\(.[0])`" + ($doc | again_minutes | if . == null then "" else " (about \(plural("minute")))" end) + "." end) end;
def flagged_note: [.run.cells // [] | .[] | select((.flags // []) != [])] as $flagged | if $flagged == [] then null else
	"**Flagged**: in \($flagged | length) of \(.run.cells | length | plural("condition")), other processes or the hypervisor took"
		+ " too much of the server's CPUs in at least one repeat." end;
def missing_cells: [.run.cells // [] | .[] | select(.state == "missing") | .name];
def missing_note: missing_cells | if . == [] then null else
	"**Missing**: no complete measurement of \(.[:6] | join(", "))" + (if length > 6 then " and \(length - 6) more." else "." end) end;
# Of several runs in one report: which they are, and what was set otherwise in some.
def runs_note: .run.runs | values | "**\(length) runs in one report**: "
	+ (map("\(.name) (\([.host, (.started // "" | .[:16] | sub("T"; " "))] - [null, .name] | join(", ")))") | and_list) + ".";
def differs_note: .run.differs // {} | select(. != {}) | "**Not alike**: " + ([to_entries[] | "\(.key | gsub("_"; " ")) "
	+ ([.value | to_entries[] | "\(.value | if type == "array" then map(tostring) | join(" ")
		else tostring end) (\(.key))"] | and_list)] | join("; "))
	+ ". What differs between the runs may come from this.";
def notes: [incomplete_note, missing_note, runs_note // null, differs_note // null, preliminary_note, flagged_note, shared_note]
	| map(values);
def not_here: [(.run.host, .run.lab, .run) | objects | (.missing, .cannot, .not_here) | values
	| if type == "object" then to_entries[] | "\(.key): \(.value)" elif type == "array" then .[] | if type == "object" then
		"\(.what // .name): \(.why)" else tostring end
	  else tostring end];

# ---- what was set up (input: the document) ----
def link_words: .run.settings.link as $link | if $link == null then null elif $link | startswith("none") then
	"a link without a limit" else
	$link | split(",") | map(sub("(?<n>[0-9])(?<u>us|ms|s)$"; "\(.n) \(.u)")) | (.[1:3][] |= if . == "0" then null else . end)
		| (.[0] | split("/") | map(sub("(?<n>[0-9])(?<u>[KMG]?)bit"; "\(.n) \(.u)bit/s"))
			| if .[1] then "\(.[0]) to the client and \(.[1]) from it" else .[0] end)
		+ (if .[1] then ", \(.[1])\(if .[2] then " ± \(.[2])" else "" end) of delay" else "" end)
		+ ((.[3] // "0" | rtrimstr("%") | tonumber) as $loss | (if $loss > 0 then ", \($loss) % of loss" else "" end)
			+ (if .[1] or $loss > 0 then " each way" else "" end)) end;
def protocols: .run.settings | .protocols // [.protocol | values];	# that were asked for, as far as they can run here
def protocol_words:
	if .run.protocol.server then [.run.protocol.server, .run.protocol.version] | map(values | select(. != "")) | join(" ")
	else protocols | if . == [] then null else join(", ") end end;
def run_words: if .run.runs then "\(.run.runs | length) runs" else
	"run of \(.run.started // "?" | .[:16] | sub("T"; " ")), \(.run.state // "state unknown")" end;
def sentence: map(values | select(. != "")) | join("; ") + ".";
def setup: [protocol_words, link_words, repeats_words, run_words] | sentence;
def words_for(words): map({key: ., value: words}) | from_entries;	# the words of each value of a list, for labels
# Words for columns and values: {heading: {COLUMN: text}, value: {COLUMN: {VALUE: text}}, least: {COLUMN: limit of resolution},
# figures: {VARIABLE: number or text for figures.gp}}.
def labels: {};
