# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of visits found.
include "words";
include "favour";

def title: "Pages in a browser beside a job in the background";
def setup: ["\(.run.settings.pages // [] | length | plural("page")), visited \(.run.settings.think_s | plain) s apart",
	protocol_words, repeats_words, run_words] | sentence;
def scheme_words: scheme_names("alone");
# What the figures of all_rel are of: a visit that was excluded is missing from the mean of its repeat.
def pages: if any(measured_rows("summary")[]; (.wrong // 0) > 0) then "the pages that were not excluded" else "all pages" end;
def labels: {value: {scheme: scheme_words},
	heading: (if pages == "all pages" then {} else {all_rel: "Not excluded, to the baseline"} end)};
def says: scheme_words[.] // .;

def measured: [measured_rows("summary")[] | select(.all_rel != null)];
def is_vamp: .scheme | IN("baseline", "alone", "autogroup", "nice") | not;
def times: "\(.all_rel | fixed(2)) times as long\(interval(.all_rel_low; .all_rel_high; ""; fixed(2)))";
def decisions: compared(figure("all_rel"));
def compare($other): compare_with($other; "all_rel"; "bad"; "good");
def job_of($job): [measured[] | select(.job == $job)];
# The best by these same figures, and of how many: by chance alone, the best of several looks better than it is.
def best_vamp: map(select(is_vamp)) | length as $n | min_by(.all_rel) | values | .of = $n;
def vamp_words: (.scheme | says) + if .of > 1 then " (the best of \(.of))" else "" end;

def verdict_of: pages as $pages
	| job_of(first_job) as $rows | first(($rows | best_vamp), null) as $vamp | ($rows | scheme("nice")) as $nice
	| if measured == [] and measured_rows("summary") == [] then nothing_measured
	  elif ($rows | scheme("baseline")) == null then no_baseline
	  elif $vamp == null then "Vamp was not measured; only settings that a user can make by hand were."
	  elif $vamp | known_ends("all_rel") | not then "Too few repeats to compare schemes (three are needed). In these, \($pages) took"
			+ " \($vamp.all_rel | fixed(2)) times as long with \($vamp | vamp_words) as in the baseline."
	  else "With \($vamp | vamp_words), \($pages) take \($vamp | times) as in the baseline"
		+ (if ($vamp | compare($rows | scheme("baseline"))) | IN("good", "bad") then "" else ", which this run cannot tell apart" end)
		+ if $nice == null then "." else ($vamp | compare($nice)) as $c
			| if $c == "good" then ", and less than with the background job at nice 19 (\($nice | times))."
			  elif $c == "bad" then ", and more than with the background job at nice 19 (\($nice | times))."
			  else "; this run cannot tell it from the background job at nice 19 (\($nice | times))." end end end;
def verdict: verdicts(verdict_of + no_figure(.all_rel; .scheme | says));

def schemes: pages as $pages
	| [job_of(first_job)[] | select(.scheme != "baseline")] as $rows | first(($rows | best_vamp), null) as $vamp
	| select($rows != []) | ($vamp // ($rows | min_by(.all_rel))) as $of | (job_of(first_job) | scheme("baseline")) as $base
	| finding("schemes"; "**Time to load \($pages), in multiples of the baseline**: "
			+ ($rows | map("\(.scheme | says) \(level("all_rel"))") | join("; ")) + ".";
		($of | figure("all_rel")) + {verdict: ($of | compare($base) | if IN("good", "bad") then . else "unsure" end),
			figure: "visits-\(first_job)"});

# Is it worth having? Against what a user, or the kernel, does without it.
def against($name; $id): pages as $pages
	| job_of(first_job) as $rows | first(($rows | best_vamp), null) as $vamp | ($rows | scheme($name)) as $other
	| if $vamp == null or $other == null then empty else ($vamp | compare($other)) as $c
	| finding($id; (if $c == "good" then "**\($vamp.scheme | says | upper_first) beats \($name | says)**"
			elif $c == "bad" then "**\($vamp.scheme | says | upper_first) loses to \($name | says)**"
			elif $c == "none" then "**\($vamp.scheme | says | upper_first) cannot be told from \($name | says) by this run**"
			else "**Too few repeats to compare \($vamp.scheme | says) with \($name | says)**" end)
		+ ": \($pages) take \($vamp | level("all_rel")) times as long as in the baseline, \($other | level("all_rel")) with"
			+ " \($name | says).";
		($vamp | figure("all_rel")) + {verdict: $c, figure: "visits-\(first_job)"}) end;

def job_ends: if .repeats >= 3 then interval(.job_rel_low; .job_rel_high; ""; fixed(2)) else " (no interval)" end;
def job: job_of(first_job) as $rows | first(($rows | best_vamp), null) as $vamp
	| if $vamp == null or $vamp.job_rel == null then empty else finding("job";
		"**The background job takes \($vamp.job_rel | fixed(2)) times as long**\($vamp | job_ends) per unit of work with"
		+ " \($vamp.scheme | says)"
		+ ([$rows[] | select((.scheme | IN("nice", "autogroup")) and .job_rel)
				| "\(.job_rel | fixed(2))\(job_ends) with \(.scheme | says)"]
			| if . == [] then "" else "; " + join("; ") end) + ", while a user opens a page every few seconds.";
		{value: (($vamp.job_rel - 1) * 100), unit: "%",
			low: (if $vamp.job_rel_low then ($vamp.job_rel_low - 1) * 100 else null end),
			high: (if $vamp.job_rel_high then ($vamp.job_rel_high - 1) * 100 else null end)}) end;

def wrong: ([measured_rows("summary")[] | .wrong // 0] | add // 0) | if . == 0 then empty else
	finding("wrong"; "**\(plural("page load")) excluded**: the screen showed a wrong picture at the end, or kept changing."
		+ " So schemes may be compared by different pages.";
		{value: ., unit: "", verdict: "unsure"}) end;

def itself: vamp_found("Vamp"; "");

def findings: [of_jobs(schemes, against("nice"; "against-nice"), against("autogroup"; "against-autogroup"), job), itself, wrong];

def views:
	view("main"; "summary"; "Time of a visit, and what the job pays"; {by: "scheme"}; "job all_rel job_rel wrong? think_s"),
	view("pages"; "summary"; "From Return to content at rest"; {by: "scheme"};
		"job plain_ms text_ms table_ms icons_ms photo_ms album_ms boxes_ms styles_ms form_ms news_ms"),
	view("relative"; "summary"; "The same, to the baseline"; {by: "scheme"};
		"job plain_rel text_rel table_rel icons_rel photo_rel album_rel boxes_rel styles_rel form_rel news_rel");
