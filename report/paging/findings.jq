# SPDX-License-Identifier: GPL-3.0-or-later
# findings.jq - the findings of a run of paging, numbered, for a terminal.
include "lib";
include "paging/say";

(findings | to_entries[] | "\(.key + 1). \(.value)"),
(if .run.state != "complete" then "This run is \(.run.state): what is missing may change what it says." else empty end),
(shared_words | values),
(runs_words as $n | if $n < 10 then "indicative: \(plural($n; "run"; "runs")) of each" else empty end)
