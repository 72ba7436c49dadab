# SPDX-License-Identifier: GPL-3.0-or-later
# style.gp - looks and helpers of scripts that draw a form of their own; all other figures are drawn by draw.gp.

narrow = exists("layout") && layout eq "narrow"	# drawn for phones (draw.gp sets layout)
set encoding utf8
set datafile separator "\t"
set datafile columnheaders
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
set border 3 linecolor rgb "#666666" linewidth 0.8
set tics nomirror out scale 0.6 textcolor rgb "#333333"
set grid ytics linecolor rgb "#dddddd" linewidth 0.6 linetype 1
set title font ",14" offset 0, 0.3
set xlabel textcolor rgb "#222222"
set ylabel textcolor rgb "#222222"
set bars 0.6
set pointsize 0.75

# Columns of the row at hand, by name. An empty cell is a hole.
known(v) = v == v
y(c) = strlen(strcol(c)) ? column(c) : NaN
less(a, b) = !known(a) || b < a ? b : a
more(a, b) = !known(a) || b > a ? b : a
