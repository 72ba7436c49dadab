# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# outputs_rows.sh - of tests/outputs.sh, which sources it.

outputs_rows_users() {
	cat <<'END'
arrivals	-	thinprobe arrivals --sample 2000 $OPTIONS
queue	-	thinprobe queue mva --demand 50ms,40ms -n 1,5,10,20 -z 1s $OPTIONS
queue	-	thinprobe queue mm1 --rate 10,18,25 --service 50ms $OPTIONS
queue	rows	thinprobe queue fit observed.tsv --threshold 200ms $OPTIONS
vusers	web	thinprobe vusers http://127.0.0.1:$PORT/ -n 20 -z 100ms -t 500ms $OPTIONS
END
}

outputs_need_rows() { printf 'n\tz_s\tr_ms\n10\t2\t75\n20\t2\t110\n40\t2\t490\n60\t2\t1600\n' >observed.tsv; }
outputs_need_web() { outputs_start_port web thinprobe vusers serve http://127.0.0.1:PORT/ --stations 5ms; }
