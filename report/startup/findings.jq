# SPDX-License-Identifier: GPL-3.0-or-later
# findings.jq - the findings of a run of start-ups, numbered, for a terminal.
include "lib";
include "startup/say";

(findings | to_entries[] | "\(.key + 1). \(.value)"),
(if .run.state != "complete" then "This run is \(.run.state): what is missing may change what it says." else empty end),
(shared_words | values),
(disturbed_words | values),
(indicative | values)
