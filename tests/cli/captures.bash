# SPDX-License-Identifier: GPL-3.0-or-later
# captures - what tests on captures share: `load captures`, and begin_captures in setup_file().
# shellcheck shell=bash

# BIN: the programs. MADE: the hand-made captures. GOLDEN: what they are made and held against with.
begin_captures() {
	export BIN="${PROTOTAP_BIN:-$(cd "$BATS_TEST_DIRNAME/../../bin" && pwd)}"
	export GOLDEN="$BATS_TEST_DIRNAME/../golden"
	export MADE="$BATS_FILE_TMPDIR/made"
	export PYTHONDONTWRITEBYTECODE=1
	python3 "$GOLDEN/make_captures.py" "$MADE"
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
	flat | awk -F'\t' -v key="result.$1" '$1 == key { print $2; found = 1 } END { exit !found }'
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
