#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# How drivers read their words: one reader, told by each which options there are.

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cat >"$BATS_TEST_TMPDIR/driver" <<'END_DRIVER'
set -u
need() { :; }
EXPERIMENT=trial
. "$TOP/experiments/options.sh"
QUICK=0 NAME=none
exp_usage() { echo "usage: trial"; }
exp_read_settings() { NAME=$(jq -r .settings.name "$RESUME/run.json"); }
exp_parse "--quick QUICK" "--seconds SECONDS_EACH
	--name NAME" "$@"
exp_resume
echo "quick=$QUICK seconds=$SECONDS_EACH name=$NAME only=$EXP_ONLY out=$OUT given=$EXP_GIVEN"
exp_given --name && echo named
echo "$EXP_COMMAND"
END_DRIVER
	export TOP
}

driver() { run bash "$BATS_TEST_TMPDIR/driver" "$@"; echo "$output"; }

@test "flags, values behind a blank or =, units of seconds; what was said is known, and the command as it could be said again" {
	driver --seconds=3s --quick --name 'two words' -o out/
	[ "$status" = 0 ]
	[ "${lines[0]}" = "quick=1 seconds=3 name=two words only=0 out=out/ given= --seconds --quick --name -o " ]
	[ "${lines[1]}" = named ]
	[ "${lines[2]}" = "thinprobe run trial --seconds=3s --quick --name two\\ words -o out/" ]
	driver --options-only
	[ "${lines[0]}" = "quick=0 seconds=10 name=none only=1 out= given= " ]
	[ "${lines[1]}" = "thinprobe run trial --options-only" ]
}

@test "what is no option, variables' names among them, and an option without its value: one line, 2" {
	for word in --nonsense QUICK NAME -- -q '--seconds' '--name=' '--quick=1' '*'; do
		driver "$word"
		[ "$status" = 2 ]
		[ "${#lines[@]}" = 1 ]
		[[ ${lines[0]} == "thinprobe: "*"(see thinprobe run trial --help)" ]]
	done
	driver --help
	[ "$status" = 0 ]
	[ "$output" = "usage: trial" ]
}

@test "a run that goes on takes its own settings and no others; what is no run of this is refused" {
	mkdir "$BATS_TEST_TMPDIR/run"
	echo '{"experiment": "trial", "settings": {"name": "old"}}' >"$BATS_TEST_TMPDIR/run/run.json"
	driver --resume "$BATS_TEST_TMPDIR/run/"
	[[ ${lines[0]} == *" name=old "* ]]
	driver --resume "$BATS_TEST_TMPDIR/run" --name new
	[ "$status" = 2 ]
	[[ $output == *"--name with --resume"* ]]
	for content in '{"experiment": "other"}' 'no json' ''; do
		echo "$content" >"$BATS_TEST_TMPDIR/run/run.json"
		driver --resume "$BATS_TEST_TMPDIR/run"
		[ "$status" = 2 ]
		[ "${#lines[@]}" = 1 ]
	done
}
