# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - total and response times of cpuspeed, for a terminal.
include "replays/table";

replays_table
