# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - a held key beside typed ones: mean stall and jitter over CPU hogs, a panel an application.

apps = ""
modes = ""
most = 1
eval look("summary.tsv", 'apps = add(apps, strcol("app")), modes = add(modes, strcol("mode")), most = more(most, y("sinks"))')
n = words(apps)

do for [what in "mean_stall jitter_sd"] {
	says = what eq "jitter_sd" ? "jitter (standard deviation), ms" : "mean stall, ms"
	eval panels(what eq "jitter_sd" ? "jitter" : "mean-stall", 360, n, 1, 36, what eq "jitter_sd" \
		? "Jitter of a held key and of typed keys" : "Mean stall of a held key and of typed keys")
	set xrange [0:most * 1.05]
	set xlabel "CPU hogs beside the session" offset 0, 0.5
	do for [i = 1:n] {
		set ylabel says
		eval panel(i, exists("app_" . word(apps, i)) ? value("app_" . word(apps, i)) : word(apps, i))
		app = word(apps, i)
		says(m) = word(modes, m)
		at(m) = strcol("app") eq app && strcol("mode") eq word(modes, m) ? column("sinks") : NaN
		command = "plot NaN notitle" . curves(words(modes), what . "_ms")
		if (what eq "mean_stall" && app eq "heavy" && exists("cost_ms")) {
			command = command . ", (cost_ms * (x + 1) > 50 ? cost_ms * (x + 1) - 50 : 0)" \
				. " with lines dashtype 2 linecolor rgb line_colour notitle"
		}
		eval command
	}
	eval legend_strip(2)
	plot for [m = 1:words(modes)] NaN with linespoints linecolor rgb colour(m) pointtype shape(m) \
		title word(modes, m) eq "hold" ? "one key held down" : "typed key by key"
}
