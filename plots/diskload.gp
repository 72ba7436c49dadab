# SPDX-License-Identifier: GPL-3.0-or-later
# diskload.gp - the figures of experiments/diskload.sh: replays.gp says which.
#
# gnuplot -c plots/diskload.gp RUN

run = ARG1
here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"
axis = "other reads from the session's disk, a second"
numeric = 1
load here . "/replays.gp"
