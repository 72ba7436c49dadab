# SPDX-License-Identifier: GPL-3.0-or-later
# queue.gp - queueing models and measured rows in one picture.
#
# gnuplot -c plots/queue.gp ROWS OUT.svg [rate|response|line|load]
#   reads what queue mva --rows or queue fit --rows wrote
#   rate       requests a second over the users, with the most that the busiest station allows (default)
#   response   response time over the users, with the asymptote N S_max - Z
#   line       requests a second over requests under way, along the numbers of users
#   load       response time over requests a second, as an open stream is drawn

rows = ARG1
what = ARGC > 2 ? ARG3 : "rate"
load ARG0[1:strlen(ARG0) - strlen("queue.gp")] . "style.gp"
set datafile separator "\t"
set key autotitle columnheader

measured = 0
later = 0
most = 0
slowest = 0
eval look(rows, 'measured = measured || strcol("kind") eq "measured", later = later || strcol("kind") eq "later", ' \
	. 'slowest = more(slowest, filled("r_s") ? y("r_s") : 0), most = more(most, filled("lambda") ? y("lambda") : 0)')

set output ARG2
set xrange [0:*]
set yrange [0:*]
ms = slowest < 2 ? 1000 : 1
unit = slowest < 2 ? "ms" : "s"
across_c = what eq "line" ? "q" : what eq "load" ? "lambda" : "n"
up_c = what eq "response" || what eq "load" ? "r_s" : "lambda"
scale = up_c eq "r_s" ? ms : 1
bound = what eq "rate" ? "x_bound" : what eq "response" ? "r_bound_s" : ""
set xlabel across_c eq "n" ? "users" : across_c eq "q" ? "requests under way" : "requests a second"
set ylabel up_c eq "r_s" ? "response time, " . unit : "requests a second"
if (up_c eq "r_s") { set yrange [0:slowest * scale * 1.1] } else { set yrange [0:most * 1.15] }
# rows are sorted here, since those measured come as they were given
sorted(kinds, c) = sprintf("< awk -F'\\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } " \
	. "NR > 1 && index(\" %s \", \" \" $at[\"kind\"] \" \") && $at[\"%s\"] != \"\" && $at[\"%s\"] != \"\" { " \
	. "print $at[\"%s\"] \"\\t\" $at[\"%s\"] }' '%s' | sort -g", kinds, across_c, c, across_c, c, rows)
unset key
set key at screen 0.1, 0.17 left top Left reverse vertical maxrows 3 maxcols 2 samplen 2.5 spacing 1.2 noautotitle
computed = 'sorted("model fit", up_c) using 1:($2 * scale) with linespoints pointtype 6 pointsize 0.5 linecolor rgb light_colour' \
	. ' title "computed"'
drawn(kinds, c, looks) = sprintf(', sorted("%s", "%s") using 1:($2 * scale) with %s', kinds, c, looks)
eval "plot " . computed . (bound eq "" ? "" : drawn("model fit", bound, 'lines linestyle dashed title "asymptotes"')) \
	. (measured ? drawn("measured", up_c, 'points linestyle heavy pointtype 7 title "measured, fitted to"') : "") \
	. (later ? drawn("later", up_c, 'points linestyle heavy pointtype 9 pointsize 1 title "measured, foretold"') : "")
