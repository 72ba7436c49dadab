# SPDX-License-Identifier: GPL-3.0-or-later
# findings.jq - the findings, numbered, for a terminal.
include "lib";
include "stalls/say";

(findings | to_entries[] | "\(.key + 1). \(.value)"),
(if .run.state != "complete" then "This run is \(.run.state): what is missing may change what it says." else empty end),
(shared_words | values),
(marked_words | values),
(.run.settings.repeats as $n | if $n != null and $n < 5 then "indicative: \({"1": "one repeat", "2": "two repeats", "3": "three repeats", "4": "four repeats"}[$n | tostring])" else empty end)
