# findings.jq - the findings, numbered, for a terminal.
include "lib";
include "say";

(findings | to_entries[] | "\(.key + 1). \(.value)"),
(if .run.state != "complete" then "This run is \(.run.state): what is missing may change what it says." else empty end),
(if .run.lab.shared_cpus == true then "Server and client shared CPUs: load on the server slows the probe too, so figures are upper bounds." else empty end),
(marked_words | values),
(.run.settings.repeats as $n | if $n != null and $n < 5 then "indicative: \({"1": "one repeat", "2": "two repeats", "3": "three repeats", "4": "four repeats"}[$n | tostring])" else empty end)
