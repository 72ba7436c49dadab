# SPDX-License-Identifier: GPL-3.0-or-later
# junit.jq - judged figures, [{name, verdict: holds|broken|not decided|error, why}], as JUnit XML: gate.sh and ab.sh. Needs safe.jq.
def junit($of): (map(select(.verdict == "broken")) | length) as $broken | (map(select(.verdict == "not decided")) | length) as $open
	| "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites>",
	"<testsuite name=\"thinprobe \($of | xml)\" tests=\"\(length)\" failures=\"\($broken)\" skipped=\"\($open)\" "
		+ "errors=\"\(map(select(.verdict == "error")) | length)\">",
	(.[] | "<testcase classname=\"thinprobe\" name=\"\(.name | xml)\">" + ({
		error: "<error message=\"\(.why | xml)\"/>",
		broken: "<failure message=\"\(.why | xml)\"/>",
		"not decided": "<skipped message=\"not decided: \(.why | xml)\"/>"}[.verdict] // "") + "</testcase>"),
	"</testsuite>", "</testsuites>";
