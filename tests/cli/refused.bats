#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# refused - what cannot be is told in one line that begins with the program's name, with exit status 2 for wrong words and 1 for
# what is not there; nothing is measured, mounted or written.

bats_require_minimum_version 1.5.0
load helpers

setup() {
	begin_test
	printf 'schema\tstart_ns\tlength_ns\nburst-plan/1\t5\t2000\nburst-plan/1\t4\t2000\n' >plan
	printf 'schema\tstart_ns\tlength_ns\nburst-plan/1\t2000000000\t2000\n' >later
	mkdir folder
	truncate -s 4096 backing
	: >empty
	: >x
	ln -s x link
}

@test "programs refuse wrong options with 2, and missing things with 1, in one line that begins with their name" {
	local want program words wrong=0 rows=0 before

	before=$(ls -I "separate-stderr*")
	while read -r want program words; do
		# shellcheck disable=SC2086
		run --separate-stderr timeout 20 "$BIN/$program" $words 3>&- </dev/null
		# shellcheck disable=SC2154	# run sets them
		[ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] || wrong=1
		output=$stderr rows=$((rows + 1))
		[[ $status =~ ^($want)$ && $output == "$program: "* ]] || {
			echo "$program $words: $status $output"
			wrong=1
		}
		case $program\ $words in
		*--who-log\ x | *--ignore\ 1) [[ $output == *"needs --who"* ]] || wrong=1 ;;
		*\ no/such/folder/*) [[ $output == *": cannot write no/such/folder/"*": No such file or directory" ]] || wrong=1 ;;
		*\ 1023) [[ $output == *"--cpus was refused"* ]] || wrong=1 ;;
		esac
	done <<'END'
2 sink --burst every:10ms,len:20ms -t 1s
1 sink --burst later -t 1s
2 sink --burst every:10ms,len:2ms
2 sink --burst random:10,max:600ms
2 sink --burst random:10 -l 20
2 sink --burst-log log -t 10ms
2 sink --burst random:2 --burst-log same -o ./same
2 sink --burst random:2 --burst-log -
1 sink -t 1s --cpus 1023
2 sink --slice 3ms --policy fifo:1 -t 10ms
1 sink --burst nosuchfile
1 sink --burst plan
1 sink -o no/such/folder/report
1 sink --burst random:2 --burst-log no/such/folder/log
1 sink --burst every:1ms,len:1ms -t 5000s
2 memhog -t 1s
2 memhog -s 1000K
2 memhog -s 0%
2 memhog -s many
2 memhog -s 16M -s 5%
2 memhog -s 4M --access both
2 memhog -s 4M --touch none --rate 1M/s
2 memhog -s 4M --rate 1K/s
2 memhog -s 4M --rate fast
2 memhog -s 4M --pattern zigzag
2 memhog -s 4M --page 1G
2 memhog -s 4M --threads 0
2 memhog -s 4M --swap-of group
2 memhog -s 4M --ready-fd 77
1 memhog -s 4M -o no/such/folder/report
1 memhog -s 4M --cgroup .
2 slowdisk folder
2 slowdisk folder backing more
2 slowdisk folder backing --read-delay 61s
2 slowdisk folder backing --write-delay -1
2 slowdisk folder backing --read-rate 10
2 slowdisk folder backing --write-rate 100Kbit
2 slowdisk folder backing --log same -o ./same
1 slowdisk folder nosuchfile
1 slowdisk folder empty
1 slowdisk folder folder
1 slowdisk nosuchfolder backing
1 slowdisk backing backing
1 slowdisk folder backing --control backing
1 slowdisk folder backing --log no/such/folder/log
1 slowdisk folder backing -o no/such/folder/report
2 prototap read empty --rotate 1M --every 1s --intervals - -o x
2 prototap read empty --every 1s --intervals -
2 prototap read empty --traffic -
2 prototap read empty --snaplen 100
2 prototap live -i lo --port 1 --every 1s --who -q
2 keyrepeat null: --log x -o ./x
2 keyrepeat null: --log -
2 keyrepeat null: --script link --log x
2 keyrepeat null: --password-file x
2 keyrepeat vnc:127.0.0.1:1 --size 800x600
2 refecho --vnc 5900 --answer-delay file:link --log x
2 refecho --display :7777 --listen 127.0.0.2
2 score empty --model wu --threshold 50ms
2 score empty --from 5 --to 4
2 pagein x11:99 --pid 1 --evict cgroup --prober a,b --watch patch
2 idleprofile -t 10ms --who-log x
2 idleprofile -t 10ms --ignore 1
2 idleprofile -t 10ms --who --ignore 1,x
2 idleprofile -t 10ms --who --ignore 1,
2 idleprofile -t 10ms --who --ignore 0
2 idleprofile -t 10ms --log x -o ./x
2 idleprofile -t 10ms --log x --timeline ./x
2 idleprofile -t 10ms --who --who-log link --log x
2 idleprofile -t 10ms --log -
2 idleprofile -t 10ms --threshold 10ns
2 idleprofile -t 10ms --bin 1us
2 idleprofile -t 10ms --wakeups 0
2 idleprofile -t 10ms --cpus 0-x
2 idleprofile -t 10ms --clock sundial
1 idleprofile -t 600s -o no/such/folder/file
1 idleprofile -t 600s --log no/such/folder/file
1 idleprofile -t 600s --timeline no/such/folder/file
1 idleprofile -t 10ms --cpus 1023
2 delayline
2 delayline --end a
2 delayline --end a --end b --end c
1|4 delayline --end a0@/nowhere/net --end b0
2 delayline --end a --end b --rate 10
2 delayline --end a --end b --loss 101
2 delayline --end a --end b --delay 1parsec
2 delayline --end a --end b --shape square
2 delayline --end a --end b extra
2 delayline --end abcdefghijklmnop --end b
2 delayline --end a --end b --order report
2 delayline --end a --end b --order fast
2 delayline --end @x --end b
2 delayline --end a --end b --packets 1
2 delayline --end a --end b --control x -o x
2 netload
2 netload listen
2 netload send
2 netload send 127.0.0.1:1
2 netload send nohost --rate 1Mbit
2 netload send 127.0.0.1:0 --rate 1Mbit
2 netload send 127.0.0.1:99999 --rate 1Mbit
2 netload send h:1 h:2 --rate 1Mbit
2 netload serve more
2 netload send 127.0.0.1:1 --rate 5
2 netload send 127.0.0.1:1 --rate 5Mb
2 netload send 127.0.0.1:1 --rate 10bit
2 netload send 127.0.0.1:1 --rate -5Mbit
2 netload send 127.0.0.1:1 --rate 2000Gbit
2 netload send 127.0.0.1:1 --rate 1Mbit --streams 0
2 netload send 127.0.0.1:1 --rate 1Mbit --streams 65
2 netload send 127.0.0.1:1 --rate 1Mbit --udp --frame-size 10
2 netload send 127.0.0.1:1 --rate max --spacing random
2 netload send 127.0.0.1:1 --rate 1Mbit --once
2 netload send 127.0.0.1:1 --rate 1Mbit --bind ::
2 netload serve --bind nowhere
2 netload serve --port 0
2 netload serve -t 5s
2 netload serve --rate 1Mbit
2 netload send 127.0.0.1:1 --rate 1Mbit --port 1
2 netload send [::1 --rate 1Mbit
2 pagein x11::1
2 pagein --pid 1
2 pagein --pid 0 x11::1
2 pagein --pid 1,1 x11::1
2 pagein --pid 1,x x11::1
2 pagein --pid 1 x11::1 --evict hog --hog
2 pagein --pid 1 x11::1 --cgroup /x --hog-until key2
2 pagein --pid 1 x11::1 --evict none --hog true
2 pagein --pid 1 x11::1 --evict none --type 1s
2 pagein --pid 1 x11::1
2 refecho
2 refecho --display :1 --vnc 5900
2 refecho --vnc 0
2 refecho --vnc 70000
2 refecho --vnc 5900 extra
2 refecho --vnc 5900 --answer-delay 20ms
2 refecho --vnc 5900 --answer-delay uniform:9ms,5ms
2 refecho --vnc 5900 --answer-delay bimodal:1ms,2ms,2
2 refecho --vnc 5900 --cost 20
2 refecho --vnc 5900 --cost-per second
2 refecho --vnc 5900 --coalesce 0
2 refecho --vnc 5900 --drop 1.5
2 refecho --vnc 5900 --cell 3
2 refecho --vnc 5900 --priority 100
2 sessmem
2 sessmem --pid
2 sessmem --pid 12x
2 sessmem --pid 1,,
2 sessmem --session 0
2 sessmem --machine --pid 1
2 sessmem --pid 1 --meminfo empty
1 sessmem --machine --meminfo empty
END
	[ $wrong -eq 0 ]
	[ $rows -eq 152 ]	# none was read by a program
	[ "$(ls -I "separate-stderr*")" = "$before" ]
	if [ "$(wc -l </proc/swaps)" -le 1 ]; then
		run -1 "$BIN/memhog" --until-swap 4M
		[[ $output == "memhog: --until-swap: there is no swap; "* ]]
	fi
	run -1 grep -qF " $PWD/folder " /proc/self/mountinfo
}
