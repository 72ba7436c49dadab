# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - launch times against the baseline's (launch), what the job pays (job), latency of keys (keys): a bar for each
# scheme, a panel for each job.

apps = schemes = jobs = ""
keyed = with_job = 0
eval look("summary.tsv", 'column("repeats") > 0 ? (schemes = add(schemes, strcol("scheme")), ' \
	. 'apps = filled("launch_rel") ? add(apps, strcol("app")) : apps, keyed = filled("p50_ms") ? 1 : keyed, ' \
	. 'with_job = filled("job_rel") ? 1 : with_job, ' \
	. 'jobs = strcol("job") eq "none" ? jobs : add(jobs, strcol("job")), 0) : 0')
# Greys without a scheme, a hue for each kind of them, from light to dark by the ratio.
names = "alone baseline autogroup nice L M H L+iso M+iso H+iso vmL vmM vmH vmL+iso vmM+iso vmH+iso " \
	. "vmL+iso-irq vmM+iso-irq vmH+iso-irq"
vamps = names[31:]
scheme_colours = "#c8c8c8 #666666 #E69F00 #009E73 #a9d3f0 #56a4dc #0060a0 #f2b08a #D55E00 #8a3600 " \
	. "#dcb8d0 #CC79A7 #8b3a68 #c5c69a #8f9138 #55571a #b0d4d0 #4aa39a #1d5f58"
paint(s) = place(names, word(schemes, s)) ? word(scheme_colours, place(names, word(schemes, s))) : colour(s)
says(s) = place(vamps, word(schemes, s)) ? "vamp " . word(schemes, s) : word(schemes, s)
job_words(j) = j eq "parallel" ? "job: xz with several threads" : j eq "quanta" ? "job: threads that hand over every 100 µs" \
	: j eq "pipes" ? "job: pipelines of two processes" : j
m = words(schemes)
n = words(apps)
wide = 0.86 / m
here(s) = column("repeats") > 0 && strcol("scheme") eq word(schemes, s) && (strcol("job") eq job || strcol("job") eq "none")
at(s) = here(s) && place(apps, strcol("app")) ? place(apps, strcol("app")) + (s - (m + 1) / 2.0) * wide : NaN
# An interval of few repeats may reach far: the axis is for the values, and cuts it.
top_of(c) = 'top = NaN; ' . look("summary.tsv", sprintf('filled("%s") ? (top = more(top, y("%s")), 0) : 0', c, c)) \
	. '; set yrange [0:top * 1.35]'
set style fill solid noborder
all_bars(c) = sprintf('for [s = 1:m] data using (x_ = at(s)):(there("%s")):(wide * 0.88) ', c) \
	. 'with boxes linecolor rgb paint(s) notitle, ' \
	. sprintf('for [s = 1:m] data using (x_ = at(s)):(there_low("%s")):(0):', c) \
	. sprintf('(less(there_high("%s"), top * 1.2) - there_low("%s")) ', c, c) \
	. 'with vectors nohead linecolor rgb "#222222" linewidth 1.2 notitle'	# error bars would leave a hole in the bar
strip = 20 + 24 * int((m + 2) / 3)
scheme_legend = 'eval legend_strip(3); plot for [s = 1:m] NaN with boxes linecolor rgb paint(s) title says(s) noenhanced'

# ---- launch times, and what the job pays ----
do for [what in "launch job"] {
	c = what . "_rel"
	if (n > 0 && words(jobs) > 0 && (what eq "launch" || with_job)) {
		eval panels(what, 40 + strip + 260 * words(jobs), 1, words(jobs), strip, what eq "launch" \
			? "Launch time, the baseline's is 1" : "Time that a unit of the job's work takes, the baseline's is 1")
		do for [k = 1:words(jobs)] {
			job = word(jobs, k)
			eval top_of(c)
			set xrange [0.4:n + 0.6]
			set xtics scale 0 ()
			do for [i = 1:n] { set xtics add (word(apps, i) i) }
			eval panel(k, "")
			set title job_words(job) enhanced
			set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead dashtype 3 linecolor rgb mark_colour back
			command = "plot " . all_bars(c)
			if (what eq "launch") {
				command = command . ', for [s = 1:m] data using (word(schemes, s) eq "baseline" ? at(s) : NaN):' \
					. '(less(high(c), top * 1.2)):(sprintf("%.2f s", y("launch_ms") / 1000)) ' \
					. 'with labels offset 0, 0.7 font ",11" textcolor rgb "#333333" notitle'
			}
			eval command
		}
		eval scheme_legend
	}
}

