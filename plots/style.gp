# SPDX-License-Identifier: GPL-3.0-or-later
# style.gp - the common looks: one font, thin grey frame, two colours that every kind of colour vision tells apart
# (Okabe & Ito), and for loads a scale from light to dark that also reads in grey.

set encoding utf8
terminal_of(width, height) = sprintf('set terminal svg size %d,%d dynamic enhanced font "sans-serif,13" ', width, height) \
	. 'linewidth 1.2 background rgb "white"; '
# A page holds each figure twice: 760 pixels wide, and for a phone (narrow=1) 380, with its panels one below the other.
if (!exists("narrow")) { narrow = 0 }
figure_width = narrow ? 380 : 760
eval terminal_of(figure_width, 480)

light_colour = "#0072B2"
heavy_colour = "#D55E00"
line_colour = "#555555"
mark_colour = "#999999"
light = 1
heavy = 2
dashed = 3
dotted = 4
set style line light linecolor rgb light_colour pointtype 7
set style line heavy linecolor rgb heavy_colour pointtype 5
set style line dashed linecolor rgb line_colour dashtype 2
set style line dotted linecolor rgb mark_colour dashtype 3

set key at screen 0.1, 0.17 left top Left reverse vertical maxcols 1 samplen 2.5 spacing 1.2 textcolor rgb "#222222"
set bmargin at screen 0.31
set title font ",14" offset 0, 0.3
set xlabel textcolor rgb "#222222"
set ylabel textcolor rgb "#222222"
set bars 0.6
set pointsize 0.75

# Loads from few to many; with more loads than colours neighbours share one and differ in their dashes.
load_colours = "#a8c957 #5ab56f #2a9b82 #2a7f8e #33608d #443a83 #440154"
load_colour(i, n) = word(load_colours, n > 1 ? 1 + int(6.0 * i / (n - 1) + 0.5) : 7)
load_dash(i, n) = n > 7 && i % 2 ? 4 : 1

# ---- helpers for experiments/STEM/figures.gp, which runs in a folder with all tables of the run as NAME.tsv ----
# Variables that the caller sets: threshold_ms, floor_ms, two_repeats (1: a figure has both values), joined (1: tables of several
# runs, which have the column run_name), engine (folder of experiments/engine), and labels.figures of say.jq.
# A helper that gives commands is used as: eval figure("rtt", 420, "Title", 2).

if (exists("engine")) { set datafile separator "\t"; set datafile columnheaders }

# Columns of the row at hand, by name. An empty cell is a hole.
known(v) = v == v
filled(c) = strlen(strcol(c)) > 0
y(c) = filled(c) ? column(c) : NaN
low(c) = filled(c . "_low") ? column(c . "_low") : y(c)
high(c) = filled(c . "_high") ? column(c . "_high") : y(c)
less(a, b) = !known(a) || b < a ? b : a
more(a, b) = !known(a) || b > a ? b : a

# Lists of distinct words, in the order of the table.
place(list, w) = sum [place_i = 1:words(list)] (word(list, place_i) eq w ? place_i : 0)
add(list, w) = place(list, w) ? list : list eq "" ? w : list . " " . w
number_of(list, i) = real(word(list, i))
# Of several runs in one report: a value without the name of its run (vnc of vnc/alpha), and that name ("" in a single run).
bare(w) = strstrt(w, "/") ? w[1:strstrt(w, "/") - 1] : w
run_of(w) = strstrt(w, "/") ? w[strstrt(w, "/") + 1:*] : ""
of_run(w) = strlen(run_of(w)) ? ", " . run_of(w) : ""
if (!exists("joined")) { joined = 0 }
slash_run(d) = joined ? "/" . strcol("run_name") : ""	# of the row at hand
# One look at a table before plotting: look("summary.tsv", 'loads = add(loads, strcol("load")), top = more(top, high("p50_ms"))').
look(file, expressions) = sprintf('set xrange [-1:1]; set yrange [-1:1]; set table $unused; plot "%s" using (%s, 0):(0), 0; ', \
	file, expressions) . 'unset table; unset xrange; unset yrange; set autoscale'
