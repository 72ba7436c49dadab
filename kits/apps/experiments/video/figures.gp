# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - frames of a video that were shown a second, by scheme, with the share that was dropped above the bars (a figure for
# each job); counters of sound over time, a panel for each scheme; the distribution of time quanta.

jobs = bars_ = ""
key_of(x) = strcol("scheme") . ":" . strcol("mult")
eval look("summary.tsv", 'column("repeats") > 0 && filled("fps_per_s") ? (bars_ = add(bars_, key_of(0)), ' \
	. 'jobs = strcol("job") eq "none" ? jobs : add(jobs, strcol("job"))) : 0')
# In the order of the paper: what there is without vamp, vamp without a look at sound, and with it.
kinds = "none without with"
sorted = ""
do for [k = 1:3] { do for [b in bars_] { if (b[strstrt(b, ":") + 1:] eq word(kinds, k)) { sorted = add(sorted, b) } } }
n = words(sorted)
scheme_of(b) = b[:strstrt(b, ":") - 1]
kind_of(b) = place(kinds, b[strstrt(b, ":") + 1:])
says(s) = s eq "baseline" ? "nothing\ndone" : s eq "autogroup" ? "auto-\ngroups" : s eq "nice" ? "nice 19" \
	: s eq "alone" ? "no job" : "vamp\n" . s
kind_words(k) = k == 1 ? "without vamp" : k == 2 ? "vamp, ignoring sound" : "vamp, excluding sound players"
rate = exists("rate_per_s") ? rate_per_s : 24

do for [job in jobs] {
	at(i) = column("repeats") > 0 && (strcol("job") eq job || strcol("job") eq "none") && key_of(0) eq word(sorted, i) ? i : NaN
	eval figure("frames-" . job, 470, "Video frames shown per second, with the job " . job, 4)
	set xrange [0.4:n + 0.6]
	set xtics () scale 0
	do for [i = 1:n] { set xtics add (says(scheme_of(word(sorted, i))) i) }
	set key at screen 0.1, (12.0 + 24 * 4) / 470
	eval y_axis("0:rate * 1.18", "frames shown per second")
	set style fill solid 0.75 noborder
	set errorbars front 0.6 linecolor rgb line_colour linewidth 1
	plot rate with lines linestyle dotted notitle, \
		for [i = 1:n] data using (x_ = at(i)):(there("fps_per_s")):(there_low("fps_per_s")):(less(there_high("fps_per_s"), \
			rate)):(0.7) \
			with boxerrorbars linecolor rgb colour(kind_of(word(sorted, i))) notitle, \
		for [i = 1:n] data using (x_ = at(i)):(less(more(there("fps_per_s"), there_high("fps_per_s")), rate)): \
			(known(x_) ? sprintf("%.1f %%", y("dropped_percent")) : "") with labels offset 0, 0.7 font ",11" \
			textcolor rgb "#333333" notitle, \
		for [i = 1:n] data using (x_ = at(i)):(there("seen_per_s")) with points pointtype 2 linecolor rgb "#000000" notitle, \
		for [k = 1:3] NaN with boxes linecolor rgb colour(k) title kind_words(k), \
		NaN with points pointtype 2 linecolor rgb "#000000" title "seen on the screen"
}

if (has_table("audio.tsv")) {
	schemes = names = ""
	last = 0
	top = 1
	eval look("audio.tsv", 'schemes = add(schemes, strcol("scheme") . ":" . strcol("job")), names = add(names, strcol("comm")), ' \
		. 'last = more(last, y("s")), top = more(top, y("average"))')
	eval panels("sound", 110 + 190 * words(schemes), 1, words(schemes), 60, \
		"Counters of wake-ups of the sound server, by process")
	of(i, c) = strcol("scheme") . ":" . strcol("job") eq word(schemes, i) && strcol("comm") eq word(names, c) ? y("s") : NaN
	do for [i = 1:words(schemes)] {
		set xrange [0:last * 1.02]
		set logscale y
		set yrange [0.1:top * 2]
		set xlabel i == words(schemes) ? "seconds since vamp began" : "" offset 0, 0.5
		set ylabel "counter, averaged"
		pair = word(schemes, i)
		set datafile missing NaN	# rows of other processes do not break a line
		eval panel(i, "vamp " . scheme_of(pair) . ", job " . pair[strstrt(pair, ":") + 1:])
		plot for [c = 1:words(names)] "audio.tsv" using (of(i, c)):(more(y("average"), \
			0.1)) smooth unique with linespoints \
			pointtype shape(c) linecolor rgb colour(c) notitle
	}
	eval legend_strip(4)
	plot for [c = 1:words(names)] NaN with linespoints pointtype shape(c) linecolor rgb colour(c) title word(names, \
		c) noenhanced
}

other_says = "video playback"
load engine . "/quanta.gp"
