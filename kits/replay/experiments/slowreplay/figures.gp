# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - which figures: engine/replays.gp.
axis_words = ""
numeric = 0
load engine . "/replays.gp"
