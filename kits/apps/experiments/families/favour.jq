# SPDX-License-Identifier: GPL-3.0-or-later
# favour.jq - what reports of schemes beside several kinds of job share.
include "words";

def jobs: .summary // [] | distinct(.job) - ["none"];
def first_job: jobs | first;
def job_words: {parallel: "the parallel job", quanta: "the job of short CPU bursts", bursts: "the job of bursts",
	pipes: "pipelines"}[.] // .;
def only($job): .summary |= map(select(.job == $job or .job == "none"));
# Of several kinds of job each stands by itself: what is true beside one need not be beside another.
def verdicts(one): . as $doc | jobs as $jobs | if $jobs | length < 2 then one
	else [$jobs[] as $job | $doc | only($job) | "Beside \($job | job_words): \(one)"] | join(" ") end;
def of_jobs(some): . as $doc | jobs as $jobs | if $jobs | length < 2 then some
	else range($jobs | length) as $i | $jobs[$i] as $job | $doc | only($job) | some
		| .text = "Beside \($job | job_words): \(.text)" | if $i > 0 then .id += "-\($job)" else . end end;
# The conditions without that figure, such as those that failed, by these words of their rows (input: the document).
def no_figure(value; words): .summary // [] | [.[] | select(value == null) | words] as $none
	| if $none == [] or ($none | length) == length then "" else " No figure for \($none | and_list)." end;
# Each scheme against those beside the same job, by the figure of its row. Comparing takes three repeats: two have no interval.
def compared(figure): (.summary // []) as $all | .summary[]? |= (.job as $job | figure as $own | ask([$all[] | select(.job == $job)
	| {"over_\(.scheme)_\(.mult)": exceeds($own | interval_alone; figure | interval_alone)}] | add));
def over($other): .["over_\($other.scheme)_\($other.mult)"] == "yes";
def known_ends($name): .repeats >= 3 and .[$name + "_low"] != null;
# $more: its whole interval is above that of the other one; $less: below.
def compare_with($other; $name; $more; $less): . as $own
	| if (known_ends($name) | not) or ($other | known_ends($name) | not) then "unsure"
	elif over($other) then $more elif $other | over($own) then $less else "none" end;
def scheme_names($alone): {$alone, baseline: "baseline", autogroup: "autogroups", nice: "nice 19"}
	+ ([("", "host", "vm") + ("L", "M", "H") + ("", "+iso", "+iso-irq") | {(.): "vamp \(.)"}] | add);
def scheme($name): first(.[] | select(.scheme == $name)) // null;
# What vamp said of itself, over all sessions but those of a host's schemes, whose reports name no programs; `more`: what else, of
# its reports.
def vamp_found($vamp; more): ([measured_rows("summary")[].scheme | select(startswith("host"))] | distinct(.)) as $host
	| (.run.vamp // []) | map(select(.episodes > 0)) | select(. != [])
	| (map(.episodes) | add) as $episodes | (map(.found) | add) as $found
	| (map(.others[]) | group_by(.) | map("\(.[0]) (\(length))")) as $others
	| finding("vamp"; "**\($vamp) found the background job in \($found) of \($episodes | plural("episode")) of waiting**"
			+ (if $host == [] then "" else " (all figures here without \($host | and_list), for which they are not known)" end)
		+ (if $others == [] then " and throttled nothing else" else ", and throttled \($others | and_list) as well" end) + more
		+ ". Vamp itself used at most \(map(.daemon_cpu_percent) | max | with_unit("%")) of a CPU.";
		{value: (100 * $found / $episodes), unit: "%",
			verdict: (if $found == $episodes and $others == [] then "good" else "unsure" end)});
