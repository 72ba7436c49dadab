# SPDX-License-Identifier: GPL-3.0-or-later
# findings.jq - the findings of a comparison of scheduler settings, numbered, for a terminal.
include "lib";
include "schedulers/say";

(findings | to_entries[] | "\(.key + 1). \(.value)"),
([(if .run.state != "complete" then "this run is \(.run.state)" else empty end),
  (if (.run.settings.repeats // 0) < 5 then "indicative: \(repeats_words)" else empty end)] | if . == [] then empty else join("; ") + "." end),
(shared_words | values),
(marked_words | values)
