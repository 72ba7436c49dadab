# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - which figures: engine/replays.gp.
axis_words = "other reads from the session's disk, 1/s"
numeric = 1
load engine . "/replays.gp"
