# SPDX-License-Identifier: GPL-3.0-or-later
# findings.jq - the findings of iosched, numbered, for a terminal.
include "replays/findings";

replays_findings
