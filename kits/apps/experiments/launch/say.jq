# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of launches found: is vamp worth having against doing nothing, against autogroups, and against nice by hand?
include "words";
include "favour";

def vamps: scheme_names("alone") | to_entries | map(select(.value | startswith("vamp ")).key);
def scheme_words: if IN(vamps[]) then "vamp \(.)" elif . == "nice" then "nice 19" else . end;
def title: "Launch of applications beside a job in the background";
def setup: ["\(.run.settings.apps // [] | and_list) beside \(.run.settings.jobs // [] | map(job_words) | and_list)"
	+ " (\(.run.settings.threads // 0 | plural("thread")))", repeats_words, run_words] | sentence;
def labels: {value: {scheme: (.run.schemes // {} | keys | words_for(scheme_words)), job: {none: "-"},
	app: {keys: "keys (\(.run.settings.cost_ms // 0 | plain) ms each)"}}};

def launches: [measured_rows("summary")[] | select(.launch_ms != null)];
def geomean: if . == [] or any(. == null) then null else map(log) | add / length | exp end;
# Comparing takes three repeats: two have no interval.
def comparable: .repeats >= 3 and .launch_ms_low != null;
# Rows of a scheme and of another one, by application and job.
def pairs($a; $b): launches as $all | [$all[] | select(.scheme == $a) as $x | $x | {app, job, x: $x,
		y: first($all[] | select(.scheme == $b and .app == $x.app and (.job == $x.job or .job == "none")))}
	| .ratio = .x.launch_ms / .y.launch_ms
	| if (.x | comparable) and (.y | comparable) then .low = .x.launch_ms_low / .y.launch_ms_high
		| .high = .x.launch_ms_high / .y.launch_ms_low else . end];
# Of the run's launches beside a job those that the pairs (the input) lack: " (without writer)".
def lacking($doc): [$doc.summary[] | select(.app != "keys" and .job != "none") | {app, job}] - map({app, job}) | unique
	| map(.app + if $doc | jobs | length > 1 then " beside \(.job | job_words)" else "" end)
	| if . == [] then "" else " (without \(and_list))" end;
# Input: pairs. Their ratio (geometric mean) with the ratio of the near and of the far ends of their intervals.
def together($doc): {ratio: (map(.ratio) | geomean), low: (map(.low) | geomean), high: (map(.high) | geomean), n: length,
		without: lacking($doc)}
	| .asked = [exceeds({value: 1}; interval_alone), exceeds(interval_alone; {value: 1})]
	| .shown = if .low == null then "few" else
		(.asked | map(is($doc.judged))) as [$sooner, $later]
		| if $sooner == "yes" then "sooner" elif $later == "yes" then "later" else "untold" end end;
# The ratio of vamp that starts applications soonest, isolated or not, and of how many it is the best: by the applications that all
# of them started. If there are none, no best is known: the one with the most applications.
def best: . as $doc | [vamps[] as $scheme | {$scheme, pairs: [$doc | pairs($scheme; "baseline")[] | {app, job, ratio}]}
		| select(.pairs != [])]
	| (map(.pairs | map({app, job})) | reduce .[] as $had (.[0]; . - (. - $had))) as $common
	| (if $common == [] then 1 else length end) as $of
	| min_by((.pairs | map(select({app, job} | IN($common[])).ratio) | geomean), -(.pairs | length)) | values | {scheme, $of};
def best_words: "\(.scheme | scheme_words)" + if .of > 1 then " (the best of \(.of), chosen by these launch times)" else "" end;
def ends_words: "95 % CI \(.low | fixed(2)) to \(.high | fixed(2))";
def times_long: "\(.ratio | fixed(2)) times as long (\(ends_words))";
# vamp's best against another scheme.
def against($other): . as $doc | (best // empty) as $best | ($doc | pairs($best.scheme; $other)) | select(. != [])
	| together($doc) + {$other, best: ($best | best_words)};
def shown_words: ({sooner: "launches sooner than", later: "launches later than",
		untold: "cannot be told from"}[.shown]) + " \(.other | scheme_words)\(.without)";
def against_verdict: {sooner: "good", later: "bad", untold: "unsure", few: "unsure"}[.shown];
def against_words: times_long + " as with \(.other | scheme_words)";
def too_few: "Too few repeats to compare schemes (three are needed)";
# Mean times of a scheme's applications, as they are: nothing is compared.
def plain_times($schemes): launches as $all | [$schemes[] as $s | $all[] | select(.scheme == $s)
	| "\(.app) \(.launch_ms | with_unit("ms")) with \(.scheme | scheme_words)"] | join(", ");

def without: . as $doc | pairs("baseline"; "alone") | select(. != []) | together($doc) as $t | max_by(.ratio) as $worst
	| if $t.shown == "few" then empty else "With the background job, a launch takes \($t | times_long) as without it\($t.without);"
		+ " the longest is"
		+ " \($worst.app) with \($worst.x | level("launch_ms")) instead of \($worst.y | level("launch_ms"))." end;
def baseline: first(without, null) as $without | first(against("baseline"), null) as $a
	| if $a == null and $without == null then empty
	  elif $a == null then finding("baseline"; "**Baseline.** \($without)"; {figure: "launch",
			verdict: (. as $doc | pairs("baseline"; "alone") | together($doc) | against_verdict)})
	  elif $a.shown == "few" then
		finding("baseline"; "**\(too_few)**. A launch took: \(plain_times(["alone", "baseline", best.scheme])).";
			{verdict: "unsure", figure: "launch"})
	  else finding("baseline"; "**\($a.best | upper_first) \($a | shown_words)**: a launch takes"
			+ " \($a | against_words). \($without // "")" | rtrimstr(" ");
			{value: $a.ratio, low: $a.low, high: $a.high, unit: "", verdict: ($a | against_verdict),
				figure: "launch"}) end;
# What an administrator has already: the kernel's autogroups, and nice.
def today: [against("autogroup", "nice") | select(.shown != "few")] | select(. != [])
	| finding("today"; "**\(.[0].best | upper_first) "
		+ (map(shown_words) | and_list) + "**: a launch takes "
		+ (map(against_words) | and_list) + ".";
		.[-1] | {value: .ratio, low, high, unit: "", verdict: against_verdict, figure: "launch"});

def paid: [measured_rows("summary")[] | select(.job_rel != null and .launch_ms != null and .scheme != "baseline")]
	| group_by(.scheme)
	| map({scheme: .[0].scheme, rel: (map(.job_rel) | geomean),
		low: (map(if comparable then .job_rel_low else null end) | geomean),
		high: (map(if comparable then .job_rel_high else null end) | geomean)}) | sort_by(.rel);
def much_claim: exceeds(interval_alone; {value: 1.2});
def pays: . as $doc | paid | select(. != [])
	| def words: "\(.scheme | scheme_words) \(.rel | fixed(2))\(interval(.low; .high; ""; fixed(2)))";
	finding("job"; "**Time of the background job per unit of work, in multiples of the baseline's mean**: " + (map(words) | join(", "))
		+ ", while applications are launched, each 1.5 s after the last one was closed. Intervals leave out the baseline's scatter."
		+ if .[-1].low == null then " \(too_few)." else "" end;
		.[-1] | {value: .rel, low, high, unit: "", figure: "job",
			verdict: sure_verdict(much_claim | is($doc.judged))});
def claims: . as $doc | (against("baseline", "autogroup", "nice"),
	(pairs("baseline"; "alone") | select(. != []) | together($doc)) | .asked[]), (paid[] | much_claim);

def keyed: threshold as $limit
	| [measured_rows("summary")[] | select(.app == "keys" and (figure("p50_ms") | at_least // .why) != null)]
	| if map(.scheme) | index("baseline") == null then empty else
	(first(.[] | select(.scheme == "baseline"))) as $base | (map(select(.job == $base.job or .job == "none"))) as $rows
	| finding("keys"; "**The median response to a key is \($base | level("p50_ms")) in the baseline**"
		+ ($rows | map(select(.scheme != "baseline") | ", \(level("p50_ms")) with \(.scheme | scheme_words)") | join(""))
		+ "; \($base | figure("late_percent") | figure_words) of the keys take longer than \($limit | plain) ms in the baseline"
		+ ". The keys were typed right after a Return, beside \($base.job | job_words).";
		($base | figure("p50_ms")) + {verdict: "none", figure: "keys"}) end;

def median: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;
# A session's report counts from when vamp read the key; decided_ms is from the press, a median of each condition.
def itself: [measured_rows("summary")[].decided_ms | values] as $pressed
	| vamp_found("vamp"; map(.decided_us[]) | if . == [] then "" else
	"; vamp throttled the job \(median / 1000 | with_unit("ms")) after the key (median; at most"
		+ " \(max / 1000 | with_unit("ms"))), counted from when vamp read it"
		+ if $pressed == [] then "" else ", and \($pressed | [min, max] | map(with_unit("ms")) | distinct(.) | join(" to "))"
			+ " after the press (medians by condition)" end end);

def verdict_of: (best // null) as $best | if launches == [] then nothing_measured
	elif any(launches[]; .scheme == "baseline") | not then no_baseline
	elif $best == null then "No scheme with vamp was measured."
	else . as $doc | [against("baseline", "autogroup", "nice") | select(.shown != "few")]
		| if . == [] then "\(too_few). A launch took: \($doc | plain_times(["baseline", "autogroup", "nice", $best.scheme]))." else
		"\(.[0].best | upper_first): a launch takes "
			+ (map(against_words + .without + if .shown == "untold" then ", which cannot be told apart" else "" end)
				| join("; ")) + "." end end;
def verdict: verdict_of + no_figure(.launch_ms // .p50_ms; "\(.app) with \(.scheme | scheme_words)");

def findings: [baseline, today, pays, keyed, itself];

def views:
	view("main"; "summary"; "Launch, keys and what the job pays"; {by: "app"};
		"scheme job launch_ms launch_rel job_rel p50_ms irq_first_percent? decided_ms");
