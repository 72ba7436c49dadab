#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What other logins of a machine, and hosts that are measured, can do to a lab: crafted folders, records and answers.

# shellcheck disable=SC2016,SC2097,SC2098 # another shell's; W is for it
load world

setup() { world flock setpriv jq; }

root() { [ "$(id -u)" = 0 ] || skip "needs root"; }
locks() { bash -uc '. "$1/lab/locks.sh"; shift; "$@" || { echo "status $? ${LOCKS_WHY-}"; exit 1; }' - "$TOP" "$@"; }
hers() { setpriv --reuid 12345 --regid 12345 --clear-groups "$@"; }

@test "locks: a folder that is a link, or that others can empty, is not used" {
	mkdir -m 1777 "$W/good" && mkdir -m 777 "$W/open" && ln -s good "$W/link"
	run -0 locks locks_take "$W/good/cpu0"
	run -1 locks locks_take "$W/link/cpu0"
	said 1 "status 2 $W/link" "LAB_LOCKS"
	run locks locks_take "$W/open/cpu0"	# root makes it sticky
	if [ "$(id -u)" = 0 ]; then [ -k "$W/open" ]; else [ ! -e "$W/open/cpu0" ]; fi
	ln -s "$W/target" "$W/good/cpu1"
	run -1 locks locks_take "$W/good/cpu1"
	[ ! -e "$W/target" ]
	mkfifo "$W/good/cpu2"
	run -1 timeout 20 bash -c '. "$1/lab/locks.sh"; locks_take "$2" || exit 1' - "$TOP" "$W/good/cpu2"
}

@test "locks: root uses no folder of another login, but takes over one in a place that is root's" {
	root
	mkdir -m 755 "$W/hers" && mkdir -m 1777 "$W/hers/locks" "$W/all" && mkdir -m 1777 "$W/all/locks"
	chown -R 12345:12345 "$W/hers" "$W/all/locks"
	run -1 locks locks_take "$W/hers/locks/cpu0"
	[ "$(stat -c %u "$W/hers/locks")" = 12345 ]
	run -0 locks locks_take "$W/all/locks/cpu0"
	[ "$(stat -c '%u %a' "$W/all/locks")" = "0 1777" ]
	run -0 hers bash -uc '. "$1/lab/locks.sh"; locks_take "$2/cpu1"' - "$TOP" "$W/all/locks"
}

@test "locks: who holds one is told" {
	mkdir "$W/locks" && : >"$W/locks/cpu0"
	exec 8<"$W/locks/cpu0"
	[ "$(locks locks_holders "$W/locks/cpu0")" = "$(id -un)" ]
}

@test "records: another login's, a link's and one in an open folder are not taken back" {
	root
	mkdir "$W/locks" "$W/switches" && echo 0 >"$W/switches/autogroup"
	back() { LAB_LOCKS=$W/locks LAB_SWITCHES=$W/switches bash "$TOP/lab/local/undo.sh" back "$1"; }
	echo 'switch autogroup 1' | tee "$W/locks/undo-aaaaaa" "$W/locks/undo-bbbbbb" >"$W/elsewhere"
	chown 12345 "$W/locks/undo-aaaaaa"
	ln -s ../elsewhere "$W/locks/undo-cccccc"
	run -1 back "$W/locks/undo-aaaaaa"
	run -1 back "$W/locks/undo-cccccc"
	chmod 777 "$W/locks"
	run -1 back "$W/locks/undo-bbbbbb"
	[ "$(cat "$W/switches/autogroup")" = 0 ]
	chmod 755 "$W/locks"
	run -0 back "$W/locks/undo-bbbbbb"
	[ "$(cat "$W/switches/autogroup")" = 1 ]
	[ ! -e "$W/locks/undo-bbbbbb" ]
}

# A tree of cgroup v2 that is no kernel's, in which a lab abcdef has switched the cpu controller on.
tree() {
	mkdir -p "$W/proc" "$W/tree" "$W/locks"
	printf 'cgroup2 %s cgroup2 rw 0 0\n' "$W/tree" >"$W/proc/mounts"
	echo cpu >"$W/tree/cgroup.subtree_control"
	echo "controller $W/tree/cgroup.subtree_control cpu" >"$W/locks/undo-abcdef"
}

