# SPDX-License-Identifier: GPL-3.0-or-later
# animations.gp - names of the conditions of an animation (a no-break space makes each a single word), and a panel with the
# bandwidth, from `least` to `most` Mbit/s, for each of `systems`, above a legend of `legend_rows`.
legend_rows = 1
named(x_) = strcol("protocol") . (strcol("draw") eq "pixmap" ? "\302\240(pixmap)" : "")
condition_panels(name, high, title) = panels(name, 54 + 36 * legend_rows + high * down(n, 3), across(n, 3), down(n, 3), \
		36 * legend_rows, title) \
	. '; set yrange [least / 2:most * 2]; ' \
	. 'set ytics ("0.0001" 0.0001, "0.001" 0.001, "0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10, "100" 100, "1000" 1000)'
condition_panel(i, words) = 'set ylabel "Mbit/s" offset 1.5, 0; ' \
	. sprintf('set xlabel "%s" offset 0, 0.5; ', i + panel_across > n ? words : "") . panel(i, word(systems, i))
