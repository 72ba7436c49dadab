# SPDX-License-Identifier: GPL-3.0-or-later
# queue.gp - queueing models and measured rows in one picture.
#
# gnuplot -c kits/users/plots/queue.gp ROWS OUT.svg [rate|response|line|principle|load [TITLE]]
#   reads what queue mva --rows or queue fit --rows wrote
#   rate       requests a second over the users, with the most that the busiest station allows (default)
#   response   response time over the users, with its asymptote N S_max - Z from its beginning at -Z on
#   line       requests a second over requests under way, with the load lines (N - Q)/Z of closed users
#   principle  with a fixed ratio of users to think time (queue mva --users-per-second): requests a second over users; and on
#              the axis of the response time the diagonals from -Z through N, all with the slope Z/N
#   load       response time over requests a second, as an open stream is drawn
#
# A figures.gp calls it last, since it resets all settings of gnuplot.

unset multiplot
unset output
reset
rows = ARG1
if (strstrt(rows, "'") || strstrt(rows, "<")) { print "queue.gp: a quote in the name of the table: rename it"; exit status 1 }
what = ARGC > 2 ? ARG3 : "rate"
load ARG0[1:strlen(ARG0) - strlen("queue.gp")] . "../../../plots/style.gp"
set datafile missing NaN	# rows of other kinds do not break a line
figure_height = what eq "principle" || what eq "line" ? 620.0 : 520.0
set terminal svg size (narrow ? 380 : 760), figure_height dynamic enhanced font "sans-serif,13" linewidth 1.2 background rgb "white"
two_lines(text) = (at_ = strstrt(text, ": "), narrow && at_ ? text[:at_] . "\n" . text[at_ + 2:] : text)
set title ARGC > 3 ? two_lines(ARG4) : ""

measured = later = fits = models = most = slowest = most_n = most_q = most_z = most_held = bounds = 0
least_held = 1e300
of(kind) = strcol("kind") eq kind ? 1 : 0
stats rows using (measured = measured + of("measured"), later = later + of("later"), fits = fits + of("fit"), \
	models = models + of("model"), slowest = more(slowest, y("r_s")), most = more(most, y("lambda")), \
		most_n = more(most_n, y("n")), \
	most_q = more(most_q, y("q")), most_z = more(most_z, y("z_s")), least_held = less(least_held, y("n") / y("z_s")), \
	most_held = more(most_held, y("n") / y("z_s")), bounds = bounds + (what eq "rate" && known(y("x_bound"))), 0) nooutput
held = most_held > 0 && most_held < 1.001 * least_held
if (what eq "principle" && !held) { print "queue.gp: principle is of rows of queue mva --users-per-second"; exit status 1 }

# Lines for single rows: all measured ones, or at most six of the model.
every = models > 6 ? int((models + 5) / 6) : 1
shown(d) = strcol("kind") eq (measured ? "measured" : "model") && (measured || int(column(0) + 1) % every == 0) ? y("n") : NaN
least_shown = 1e300
corner = 0
stats rows using (n_ = shown(0), least_shown = less(least_shown, n_), \
	corner = n_ <= most_n / 2.0 ? more(corner, n_) : corner, 0) nooutput

set output ARG2
set xrange [0:*]
unit = slowest < 2 ? "ms" : "s"
across_c = what eq "line" ? "q" : what eq "load" ? "lambda" : "n"
up_c = what eq "response" || what eq "load" ? "r_s" : "lambda"
scale = up_c eq "r_s" && slowest < 2 ? 1000 : 1
set xlabel across_c eq "n" ? "users" : across_c eq "q" ? "requests under way" : "requests a second"
set ylabel up_c eq "r_s" ? "response time, " . unit : "requests a second"
set bmargin at screen 172.0 / figure_height
set key at screen (narrow ? 0.02 : 0.1), 108.0 / figure_height left top Left reverse vertical maxrows auto maxcols 1 \
	width 2 samplen 2.5 spacing 1.2 textcolor rgb "#222222"
mark_size = models + fits > 30 ? 0 : 0.5
computed(d) = of("model") || of("fit")
# (Of a loop without a turn gnuplot draws nothing, but reads its rows all the same: they are then those of the computed curve.)
is(kind, there) = (there ? of(kind) : computed(0) || of("measured")) ? y(across_c) : NaN

