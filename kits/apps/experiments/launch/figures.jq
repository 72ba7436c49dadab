# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - launch times against the baseline's (launch), what the job pays (job), latency of keys (keys): a bar for each scheme,
# a panel for each job; which task ran when (trace); and how long tasks run at a time (quanta).
include "schemes";

def figures: . as $doc | measured_rows("summary") as $rows | ([$rows[] | select(.launch_rel != null)] | distinct(.app)) as $apps
	| def beside($job): [$rows[] | select(.job == $job or .job == "none")];
	  # the axis is for the values: it cuts intervals of few repeats
	  def most($rows; $c): [$rows[] | .[$c] | values] | max // 1 | . * 1.35;
	  (["launch", "Launch time, the baseline's is 1"], ["job", "Time that a unit of the job's work takes, the baseline's is 1"]
		| . as [$what, $title] | "\($what)_rel" as $c
		# (a figure of interrupts is another one than that of the papers' launches)
		| {name: $what, $title, across: 1, high: 260, marked: (any($rows[]; .scheme | endswith("-irq")) | not),
			panels: [$doc | jobs[] | . as $job | beside($job) as $these
			| [$these[] | select(.app as $a | ($apps | index([$a])) and .[$c] != null)] | select(. != [])
				| most($these; $c) as $most
			| {title: ($job | job_title), x: {words: $apps}, y: {from: 0, to: $most}, curves: [
				scheme_bars(.; .app; $apps; $c), level(1; dotted)],
			marks: [select($what == "launch") | ($these | distinct(.scheme)) as $schemes | .[]
				| select(.scheme == "baseline")
				| {x: (place_of(.app; $apps) + (place_of("baseline"; $schemes) - ($schemes
					| length + 1) / 2) * 0.86 / ($schemes | length)),
					dash: 0, text: "\(.launch_ms / 1000 | fixed(2)) s"}]}]}),
	{name: "keys", title: "Latency of a key, ms: median of the keys after a Return", across: 1, high: 220,
		panels: [$doc | jobs[] | . as $job
		| [beside($job)[] | select(.app == "keys" and .p50_ms != null)] | select(. != []) | . as $these
			| distinct(.scheme) as $schemes
		| {title: ($job | job_title), x: {words: [$schemes[] | gsub("\\+"; "|+") | gsub("-"; "|-")
			| gsub("group"; "|group")]},
			y: {from: 0, to: most($these; "p50_ms")}, curves: [($schemes[] | . as $scheme
				| bars([$these[] | select(.scheme == $scheme)];
				place_of(.scheme; $schemes); "p50_ms"; 0.7; {title: ($scheme | scheme_title),
					colour: ($scheme | scheme_colour)})),
				($doc | threshold_line)]}]},
	([.trace[]? | select(.from_ms != null and .to_ms != null)] | select(. != []) | . as $all | (map(.to_ms) | max) as $last
		| distinct(.cpu) as $cpus
		| ($doc | jobs) as $jobs
		| {name: "trace", title: "Which task ran when, by CPU (blank: not scheduled)", across: 1, stacked: true,
			high: (66 + 22 * ($cpus | length)), panels: [distinct([.app, .scheme, .job])[] | . as $lane
			| [$all[] | select([.app, .scheme, .job] == $lane)]
			| (map(select(.kind == "away") | .to_ms - .from_ms) | add // 0) as $away | (map(.to_ms) | max) as $until
				| . as $these
			| {title: ("\(.[0].app), \(.[0].scheme)\(if ($jobs | length) > 1 then ", job \(.[0].job)" else "" end)"
					+ ": others had "
					+ "\(100 * $away / ($until * ($cpus | length)) | fixed(0)) % of the CPU time"),
				x: {label: "ms after the key", from: 0, to: ($last * 1.02)}, y: {words: [$cpus[] | "CPU \(.)"]},
				curves: [["job", "the job", "#c0c0c0"], ["other", "all else of the session", "#000000"]
					| . as [$kind, $title, $colour]
					| {draw: "box", $title, $colour, rows: ([$these[] | select(.kind == $kind)
						| place_of(.cpu; $cpus) as $y
						| {x: .from_ms, x2: .to_ms, y: ($y - 0.4), y2: ($y + 0.4)}]
							| touching($last / 2000))}]}]}),
	quanta;