@test "records: what lies outside of the groups, or behind a link, and what no lab writes stays as it is" {
	tree
	mkdir -p "$W/out/thinprobe-abcdef-a" && : >"$W/out/cgroup.subtree_control"
	ln -s ../out "$W/tree/way"
	echo 600 | tee "$W/out/thinprobe-abcdef-a/cgroup.procs" >"$W/bashrc"
	ln -s "$W/bashrc" "$W/out/link"
	cat >"$W/locks/undo-abcdef" <<-END_OF_RECORD
		group $W/out/thinprobe-abcdef-a
		group $W/tree/way/thinprobe-abcdef-a
		controller $W/out/cgroup.subtree_control cpu
		controller $W/tree/way/cgroup.subtree_control cpu
		controller $W/tree/cgroup.subtree_control x; touch $W/RAN
		folder $W/out
		switch ../out/link 1
		loop $W/bashrc
	END_OF_RECORD
	run -0 env LAB_PROC="$W/proc" LAB_SWITCHES="$W" bash "$TOP/lab/local/undo.sh" back "$W/locks/undo-abcdef"
	said 0 "ignored on record" "x; touch"
	[ -d "$W/out/thinprobe-abcdef-a" ]
	[ ! -s "$W/out/cgroup.subtree_control" ]
	[ "$(cat "$W/tree/cgroup.subtree_control")" = cpu ]
	[ "$(cat "$W/bashrc")" = 600 ]
}

@test "records: a pid is read from a file, not from a pipe that nobody writes" {
	mkdir "$W/a" "$W/b" && echo 4711 >"$W/a/pid" && mkfifo "$W/b/pid"
	run -1 timeout 60 bash -uc '. "$1/lab/lib.sh"; lab_use local; lab_pid_in "$2/a" && lab_pid_in "$2/b"' - "$TOP" "$W"
	[ "$output" = 4711 ]
}

@test "records: a controller stays on while another lab has groups below" {
	tree
	mkdir "$W/tree/thinprobe-fedcba-b"
	LAB_PROC="$W/proc" run -0 bash "$TOP/lab/local/undo.sh" back "$W/locks/undo-abcdef"
	[ "$(cat "$W/tree/cgroup.subtree_control")" = cpu ]
	rmdir "$W/tree/thinprobe-fedcba-b"
	tree
	LAB_PROC="$W/proc" run -0 bash "$TOP/lab/local/undo.sh" back "$W/locks/undo-abcdef"
	[ "$(cat "$W/tree/cgroup.subtree_control")" = -cpu ]
}

@test "records: what is not undone stays on record where nothing can be written any more" {
	mkdir "$W/locks" "$W/switches" && echo 0 >"$W/switches/autogroup"
	printf 'switch %s\n' 'autogroup 1' 'swappiness 60' >"$W/locks/undo-abcdef"
	(trap '' XFSZ; ulimit -f 0; LAB_SWITCHES="$W/switches" bash "$TOP/lab/local/undo.sh" back "$W/locks/undo-abcdef" | cat) | cat
	[ "$(head -n 1 "$W/locks/undo-abcdef")" = "switch autogroup 1" ]
	echo 0 >"$W/switches/autogroup"
	LAB_SWITCHES="$W/switches" bash "$TOP/lab/local/undo.sh" back "$W/locks/undo-abcdef"
	[ "$(cat "$W/switches/autogroup")" = 1 ]
}

