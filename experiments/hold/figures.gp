# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - held and typed keys: mean stall and jitter over CPU hogs, a panel for each application and protocol.

apps = sessions = modes = ""
most = 1
session(d) = strcol("app") . "," . strcol("protocol")
eval look("summary.tsv", 'apps = add(apps, strcol("app")), sessions = add(sessions, session(0)), ' \
	. 'modes = add(modes, strcol("mode")), most = more(most, y("sinks"))')
n = words(sessions)
several = n > words(apps)
side = several && words(apps) == 2 ? 2 : 3
app_of(s) = substr(s, 1, strstrt(s, ",") - 1)
title_of(s) = (several ? s[strstrt(s, ",") + 1:*] . ": " : "") \
	. (exists("app_" . app_of(s)) ? value("app_" . app_of(s)) : app_of(s))

do for [what in "mean_stall jitter_sd"] {
	says = what eq "jitter_sd" ? "jitter (standard deviation), ms" : "mean stall, ms"
	eval panels(what eq "jitter_sd" ? "jitter" : "mean-stall", 90 + 270 * down(n, side), across(n, side), down(n, side), 36, \
		what eq "jitter_sd" ? "Jitter of a held key and of typed keys" : "Mean stall of a held key and of typed keys")
	set xrange [-0.03 * most:most * 1.05]
	if (several) { set yrange [*<0:10<*] }	# a panel of small stalls looks like it beside the others
	do for [i = 1:n] {
		set ylabel says
		set xlabel (panel_row(i) + 1 == panel_down ? load_axis : "") offset 0, 0.5
		eval panel(i, title_of(word(sessions, i)))
		app = app_of(word(sessions, i))
		says(m) = word(modes, m)
		at(m) = session(0) eq word(sessions, i) && strcol("mode") eq word(modes, m) ? column("sinks") : NaN
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