has_table(name) = strlen(system("test -s " . name . " && echo yes"))

# Colours that every kind of colour vision tells apart, by number from 1.
colours = "#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #000000 #8c564b"
colour(i) = word(colours, 1 + (i - 1) % words(colours))
shape(i) = int(word("7 5 9 13 11 6 4 8 12 10", 1 + (i - 1) % 10))

x_axis(range, words) = sprintf('set xrange [%s]; set xlabel "%s"; ', range, words)
y_axis(range, words) = sprintf('set yrange [%s]; set ylabel "%s"; ', range, words)

# A long text broken into lines that a narrow figure has room for.
gap_before(t, i) = i < 2 || t[i:i] eq " " ? i : gap_before(t, i - 1)
wrapped(t) = !narrow || strlen(t) < 47 || gap_before(t, 47) < 2 ? t \
	: t[1:gap_before(t, 47) - 1] . '\n' . wrapped(t[gap_before(t, 47) + 1:*])
more_lines(t) = strlen(wrapped(t)) > strlen(t) ? (strlen(wrapped(t)) - strlen(t)) : 0

# A new figure of this height in pixels, as wide as the page has it, with so many lines of legend. It closes the one before
# and takes back all that figures set.
figure_height = 480.0
figure_panels = 0
axes_looks = 'set border 3 linecolor rgb "#666666" linewidth 0.8; set tics nomirror out scale 0.6 textcolor rgb "#333333"; ' \
	. 'set grid ytics linecolor rgb "#dddddd" linewidth 0.6 linetype 1'
eval axes_looks
figure(name, height, title, lines) = 'if (figure_panels) { unset multiplot }; figure_panels = 0; unset output; ' \
	. 'least_drawn = -1e300; unset arrow; unset label; unset object; unset logscale; unset grid; unset xlabel; unset ylabel; ' \
	. 'unset y2label; unset y2tics; unset lmargin; unset rmargin; unset tmargin; set autoscale; set format; ' \
	. 'set xtics autofreq norotate; set ytics autofreq; set datafile missing; set samples 100; ' . axes_looks . '; ' \
	. sprintf('figure_height = %d.0; ', height) . terminal_of(figure_width, height) \
	. sprintf('set output "figures/%s.svg"; set title "%s" offset 0, 0.3; ', name, wrapped(title)) \
	. (lines > 0 ? sprintf("eval legend_lines(%d)", lines) : "unset key; set bmargin 4")
legend_lines(n) = sprintf('set bmargin at screen %g; set key at screen %g, %g left top Left reverse vertical ' \
	. 'maxrows auto maxcols 1 width 2', (76.0 + 24 * n) / figure_height, narrow ? 0.02 : 0.1, (12.0 + 24 * n) / figure_height)

# A new figure of panels across and down with one title above all and a strip of that many pixels below them all for a legend:
# eval panels("name", height, across, down, strip, "Title"), then for each eval panel(i, "its title") and a plot;
# at last eval legend_strip(columns) and a plot of NaN. For n panels, at most `most` of them across:
across(n, most) = n < most ? n : most
down(n, most) = int((n + across(n, most) - 1) / across(n, most))
panels(name, height, columns, rows, strip, title) = !narrow ? open_panels(name, height, columns, rows, strip, title) \
	: open_panels(name, panel_least(height, rows, strip) * columns * rows + 3 * strip + 40, 1, columns * rows, 3 * strip, title)
panel_least(height, rows, strip) = (height - strip - 40.0) / rows < 290 ? (height - strip - 40.0) / rows : 290
open_panels(name, height, columns, rows, strip, title) = figure(name, height + 18 * more_lines(title), "", 0) \
	. '; figure_panels = 1; ' . sprintf('panel_across = %d; panel_down = %d; panel_strip = %g; panel_head = %g; ', columns, \
		rows, strip, 40 + 18 * more_lines(title)) . 'unset bmargin; unset title; ' \
	. sprintf('set multiplot title "%s" font ",14"', wrapped(title))
