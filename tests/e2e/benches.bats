#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# bats file_tags=all,alone:machine
# Every bench runs to its end, small and short: what `make bench QUICK=1` does, all within the time limit of a job. Each measures
# something; that a limit was not shown to hold is a failure on a quiet machine. (What a lab runs counts as noise.)

load benches

@test "attach" { ends attach; }
@test "echo" { ends echo; }
@test "idleprofile" { ends idleprofile; }
@test "keyrepeat" { ends keyrepeat; }
@test "live" { ends live 2000; says 2 "lost nothing in any round in which tcpdump -w lost nothing: yes"; }
@test "memhog" { ends memhog; says 1 "fill 4K: memhog-1 / plain .*indicative" "threads\? *: write .* GB/s"; }
@test "netload" { ends netload; }
@test "prototap" { ends prototap; says 1 "as tshark adds them up: yes"; says 2 "^prototap stays below 64 MiB: yes"; }
@test "sink" { ends sink; }
@test "stalls" { ends stalls; }

@test "every bench is run here" { every_bench; }
