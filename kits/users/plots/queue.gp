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
if (strstrt(rows, "'")) { print "queue.gp: a quote in the name of the table: rename it"; exit status 1 }
what = ARGC > 2 ? ARG3 : "rate"
load ARG0[1:strlen(ARG0) - strlen("queue.gp")] . "../../../plots/style.gp"
set datafile separator "\t"
set datafile columnheaders
figure_height = what eq "principle" || what eq "line" ? 620.0 : 520.0
eval terminal_of(760, figure_height)
set title ARGC > 3 ? ARG4 : ""

measured = later = fits = models = most = slowest = most_n = most_q = most_z = most_held = 0
least_held = 1e300
eval look(rows, 'measured = measured + (strcol("kind") eq "measured"), later = later || strcol("kind") eq "later", ' \
	. 'fits = fits || strcol("kind") eq "fit", ' \
	. 'models = models + (strcol("kind") eq "model"), slowest = more(slowest, y("r_s")), most = more(most, y("lambda")), ' \
	. 'most_n = more(most_n, y("n")), most_q = more(most_q, y("q")), most_z = more(most_z, y("z_s")), ' \
	. 'least_held = less(least_held, y("n") / y("z_s")), most_held = more(most_held, y("n") / y("z_s"))')
held = most_held > 0 && most_held < 1.001 * least_held
if (what eq "principle" && !held) { print "queue.gp: principle is of rows of queue mva --users-per-second"; exit status 1 }

# Lines for single rows: all measured ones, or at most six of the model.
every = models > 6 ? int((models + 5) / 6) : 1
shown(d) = strcol("kind") eq (measured ? "measured" : "model") && (measured || int(column(0) + 1) % every == 0)
shown_n = 'shown(0) ? y("n") : NaN'
least_shown = 1e300
corner = 0
eval look(rows, 'known(n_ = @shown_n) ? (least_shown = less(least_shown, n_), ' \
	. 'corner = n_ <= most_n / 2.0 ? more(corner, n_) : corner) : 0')

set output ARG2
set xrange [0:*]
set yrange [0:*]
ms = slowest < 2 ? 1000 : 1
unit = slowest < 2 ? "ms" : "s"
across_c = what eq "line" ? "q" : what eq "load" ? "lambda" : "n"
up_c = what eq "response" || what eq "load" ? "r_s" : "lambda"
scale = up_c eq "r_s" ? ms : 1
bound = what eq "rate" ? "x_bound" : ""
set xlabel across_c eq "n" ? "users" : across_c eq "q" ? "requests under way" : "requests a second"
set ylabel up_c eq "r_s" ? "response time, " . unit : "requests a second"
if (up_c eq "r_s") { set yrange [0:slowest * scale * 1.1] } else { set yrange [0:(held ? more(most, most_held) : most) * 1.15] }
# measured rows may come in any order, so they are sorted here
sorted(kinds, c) = sprintf("< awk -F'\\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print \"a\\tb\"; fflush() } " \
	. "NR > 1 && index(\" %s \", \" \" $at[\"kind\"] \" \") && $at[\"%s\"] != \"\" && $at[\"%s\"] != \"\" { " \
	. "print $at[\"%s\"] \"\\t\" $at[\"%s\"] | \"sort -g\" }' '%s'", kinds, across_c, c, across_c, c, rows)
before = beside = axes = ""
if (what eq "response") {
	# asymptote from -Z on, below which the response time cannot be
	set yrange [-most_z * scale * 1.1:*]
	set xzeroaxis linecolor rgb line_colour
	beside = ', rows using (known(n_ = y("n")) ? 0 : NaN):(-y("z_s") * scale):(n_):((y("r_asymptote_s") + y("z_s")) * scale) ' \
		. 'with vectors nohead linestyle dashed title "asymptotes: users × slowest station − think time"'
}
if (what eq "line") {
	upto = more(1.1 * most_q, held ? least_shown : 0)
	set xrange [0:upto]
	set rmargin 9
	beside = ", " . load_lines(rows, shown_n, upto) . ' title "load lines: (users − under way) / think time", ' \
		. 'rows using (known(n_ = @shown_n) ? less(n_, upto) : NaN):((n_ - less(n_, upto)) / y("z_s")):' \
		. '(sprintf("N = %g", n_)) with labels left offset 0.5, 0 font ",10" notitle'
}
if (held && (what eq "line" || what eq "rate")) {
	beside = beside . sprintf(', %g with lines linestyle dashed title "users by think time (N/Z): %g a second"', most_held, \
		most_held)
}
looks = models + fits > 30 ? "lines linecolor rgb light_colour" : "linespoints pointtype 6 pointsize 0.5 linecolor rgb light_colour"
if (what eq "principle") {
	# two axes with one zero in the middle: R and -Z at the left, the rate at the right
	unset grid
	set border 11
	set rmargin 12
	set xtics axis
	set xzeroaxis linecolor rgb line_colour linetype 1
	axes = " axes x1y2"
	ms = most_z < 2 ? 1000 : 1
	set yrange [-most_z * ms * 1.04:most_z * ms * 1.04]
	set y2range [-1.25 * most_held:1.25 * most_held]
	set y2tics 0, most_held / 4
	set xrange [0:most_n]
	set xlabel "users" offset 0, -0.5
	set ylabel "response time; below zero: think time, " . (most_z < 2 ? "ms" : "s")
	set y2label "requests a second"
	# one of the similar triangles whose slope is users to think time
	up = corner / most_held * ms
	set style fill solid 0.25 noborder
	set object 1 polygon from 0, 0 to 0, -up to corner, 0 to 0, 0 fillcolor rgb mark_colour behind
	set object 2 polygon from corner, 0 to 2 * corner, 0 to 2 * corner, up to corner, 0 fillcolor rgb mark_colour behind
	before = 'rows using (known(n_ = @shown_n) ? 0 : NaN):(-y("z_s") * ms):(most_n):(most_n / most_held * ms) ' \
		. 'with vectors nohead linestyle dashed title "from −Z through the users N: slope Z/N, as 1 to N/Z", ' \
		. 'rows using (@shown_n):(0) with points pointtype 6 pointsize 1.2 linecolor rgb heavy_colour notitle, ' \
		. sprintf('%g axes x1y2 with lines linewidth 1.5 linecolor rgb load_colour(0, 3) ', most_held) \
		. sprintf('title "users by think time (N/Z): %g a second", ', most_held)
}
eval legend_lines(4)
drawn(kinds, c, looks) = sprintf('sorted("%s", "%s") using 1:($2 * scale)%s with %s', kinds, c, axes, looks)
eval "plot " . before . drawn("model fit", up_c, looks . ' title "computed"') \
	. (bound eq "" ? "" : ", " . drawn("model fit", bound, 'lines linestyle dashed title "asymptotes"')) \
	. (measured ? ", " . drawn("measured", up_c, 'points linestyle heavy pointtype 7 title "measured' \
		. (fits ? ', fitted to"' : '"')) : "") \
	. (later ? ", " . drawn("later", up_c, 'points linestyle heavy pointtype 9 pointsize 1 title "measured, foretold"') : "") \
		. beside
unset output
