# SPDX-License-Identifier: GPL-3.0-or-later
# queue.gp - queueing models and measured rows in one picture.
#
# gnuplot -c plots/queue.gp ROWS OUT.svg [rate|response|line|load]
#   reads what queue mva --rows or queue fit --rows wrote
#   rate       requests a second over the users, with the most that the busiest station allows (default)
#   response   response time over the users, with the asymptote N S_max - Z
#   line       requests a second over requests under way: the load lines of closed users
#   load       response time over requests a second, as an open stream is drawn

rows = ARG1
what = ARGC > 2 ? ARG3 : "rate"

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

set datafile separator "\t"
set key autotitle columnheader
filled(c) = strlen(strcol(c)) > 0

measured = 0
later = 0
most = 0
slowest = 0
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot rows using (measured = measured + (strcol("kind") eq "measured"), later = later + (strcol("kind") eq "later"), \
	slowest = filled("r_s") && column("r_s") > slowest ? column("r_s") : slowest, most = filled("lambda") && column("lambda") > most \
		? column("lambda") : most, 0):(0)
unset table
set autoscale

set output ARG2
set xrange [0:*]
set yrange [0:*]
ms = slowest < 2 ? 1000 : 1
unit = slowest < 2 ? "ms" : "s"
x = what eq "line" ? "q" : what eq "load" ? "lambda" : "n"
y = what eq "response" || what eq "load" ? "r_s" : "lambda"
scale = y eq "r_s" ? ms : 1
bound = what eq "rate" ? "x_bound" : what eq "response" ? "r_bound_s" : ""
set xlabel x eq "n" ? "users" : x eq "q" ? "requests under way" : "requests a second"
set ylabel y eq "r_s" ? "response time, " . unit : "requests a second"
if (y eq "r_s") { set yrange [0:slowest * scale * 1.1] } else { set yrange [0:most * 1.15] }
# rows are sorted here, since those measured come as they were given
sorted(kinds, c) = sprintf("< awk -F'\\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } " \
	. "NR > 1 && index(\" %s \", \" \" $at[\"kind\"] \" \") && $at[\"%s\"] != \"\" && $at[\"%s\"] != \"\" { " \
	. "print $at[\"%s\"] \"\\t\" $at[\"%s\"] }' '%s' | sort -g", kinds, x, c, x, c, rows)
unset key
set key at screen 0.1, 0.17 left top Left reverse vertical maxrows 3 maxcols 2 samplen 2.5 spacing 1.2 noautotitle
computed = 'sorted("model fit", y) using 1:($2 * scale) with linespoints pointtype 6 pointsize 0.5 linecolor rgb light_colour' \
	. ' title "computed"'
parts = "plot " . computed
if (bound ne "") { parts = parts \
	. ', sorted("model fit", bound) using 1:($2 * scale) with lines dashtype 2 linecolor rgb line_colour title "asymptotes"' }
if (measured) { parts = parts . ', sorted("measured", y) using 1:($2 * scale) with points pointtype 7 linecolor rgb heavy_colour' \
	. ' title "measured, fitted to"' }
if (later) { parts = parts . ', sorted("later", y) using 1:($2 * scale) with points pointtype 9 pointsize 1' \
	. ' linecolor rgb heavy_colour title "measured, foretold"' }
eval parts