# ---- latency of keys ----
if (keyed && words(jobs) > 0) {
	eval panels("keys", 40 + strip + 220 * words(jobs), 1, words(jobs), strip, \
		"Latency of a key, ms: median of the keys after a Return")
	at(s) = here(s) && strcol("app") eq "keys" ? s : NaN
	broken(word, sign) = (i_ = strstrt(word, sign)) ? word[:i_ - 1] . "\n" . word[i_:] \
		: word	# two lines: side by side they overlap
	wide = 0.8
	do for [k = 1:words(jobs)] {
		job = word(jobs, k)
		eval top_of("p50_ms")
		set xrange [0.4:m + 0.6]
		set xtics scale 0 ()
		do for [s = 1:m] { set xtics add (broken(broken(broken(word(schemes, s), "+"), "-"), "group") s) }
		eval panel(k, "")
		set title job_words(job) enhanced
		eval "plot " . all_bars("p50_ms") . threshold_across
	}
	eval scheme_legend
}

# ---- which task ran when ----
if (has_table("trace.tsv")) {
	traced = lanes = ""
	last = 0
	eval look("trace.tsv", 'traced = add(traced, strcol("app") . ":" . strcol("scheme") . ":" . strcol("job")), ' \
		. 'lanes = add(lanes, strcol("cpu")), last = more(last, y("to_ms"))')
	system(sprintf('awk -v gap=%g -f "$ENGINE/lanes.awk" trace.tsv >drawn', last / 2000))
	split_at(w, i) = i == 1 ? w[1:strstrt(w, ":") - 1] : split_at(w[strstrt(w, ":") + 1:] . ":", i - 1)
	eval panels("trace", 110 + words(traced) * (76 + 22 * words(lanes)), 1, words(traced), 36, \
		"Which task ran when, by CPU (blank: not scheduled)")
	kind(k) = strcol("app") eq split_at(t_, 1) && strcol("scheme") eq split_at(t_, 2) && strcol("job") eq split_at(t_, 3) \
		&& strcol("kind") eq k ? place(lanes, strcol("cpu")) : NaN
	lane(k) = sprintf('"drawn" using (0):(lane_ = kind("%s")):(y("from_ms")):(y("to_ms")):(lane_ - 0.4):(lane_ + 0.4) ', \
		k) \
		. 'with boxxyerror '
	do for [i = 1:words(traced)] {
		t_ = word(traced, i)
		away = 0
		end = NaN
		eval look("trace.tsv", 'known(kind("away")) ? (away = away + y("to_ms") - y("from_ms")) : 0, ' \
			. 'known(kind(strcol("kind"))) ? (end = more(end, y("to_ms"))) : 0')
		eval panel(i, split_at(t_, 1) . ", " . split_at(t_, 2) . (words(jobs) > 1 ? ", job " . split_at(t_, 3) : "") \
			. sprintf(": others had %.0f %% of the CPU time", 100.0 * away / (end * words(lanes))))
		set xrange [0:last * 1.02]
		set yrange [0.4:words(lanes) + 0.6]
		set ytics scale 0 ()
		do for [c = 1:words(lanes)] { set ytics add ("CPU " . word(lanes, c) c) }
		set grid noytics
		set xlabel i == words(traced) ? "ms after the key" : "" offset 0, 0.5
		eval "plot " . lane("job") . 'linecolor rgb "#c0c0c0" notitle, ' . lane("other") . 'linecolor rgb "#000000" notitle'
	}
	eval legend_strip(2)
	plot NaN with boxes linecolor rgb "#c0c0c0" title "the job", NaN with boxes linecolor rgb "#000000" \
		title "all else of the session"
}

# ---- for how long tasks run at a time ----
other_says = "launched applications, and the display"
load engine . "/quanta.gp"
