# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of launches found: is vamp worth having against doing nothing, against autogroups, and against nice by hand?
include "words";

def vamps: ["L", "M", "H", "L+iso", "M+iso", "H+iso", "vmL", "vmM", "vmH", "vmL+iso", "vmM+iso", "vmH+iso"];
def scheme_words: if IN(vamps[]) then "vamp \(.)" elif . == "nice" then "nice 19" else . end;
def job_words: {parallel: "the parallel job", quanta: "the job of short CPU bursts", pipes: "pipelines"}[.] // .;
def title: "Launch of applications beside a job in the background";
def setup: ["\(.run.settings.apps // [] | and_list) beside \(.run.settings.jobs // [] | map(job_words) | and_list)"
	+ " (\(.run.settings.threads // 0 | plural("thread")))", repeats_words, run_words] | sentence;
def labels: {value: {scheme: (.run.schemes // {} | keys | words_for(scheme_words)), job: {none: "-"},
	app: {keys: "keys (\(.run.settings.cost_ms // 0 | plain) ms each)"}}};

def launches: [measured_rows("summary")[] | select(.launch_ms != null)];
def geomean: if . == [] then null else map(log) | add / length | exp end;
def times_words: fixed(if . >= 9.95 then 0 elif . >= 1.995 then 1 else 2 end);
# Rows of a scheme and of another one, by application and job, and how they compare.
def pairs($a; $b): launches as $all | [$all[] | select(.scheme == $a) as $x | $x
	| {app, job, x: $x,
		y: first($all[] | select(.scheme == $b and .app == $x.app and (.job == $x.job or .job == "none")))}
	| .ratio = .x.launch_ms / .y.launch_ms
	| .apart = (if .x.launch_ms_high == null or .y.launch_ms_high == null then null
		elif .x.launch_ms_high < .y.launch_ms_low then "sooner" elif .x.launch_ms_low > .y.launch_ms_high then "later" else "same" end)];
# The ratio of vamp that starts applications soonest, isolated or not.
def best: . as $doc | [vamps[] as $v | ($doc | pairs($v; "baseline")) | select(. != [])
		| {scheme: $v, ratio: (map(.ratio) | geomean)}]
	| min_by(.ratio);
def times_as_long($ratio): if $ratio <= 1 then "\(1 / $ratio | times_words) times as fast as" else
	"\($ratio | times_words) times as slow as" end;
def how_many($pairs): [($pairs | length) as $n | ("sooner", "later", "same") as $how
	| ($pairs | map(select(.apart == $how)) | length) | select(. > 0)
	| "\($how | {sooner: "sooner", later: "later", same: "no significant difference"}[.]) in \(.) of \($n)"]
	| if . == [] then "one repeat only, so no intervals" else and_list + " conditions" end;
# vamp's best against another scheme: {other, ratio, shown: sooner, later or none, how}.
def against($other): . as $doc | best as $best | if $best == null then empty else
	($doc | pairs($best.scheme; $other)) as $p | if $p == [] then empty else
	($p | map(select(.apart == "sooner")) | length) as $sooner | ($p | map(select(.apart == "later")) | length) as $later
	| {$other, best: ($best.scheme | scheme_words), ratio: ($p | map(.ratio) | geomean), how: how_many($p),
		shown: (if $sooner > $later then "sooner" elif $later > $sooner then "later" else "none" end)} end end;
def shown_words: ({sooner: "launches sooner than", later: "launches later than",
		none: "does not launch significantly sooner or later than"}[.shown])
	+ " \(.other | scheme_words)";
def against_verdict: {sooner: "good", later: "bad", none: "unsure"}[.shown];
def against_words: "\(times_as_long(.ratio)) with \(.other | scheme_words) (\(.how))";

def without: pairs("baseline"; "alone") | if . == [] then empty else (map(.ratio) | geomean) as $ratio | max_by(.ratio) as $worst
	| "The background job makes a launch take \($ratio | times_words) times as long; the worst is \($worst.app) with"
		+ " \($worst.x | level("launch_ms")) instead of \($worst.y | level("launch_ms"))." end;
def baseline: first(without, null) as $without | first(against("baseline"), null) as $a
	| if $a then finding("baseline"; "**\($a.best | upper_first) \($a | shown_words)**: applications start"
			+ " \($a | against_words). \($without // "")" | rtrimstr(" ");
			{value: $a.ratio, unit: "", verdict: ($a | against_verdict), figure: "launch"})
	  elif $without then finding("baseline"; "**Baseline.** \($without)";
			{verdict: "bad", figure: "launch"}) else empty end;
# What an administrator has already: the kernel's autogroups, and nice.
def today: [against("autogroup", "nice")] | if . == [] then empty else
	finding("today"; "**\(.[0].best | upper_first) "
		+ (map(shown_words) | and_list) + "**: applications start "
		+ (map(against_words) | and_list) + ".";
		.[-1] | {value: .ratio, unit: "", verdict: against_verdict, figure: "launch"}) end;

def unique_ends: if .[0] == .[-1] then .[0] else "\(.[0]) to \(.[-1])" end;
def pays: [measured_rows("summary")[] | select(.job_rel != null and .launch_ms != null and .scheme != "baseline")]
	| group_by(.scheme)
	| map({scheme: .[0].scheme, rel: (map(.job_rel) | geomean)}) | sort_by(.rel) | if . == [] then empty else
	finding("job"; "**The background job takes \(map(.rel | fixed(2)) | unique_ends) times as long as in the baseline**: "
		+ (map("\(.scheme | scheme_words) \(.rel | fixed(2))") | join(", ")) + ", while applications are launched without pause.";
		{value: .[-1].rel, unit: "", verdict: (if .[-1].rel > 1.2 then "bad" else "good" end), figure: "job"}) end;

def keyed: threshold as $limit | [measured_rows("summary")[] | select(.app == "keys" and .p50_ms != null)]
	| if map(.scheme) | index("baseline") == null then empty else
	(first(.[] | select(.scheme == "baseline"))) as $base | (map(select(.job == $base.job or .job == "none"))) as $rows
	| finding("keys"; "**The median response to a key is \($base | level("p50_ms")) in the baseline**"
		+ ($rows | map(select(.scheme != "baseline") | ", \(.p50_ms | with_unit("ms")) with \(.scheme | scheme_words)") | join(""))
		+ (if $base.late_percent == null then "" else
			"; \($base | figure("late_percent") | figure_words) of the keys take longer than \($limit | plain) ms in the baseline" end)
		+ ". The keys were typed right after a Return, beside \($base.job | job_words).";
		($base | figure("p50_ms")) + {verdict: "none", figure: "keys"}) end;

# What vamp said of itself, over all sessions.
def itself: (.run.vamp // []) | map(select(.episodes > 0)) | if . == [] then empty else
	(map(.episodes) | add) as $episodes | (map(.found) | add) as $found
	| (map(.others[]) | group_by(.) | map("\(.[0]) (\(length))")) as $others
	| (map(.decided_us[]) | sort) as $us | (map(.daemon_cpu_percent) | max) as $cpu
	| finding("vamp"; "**vamp found the background job in \($found) of \($episodes | plural("episode")) of waiting**"
		+ (if $others == [] then " and throttled nothing else" else ", and throttled \($others | and_list) as well" end)
		+ (if $us == [] then "" else "; vamp throttled the job \($us[length / 2 | floor] / 1000 | with_unit("ms"))"
			+ " after the key (median; at most \($us[-1] / 1000 | with_unit("ms")))" end)
		+ ". Vamp itself used at most \($cpu | with_unit("%")) of a CPU.";
		{value: (100 * $found / $episodes), unit: "%",
			verdict: (if $found == $episodes and $others == [] then "good" else "unsure" end)}) end;

def verdict: best as $best | if launches == [] then nothing_measured
	elif $best == null then "Vamp was not measured; only autogroups and nice were."
	else . as $doc | [("baseline", "autogroup", "nice") as $o | ($doc | pairs($best.scheme; $o)) | select(. != [])
			| {o: $o, ratio: (map(.ratio) | geomean), shown: (map(select(.apart == "sooner")) | length), n: length}]
		| "With \($best.scheme | scheme_words) applications start "
			+ (map("\(times_as_long(.ratio)) with \(.o | scheme_words)"
				+ (if .ratio < 1 and .shown == 0 then " (not significant)" else "" end)) | and_list) + "." end;

def findings: [baseline, today, pays, keyed, itself];