@test "records: half a line is none, and the next one does not begin in it" {
	local name first	# of the 1,024 bytes that a file may have, the first line leaves 12
	mkdir -m 1777 "$W/locks" && mkdir "$W/switches" && first=$(printf '%01003d' 7)
	for name in autogroup b; do echo 1 >"$W/switches/$name"; done
	echo "$first" >"$W/switches/a"
	run -0 env LAB_LOCKS="$W/locks" LAB_SWITCHES="$W/switches" LAB_ID=abcdef bash -c 'trap "" XFSZ; ulimit -f 1
		printf "switch %s 0\n" a autogroup b | bash "$1/lab/local/undo.sh" serve' - "$TOP"
	[[ "$output" == "ok "$'\n'"no "*$'\n'"ok " ]]
	[ "$(cat "$W"/switches/{a,autogroup,b})" = "$first"$'\n1\n1' ]

	mkdir -p "$W/locks"
	printf 'switch %s\n' 'autogroup 5' 'b 6' >"$W/locks/undo-abcdef"
	printf 'done 1' >>"$W/locks/undo-abcdef"	# of "done 12"
	LAB_SWITCHES="$W/switches" bash "$TOP/lab/local/undo.sh" back "$W/locks/undo-abcdef"
	[ "$(cat "$W"/switches/{autogroup,b})" = $'5\n6' ]
}

# ssh as it would be with a host that says $W/says first; then it runs the command here.
host() {
	mkdir -p "$W/bin" "$W/locks"
	cat >"$W/bin/ssh" <<-'END_OF_SSH'
		#!/bin/bash
		socket=''
		for word; do [ "$before" != -S ] || socket=$word; [ "$word" != -M ] || master=1; before=$word; done
		[ -z "${master-}" ] || perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Listen => 1, Local => $ARGV[0])' "$socket"
		cat "$W/says"
		[ ! -e "$W/hostile" ] || exec sleep 2
		exec sh -c "${*: -1}"
	END_OF_SSH
	chmod 755 "$W/bin/ssh"
	export W PATH=$W/bin:$PATH LAB_LOCKS=$W/locks LAB_SHARED_CPUS=1 LAB_ADDR_server=127.0.0.1
}
up() {	# up COMMAND: in a shell with that lab
	printf '%s\n' 'LAB_RUN=$W/run; . "$1/lab/lib.sh"; lab_use ssh host,.; lab_up' "$1" lab_down >"$W/driver"
	run timeout 60 env TMPDIR="$W" bash -u "$W/driver" "$TOP"
}

@test "hosts: a fact that is no number ends the run in one line, and runs nothing" {
	host
	: >"$W/hostile"
	printf 'thinprobe: begun\nfact cpus BASHPID[$(touch${IFS}%s/RAN)]\n' "$W" >"$W/says"
	up true
	said 1 "is not understood"
	[ ! -e "$W/RAN" ]
}

@test "hosts: one that gives up with status 0 is no success" {
	host
	: >"$W/hostile"
	printf 'thinprobe: begun\nfail 0 all is well\n' >"$W/says"
	up true
	said 1 "all is well"
}

@test "hosts: a login that prints before each command is measured like others" {
	host
	printf 'hello\nfact cpus 0' >"$W/says"
	up 'lab_exec server sh -c "cat; exit 7" <<<"through"; echo "status $?"; echo file | lab_put server - "$LAB_RUN/f"
		lab_get server "$LAB_RUN/f" "$LAB_RUN/g" && echo "came $(cat "$LAB_RUN/g")"; lab_clock server >/dev/null && echo clock'
	said 0 "through" "status 7" "came file" "clock"
	[[ $output != *hello* ]]
}

@test "hosts: one that does not answer in time is lost, and neither a file nor an answer is without end" {
	host
	: >"$W/says"
	up 'head -c 5000 /dev/zero >"$LAB_RUN/f"; lab_put server "$LAB_RUN/f" "$LAB_RUN/f"; SSH_FILE_BYTES=5000
		lab_get server "$LAB_RUN/f" "$W/g" && echo "came $(stat -c %s "$W/g")"
		mkdir "$W/d" && echo 1 >"$W/d/1" && lab_put server "$W/d" "$LAB_RUN/d"
		SSH_FILE_BYTES=99999; lab_get server "$LAB_RUN/d" "$W/e" && echo "folder came"
		SSH_FILE_BYTES=4999; lab_get server "$LAB_RUN/f" "$W/h" || ls "$W/h"*
		echo "bytes $(SSH_ANSWER_BYTES=70000 lab_query server cat /dev/zero | wc -c)"
		SSH_ANSWER_S=1 lab_query server exec sleep 50; echo "status $?"
		wait_until 20 lab_gone "$LAB_HOLDER"; lab_lost'
	said 0 "came 5000" "folder came" "/f is over 4999 bytes" "bytes 70000" "status 124" "(host) lost: no answer within 1 s"
	[ ! -e "$W/h" ]
}

