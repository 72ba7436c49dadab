# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# warm.bash - programs of analysis/ without their start, which is most of their CPU time: `load warm`, then `warm report run` is
# `bin/report run`. (bin/report itself: the tests of whole runs.) It has undrawn.bash, too. A file with a setup_file() or
# teardown_file() of its own calls warm_begin and warm_end.

WARM_TOP=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
# shellcheck source=tests/undrawn.bash
. "$WARM_TOP/tests/undrawn.bash"

warm_begin() {
	mkfifo "$BATS_FILE_TMPDIR/warm"
	setpriv --pdeathsig KILL /usr/bin/python3 -IBSXutf8 "$WARM_TOP/tests/warm.py" "$WARM_TOP" <>"$BATS_FILE_TMPDIR/warm" 3>&- &
	export WARM_PID=$!
}
warm_end() { kill "$WARM_PID" && { wait "$WARM_PID" || :; }; }
setup_file() { warm_begin; }
teardown_file() { warm_end; }

# warm PROGRAM|SCRIPT.py WORD...: its exit status and output. A file takes the output of one of them, unless it is appended.
warm() {
	local pipe=$BATS_FILE_TMPDIR/warm.$BASHPID told part status=''

	[ -p "$pipe" ] || mkfifo "$pipe"
	{
		printf '%s\0' "$BASHPID" "$PWD" $# "$@"
		env -0
	} >"$pipe.ask"
	exec {told}<>"$pipe"
	(echo "$pipe" >"$BATS_FILE_TMPDIR/warm")	# (by a child: the streams of this shell stay)
	until read -rt 5 part <&"$told"; do	# (what came before the end of the time is in `part`)
		status+=$part
		kill -0 "$WARM_PID" || return
	done
	exec {told}<&-
	return "$status$part"
}

# once NAME FOLDER COMMAND...: COMMAND makes this folder anew; from the second time on in a file, it is a copy. NAME holds all on
# which it depends.
once() {
	local kept=$BATS_FILE_TMPDIR/once.${1//[^A-Za-z0-9.:-]/_}
	rm -rf "$2"
	if [ -d "$kept" ]; then cp -r "$kept" "$2"; else "${@:3}" && cp -r "$2" "$kept"; fi
}

# As undrawn.bash has it.
report_findings() {	# RUN
	warm summarize "$1" >"$BATS_TEST_TMPDIR/summarized" || [ $? = 3 ] || return
	warm report --json "$1" >"$1/findings.json"
}

# As cli/helpers.bash has them, without a start of Python or jq, which takes longer than all else in a test of made-up rows.
run_cells() { warm "$WARM_TOP/tests/run_cells.py" "$1"; }	# RUN
finding() {	# RUN ID [KEY]
	said_json "$1" "[$2]" "${3-value}" | awk '/^-?[0-9]/ { printf "%.12g\n", sprintf("%.3f", $0); next } 1' | json_text
}
verdict() { said_json "$1" '' verdict | json_text; }	# RUN
ids() { sed -n 's/^      "id": "\(.*\)",$/\1/p' "${1-run}/findings.json" | paste -sd ' '; }	# [RUN]
# found ID FILTER: of jq such as .value or '[.value, .verdict]', in the run's folder $RUN or `run`.
found() {
	local key all=''
	if [[ ! $2 =~ ^(\[)?(\.[a-z]+(,\ )?)+\]?$ ]]; then
		jq -c --arg id "$1" ".findings[] | select(.id == \$id) | $2" "${RUN-run}/findings.json"
		return
	fi
	for key in ${2//[],.[]/ }; do all+=,$(said_json "${RUN-run}" "[$1]" "$key"); done
	[ -z "${all//,/}" ] || { [[ $2 == .* ]] && echo "${all#,}" || echo "[${all#,}]"; }
}
# said_json RUN [ID]|"" KEY: as it stands in findings.json, which has a key a line.
said_json() {
	awk -v id="$2" -v key="\"$3\":" '$1 == "\"id\":" { on = index($0, ": \"" substr(id, 2, length(id) - 2) "\",") > 0 }
		$1 == key && (id == "" ? /^  "/ : on && /^      "/) { sub(/^[^:]*: /, ""); sub(/,$/, ""); print; exit }' "$1/findings.json"
}
json_text() { sed 's/^"\(.*\)"$/\1/; s/\\"/"/g; s/\\\\/\\/g'; }
