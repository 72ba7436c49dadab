# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of start-ups found. A step of "used" is MB of an idle hog in swap; of "left" memory left beside one that keeps
# touching its own, in percent of what the application has in memory at rest; of "loads" CPU hogs; of "reads" reads a second.
include "words";

def title: "Start-up of applications under memory pressure";
def swap_words: if startswith("slow:") then (.[5:] | sub("(?<unit>[a-z]+)$"; " \(.unit)")) + " a read"
	elif . == "file" then "fast file" else . end;
def setup: ["\(.run.settings.apps // [] | and_list) on a server with \(.run.settings.server_memory) of memory, "
	+ "swap on \(.run.settings.swaps // [] | map(swap_words) | and_list)", repeats_words, run_words] | sentence;
def labels: {value: {swap: (.run.settings.swaps // [] | words_for(swap_words)),
	axis: {used: "swap in use", left: "memory left", loads: "CPU hogs", reads: "disk reads"},
	place: {menu: "menu", dialog: "dialog behind an item", none: "not in the menus", "no menu": "no menu"}}};

def started: [measured_rows("summary")[] | select(.startup_ms != null)];
# The row of a start's T0: the same condition without pressure, or without other reads.
def base($all): . as $r | first($all[] | select(.app == $r.app and if $r.axis == "reads" then .axis == "reads" and .step == 0
	else .axis == "none" and .start == $r.start end)) // null;
def step_words: if .axis == "none" then "no pressure" elif .axis == "used" then "\(.step) MB in swap"
	elif .axis == "left" then "\(.step) % of its memory left"
	elif .axis == "loads" then .step | plural("CPU hog")
	elif .step == 0 or .reads_per_s == null then "\(if .step == 0 then "no" else "unknown" end) other reads on its disk"
	else "\(.reads_per_s | fixed(if . < 100 then 1 else 0 end)) other reads a second on its disk" end;
def asked_reads: .axis == "reads" and .step > 0;
def hardness: if .axis == "left" then -.step else .step end;
# times, growth: start-up by T0, and by the first step of the same kind of pressure; grown: over 1.3 times; more_read: twice as much
# from swap; file_times: added beyond the scatter of T0 (delayed), by the time to write a file.
def decisions: threshold as $limit | started as $all | (.models[]? |= ask({wide: exceeds({value: .degree}; {value: .depth})}))
	| (.felt[]? |= ask({is_felt: above("pressed_felt_s"; 0)})) | .summary[]? |= ((figure("startup_ms") | interval_alone) as $takes
	| . as $r | ([$all[] | select([.app, .swap, .axis, .start] == ($r | [.app, .swap, .axis, .start]) and .t0_ms != null)]
		| min_by(hardness) // {}) as $first | ($first | figure("startup_ms") | interval_alone) as $easiest
	| (base($all) // {} | figure("startup_ms")) as $base | ($base | interval_alone) as $t0
	| ask({times: multiple(figure("startup_ms"); {value: .t0_ms} + ($base | {low, high})),
		growth: multiple(figure("startup_ms"); $first | figure("startup_ms")), as_asked: near("reads_per_s"; .step; 0.05; 0),
		delayed: exceeds({value: .added_ms}; {value: (.t0_spread_ms | scaled(3))}),
		file_times: multiple(figure("added_ms"); figure("file_ms")),
		is_late: above("startup_ms"; $limit), over_t0: exceeds($takes; $t0),
		over_twice: exceeds($takes; $t0 | scaled(2)),
		grown: exceeds($takes; $easiest | scaled(1.3)), rises: exceeds($takes; $easiest),
		more_read: exceeds($r | figure("swap_in_mb") | interval_alone; $first | figure("swap_in_mb") | interval_alone | scaled(2)),
		below_half: exceeds({value: 0.5}; figure("e") | interval_alone)}));
def time_words: if . >= 995 then "\(. / 1000 | number) s" else with_unit("ms") end;
def times_words: fixed(if . >= 9.95 then 0 else 1 end);
def least_most(words): (min | words) as $least | (max | words) as $most
	| if $least == $most then $least else "\($least) to \($most)" end;
def times_figure: (.startup_ms_above == 1 or .open == true) as $above
	| .times + {$above, unit: "times"} + if $above then {high: null} else {} end;
def more($name): if .[$name + "_above"] == 1 then "more than " else "" end;
def more_times: "\(more("startup_ms"))\(.times.value | times_words) times";
# Of several rows: with a lower bound among them, the most is one, too.
def times_range: (map(.times.value) | least_most(times_words)) + if any(.[]; .startup_ms_above == 1) then " or more" else "" end;
def up_to: if .startup_ms_above == 1 then "more than" elif .open then "at least" else "up to" end;
def times_level: "\(.times.value | times_words) times T0\(times_figure | interval(.low; .high; ""; times_words))";
# Over twice T0: "bad" by the whole interval, "good" if not even its far end is.
def twice: if .over_twice == "yes" then "bad" elif .over_twice == "no" and .open != true then "good" else "unsure" end;
# For each application and device of a kind of pressure: {app, swap, first, last, steps}, from the easiest step to the hardest.
def courses($axis): started
	| (if $axis != "reads" and any(.[]; .start == "warm") then "warm" else "cold" end) as $start
	| map(select(.axis == $axis and .start == $start and .times.value != null)) | group_by([.swap, .app])
	| map(sort_by(hardness) | {app: .[0].app, swap: .[0].swap, first: .[0], last: .[-1], steps: .});
# open: another one, which only reached the ceiling, may be slower.
def worst: [.[].steps[]] | any(.[]; .startup_ms_above == 1) as $open | max_by(.times.value) | .open = $open;

# How many conditions are late, by the median.
def late_words: threshold as $limit | started | map(select(.is_late == "yes")) as $late
	| " The median start surely takes longer than \($limit | time_words) in \($late | length) of \(length | plural("condition")).";
def none_words: [measured_rows("summary")[] | select(.startup_ms == null)] | if . == [] then "" else
	" No start ended in \(length | plural("condition")): \(map("\(.app) with \(step_words)") | and_list)." end;

def verdict: none_words as $none | late_words as $late | (.run.settings.swaps // [] | length) as $swaps
	| courses("used") as $used | (courses("left") + $used) as $memory
	| (courses("loads") + courses("reads")) as $other
	| if started == [] then $none | if . == "" then nothing_measured else ltrimstr(" ") end
	  elif $memory + $other == [] and any(started[]; .axis != "none") then
		"No time of a start without pressure is known: there is nothing to compare with." + $none
	  elif $memory + $other == [] then if $none == "" then "Only starts without pressure were measured." else
		"Only without pressure did starts end." + $none end
	  else (if $memory == [] then $other else $memory end | worst) as $worst
		| (if $memory == [] then "" else "Under memory pressure " end) + "\($worst.app) needs "
		+ "\($worst | up_to) \($worst.times.value | times_words) times as long to start: "
		+ "\($worst | more("startup_ms"))\($worst.startup_ms | time_words) instead of \($worst.t0_ms | time_words), with "
		+ "\($worst | step_words)\(if $swaps > 1 then " and swap on \($worst.swap | swap_words)" else "" end)"
		+ "\($worst | times_figure | if .low == null then " (no interval)" else interval(.low; .high; "times"; times_words) end)."
		+ if $used == [] then "" else " Beside a hog that fills the memory, then sleeps, start-up takes "
			+ "\($used | map(.steps[]) | times_range) times as long as without pressure." end + $late + $none end;

# One step when memory is full, or growth with swap in use? By the intervals: growth is over 1.3 times from the first step to the
# last; none, where even the far ends of all steps are below that (null: not known).
def growth_most: [.steps[].growth.high] | if any(. == null) then null else max end;
def grows: if .last.grown == "yes" then "grows" elif all(.steps[]; .grown == "no") then "flat" else "untold" end;
def in_use: courses("used") | select(. != []) | [.[] | select(grows == "grows")] as $grow
	| map(select(.first != .last)) as $several | ($several != [] and all($several[]; grows == "flat")) as $flat
	| ($several | map(growth_most) | if . == [] or any(. == null) then "" else
		" by a factor of at most \(max | fixed(2))" end) as $most
	| finding("swap-in-use"; (if $grow == [] and $flat and all($several[]; .first.over_t0 == "yes") then
			"**Start-up slows down once memory is full, not further with more swap in use**: "
			elif $grow == [] and $flat then "**With more swap in use, start-up time grows\($most)**: "
			elif $grow == [] then "**This run cannot tell whether start-up time grows by over 1.3 times with swap in use**"
				+ "\(if $most == "" then "" else " (if it does,\($most))" end)"
				+ ([$several[] | select(.last.rises == "yes") | "\(.app) on \(.swap | swap_words)"]
					| if . == [] then "" else "; it surely grows for \(and_list)" end) + ": "
			else "**Start-up time grows with swap in use** for \($grow | distinct(.app) | and_list). All applications: " end)
		+ (group_by([.swap, .first.step, .last.step]) | map("on \(.[0].swap | swap_words) it takes "
			+ "\(map(.first) | times_range) times T0 with \(.[0].first | step_words) and "
			+ "\(map(.last) | times_range) times with \(.[0].last | step_words)")
			| join("; ")) + "." + ($several | map(.last.more_read) | unique | if . == ["no"] and $grow == [] then
				" At the last step no start reads twice as much from swap as at the first." else "" end);
		(worst | times_figure) + {verdict: (if $grow != [] then "bad" elif $flat then "none" else "unsure" end),
			figure: "memory-\(worst.app)"});

# The first step from which on, at all that are harder, start-up surely takes more than twice T0.
def breaks: reduce (.steps | reverse[]) as $s ({all: true, first: null};
	if .all and ($s | twice) == "bad" then .first = $s.step else .all = false end) | .first;
def late_steps: [.steps[] | select(twice == "bad").step]
	| if . == [] then "no step" else "\(map("\(.) %") | and_list) of memory left only" end;
def left: [.summary[] | select(.axis == "left" and .startup_ms == null)] as $none | courses("left") | select(. != [])
	| worst as $worst
	| finding("memory-left";
		"**With little memory left, start-up takes \($worst | "\(up_to) \(times_level)")**, the time without pressure: "
		+ (map(. as $c | "\(.app) on \(.swap | swap_words) surely takes over twice T0 "
			+ (breaks | if . == null then "at \($c | late_steps), " else . as $from | "from \(.) % of memory left, "
				+ ($none | map(select(.app == $c.app and .swap == $c.swap and .start == $c.last.start
					and .step < $from).step)
					| if . == [] then "" else "not known at \(sort | map("\(.) %") | and_list), " end) end)
			+ "\(.last | more_times) at \(.last.step) %")
			| join("; ")) + "." + (map(select(.first != .last)) | select(. != []) // null | if . == null then ""
				else " From the first step to the last it surely rises in \(map(select(.last.rises == "yes")) | length) of \(length)"
					+ " pairs of application and device." end);
		($worst | times_figure) + {verdict: ($worst | twice), figure: "memory-\($worst.app)"});

# Of several rows: what all of them show.
def caused: map({yes: "most of", no: "less than half of"}[.below_half // ""] // "untold")
	| unique | if length == 1 then .[0] else "untold" end;
# What all show, or all of an application, or all of a device.
def alike($key; words): group_by(.[$key]) | map({name: (.[0][$key] | words), caused: caused});
def told: map(select(.caused != "untold"));
def share: [started[] | select(.axis == "used" and .e != null)] | select(. != [])
	| caused as $all | (sort_by(.e) | .[length / 2 | floor]) as $middle
	| (alike("app"; .) | if told == [] then null else . end) as $apps | ($apps // alike("swap"; swap_words)) as $groups
	| finding("e"; (if $all != "untold" then "**The swap device causes \($all) the delay that swap in use adds**"
			elif $groups | told == [] then
				"**This run cannot tell whether the swap device causes most of the delay that swap in use adds**"
			else "**Of the delay that swap in use adds, the swap device causes "
				+ ($groups | told | group_by(.caused)
					| map("\(.[0].caused) that \(if $apps then "of" else "on" end) \(map(.name) | and_list)") | join(", ")) + "**"
				+ ($groups - ($groups | told) | if . == [] then ""
					else "; this run cannot tell for \(map(.name) | and_list)" end) end)
		+ ": the part not caused by the device (e) is " + (group_by(.swap) | map("\(map(.e) | least_most(fixed(2))) on "
			+ "\(.[0].swap | swap_words) (\(length | plural("condition")))") | join("; "))
		+ ". A negative e means that some disk requests did not delay the start.";
		if $all == "untold" and ($groups | told != []) then {from: (map(.e) | min), to: (map(.e) | max), figure: "e"}
			else ($middle | figure("e")) + {figure: "e"} end);

# A file as large as the swap in use, on a device like that of the swap: the paper's comparison.
def file: [started[] | select(.axis == "used" and .delayed == "yes" and (.startup_ms_above // 0) == 0) | .by = .file_times.value
		| select(.by != null)] | select(. != [])
	| finding("file"; "**Swap in use delays a start by \(map(.by) | least_most(fixed(2))) times the time to write a file of that "
		+ "size**: " + (group_by(.swap) | map(. as $rows | "on \(.[0].swap | swap_words) "
			+ ([([map(.step) | min, max] | unique[]) as $step
				| "\($rows | map(select(.step == $step).by) | least_most(fixed(2))) times with \($step) MB"]
					| and_list))
			| join("; ")) + ".";
		{value: max_by(.step).by, unit: "times", figure: "file-time"});

# Beside a load of another resource.
def beside($axis; $id; $what; more): courses($axis) | map(select(.last.step > 0)) | select(. != [])
	| worst as $worst | ([.[].steps[] | select(asked_reads)] | group_by(.step)) as $asked
	| [$asked[] | select(any(.as_asked == "no"))[0].step] as $off
	| [$asked[] | select(any(.as_asked == null) and all(.as_asked != "no"))[0].step] as $untold
	| finding($id; "**\($what) makes start-up take \($worst | "\(up_to) \(times_level)")**: "
		+ (map("\(.app) takes \(.last | more_times) with \(.last | step_words)") | join("; ")) + ". " + ($worst | more)
			+ (if $off == [] then "" else
				" The disk did not give the load what was asked for: \($off | map(tostring) | and_list) reads a second." end)
			+ if $untold == [] then "" else
				" This run cannot tell whether the disk gave the load what was asked for:"
					+ " \($untold | map(tostring) | and_list) reads a second." end;
		($worst | times_figure) + {verdict: (if $off + $untold == [] then $worst | twice else "unsure" end),
			figure: "start-\($axis)"});

# The static model: F_a and its tree, and the usage profiles compared with it.
def menus: (.models // []) as $models | (.profiles // []) as $profiles | select($models != [])
	| ($profiles | map(select(.place != "no menu"))) as $asked | ($asked | map(select(.place == "none"))) as $none
	| finding("menus"; "**Menus are \(if all($models[]; .wide == "yes") then "wide and flat" else "not all wide and flat" end)**: "
		+ ($models | map("\(.application) has \(.events) menu items in \(.menus | plural("menu")), depth \(.depth), degree \(.degree)")
			| join("; ")) + ". "
		+ if $asked == [] then "" else "Of \($asked | length | plural("operation")) in the usage profiles, "
			+ "\($asked | map(select(.place == "menu")) | length) are menu items and "
			+ "\($asked | map(select(.place == "dialog")) | length) are in a dialog that an item opens"
			+ (if $none == [] then "" else "; not found: \($none | distinct("\(.event) in \(.application)") | and_list)" end)
			+ "." end;
		{value: ($models | map(.events) | max), unit: "events", figure: "menu-tree"});

# Events of the models, the slowest first.
def felt: threshold as $threshold | (.felt // []) | map(select(.pressed_handle_s != null)) | select(. != [])
	| finding("felt"; "**The slowest of the operations in every usage profile** (medians): "
		+ (.[:3] | map((if .event == "start" then "starting \(.app)" else "\(.event) in \(.app)" end)
			+ " takes \(more("pressed_handle_s"))\(.pressed_handle_s * 1000 | time_words)"
			+ (if .t_handle_s then " (without pressure \(more("t_handle_s"))\(.t_handle_s * 1000 | time_words))"
				else "" end))
			| join("; "))
		+ ". Delay felt beyond what users expect: "
		+ (.[:3] | map("\(more("pressed_felt_s"))\(.pressed_felt_s | fixed(1)) s") | and_list) + "."
		+ " By the median, \(map(select(.high == 1)) | length) of \(length) such operations take over \($threshold | time_words).";
		(.[0] | figure("pressed_handle_s")) + {verdict: sure_verdict(.[0].is_felt)});

def findings: [in_use, left, share, file,
	beside("loads"; "cpu-load"; "CPU load"; "Fair sharing of the CPU predicts \(.step + 1) times T0."),
	beside("reads"; "disk-load"; "Disk load"; "T0 is start-up time on the same disk without other reads."),
	felt, menus];

def views:
	view("applications"; "applications"; "Applications"; {};
		"app t0_warm_ms t0_cold_ms used_step used_ms left_step left_ms kind version program_bytes"
			+ " files_bytes rss_bytes anonymous_bytes"),
	view("steps"; "summary"; "Start-up at every step"; {by: "app"};
		"start axis swap step startup_ms late_percent added_ms t_io_ms e file_ms mapped_ms swap_used_mb"
			+ " left_mb swap_in_mb swap_out_mb major_faults reads_per_s"),
	view("events"; "events"; "Further events under pressure"; {by: "app"};
		"start axis swap step event event_ms event_ms_max first_change_ms unchanged"),
	view("models"; "models"; "Menus: all events"; {};
		"application events menus depth degree mean_degree shortcuts mean_depth mean_depth_keys asked common"),
	view("profiles"; "profiles"; "Menus: what users ask for"; {by: "application"};
		"class event count shortcut place tree_path tree_shortcut common"),
	view("felt"; "felt"; "What users feel"; {};
		"app event count shortcut high t_index_s t_think_s t_handle_s t_total_s felt_s pressed_handle_s"
			+ " pressed_total_s pressed_felt_s"),
	view("excluded"; "summary"; "Excluded or later than the ceiling"; {by: "app"};
		"start axis swap step runs failed? broken? ceiling?");