@test "hosts: facts that are not understood are none, and that is told" {
	run -0 bash -uc '. "$1/lab/lib.sh"; lab_use ssh host,.
		lies() { printf "load\\0%s\\0" x; }
		[ "$(facts_json lies server)" ] || echo none' - "$TOP"
	said 0 "the facts of server" none
	[ "${#lines[@]}" = 2 ]
}

@test "hosts: a far end whose head reads ahead gets what was sent" {
	host
	: >"$W/says"
	printf '#!/bin/sh\ncat >/dev/null\n' | tee "$W/bin/head" >/dev/null && chmod 755 "$W/bin/head"
	up 'echo "up $(lab_query server id -u)"'
	said 0 "up $(id -u)"
}

@test "hosts: facts are numbers, addresses and paths" {
	run -0 bash -uc '. "$1/lab/lib.sh"; lab_use ssh host,.
		while read -r a b c; do [[ "$a $b $c" =~ $SSH_SAYS ]] && echo "$b"; done; :' - "$TOP" <<-'END_OF_FACTS'
		fact cpus 0-3,7
		fact addresses 10.0.0.1 fe80::1%eth0.1
		fact ssh
		up /tmp/thinprobe-ssh.aB3
		fact uid a[$(touch${IFS}/tmp/x)]
		fact cpus 0-99999999999
		fact addresses ::1/1;touch${IFS}/tmp/x
		fact ssh -oProxyCommand=x 1
		fact x]$(touch${IFS}/tmp/x) 1
		up /tmp/x;touch${IFS}/tmp/y
	END_OF_FACTS
	[ "$output" = $'cpus\naddresses\nssh\n/tmp/thinprobe-ssh.aB3' ]
}

# What hosts answer where a number is wanted, in the functions that calculate with it: nothing of it is taken, nothing runs.
@test "hosts: an answer that is no number runs nothing" {
	cat >"$W/ask.sh" <<-'END_OF_QUESTIONS'
		TP_HOME=$1 TP_BIN=$1/bin SETTINGS='' RUN=$W ON_BACKEND=ssh DISK=slow:1ms
		. "$1/lab/lib.sh"; lab_use ssh host,.
		. "$1/experiments/families/settings.sh"; . "$1/experiments/families/disk.sh"
		mkdir -p "$W/log"
		LAB_HOLDER=1 LAB_CPUS_server=0 LAB_MEMORY_GROUPS[server]=/x
		lies() { echo "oom_kill a[\$(touch $W/RAN)] a[\$(touch $W/RAN)] 1"; echo "a[\$(touch $W/RAN)]"; }
		lab_via() { while :; do lies || exit; done; }
		lab_query() { lies; }
		lab_exec() { lies; }
		for ask in lab_clock lab_ahead lab_cpu lab_display; do "$ask" server && echo "$ask took it"; done
		[ "$(lab_memory_kills)" = 0 ] || echo "kills"
		lab_disk() { echo "asks for a disk of $2"; return 1; }
		if lab_memory_fits 1; then echo "memory"; fi
		disk_list() { :; }
		for ask in "may_nice 5" disk_fill "machine_cpu_list a[\$(touch\${IFS}$W/RAN)]"; do $ask && echo "$ask took it"; done
		exit 0
	END_OF_QUESTIONS
	W=$W run timeout 60 bash -u "$W/ask.sh" "$TOP"
	[ "$status" = 0 ]
	[ -z "$output" ]
	[ ! -e "$W/RAN" ]
}

@test "hosts: no arithmetic has an answer in it" {
	run -1 grep -rnE --include='*.sh' '\(\([^|]*\$\((lab_query|lab_exec|guest_exec|outside_exec) [^|]*\)\)' \
		"$TOP"/{lab,experiments,kits}
}

