# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - engine/replays.gp, and order: which requests go first.
axis_words = "scheduler of the session's disk"
numeric = 0
load engine . "/replays.gp"

orders = 0
eval look("summary.tsv", 'filled("passed_percent") ? (orders = orders + 1) : 0')
if (orders > 0) {
	eval figure("order", 340, "Reads of the load that a read of the session goes before", 0)
	eval settings_axis
	eval y_axis("0:105", "of those that waited when it came, %")
	eval sprintf('plot data using (x_ = %s):(there("passed_percent")):(0.5 * width) with boxes fill solid 0.35 ', x_of_row) \
		. "noborder linecolor rgb light_colour notitle, " . bars(x_of_row, "passed_percent", light_colour) . ", " \
		. hovers("hover_ends", x_of_row, "passed_percent", 1, light_colour, "passed, %")
}
