# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - engine/replays.gp, and outliers: the screen before the latest responses, and when they had come.
axis_words = "server"
numeric = 0
load engine . "/replays.gp"

late = 0
seen = ""
array line[9]
is_new(s) = s eq seen ? 0 : (seen = s, 1)	# (the only row of a table stands there twice)
words_of(names) = words(names) == 1 ? strcol(names) : strcol(word(names, 1)) . " " . words_of(names[strlen(word(names, 1)) + 2:*])
if (has_table("outliers.tsv")) {
	eval look("outliers.tsv", 'late = late + is_new(strcol("before")), ' \
		. 'line[late] = words_of("before after width height skip input setting latency_ms usual_ms")')
}
of(i, k) = int(real(word(line[i], k)))	# a number, whatever the table has: it stands in a command
within(name) = strstrt(name, "..") ? "a picture outside of the run" : name
shown(i, side) = sprintf('plot "../../%s" binary array=(%d,%d) skip=%d format="%%uchar" flipy using 1:2:3 with rgbimage notitle', \
	within(word(line[i], side)), of(i, 3), of(i, 4), of(i, 5))
titled(i, side) = side == 1 ? "Before input " . word(line[i], 6) \
	: sprintf("After %.0f ms on %s (usual %.0f ms)", real(word(line[i], 8)), word(line[i], 7), real(word(line[i], 9)))
if (late > 0) {
	eval panels("outliers", 40 + 300 * late, 2, late, 0, "The latest responses, compared with their usual time")
	do for [i = 1:late] { do for [side = 1:2] {
		eval panel(2 * i - 2 + side, titled(i, side))
		set size ratio -1; unset border; unset tics; unset grid; unset xlabel; unset ylabel; set autoscale fix
		eval shown(i, side)
	} }
}
