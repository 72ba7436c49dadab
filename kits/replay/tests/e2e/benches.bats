#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# bats file_tags=all,alone:machine
# Every bench runs to its end, small and short: what `make bench QUICK=1` does, all within the time limit of a job. Each measures
# something; that a limit was not shown to hold is a failure on a quiet machine. (What a lab runs counts as noise.)

load ../../../../tests/e2e/benches

@test "answers" { ends answers; }
@test "vncplay" { ends vncplay; }

@test "every bench is run here" { every_bench; }
