# SPDX-License-Identifier: GPL-3.0-or-later
# findings.jq - the findings of a run of the search for caches, numbered, for a terminal.
include "lib";
include "cache/say";

(findings | to_entries[] | "\(.key + 1). \(.value)"),
(if .run.state != "complete" then "This run is \(.run.state): what is missing may change what it says." else empty end),
(shared_words | values),
(disturbed_words | values),
(if (.run.settings.repeats // 1) < 5 then "indicative: \(plural(.run.settings.repeats // 1; "search"; "searches")) of each" else empty end)
