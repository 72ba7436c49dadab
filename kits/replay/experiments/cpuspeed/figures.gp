# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - which figures: engine/replays.gp.
axis_words = "percent of one CPU"
numeric = 1
load engine . "/replays.gp"