@test "hosts: a server's words are no options of ssh" {
	command -v ssh >/dev/null || skip "ssh is not installed"
	cat >"$W/words.sh" <<-'END_OF_WORDS'
		. "$1/lab/lib.sh"; lab_use ssh host,.
		protocol_use ssh:x11
		lab_exec() { case $2 in id) echo -oProxyCommand=touch ;; *) echo /home/x ;; esac; }
		PROTOCOL_PORT=22 LAB_ADDR_server=10.0.0.1
		sshd_command folder && echo made
		ssh -G "${SSHD_COMMAND[@]}"
	END_OF_WORDS
	run bash -u "$W/words.sh" "$TOP"
	[[ $output == *made* && $output != *proxycommand* ]]
	# ssh has taken it for a login's name, which newer ones refuse
	[[ $output == *$'\n'"hostname 10.0.0.1"* || $output == *"username contains invalid characters"* ]]
}

@test "hosts: of a folder only files and folders come home, without owner and mode" {
	mkdir "$W/there" && echo 1 >"$W/there/file" && chmod 4755 "$W/there/file"
	cat >"$W/get.sh" <<-'END_OF_GET'
		. "$1/lab/lib.sh"; lab_use ssh host,.
		LAB_RUN=$W/run LAB_RUN_NAMED='' LAB_FOLDER[server]=$W/x
		lab_query() { shift; if [ "$1" = send ]; then tar -cf - -C "$W/there" .; else true; fi; }
		lab_get server "$W/there" "$W/home/$2"
	END_OF_GET
	W=$W run -0 bash -u "$W/get.sh" "$TOP" a:b
	[ "$(stat -c %a "$W/home/a:b/file")" = 755 ]
	ln -s /etc "$W/there/link"
	W=$W run -1 bash -u "$W/get.sh" "$TOP" c
	[ ! -e "$W/home/c/link" ]
}

@test "lab: as root, a program that is an ordinary user's owns none of root's files" {
	local role
	root
	may_have_hosts
	export LAB_LOCKS=$W/locks XDG_RUNTIME_DIR=$W TMPDIR=$W LAB_SHARED_CPUS=1
	"$TOP/thinprobe" lab up
	for role in server client; do
		run "$TOP/thinprobe" lab exec "$role" sh -c 'test -r /etc/shadow || echo unread; test -w /etc/passwd || echo unwritten
			grep NoNewPrivs /proc/self/status; : >"$HOME/own" && echo own'
		[ "$output" = $'unread\nunwritten\nNoNewPrivs:\t1\nown' ] || break
	done
	"$TOP/thinprobe" lab down
	echo "$role: $output"
	[ "$output" = $'unread\nunwritten\nNoNewPrivs:\t1\nown' ]
}

# A run folder that is root's alone, in a folder that is, too; and what the server writes is a link.
@test "lab: as root, the server's files come to the run folder and back, and a link of the server's opens nothing" {
	root
	may_have_hosts
	mkdir -m 700 "$W/private"
	cat >"$W/driver" <<-'END_OF_DRIVER'
		cd "$W/private"
		LAB_RUN=run; . "$1/lab/lib.sh"; lab_use local; lab_up
		lab_start -o "$LAB_RUN/cells/1/a" server a sh -c 'id -u; cat >"$1"' sh "$LAB_RUN/cells/1/a"; lab_wait "$LAB_PID"
		echo put | lab_put server - "$LAB_RUN/cells/2/b" && lab_exec server cat "$LAB_RUN/cells/2/b"
		mkdir folder && echo in >folder/c && lab_put server folder "$LAB_RUN/folder" && lab_exec server cat "$LAB_RUN/folder/c"
		lab_start -o "$LAB_RUN/cells/1/d" server d ln -s /etc/shadow "$LAB_RUN/cells/1/d"; lab_wait "$LAB_PID"
		ls "$LAB_RUN/cells/1"; cat "$LAB_LOG/a.out"
		lab_start -R -o "$LAB_RUN/e" server e sh -c 'id -u >"$1"' sh "$LAB_RUN/e"; lab_wait "$LAB_PID"; echo "root $(cat "$LAB_RUN/e")"
		echo secret | lab_put client - "$LAB_RUN/password" && stat -c %a "$LAB_RUN/password"
		lab_exec server "$TP_BIN/sink" --version
	END_OF_DRIVER
	run timeout 100 env W="$W" LAB_LOCKS="$W/locks" LAB_SHARED_CPUS=1 LAB_OWN_UID=1 bash -u "$W/driver" "$TOP"
	said 0 $'put\nin\na\n1000\nroot 0\n600\nsink'
}

