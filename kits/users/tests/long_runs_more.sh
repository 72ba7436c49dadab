# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# long_runs_more.sh - of tests/long-runs.sh, which sources it.
helper bin/vusers serve vnc:127.0.0.1:5972 --stations 2ms
until (exec 9<>/dev/tcp/127.0.0.1/5972) 2>/dev/null; do sleep 0.1; done
begin vusers bin/vusers vnc:127.0.0.1:5972 -n 40 --watched 4 -z 1s -t "$time" --log "$folder/users.tsv" --json
