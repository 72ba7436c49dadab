# SPDX-License-Identifier: GPL-3.0-or-later
# captures - shared by tests on captures: `load captures`, and begin_captures in setup_file().
# shellcheck shell=bash

bats_require_minimum_version 1.5.0
# shellcheck source=tests/cli/numbers.bash
. "${BASH_SOURCE[0]%/*}/numbers.bash"

# BIN: the programs. MADE: hand-made captures, by the named makers. GOLDEN: the folder of the makers and checkers.
begin_captures() {	# captures|content|intervals|keys...
	local maker

	export BIN="${PROTOTAP_BIN:-$(cd "$BATS_TEST_DIRNAME/../../bin" && pwd)}"
	export GOLDEN="$BATS_TEST_DIRNAME/../golden"
	export MADE="$BATS_FILE_TMPDIR/made"
	export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$GOLDEN"
	for maker in "$@"; do
		python3 "$GOLDEN/make_$maker.py" "$MADE"
	done
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# flat <json: a line "key<tab>value" for each leaf, numbers as they are written, null as nothing
flat() {
	python3 -c '
import json, sys
def walk(v, key):
    items = v.items() if isinstance(v, dict) else enumerate(v) if isinstance(v, list) else None
    if items is None:
        print(key, "" if v is None else v, sep="\t")
    else:
        [walk(x, f"{key}.{k}" if key else str(k)) for k, x in items]
walk(json.load(sys.stdin, parse_float=str, parse_int=str), "")'
}

# value KEY <json: the value of a key of the result
value() {
	jq -re --arg key "$1" '.result | getpath($key | split("."))'
}

# Checks that every row of the independent counter is in the report. Times may differ by rounding of the last digit.
counted_alike()	# CAPTURE PORT REPORT...
{
	local report

	python3 "$GOLDEN/count_messages.py" "$1" "$2" >counted.tsv
	[ "$(wc -l <counted.tsv)" -ge 20 ] || return 1
	for report in "${@:3}"; do
		flat <"$report" >short.tsv
		awk -F'\t' '
			NR == FNR { said[$1] = $2; next }
			!($1 in said) || ($2 ~ /\./ ? (said[$1] - $2) ^ 2 > 0.000501 ^ 2 : said[$1] != $2) {
				print $1 ": counted " $2 ", said " said[$1]
				bad = 1
			}
			END { exit bad }' short.tsv counted.tsv && continue
		echo "not so in $report; the capture, by gzip and base64:"
		gzip -9c "$1" | base64 -w 0
		echo
		return 1
	done
}

# Every connection of the report, and no other, has the packets and bytes that tshark finds.
bytes_alike()	# CAPTURE PORT REPORT
{
	python3 "$GOLDEN/count_bytes.py" "$1" "$2" | sort >counted.tsv
	[ -s counted.tsv ] || return 1
	jq -r '.result.flows[] | [.transport, .client, .client_port, .server, .server_port, (.input, .display
		| .packets, .wire_bytes, .ip_bytes, .payload_bytes + .retransmitted_bytes)] | @tsv' "$3" | sort | diff counted.tsv - && return
	echo "is what tshark says of $1 (<), and what $3 says (>)"
	return 1
}

# A network namespace with only a loopback; nothing outside is touched.
in_namespace() {
	if [ "$(id -u)" = 0 ]; then
		unshare --net "$@"
	else
		unshare --user --map-root-user --net "$@"
	fi
}

need_namespace() {
	in_namespace true 2>/dev/null || skip "no network namespaces here"
}
