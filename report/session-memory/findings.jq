# SPDX-License-Identifier: GPL-3.0-or-later
# findings.jq - the findings, numbered, for a terminal.
include "lib";
include "session-memory/say";

(findings | to_entries[] | "\(.key + 1). \(.value)"),
(if .run.state != "complete" then "This run is \(.run.state): what is missing may change what it says." else empty end),
absent_words[],
(indicative | values)
