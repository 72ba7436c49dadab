# SPDX-License-Identifier: GPL-3.0-or-later
# capacity.gp - the figures of experiments/capacity.sh.
#
# gnuplot -c plots/capacity.gp RUN [LIGHT [HEAVY [FLOOR_MS [THRESHOLD_MS]]]]
#   reads RUN/summary.tsv, points.tsv; writes into RUN/figures (the folder must be there):
#   users.svg       p95 of the user in front over the number of users, one colour a system, with the most users found and foretold
#   delay.svg       how much longer than with one user alone a key took, of all users, and how much of it went by waiting for a CPU of the server
#   resources.svg   how busy server and viewers were, and how many processes waited for a CPU

run = ARG1
threshold_ms = ARGC > 4 ? real(ARG5) : 100

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

summary = run . "/summary.tsv"
limits = run . "/points.tsv"
set datafile separator "\t"
set key autotitle columnheader
filled(c) = strlen(strcol(c)) > 0
y(c) = filled(c) ? column(c) : NaN
low(c) = filled(c . "_low") ? column(c . "_low") : y(c)
high(c) = filled(c . "_high") ? column(c . "_high") : y(c)
place(list, w) = sum [i = 1:words(list)] (word(list, i) eq w ? i : 0)

systems = ""
most = 1
slowest = threshold_ms
waits = 0
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (strcol("state") eq "measured" ? (systems = place(systems, strcol("system")) ? systems : systems . " " . strcol("system"), most = column("users") > most ? column("users") : most, \
	slowest = filled("p95_ms") && column("p95_ms") > slowest ? column("p95_ms") : slowest, waits = filled("waiting") && column("waiting") > waits ? column("waiting") : waits) : 0, 0):(0)
unset table
set autoscale
n = words(systems)
colours = "#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #000000"
colour(i) = word(colours, 1 + (i - 1) % words(colours))
of(i, c) = strcol("system") eq word(systems, i) ? y(c) : NaN
label(i) = (s = word(systems, i), c = strstrt(s, "."), s[c + 1:*] . ", " . s[1:c - 1])
# "p95:100ms" begins a row of what was found
p95(i) = strcol("system") eq word(systems, i) && substr(strcol("criterion"), 1, 4) eq "p95:"
level(x) = (s = strcol("criterion"), substr(s, 1, 4) eq "p95:" ? real(substr(s, 5, strlen(s) - 2)) : NaN)
fresh = 'reset; load here . "/style.gp"; set datafile separator "\t"; set key autotitle columnheader'

set key maxrows 3 maxcols 2
set output run . "/figures/users.svg"
set xrange [0:most * 1.05 + 0.5]
if (most <= 16) { set xtics 1 }
set yrange [0:slowest * 1.1]
set xlabel "users"
set ylabel "p95 of the user in front, ms"
plot threshold_ms with lines dashtype 2 linecolor rgb line_colour title sprintf("%g ms", threshold_ms), \
	for [i = 1:n] summary using (of(i, "users")):(of(i, "p95_ms")):(low("p95_ms")):(high("p95_ms")) with yerrorbars pointtype 7 linecolor rgb colour(i) notitle, \
	for [i = 1:n] summary using (of(i, "users")):(of(i, "p95_ms")) with lines linecolor rgb colour(i) title label(i), \
	for [i = 1:n] limits using (p95(i) ? y("users") : NaN):(level(0)):(low("users")):(high("users")) with xerrorbars pointtype 4 pointsize 1.2 linecolor rgb colour(i) \
		title (i == 1 ? "the most users, found" : ""), \
	for [i = 1:n] limits using (p95(i) ? y("forecast") : NaN):(level(0)):(low("forecast")):(high("forecast")) with xerrorbars pointtype 2 pointsize 1.4 linewidth 2 linecolor rgb colour(i) title (i == 1 ? "foretold from the first third" : "")
unset output

eval fresh
set key maxrows 3 maxcols 2
set output run . "/figures/delay.svg"
set xrange [0:most * 1.05 + 0.5]
if (most <= 16) { set xtics 1 }
set yrange [0:*]
set xlabel "users"
set ylabel "ms more than with one user alone"
plot 1/0 notitle, \
	for [i = 1:n] summary using (of(i, "users")):(of(i, "more_ms")) with linespoints pointtype 7 linecolor rgb colour(i) title "a key, " . label(i), \
	for [i = 1:n] summary using (of(i, "users")):(of(i, "users") > 1 ? of(i, "wait_ms") : NaN) with linespoints pointtype 8 dashtype 2 linecolor rgb colour(i) title (i == 1 ? "of that, waiting for a CPU" : "")
unset output

eval fresh
set key maxrows 3 maxcols 2
set output run . "/figures/resources.svg"
set xrange [0:most * 1.05 + 0.5]
if (most <= 16) { set xtics 1 }
set yrange [0:105]
set xlabel "users"
set ylabel "percent of the CPUs"
set y2label "processes that wait for a CPU" textcolor rgb "#222222"
set y2range [0:waits > 1 ? waits * 1.1 : 1]
set y2tics nomirror
set border 11
plot for [i = 1:n] summary using (of(i, "users")):(of(i, "server_busy_percent")) with linespoints pointtype 7 linecolor rgb colour(i) title "server, " . label(i), \
	for [i = 1:n] summary using (of(i, "users")):(of(i, "client_busy_percent")) with linespoints pointtype 6 dashtype 3 linecolor rgb colour(i) title (i == 1 ? "viewers" : ""), \
	for [i = 1:n] summary using (of(i, "users")):(of(i, "waiting")) axes x1y2 with linespoints pointtype 8 dashtype 2 linecolor rgb colour(i) title (i == 1 ? "waiting (right)" : "")
unset output
