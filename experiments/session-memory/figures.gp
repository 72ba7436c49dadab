# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - memory of logins: logins, processes.

MB = 1048576.0
systems = ""
most = 0
least = 1e9
eval look("summary.tsv", 'column("repeats") > 0 && column("logins") > 0 ? (systems = add(systems, strcol("system")), ' \
	. 'most = more(most, column("logins")), least = less(least, column("logins"))) : 0')
n = words(systems)
array rate[n + 1]
array start[n + 1]
array charged[n + 1]
array fewest[n + 1]
do for [i = 1:n] { rate[i] = NaN; start[i] = NaN; charged[i] = NaN; fewest[i] = NaN }
which(x_) = place(systems, strcol("system"))
eval look("summary.tsv", 's = which(0), s && column("logins") > 0 ? (fewest[s] = less(column("logins"), fewest[s])) : 0')
eval look("slope.tsv", 's = which(0), s && strcol("what") eq "private" ? (rate[s] = y("slope_mb"), ' \
	. 'start[s] = y("start_bytes") / MB) : s && strcol("what") eq "group" ? (charged[s] = y("slope_mb")) : 0')
kind(i) = (s = word(systems, i), s[strstrt(s, ".") + 1:*])
protocol(i) = (s = word(systems, i), s[1:strstrt(s, ".") - 1])
label(i) = kind(i) . " login, " . bare(protocol(i)) . of_run(protocol(i))

eval figure("logins", 400 + 22 * n, "Memory of all logins together", n + 1)
eval x_axis("0:most * 1.04 + 0.1", "logins at once") . y_axis("0:*", "MB")
if (most <= 12) { set xtics 1 }	# whole logins only
says(i) = known(rate[i]) ? sprintf("%s: %.3g MB for one more%s", label(i), rate[i], \
	known(charged[i]) ? sprintf(" (charged %.3g)", charged[i]) : "") : label(i)
at(i) = which(0) == i && column("logins") > 0 ? column("logins") : NaN
eval 'plot for [i = 1:n] [least:most] start[i] + rate[i] * x with lines linecolor rgb colour(i) dashtype 3 notitle' \
	. dots(n, "private_mb", "7") . ', for [i = 1:n] data using (x_ = at(i)):(there("group_mb")) with points ' \
	. 'linecolor rgb colour(i) pointtype 2 notitle, ' \
	. 'NaN with points pointtype 2 linecolor rgb line_colour title "charged by the kernel"'

# Bars: private memory by process, of a login at the smallest number of logins.
classes = "display terminal desktop services"
class_label(k) = k == 1 ? "display server" : k == 2 ? "terminal and shell" : k == 3 ? "desktop" : "message bus, settings, sshd"
class_colour(k) = word("#0072B2 #56B4E9 #E69F00 #999999", k)
m = words(classes)
array part[n * m + 1]
do for [i = 1:n * m] { part[i] = 0 }
eval look("who.tsv", 's = which(0), c = place(classes, strcol("class")), s && c && column("logins") == fewest[s] ' \
	. '&& filled("private_kb") ? (part[(s - 1) * m + c] = part[(s - 1) * m + c] + y("private_kb") / 1024) : 0')
upto(i, k) = sum [c = 1:k] part[(i - 1) * m + c]
eval figure("processes", 430, "What the private memory of one login goes to", m)
set style fill solid 1 border rgb "white"
set boxwidth 0.55
set xrange [0.4:n + 0.6]
set yrange [0:*]
set xtics () scale 0 noenhanced
do for [i = 1:n] { set xtics add ((n > 3 ? kind(i) . "\n" . bare(protocol(i)) . "\n" . run_of(protocol(i)) : label(i)) i) }
set ylabel "private memory, MB"
plot for [k = 1:m] for [i = 1:n] "+" every ::::0 using (i):(upto(i, m + 1 - k)) with boxes linecolor rgb class_colour(m + 1 - k) \
		title i == 1 ? class_label(m + 1 - k) : "", \
	for [i = 1:n] "+" every ::::0 using (i):(upto(i, m)):(sprintf("%.1f", upto(i, m))) with labels offset 0, 0.6 \
		textcolor rgb "#333333" notitle
