# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# long_runs_more.sh - of tests/long-runs.sh, which sources it.
mkfifo "$folder/inputs"
begin vamp bin/vamp run --control "$folder/inputs" --user nobody --no-audio -t "$time" --log "$folder/vamp.tsv" --json
exec {inputs}<>"$folder/inputs"