panel_column(i) = (i - 1) % panel_across
panel_row(i) = int((i - 1) / panel_across)
panel_wide(c) = narrow ? 0.76 : (0.88 - 0.07 * (panel_across - 1)) / panel_across
panel_left(i) = (narrow ? 0.185 : 0.105) + panel_column(i) * (panel_wide(0) + 0.07)
panel_height(d) = (figure_height - panel_strip - panel_head) / panel_down
panel_top(i) = 1 - (panel_head + 24 + panel_row(i) * panel_height(0)) / figure_height
panel_bottom(i) = 1 - (panel_head - 62 + (panel_row(i) + 1) * panel_height(0)) / figure_height
inside(left, right, top, bottom) = sprintf('set lmargin at screen %g; set rmargin at screen %g; set tmargin at screen %g; ' \
	. 'set bmargin at screen %g; ', left, right, top, bottom)
panel(i, title) = inside(panel_left(i), panel_left(i) + panel_wide(0), panel_top(i), panel_bottom(i)) \
	. sprintf('set title "%s" noenhanced offset 0, -0.3 font ",13"; unset arrow; unset label; ', title) \
	. (panel_column(i) > 0 ? 'unset ylabel; ' : '')
legend_strip(columns) = 'unset arrow; unset label; unset object; unset title; unset xlabel; unset ylabel; unset border; ' \
	. 'unset tics; unset grid; unset logscale; set xrange [0:1]; set yrange [0:1]; ' \
	. inside(0.02, 0.98, panel_strip / figure_height, 0.01) \
	. sprintf('set key at screen 0.04, %g left top Left reverse horizontal samplen 2 ', (panel_strip - 4) / figure_height) \
	. (narrow ? sprintf('maxrows auto maxcols %d width 1', columns == 0 ? 4 : columns > 3 ? 2 : 1) \
	: columns > 0 ? sprintf('maxrows auto maxcols %d width 1', columns) : 'maxrows 1 maxcols 99 width 1')	# 0: all in one row

# Tics at the numbers of a list. Rows with the words of a list, from the top; every second one with a band behind it.
tics_at(axis, list) = sprintf('set %stics (); do for [t_ in "%s"] { set %stics add (sprintf("%%g", real(t_)) real(t_)) }', \
	axis, list, axis)
rows_of(list) = sprintf('row_words = "%s"; set ytics scale 0 (); set grid noytics xtics; ', list) \
	. 'do for [t_ = 1:words(row_words)] { set ytics add (word(row_words, t_) words(row_words) + 1 - t_) }; ' \
	. 'set yrange [0.4:words(row_words) + 0.6]'
row_of(w) = place(row_words, w) ? words(row_words) + 1 - place(row_words, w) : NaN
band(i, y) = sprintf('set object %d rectangle from graph 0, first %g to graph 1, first %g behind fillcolor rgb "#f5f5f5" ' \
	. 'fillstyle solid noborder', i, y - 0.5, y + 0.5)

# A curve, its points in the order of x, with error bars where the column has NAME_low and NAME_high, with small circles at both
# values of two repeats, which have no interval, and its value where the pointer rests. Expressions are text,
# over the rows of the table `data`: eval "plot " . curve('column("load")', "p50_ms", 1, "vim") . ", " . line(...)
data = "summary.tsv"
hover(c, name) = name . sprintf(": %.4g", y(c))
hover_ends(c, name) = hover(c, name) . (filled(c . "_low") ? sprintf(" (%.4g to %.4g)", low(c), high(c)) \
	: is_two(c) ? " (two repeats: " . strcol(c . "_both") . ")" : "")
