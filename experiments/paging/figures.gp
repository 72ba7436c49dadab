# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - first-key: every run a dot, a line for each condition; timeline: one run that was paged out, over time.

kept_colour = colour(3)
swap_words(s) = s[1:5] eq "slow:" ? s[6:*] . " a read" : s eq "file" ? "swap file" : s
typed_colour = colour(4)
session_words(s) = s eq "plain" ? "" : s eq "private" ? ", private copies" : ", " . s
array label[1000]
cells = ""
least = 1
most = 12000	# the slowest figure of the paper of 1999
name_of(w) = strcol("protocol") . ", " . swap_words(strcol("swap")) . session_words(strcol("session")) . ", " . strcol("method")
eval look("summary.tsv", 'column("repeats") > 0 ? (cells = add(cells, strcol("cell")), label[words(cells)] = name_of(0), 0) : 0')
eval look("runs.tsv", 'filled("first_key_ms") ? (least = less(least, y("first_key_ms")), most = more(most, y("first_key_ms"))) : 0')
eval look("runs.tsv", 'most = more(most, y("typed_max_ms"))')
later = 0
eval look("runs.tsv", 'later = later || column("first_key_above") > 0')
n = words(cells)
row(i) = n + 3.6 - i	# below them two rows with figures of 1999

# ---- every run ----
eval panels("first-key", 234 + 24 * (n + 2), 1, 1, 110, "Response time of the first key")
eval panel(1, "")
set lmargin at screen 0.38
set border 1
set logscale x
eval x_axis("least < 1 ? 0.1 : 1:most * 1.3", "response time, ms from when the key was due")
set yrange [0.4:n + 3.2]
set xtics ("0.1" 0.1, "0.3" 0.3, "1" 1, "3" 3, "10" 10, "30" 30, "100" 100, "300" 300, "1 s" 1000, "3 s" 3000, "10 s" 10000)
set ytics scale 0
set ytics ("Linux, hardware of 1999" 2, "Windows NT TSE, 1999" 1)
do for [i = 1:n] {
	set ytics add (label[i] row(i))
	if (i % 2 == 0) { eval band(i, row(i)) }
}
set grid xtics noytics
eval upright(threshold_ms, 1, line_colour, 2)
at(state, by) = strcol("state") eq state && place(cells, strcol("cell")) ? row(place(cells, strcol("cell"))) + by : NaN
typed_at(x_) = filled("typed_max_ms") && place(cells, strcol("cell")) ? row(place(cells, strcol("cell"))) : NaN
middle(w, by) = place(cells, strcol("cell")) && filled(w . "_p50_ms") ? row(place(cells, strcol("cell"))) + by - 0.16 : NaN
runs(w, by, c) = sprintf('"runs.tsv" using (column("first_key_above") > 0 ? NaN : y("first_key_ms")):(at("%s", %g)) ', w, by) \
	. sprintf('with points pointtype 7 pointsize 0.4 linecolor rgb "%s" notitle, ', c) \
	. sprintf('"runs.tsv" using (column("first_key_above") > 0 ? y("first_key_ms") : NaN):(at("%s", %g)) ', w, by) \
	. sprintf('with points pointtype 8 linecolor rgb "%s" notitle, ', c)
bar(w, by, c) = sprintf('data using (y("%s_p50_ms")):(middle("%s", %g)):(0):(0.32) with vectors nohead ', w, w, by) \
	. sprintf('linewidth 2.5 linecolor rgb "%s" notitle, ', c) \
	. sprintf('data using (y("%s_p50_ms")):(middle("%s", %g) + 0.16):(hover_ends("%s_p50_ms", "median")) ', w, w, by, w) \
	. sprintf('with labels hypertext point pointtype 7 pointsize 0.1 linecolor rgb "%s" notitle', c)
