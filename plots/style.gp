# SPDX-License-Identifier: GPL-3.0-or-later
# style.gp - the common looks: one font, thin grey frame, two colours that every kind of colour vision tells apart
# (Okabe & Ito), and for loads a scale from light to dark that also reads in grey.

set encoding utf8
set terminal svg size 760,480 dynamic enhanced font "sans-serif,13" linewidth 1.2 background rgb "white"

light_colour = "#0072B2"
heavy_colour = "#D55E00"
line_colour = "#555555"
mark_colour = "#999999"

set border 3 linecolor rgb "#666666" linewidth 0.8
set tics nomirror out scale 0.6 textcolor rgb "#333333"
set grid ytics linecolor rgb "#dddddd" linewidth 0.6 linetype 1
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
