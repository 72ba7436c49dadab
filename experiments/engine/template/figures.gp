# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - NAME: median response time of each application.

apps = ""
eval look("summary.tsv", 'apps = add(apps, strcol("app"))')
n = words(apps)

eval figure("median", 420, "Response time of a key", 1)
set xrange [0.5:n + 0.5]
app_words(app) = exists("app_" . app) ? value("app_" . app) : app
set xtics ()
do for [i = 1:n] { set xtics add (app_words(word(apps, i)) i) }
eval y_axis("0:*", "median response time, ms")
at(i) = strcol("app") eq word(apps, i) ? i : NaN
command = "plot NaN with points pointtype shape(1) linecolor rgb colour(1) title 'median, with its 95 % interval'"
do for [i = 1:n] {
	command = command . ", " . bars(sprintf("at(%d)", i), "p50_ms", colour(1)) \
		. ", " . hovers("hover_ends", sprintf("at(%d)", i), "p50_ms", 1, colour(1), app_words(word(apps, i)))
}
eval command . threshold_across