@test "results: folders that are made in the same instant are different; root's are for root alone" {
	local n
	mkdir "$W/cwd"
	for n in {1..20}; do
		(cd "$W/cwd" && TP_HOME=$TOP TP_CHECKOUT=0 bash -uc '. "$1/experiments/engine/folder.sh"; results_new toy' - "$TOP") &
	done >"$W/made"
	wait
	[ "$(sort -u "$W/made" | wc -l)" = 20 ]
	[ "$(id -u)" != 0 ] || [ "$(stat -c %a "$(head -n 1 "$W/made")")" = 700 ]
}

@test "results: a folder is locked by a file that can be written, and flock's own error is not another run" {
	mkdir "$W/run" "$W/bin"
	printf '#!/bin/sh\necho "flock: 9: No locks available" >&2; exit 66\n' >"$W/bin/flock"
	run -0 locks lock_folder "$W/run"
	exec 8<>"$W/run/.lock"
	flock 8
	run -1 locks lock_folder "$W/run"
	said 1 "status 1"
	chmod 755 "$W/bin/flock"
	PATH=$W/bin:$PATH run -1 locks lock_folder "$W/run"
	said 1 "status 2" "No locks available"
}

@test "a command that outlives its driver has none of its descriptors" {
	: >"$W/lock"
	bash -uc '. "$1/lab/lib.sh"; exec {fd}<"$2"; flock "$fd"; "${LAB_CLOSED[@]}" sleep 30 & echo $!' - "$TOP" "$W/lock" 3>&- >"$W/pid"
	for _ in {1..500}; do [ "$(cat "/proc/$(cat "$W/pid")/comm")" != sleep ] || break; sleep 0.02; done
	run flock -n "$W/lock" true
	kill "$(cat "$W/pid")"
	[ "$status" = 0 ]
}

@test "root builds somebody's clone as its owner" {
	root
	mkdir -p "$W/clone/src" && cp -r "$TOP/lab" "$TOP/thinprobe" "$TOP/packages" "$W/clone"
	printf 'all:\n\tid -u >who\n' >"$W/clone/Makefile"
	chown -R 12345:12345 "$W/clone"
	cd / && bash -uc 'eval "$(sed -n "/^build() {/,/^}/p" "$1/thinprobe")"; die() { echo "$*"; exit 1; }
		TP_CHECKOUT=1 TP_HOME=$1 TP_BIN=$1/bin; build' - "$W/clone"
	[ "$(cat "$W/clone/who")" = 12345 ]
}

@test "an IPv6 address has brackets before a port" {
	run -0 bash -uc '. "$1/lab/lib.sh"; LAB_ADDR_server=fe80::1 LAB_ADDR_client=10.0.0.1; lab_url server; lab_url client' - "$TOP"
	[ "$output" = "[fe80::1]10.0.0.1" ]
}

@test "no address stands before a port without that" {
	run -1 grep -rnE --include='*.sh' '(LAB_ADDR_[a-z]+}?|address})"?:+\$\{?[A-Z_]*PORT' "$TOP"/{lab,experiments,kits}
}

@test "root that may make no namespaces is not told to be root" {
	root
	mkdir "$W/bin" && printf '#!/bin/sh\nexit 1\n' >"$W/bin/unshare" && chmod 755 "$W/bin/unshare"
	run -4 env PATH="$W/bin:$PATH" LAB_RUN="$W/run" LAB_LOCKS="$W/locks" bash -uc '. "$1/lab/lib.sh"; lab_use local; lab_up' - "$TOP"
	said 4 "CAP_SYS_ADMIN"
	[[ $output != *"run as root"* ]]
}