group(w, by, c) = runs(w, by, c) . bar(w, by, c)
old = '"< printf \"row\\tleast\\tmean\\tmost\\n2\\t330\\t1170\\t3000\\n1\\t2430\\t4026\\t11850\\n\"" using '
eval "plot " . group("in_memory", 0.2, light_colour) . ", " . group("paged_out", -0.2, heavy_colour) . ", " \
	. group("kept", -0.2, kept_colour) . ', "runs.tsv" using (y("typed_max_ms")):(typed_at(0)) with points ' \
	. 'pointtype 9 pointsize 0.5 linecolor rgb typed_colour notitle, ' \
	. old . '2:1:($4 - $2):(0) with vectors nohead linecolor rgb mark_colour notitle, ' \
	. old . '3:1 with points pointtype 2 linecolor rgb mark_colour notitle, ' \
	. old . '(50):1 with points pointtype 6 linecolor rgb mark_colour notitle'
eval legend_strip(3)
plot NaN with points linestyle light title "in memory", \
	NaN with points pointtype 7 linecolor rgb heavy_colour title "paged out", \
	NaN with points pointtype 7 linecolor rgb kept_colour title "protected", \
	NaN with points pointtype 9 linecolor rgb typed_colour title "latest key of one who types on", \
	NaN with points pointtype 8 linecolor rgb line_colour title (later ? "later than that" : ""), \
	NaN with lines linewidth 2.5 linecolor rgb line_colour title "median", \
	NaN with lines linestyle dashed title sprintf("%g ms", threshold_ms), \
	NaN with linespoints pointtype 2 linecolor rgb mark_colour title "1999: least, mean, largest"

# ---- one run over time ----
if (has_table("timeline.tsv")) {
	data = "timeline.tsv"
	first_echo = second_key = NaN
	begin = end = own = all = 0
	before(c, v) = filled(c) && column("time_ms") <= 0 ? column(c) : v	# counters until the key
	eval look(data, 'strcol("event") eq "echo" ? (first_echo = column("time_ms")) : ' \
		. 'strcol("event") eq "second" ? (second_key = column("time_ms")) : ' \
		. '(begin = less(begin, column("time_ms")), end = more(end, column("time_ms")), ' \
		. 'own = before("major_faults", own), all = before("group_major_faults", all), 0)')
	around = known(first_echo) ? first_echo : 100
	eval panels("timeline", 690, 2, 3, 60, "One run that was paged out, over time")
	less_than(c) = c eq "major_faults" ? own : all
	of(c) = strlen(strcol("event")) || !filled(c) ? NaN : down < 3 ? column(c) / 1048576 : more(0, column(c) - less_than(c))
	array columns[3] = ["group_bytes group_swap_bytes", "resident_bytes swap_bytes", "major_faults group_major_faults"]
	array colours_of[3] = [line_colour . " " . heavy_colour, light_colour . " " . heavy_colour, colour(4) . " " . line_colour]
	do for [i = 1:6] {
		whole = i % 2
		down = int((i + 1) / 2)
		scale = whole ? 1000.0 : 1.0
		set xrange [whole ? begin / scale : -0.35 * around:whole ? end / scale : 1.6 * around]
		set yrange [0:*]
		set xlabel (down < 3 && !narrow ? "" : whole ? "seconds from the key" : "ms from the key") offset 0, 0.4
		set ylabel (down == 1 ? "server, MB" : down == 2 ? "session, MB" : "major faults") offset 1.2, 0
		eval panel(i, down > 1 && !narrow ? "" : whole ? "the whole run" \
			: known(first_echo) ? sprintf("response after %.3g ms", first_echo) : "")
		eval upright(0, 1, line_colour, 1)
		if (known(first_echo)) { eval upright(first_echo / scale, 1, line_colour, 2) }
		if (known(second_key) && (whole || second_key < 1.6 * around)) { eval upright(second_key / scale, 1, mark_colour, \
			1) }
		eval 'plot for [k = 1:2] data using (column("time_ms") / scale):(of(word(columns[down], k))) with ' \
			. (down < 3 ? "lines" : "steps") . ' linecolor rgb word(colours_of[down], k) notitle'
	}
	eval legend_strip(2)
	plot NaN with lines linecolor rgb line_colour title "all that the server runs", \
		NaN with lines linestyle light title "editor and terminal in memory", \
		NaN with lines linestyle heavy title "in swap", \
		NaN with lines linecolor rgb colour(4) title "faults of editor and terminal"
}
