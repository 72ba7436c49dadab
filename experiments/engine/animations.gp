# SPDX-License-Identifier: GPL-3.0-or-later
# animations.gp - conditions of an animation: their names (a no-break space keeps each one word), and tics for bandwidths.
named(x_) = strcol("protocol") . (strcol("draw") eq "pixmap" ? "\302\240(pixmap)" : "")
mbit_tics = 'set ytics ("0.0001" 0.0001, "0.001" 0.001, "0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10, "100" 100, "1000" 1000)'
