# SPDX-License-Identifier: GPL-3.0-or-later
# session-memory.gp - the figures of experiments/session-memory.sh.
#
# gnuplot -c plots/session-memory.gp RUN
#   reads RUN/summary.tsv, slope.tsv, who.tsv; writes into RUN/figures (the folder must be there):
#   logins.svg      memory over the number of logins, with the line of the slope, one colour a system
#   processes.svg   private memory of a login by what it goes to, one bar a system

run = ARG1

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

summary = run . "/summary.tsv"
slope = run . "/slope.tsv"
who = run . "/who.tsv"
set datafile separator "\t"
set key autotitle columnheader
MB = 1048576.0

# The systems that were measured, in the order of the table.
systems = ""
most = 0
least = 1e9
filled(c) = strlen(strcol(c)) > 0
place(list, w) = sum [i = 1:words(list)] (word(list, i) eq w ? i : 0)
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (strcol("state") eq "measured" && column("logins") > 0 ? (systems = place(systems, strcol("system")) ? systems : systems . " " . strcol("system"), \
	most = column("logins") > most ? column("logins") : most, least = column("logins") < least ? column("logins") : least) : 0, 0):(0) with points
n = words(systems)
array rate[n + 1]
array start[n + 1]
array charged[n + 1]
do for [i = 1:n] { rate[i] = NaN; start[i] = NaN; charged[i] = NaN }
is(i) = i >= 1 && i <= n
plot slope using (s = place(systems, strcol("system")), is(s) && strcol("what") eq "private" ? (rate[s] = column("slope_bytes") / MB, start[s] = column("start_bytes") / MB) : 0, \
	is(s) && strcol("what") eq "group" ? (charged[s] = column("slope_bytes") / MB) : 0, 0):(0) with points
unset table
set autoscale
unset xrange
unset yrange

colours = "#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #000000"
colour(i) = word(colours, 1 + (i - 1) % words(colours))
cut(s) = strstrt(s, ".")
kind(i) = (s = word(systems, i), s[cut(s) + 1:*])
protocol(i) = (s = word(systems, i), s[1:cut(s) - 1])
label(i) = kind(i) . " login, " . protocol(i)

set output run . "/figures/logins.svg"
rows = n
set terminal svg size 760,378 + 22 * rows
set bmargin at screen (70.0 + 22 * rows) / (378 + 22 * rows)
set key at screen 0.1, (6.0 + 22 * rows) / (378 + 22 * rows) left top Left reverse vertical maxcols 1 width 2
set xrange [0:most * 1.04 + 0.1]
set yrange [0:*]
if (most <= 12) { set xtics 1 }	# there is no half a login
set xlabel "logins at once"
set ylabel "memory of all of them together, MB"
mine(i, c) = strcol("system") eq word(systems, i) && column("logins") > 0 && filled(c) ? column(c) / MB : NaN
edge(i, c, d) = filled(c . d) ? mine(i, c . d) : mine(i, c)
set label 1 "crosses: charged by the kernel" at graph 0.02, 0.96 textcolor rgb "#555555" font ",12"
line(i) = rate[i] == rate[i] ? sprintf("%s: %.3g MB for one more%s", label(i), rate[i], charged[i] == charged[i] ? sprintf(" (charged %.3g)", charged[i]) : "") : label(i)
plot for [i = 1:n] [least:most] start[i] + rate[i] * x with lines linecolor rgb colour(i) dashtype 3 notitle, \
	for [i = 1:n] summary using (column("logins")):(mine(i, "private_bytes")):(edge(i, "private_bytes", "_low")):(edge(i, "private_bytes", "_high")) with yerrorbars linecolor rgb colour(i) pointtype 7 \
		title line(i) noenhanced, \
	for [i = 1:n] summary using (column("logins")):(mine(i, "group_bytes")) with points linecolor rgb colour(i) pointtype 2 notitle
unset label 1

# Bars: of a login when it is alone (or at the least number), what its private memory goes to.
classes = "display terminal desktop services"
class_label(k) = word("display_server terminal_and_shell desktop message_bus_and_settings", k)
class_colour(k) = word("#0072B2 #56B4E9 #E69F00 #999999", k)
spaced(s) = (at_ = strstrt(s, "_"), at_ ? s[1:at_ - 1] . " " . spaced(s[at_ + 1:*]) : s)
m = words(classes)
array part[n * m + 1]
do for [i = 1:n * m] { part[i] = 0 }
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot who using (s = place(systems, strcol("system")), c = place(classes, strcol("class")), is(s) && c > 0 && column("logins") == least && filled("private_bytes") ? \
	(part[(s - 1) * m + c] = part[(s - 1) * m + c] + column("private_bytes") / MB) : 0, 0):(0) with points
unset table
set autoscale
unset xrange
unset yrange
unset xtics
set xtics nomirror out scale 0 noenhanced
set print $bars
do for [i = 1:n] {
	text = sprintf("%d\t%s", i, label(i))
	do for [c = 1:m] { text = text . sprintf("\t%.6f", part[(i - 1) * m + c]) }
	print text
}
unset print
set output run . "/figures/processes.svg"
set terminal svg size 760,400
set bmargin at screen 0.24
set key at screen 0.1, 0.12 left top Left reverse horizontal maxcols 2 width 2
set style data histogram
set style histogram rowstacked
set style fill solid 0.9 border rgb "white"
set boxwidth 0.55
unset xlabel
set ylabel "private memory of one login, MB"
set yrange [0:*]
set xrange [-0.6:n - 0.4]
set key noautotitle
plot for [c = 1:m] $bars using (column(c + 2)):xtic(2) linecolor rgb class_colour(c) title spaced(class_label(c)), \
	$bars using ($1 - 1):(sum [c = 1:m] column(c + 2)):(sprintf("%.1f", sum [c = 1:m] column(c + 2))) with labels offset 0, 0.6 textcolor rgb "#333333" notitle
