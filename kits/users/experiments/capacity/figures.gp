# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - the user in front over the number of users; how much longer keys took; how busy the machines were.

systems = ""
most = 1
slowest = threshold_ms
waits = 1
mores = 0
eval look("summary.tsv", 'strcol("state") eq "measured" ? (systems = add(systems, strcol("system")), ' \
	. 'most = more(most, y("users")), slowest = more(slowest, y("p95_ms")), waits = more(waits, y("waiting")), ' \
	. 'mores = mores || filled("more_ms")) : 0')
# "p95:100ms" begins a row of what was found
limit(d) = (c_ = strcol("criterion"), substr(c_, 1, 4) eq "p95:" ? real(substr(c_, 5, strlen(c_) - 2)) : NaN)
eval look("points.tsv", 'known(limit(0)) ? (slowest = more(slowest, limit(0)), ' \
	. 'most = more(most, more(y("users"), y("forecast")))) : 0')
n = words(systems)
at(i) = strcol("system") eq word(systems, i) ? y("users") : NaN
beside(i) = column("users") > 1 ? at(i) : NaN
says(i) = (label_ = word(systems, i), dot_ = strstrt(label_, "."), app_ = label_[dot_ + 1:*], \
	(exists("app_" . app_) ? value("app_" . app_) : app_) . ", " . label_[1:dot_ - 1])
whose(i) = n > 1 ? ", " . says(i) : ""
found(c) = substr(strcol("criterion"), 1, 4) eq "p95:" && strcol("system") eq word(systems, i) ? y(c) : NaN
begin(name, lines, title) = figure(name, 380 + 22 * lines, title, lines) \
	. "; set xrange [0:most * 1.05 + 0.5]; " . (most <= 16 ? "set xtics 1; " : "") . 'set xlabel "users"'

eval begin("users", n + 2, "Response time of the user in front over the number of users")
eval y_axis("0:slowest * 1.15", "95 % of the keys within, ms")
users(c, looks, title) = sprintf(', for [i = 1:n] "points.tsv" using (found("%s")):(limit(0)):(low("%s")):(high("%s")) ', c, c, c) \
	. sprintf('with xerrorbars %s linecolor rgb colour(i) title i == 1 ? "%s" : ""', looks, title)
eval "plot NaN notitle" . curves(n, "p95_ms") . users("users", "pointtype 4 pointsize 1.2", "the most users, found") \
	. users("forecast", "pointtype 2 pointsize 1.4 linewidth 2", "forecast from the first third") . threshold_across

if (mores) {
	eval begin("delay", 2 * n, "How much longer keys took than with one user alone")
	eval y_axis("0:*", "mean of all users, ms more")
	command = "plot NaN notitle"
	do for [i = 1:n] {
		command = command . ", " . line(sprintf("at(%d)", i), "more_ms", i, "a key" . whose(i)) \
			. sprintf(", data using (x_ = beside(%d)):(there('wait_ms')) with linespoints pointtype 8 dashtype 2 ", i) \
			. sprintf('linecolor rgb colour(%d) title "of that, waiting for a CPU%s" noenhanced', i, whose(i))
	}
	eval command
}

eval begin("resources", n + 2, "How busy server and viewers were")
eval y_axis("0:105", "percent of the CPUs")
set y2label "processes that wait for a CPU" textcolor rgb "#222222"
set y2range [0:waits * 1.1]
set y2tics nomirror
set border 11
plot NaN notitle, \
	for [i = 1:n] data using (x_ = at(i)):(there("server_busy_percent")) with linespoints pointtype 7 linecolor rgb colour(i) \
		title "server" . whose(i) noenhanced, \
	for [i = 1:n] data using (x_ = at(i)):(there("client_busy_percent")) with linespoints pointtype 6 dashtype 3 \
		linecolor rgb colour(i) title i == 1 ? "viewers" : "", \
	for [i = 1:n] data using (x_ = at(i)):(there("waiting")) axes x1y2 with linespoints pointtype 8 dashtype 2 \
		linecolor rgb colour(i) title i == 1 ? "waiting for a CPU of the server (right)" : ""
