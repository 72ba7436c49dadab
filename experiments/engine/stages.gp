# SPDX-License-Identifier: GPL-3.0-or-later
# stages.gp - where the time of a key goes: one bar a load, one panel an application. Reads stages.tsv; means, because they add up.
# Uses app_light, app_heavy and load_word of the experiment's say.jq.

stages = "due_sent sent_wire wire_app app_drawn drawn_wire wire_wire wire_pixels"
tones = "#bbbbbb #56B4E9 #009E73 #D55E00 #0072B2 #CC79A7 #E69F00"
array stage_words[7] = ["due → sent", "sent → on the wire", "on the wire → in the application", \
	"in the application → drawn", "drawn → response on the wire", "on the wire → response on the wire", \
	"response on the wire → pixels"]
apps = ""
loads = ""
used = ""
eval look("stages.tsv", 'apps = add(apps, strcol("app")), loads = add(loads, strcol("sinks")), used = add(used, strcol("stage"))')
apps = (place(apps, "light") ? "light " : "") . (place(apps, "own") ? "own " : "") . (place(apps, "heavy") ? "heavy" : "")
title_of(a) = a eq "light" || !strlen(app_heavy) ? app_light : app_heavy

if (words(apps) > 0) {
	eval panels("stages", 480, words(apps), 1, 110, "Where the time of a key goes")
	set grid noytics xtics
	set yrange [words(loads) + 0.6 : 0.4]
	eval x_axis("0:*", "ms after the key was due, mean of all keys")
	set style fill solid 1.0 noborder
	set ytics ()
	do for [i = 1:words(loads)] { set ytics add (word(loads, i) i) }
	set ylabel load_word
	do for [p = 1:words(apps)] {
		eval panel(p, title_of(word(apps, p)))
		ms(c) = strcol("app") eq word(apps, p) && strcol("stage") eq word(stages, s) ? y(c) : NaN
		bar(d) = place(loads, strcol("sinks")) + d
		plot for [s = 1:7] "stages.tsv" using (ms("from_ms")):(bar(0)):(ms("from_ms")):(ms("to_ms")):(bar(-0.32)):(bar(0.32)) \
			with boxxyerror linecolor rgb word(tones, s) notitle
	}
	eval legend_strip(2)
	set key vertical
	plot for [s = 1:7] NaN with boxes linecolor rgb word(tones, s) title (place(used, word(stages, s)) ? stage_words[s] : "")
}
