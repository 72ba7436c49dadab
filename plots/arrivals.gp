# arrivals.gp - how requests arrive, beside a Poisson process of the same rate.
#
# gnuplot -c plots/arrivals.gp ROWS OUT.svg
#   reads what arrivals --rows wrote: the first arrivals as marks, counts in intervals and gaps between arrivals beside what a Poisson process would have, and, where
#   it is there, the coefficient of variation by the number of sources with its band.

rows = ARG1

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

set datafile separator "\t"
set key autotitle columnheader
filled(c) = strlen(strcol(c)) > 0
of(kind, c) = strcol("kind") eq kind && filled(c) ? column(c) : NaN

n_sources = 0
last = 1
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot rows using (strcol("kind") eq "sources" ? (n_sources = n_sources + 1) : strcol("kind") eq "arrival" ? (last = column("x")) : 0, 0):(0)
unset table
set autoscale

high = n_sources > 0 ? 720 : 500
set terminal svg size 860,high
set output ARG2
set multiplot
set bmargin
unset key
panel = 0.92 / (n_sources > 0 ? 3 : 2)

# marks on a line of time
set lmargin at screen 0.08
set rmargin at screen 0.97
set tmargin at screen 0.95
set bmargin at screen n_sources > 0 ? 0.85 : 0.80
set title "the first arrivals"
unset ytics
unset grid
set border 1
set yrange [0:1]
set xrange [0:last / 1000.0]
set xlabel "s" offset 0, 0.6
plot rows using (of("arrival", "x") / 1000):(0):(0):(1) with vectors nohead linecolor rgb light_colour notitle

set border 3
set grid ytics
set xrange [0:*]
set yrange [0:*]
set ytics auto
set key at graph 0.98, 0.97 right top Right noreverse samplen 2
top = n_sources > 0 ? 0.74 : 0.64
bottom = n_sources > 0 ? 0.45 : 0.13

set tmargin at screen top
set bmargin at screen bottom
set lmargin at screen 0.08
set rmargin at screen 0.50
set style fill solid 0.35 noborder
set boxwidth 0.8 relative
set title "arrivals in an interval"
set xlabel "arrivals" offset 0, 0.6
set ylabel "share of intervals" offset 1
plot rows using (of("count", "x")):(of("count", "y")) with boxes linecolor rgb light_colour title "measured", \
	rows using (of("count", "x")):(of("count", "expected")) with linespoints pointtype 7 pointsize 0.5 linecolor rgb heavy_colour title "Poisson"

set lmargin at screen 0.57
set rmargin at screen 0.97
set title "time between arrivals"
set xlabel "ms" offset 0, 0.6
set ylabel "share of gaps" offset 1
plot rows using (of("gap", "x")):(of("gap", "y")) with boxes linecolor rgb light_colour title "measured", \
	rows using (of("gap", "x")):(of("gap", "expected")) with linespoints pointtype 7 pointsize 0.5 linecolor rgb heavy_colour title "exponential"

if (n_sources > 0) {
	set lmargin at screen 0.08
	set rmargin at screen 0.97
	set tmargin at screen 0.34
	set bmargin at screen 0.08
	set title "coefficient of variation, as sources join"
	set xlabel "sources" offset 0, 0.6
	set ylabel "CoV" offset 1
	set yrange [0:*]
	set key at graph 0.98, 0.3 right top Right noreverse samplen 2
	plot 1 with lines dashtype 2 linecolor rgb line_colour title "Poisson process", \
		rows using (of("sources", "x")):(of("sources", "y")):(of("sources", "low")):(of("sources", "high")) with yerrorbars pointtype 7 linecolor rgb light_colour title "measured, +- 1.96/√n", \
		rows using (of("sources", "x")):(of("sources", "y")) with lines linecolor rgb light_colour notitle
}
unset multiplot
