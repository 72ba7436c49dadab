# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - which figures: families/settings.jq.
include "settings";

def figures: settings_figures(""; false);