# Two repeats: has the row both values of the column? (gnuplot ends on text of a column that is not there)
if (!exists("two_repeats")) { two_repeats = 0 }
is_two(c) = two_repeats && known(column(c . "_both")) && filled(c . "_both")
one_of_two(c, i) = is_two(c) ? real(word(strcol(c . "_both"), i)) : NaN
upmost(c) = more(high(c), more(one_of_two(c, 1), one_of_two(c, 2)))
# A row without an x value must not affect the range of the y axis either.
there(c) = known(x_) ? y(c) : NaN
there_low(c) = known(x_) ? low(c) : NaN
there_high(c) = known(x_) ? high(c) : NaN
# An end at or below 0 is drawn down to the edge of a logarithmic axis.
least_drawn = -1e300
drawn_low(c) = known(there_low(c)) && there_low(c) < least_drawn ? least_drawn : there_low(c)
values(x, c) = sprintf('data using (x_ = %s):(there("%s"))', x, c)
ends(x, c) = values(x, c) . sprintf(':(drawn_low("%s")):(there_high("%s"))', c, c)
looks(i, colour) = sprintf('pointtype %d linecolor rgb "%s" ', shape(i), colour)
bars(x, c, colour) = ends(sprintf('filled("%s_low") ? %s : NaN', c, x), c) . ' ' \
	. sprintf('with yerrorbars pointtype 0 linecolor rgb "%s" notitle, for [r_ = 1:%d] ', colour, 2 * two_repeats) \
	. sprintf('data using (x_ = %s):(known(x_) ? one_of_two("%s", r_) : NaN) ', x, c) \
	. sprintf('with points pointtype 6 pointsize 0.5 linecolor rgb "%s" notitle', colour)
points_with_lines(x, c, i, colour, title) = values(x, c) . ' smooth unique with linespoints ' . looks(i, colour) \
	. sprintf('title "%s" noenhanced', title)
hovers(f, x, c, i, colour, title) = values(x, c) . sprintf(':(%s("%s", "%s")) with labels hypertext point ', f, c, title) \
	. looks(i, colour) . 'notitle'
line_of(x, c, i, colour, title) = points_with_lines(x, c, i, colour, title) . ", " . hovers("hover", x, c, i, colour, title)
curve_of(x, c, i, colour, title) = bars(x, c, colour) . ", " . points_with_lines(x, c, i, colour, title) . ", " \
	. hovers("hover_ends", x, c, i, colour, title)
line(x, c, i, title) = line_of(x, c, i, colour(i), title)
curve(x, c, i, title) = curve_of(x, c, i, colour(i), title)
# The curves 1 to n of a column; the caller defines position and title as at(i) and says(i). Begins with a comma.
curves(n, c) = (all_ = "", sum [curve_i = 1:n] (all_ = all_ . ", " \
	. curve(sprintf("at(%d)", curve_i), c, curve_i, says(curve_i)), 0), all_)
# The same without lines, each with its mark; what the pointer shows is called label(i).
dots(n, c, mark) = sprintf(', for [i = 1:%d] ', n) . ends("at(i)", c) . sprintf(' with yerrorbars pointtype %s ', mark) \
	. sprintf('linecolor rgb colour(i) title says(i) noenhanced, for [i = 1:%d] ', n) . values("at(i)", c) \
	. sprintf(':(hover_ends("%s", label(i))) with labels hypertext point pointtype %s linecolor rgb colour(i) notitle', c, mark)

# Load lines: N users who think for Z ask N/Z times a second, and 1/Z less for each request under way. Of rows with users `n` (text;
# NaN: not of this row), up to so many requests under way.
load_lines(file, n, upto) = sprintf('"%s" using (known(n_ = %s) ? 0 : NaN):(n_ / y("z_s"))', file, n) \
	. sprintf(':(less(n_, %g)):(-less(n_, %g) / y("z_s")) with vectors nohead linestyle dotted', upto, upto)

# The threshold across, at the end of a plot command, where it lies within what is drawn (an arrow would leave a panel); and
# upright, as other times that are marked.
threshold_across = ', threshold_ms with lines dashtype 3 linecolor rgb mark_colour noautoscale notitle'
upright(at, to, colour, dash) = sprintf('set arrow from first %g, graph 0 to first %g, graph %g nohead dashtype %d ' \
	. 'linecolor rgb "%s"', at, at, to, dash, colour)
upright_label(at, text, colour) = sprintf('set label "%s" at first %g, graph 1 center offset 0, 0.6 textcolor rgb "%s" ' \
	. 'font ",11"', text, at, colour)
