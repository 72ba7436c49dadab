# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - which figures: families/settings.jq; figures.gp draws one more.
include "settings";

def figures: settings_figures("server"; false);
