# SPDX-License-Identifier: GPL-3.0-or-later
# stages.gp - stages of a key's latency: a bar for each load, a panel for each application and protocol. From stages.tsv; means,
# because they add up. Uses app_light, app_heavy and load_word from the experiment's say.jq, and `several` from its figures.gp.

stages = "due_sent sent_wire wire_app app_drawn drawn_wire wire_wire wire_pixels"
tones = "#bbbbbb #56B4E9 #009E73 #D55E00 #0072B2 #CC79A7 #E69F00"
array stage_words[7] = ["due → sent", "sent → on the wire", "on the wire → in the application", \
	"in the application → drawn", "drawn → response on the wire", "on the wire → response on the wire", \
	"response on the wire → pixels"]
apps = staged = loads = used = ""
session(d) = strcol("app") . (several ? "," . strcol("protocol") : "")
eval look("stages.tsv", 'apps = add(apps, strcol("app")), staged = add(staged, session(0)), loads = add(loads, strcol("sinks")), ' \
	. 'used = add(used, strcol("stage"))')
if (!several) { staged = (place(apps, "light") ? "light " : "") . (place(apps, "own") ? "own " : "") \
	. (place(apps, "heavy") ? "heavy" : "") }
app_title(a) = a eq "light" || !strlen(app_heavy) ? app_light : app_heavy
title_of(s) = (at_ = strstrt(s, ","), at_ ? s[at_ + 1:*] . (words(apps) > 1 ? ": " . app_title(s[1:at_ - 1]) : "") : app_title(s))

if (words(staged) > 0) {
	side = several && words(apps) == 2 ? 2 : 3
	eval panels("stages", several ? 150 + (100 + 26 * words(loads)) * down(words(staged), side) : 480, across(words(staged), \
		side), down(words(staged), side), 110, "Where the time of a key goes" . (several && words(apps) == 1 ? ", " \
			. app_title(apps) : ""))
	set grid noytics xtics
	set yrange [words(loads) + 0.6 : 0.4]
	set xrange [0:*]
	set style fill solid 1.0 noborder
	set ytics ()
	do for [i = 1:words(loads)] { set ytics add (word(loads, i) i) }
	set ylabel load_word
	# a file for each panel: gnuplot would read the whole table for each
	system(sprintf('awk -v list="%s" -v by="%s" -v name=session -f "$ENGINE/split.awk" stages.tsv', staged, \
		several ? "app protocol" : "app"))
	do for [p = 1:words(staged)] {
		set xlabel (panel_row(p) + 1 == panel_down ? "ms after the key was due, mean of all keys" : "")
		eval panel(p, title_of(word(staged, p)))
		ms(c) = strcol("stage") eq word(stages, s) ? y(c) : NaN
		bar(d) = place(loads, strcol("sinks")) + d
		plot for [s = 1:7] sprintf("session-%d", p) using (ms("from_ms")):(bar(0)):(ms("from_ms")):(ms("to_ms")) \
			:(bar(-0.32)):(bar(0.32)) with boxxyerror linecolor rgb word(tones, s) notitle
	}
	eval legend_strip(2)
	set key vertical
	plot for [s = 1:7] NaN with boxes linecolor rgb word(tones, s) title (place(used, word(stages, s)) ? stage_words[s] : "")
}
