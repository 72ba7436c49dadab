# SPDX-License-Identifier: GPL-3.0-or-later
# findings.jq - the findings, numbered, for a terminal.
include "lib";
include "users/common";
include "users/say";

(findings | to_entries[] | "\(.key + 1). \(.value)"),
(if .run.state != "complete" then "This run is \(.run.state): what is missing may change what it says." else empty end),
(shared_words | values),
(marked_cells_words | values),
(invalid_words | values),
(indicative | values)