if (what eq "principle") {
	# two axes with one zero in the middle: R and -Z at the left, the rate at the right
	ms = most_z < 2 ? 1000 : 1
	unset grid
	set border 11
	set rmargin 12
	set xtics axis
	set xzeroaxis linecolor rgb line_colour linetype 1
	set xrange [0:most_n]
	set yrange [-most_z * ms * 1.04:most_z * ms * 1.04]
	set y2range [-1.25 * most_held:1.25 * most_held]
	set y2tics 0, most_held / 4
	set xlabel "users" offset 0, -0.5
	set ylabel "response time; below zero: think time, " . (most_z < 2 ? "ms" : "s")
	set y2label "requests a second"
	# one of the similar triangles whose slope is users to think time
	up = corner / most_held * ms
	set style fill solid 0.25 noborder
	set object 1 polygon from 0, 0 to 0, -up to corner, 0 to 0, 0 fillcolor rgb mark_colour behind
	set object 2 polygon from corner, 0 to 2 * corner, 0 to 2 * corner, up to corner, 0 fillcolor rgb mark_colour behind
	plot rows using (known(shown(0)) ? 0 : NaN):(-y("z_s") * ms):(most_n):(most_n / most_held * ms) with vectors nohead \
			linestyle dashed title "from −Z through the users N: slope Z/N, as 1 to N/Z", \
		rows using (shown(0)):(0) with points pointtype 6 pointsize 1.2 linecolor rgb heavy_colour notitle, \
		most_held axes x1y2 with lines linewidth 1.5 linecolor rgb "#a8c957" \
			title sprintf("users by think time (N/Z): %g a second", most_held), \
		rows using (computed(0) ? y("n") : NaN):"lambda" axes x1y2 smooth unique with linespoints pointtype 6 \
			pointsize mark_size linecolor rgb light_colour title "computed", \
		for [k = 1:measured > 0] rows using (is("measured", measured)):"lambda" axes x1y2 \
			with points linestyle heavy pointtype 7 title "measured"
	unset output
	exit
}

# The response time cannot be below an asymptote that begins at -Z; load lines end at the edge.
upto = more(1.1 * most_q, held ? least_shown : 0)
set yrange [0:(held ? more(most, most_held) : most) * 1.15]
if (up_c eq "r_s") { set yrange [0:slowest * scale * 1.1] }
if (what eq "response") {
	set yrange [-most_z * scale * 1.1:*]
	set xzeroaxis linecolor rgb line_colour
}
if (what eq "line") {
	set xrange [0:upto]
	set rmargin 9
}
asymptotes = what eq "response"
lines = what eq "line"
bound = what eq "rate" && bounds > 0
plot for [k = 1:asymptotes] rows using (asymptotes ? 0 : is("", 0)):(asymptotes ? -y("z_s") * scale : y(up_c) * scale): \
		(asymptotes ? y("n") : 0):(asymptotes ? (y("r_asymptote_s") + y("z_s")) * scale : 0) with vectors nohead \
		linestyle dashed title "asymptotes: users × slowest station − think time", \
	for [k = 1:what ne "load"] rows using (computed(0) ? y(across_c) : NaN):(y(up_c) * scale) smooth unique with linespoints \
		pointtype 6 pointsize mark_size linecolor rgb light_colour title "computed", \
	for [k = 1:what eq "load"] rows using (computed(0) ? y(across_c) : NaN):(y(up_c) * scale) with linespoints pointtype 6 \
		pointsize mark_size linecolor rgb light_colour title "computed", \
	for [k = 1:bound] rows using (computed(0) ? y(across_c) : NaN):(bound ? y("x_bound") : y(up_c) * scale) smooth unique \
		with lines linestyle dashed title "asymptotes", \
	for [k = 1:measured > 0] rows using (is("measured", measured)):(y(up_c) * scale) with points linestyle heavy pointtype 7 \
		title fits ? "measured, fitted to" : "measured", \
	for [k = 1:later > 0] rows using (is("later", \
		later)):(y(up_c) * scale) with points linestyle heavy pointtype 9 pointsize 1 \
		title "measured, foretold", \
	for [k = 1:lines] rows using (known(shown(0)) ? 0 : NaN):(lines ? shown(0) / y("z_s") : 0):(lines ? less(shown(0), \
		upto) : 0): \
		(lines ? -less(shown(0), upto) / y("z_s") : 0) with vectors nohead linestyle dotted \
		title "load lines: (users − under way) / think time", \
	for [k = 1:lines] rows using (known(shown(0)) ? (lines ? less(shown(0), upto) : 0) : NaN): \
		(lines ? (shown(0) - less(shown(0), upto)) / y("z_s") : 0):(sprintf("N = %g", \
			y("n"))) with labels left offset 0.5, 0 \
		font ",10" notitle, \
	for [k = 1:held && (lines || what eq "rate")] most_held with lines linestyle dashed noautoscale \
		title sprintf("users by think time (N/Z): %g a second", most_held)
unset output
