# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of clips found.
include "words";
include "favour";

def title: "A video beside a job in the background";
def clip_words: .run | if .clip then "a clip of \(.clip.size), \(.settings.seconds | plain) s; in a short trial without a job, "
	+ "the CPU time of the player for each frame shown was that of \(.clip.needs_percent | fixed(0)) % of a CPU" else null end;
def setup: [clip_words, protocol_words, repeats_words, run_words] | sentence;
def scheme_words: scheme_names("no job");
def mult_words: {none: "-", without: "ignored", with: "players exempt"};
def labels: {value: {scheme: scheme_words, mult: mult_words}};
def says: (scheme_words[.scheme] // .scheme) + if .mult == "without" then " that may throttle sound players"
	elif .mult == "with" then " that exempts sound players" else "" end;

# Where less than nine in ten of the frames that a player counts as shown reached the screen, all rows count those seen there.
def on_screen: any(measured_rows("summary")[]; .frames_seen != null and .frames_seen < 0.9 * .frames_shown);
def counted: if on_screen then .summary[]? |= (.fps_per_s = .seen_per_s | .fps_per_s_low = .seen_per_s_low
	| .fps_per_s_high = .seen_per_s_high | .fps_per_s_both = .seen_per_s_both | .seen = true) else . end;
def measured: [counted | measured_rows("summary")[] | select(.fps_per_s != null)];
def job_of($job): [measured[] | select(.job == $job)];
# Most frames; of those alike, the job pays least.
def rating: [.fps_per_s, -(.job_rel // 0)];
def best($mult): map(select(.mult == $mult)) | if . == [] then null else max_by(rating) end;
def decisions: . as $doc
	| compared(.job as $job | figure(if $doc | only($job) | on_screen then "seen_per_s" else "fps_per_s" end));
def compare($other): compare_with($other; "fps_per_s"; "good"; "bad");
def frames: "\(.fps_per_s | number) frames per second\(if .seen then " seen on the screen" else "" end)"
	+ "\(interval(.fps_per_s_low; .fps_per_s_high; ""; number)), "
	+ "\(.dropped_percent | percent) % dropped by the player";

def verdict_of: job_of(first_job) as $rows | ($rows | best("with")) as $vamp | ($rows | scheme("baseline")) as $base
	| ($rows | scheme("nice")) as $nice
	| if measured == [] then nothing_measured
	  elif $base == null then no_baseline
	  elif $vamp == null then "In the baseline, \($base | frames); vamp that exempts sound players was not measured."
	  else ($vamp | compare($base)) as $c
		| ([([$rows[] | select(.mult == "with")] | length | select(. > 1) | "the best of \(.)"),
			($vamp | select((.player_tagged // 0) > 0)
				| "it throttled the player in \(.player_tagged) of \(.episodes | plural("episode"))")]
			| if . == [] then "" else " (\(join("; ")))" end) as $throttled
		| ({good: "more frames are shown", bad: "fewer frames are shown", none: "no difference is shown"}[$c]
			| if . then "With \($vamp | says)\($throttled), \(.)"
				else "Too few repeats to compare vamp with the baseline (three are needed)" end)
		+ ": \($vamp | frames), in the baseline \($base | frames)"
		+ (if $nice then "; with the job at nice 19 \($nice | frames)" else "" end)
		+ ([$vamp, $base, $nice | values | select(.seen) | "\(says) \(100 * .frames_seen / .frames_shown | percent) %"]
			| if . == [] then "" else ". Of the frames that the player counts as shown, these reached the screen: \(join(", "))"
				end) + "." end;
def verdict: verdicts(verdict_of + (counted | no_figure(.fps_per_s; says)));

def schemes: [job_of(first_job)[] | select(.mult != "without")] as $rows | select($rows != [])
	| ($rows | best("with") // ($rows | max_by(.fps_per_s))) as $of
	| finding("schemes"; "**Frames \(if $of.seen then "seen on the screen" else "shown" end) per second**: "
			+ ($rows | map("\(says) \(.fps_per_s | number)"
			+ interval(.fps_per_s_low; .fps_per_s_high; ""; number)) | join("; ")) + ".";
		($of | figure("fps_per_s")) + {figure: "frames-\(first_job)"});

def mult: first_job as $job | job_of($job) as $rows | [$rows[] | select(.mult == "with")] as $with
	| [$with[] as $w | {w: $w, o: (first($rows[] | select(.mult == "without" and .scheme == $w.scheme)) // null)} | select(.o)]
	| select(. != []) | max_by(.w | rating) as $p | ($p.w | compare($p.o)) as $c
	| finding("sound"; (if $c == "good" then "**Exempting sound players helps**"
			elif $c == "bad" then "**Exempting sound players shows fewer frames**"
			elif $c == "none" then "**No difference is shown between exempting sound players and not**"
			else "**Too few repeats to tell whether exempting sound players matters**" end)
		+ ": with \(scheme_words[$p.w.scheme] // $p.w.scheme) \($p.w.fps_per_s | number) frames per second"
		+ "\(if $p.w.seen then " seen" else "" end) instead of "
		+ "\($p.o.fps_per_s | number); "
		+ "the player was throttled in \($p.w.player_tagged // 0) of \($p.w.episodes // 0 | plural("episode")) with the exemption, in "
		+ "\($p.o.player_tagged // 0) of \($p.o.episodes // 0) without it.";
		($p.w | figure("fps_per_s")) + {verdict: $c, figure: "frames-\($job)"});

# Is it worth having? Against what a user, or the kernel, does without it.
def against($name; $id): job_of(first_job) as $rows | ($rows | best("with")) as $vamp | ($rows | scheme($name)) as $other
	| if $vamp == null or $other == null then empty else ($vamp | compare($other)) as $c
	| finding($id; (if $c == "good" then "**\(scheme_words[$vamp.scheme] // $vamp.scheme | upper_first) beats \($other | says)**"
			elif $c == "bad" then "**\(scheme_words[$vamp.scheme] // $vamp.scheme | upper_first) loses to \($other | says)**"
			elif $c == "none" then "**Vamp cannot be told from \($other | says) by this run**"
			else "**Too few repeats to compare vamp with \($other | says)**" end)
		+ ": \($vamp | frames), with \($other | says) \($other | frames).";
		($vamp | figure("fps_per_s")) + {verdict: $c, figure: "frames-\(first_job)"}) end;

def job: job_of(first_job) | best("with") | if . == null or .job_rel == null then empty else
	finding("job"; "**The background job takes \(.job_rel | fixed(2)) times as long**"
			+ (if known_ends("fps_per_s") then interval(.job_rel_low; .job_rel_high; ""; fixed(2)) else " (no interval)" end)
			+ " per unit of work as in the baseline, while the player runs, with " + "\(says).";
		{value: ((.job_rel - 1) * 100), unit: "%"}) end;

def seen: [measured[] | select(.frames_seen != null and .frames_shown > 0)] | select(. != [])
	| (map(.frames_shown) | add) as $shown | (map(.frames_seen) | add) as $seen
	| map(.share = 100 * .frames_seen / .frames_shown) | min_by(.share) as $least
	| finding("seen"; "**\(100 * $seen / $shown | fixed(1)) % of the frames that the player reports as shown reached the screen**"
		+ " (least: \($least.share | fixed(1)) % with \($least | says)), by the frame numbers read there.";
		{value: (100 * $seen / $shown), unit: "%",
			verdict: (if any(.share > 100) or $least.share < 90 then "unsure" else "good" end)});

def findings: [of_jobs(schemes, mult, against("nice"; "against-nice"), against("autogroup"; "against-autogroup"), job), seen];

def views:
	view("main"; "summary"; "Frames shown, and what the job pays"; {by: "job"};
		"scheme mult fps_per_s dropped_percent seen_per_s gap_ms job_rel"),
	view("vamp"; "summary"; "Whom vamp throttled"; {by: "job"};
		"scheme mult episodes player_tagged others_tagged player_percent"),
	view("frames"; "summary"; "Frames, as the player says and as seen"; {by: "job"};
		"scheme mult frames_due frames_shown frames_seen playing_s");
