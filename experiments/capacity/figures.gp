# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - the user in front over the number of users; how much longer keys took; how busy the machines were.

systems = ""
most = 1
slowest = threshold_ms
waits = 1
eval look("summary.tsv", 'strcol("state") eq "measured" ? (systems = add(systems, strcol("system")), ' \
	. 'most = more(most, y("users")), slowest = more(slowest, y("p95_ms")), waits = more(waits, y("waiting"))) : 0')
n = words(systems)
of(i) = strcol("system") eq word(systems, i) ? y("users") : NaN
beside(i) = column("users") > 1 ? of(i) : NaN
label(i) = (label_ = word(systems, i), dot_ = strstrt(label_, "."), app_ = label_[dot_ + 1:*], \
	(exists("app_" . app_) ? value("app_" . app_) : app_) . ", " . label_[1:dot_ - 1])
# "p95:100ms" begins a row of what was found
p95(i) = strcol("system") eq word(systems, i) && substr(strcol("criterion"), 1, 4) eq "p95:"
limit(d) = (c_ = strcol("criterion"), substr(c_, 1, 4) eq "p95:" ? real(substr(c_, 5, strlen(c_) - 2)) : NaN)
begin(name, lines, title) = figure(name, 380 + 22 * lines, title) . "; " . legend_lines(lines) \
	. "; set xrange [0:most * 1.05 + 0.5]; " . (most <= 16 ? "set xtics 1; " : "") . 'set xlabel "users"'

eval begin("users", n + 2, "Response time of the user in front over the number of users")
set yrange [0:slowest * 1.15]
set ylabel "95 % of the keys within, ms"
eval threshold_across
command = "plot NaN notitle"
do for [i = 1:n] { command = command . ", " . curve(sprintf("of(%d)", i), "p95_ms", i, label(i)) }
eval command . ', for [i = 1:n] "points.tsv" using (p95(i) ? y("users") : NaN):(limit(0)):(low("users")):(high("users")) ' \
	. 'with xerrorbars pointtype 4 pointsize 1.2 linecolor rgb colour(i) title i == 1 ? "the most users, found" : "", ' \
	. 'for [i = 1:n] "points.tsv" using (p95(i) ? y("forecast") : NaN):(limit(0)):(low("forecast")):(high("forecast")) ' \
	. 'with xerrorbars pointtype 2 pointsize 1.4 linewidth 2 linecolor rgb colour(i) ' \
	. 'title i == 1 ? "forecast from the first third" : ""'

eval begin("delay", 2 * n, "How much longer keys took than with one user alone")
set yrange [0:*]
set ylabel "mean of all users, ms more"
command = "plot NaN notitle"
do for [i = 1:n] {
	command = command . ", " . line(sprintf("of(%d)", i), "more_ms", i, "a key, " . label(i)) \
		. sprintf(", data using (x_ = beside(%d)):(there('wait_ms')) with linespoints pointtype 8 dashtype 2 ", i) \
		. sprintf('linecolor rgb colour(%d) ', i) . sprintf('title "of that, waiting for a CPU, %s" noenhanced', label(i))
}
eval command

eval begin("resources", n + 2, "How busy server and viewers were")
set yrange [0:105]
set ylabel "percent of the CPUs"
set y2label "processes that wait for a CPU" textcolor rgb "#222222"
set y2range [0:waits * 1.1]
set y2tics nomirror
set border 11
plot NaN notitle, \
	for [i = 1:n] data using (x_ = of(i)):(there("server_busy_percent")) with linespoints pointtype 7 linecolor rgb colour(i) \
		title "server, " . label(i) noenhanced, \
	for [i = 1:n] data using (x_ = of(i)):(there("client_busy_percent")) with linespoints pointtype 6 dashtype 3 \
		linecolor rgb colour(i) title i == 1 ? "viewers" : "", \
	for [i = 1:n] data using (x_ = of(i)):(there("waiting")) axes x1y2 with linespoints pointtype 8 dashtype 2 \
		linecolor rgb colour(i) title i == 1 ? "waiting for a CPU of the server (right)" : ""
unset output
