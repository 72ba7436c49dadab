# SPDX-License-Identifier: GPL-3.0-or-later
# slowreplay.gp - the figures of experiments/slowreplay.sh: replays.gp says which.
#
# gnuplot -c plots/slowreplay.gp RUN

run = ARG1
here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"
axis = ""
numeric = 0
load here . "/replays.gp"
