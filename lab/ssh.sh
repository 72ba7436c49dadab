# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# ssh.sh - the lab on two real machines, server and client, each reached by one ssh connection. The same verbs as local.sh.
#
#   here                                        there, once per role, in a fresh private folder that goes with the connection
#   driver (main shell)
#    +- hold.sh  both connections, a beat a     sshd
#    |   +- ssh (server)  - - - - - - - - - - -  +- guard.sh    ends all and removes the folder when the beat stops, the connection
#    |   +- ssh (client)        second           |   |          ends, or the keeper dies
#    |                                           |   +- keeper.sh   starts all commands of the role: one session, one autogroup
#    |                                           |       +- job.sh (enter.sh)   one per command, as local/enter.sh is in the lab
#    |                                           |           +- COMMAND, on the role's CPUs
#    +- door.sh   one per command, as in the lab |
#        +- ssh (a channel)  - - - - - - - - - - +- relay.sh    one per command: its streams and its exit status
#
# Whole words of a command that are paths below TP_BIN, TP_HOME/lab, TP_HOME/data or LAB_RUN mean
# the same there: the programs that were shipped, the lab's files, key scripts, and the role's own
# part of the run folder. What a command writes in the latter comes home with lab_start -o, or by
# lab_get. Commands run as the login, in that part of the run folder, with a home, a runtime and a
# temporary folder of their own.
#
# LAB_ON says which machines: SERVER,CLIENT, as ssh knows them. THINPROBE_SSH_OPTIONS: words for ssh (-F FILE, -p PORT ...).
# Wishes: LAB_CPUS_server (one CPU of those the login may use, the last: the load then means the
# same as in the emulated lab), LAB_CPUS_client (all of them), LAB_ADDR_server (the address by which
# the client reaches the server).

# shellcheck source=lab/machine.sh
. "$LAB_HERE/machine.sh"
# shellcheck source=lab/jobs.sh
. "$LAB_HERE/jobs.sh"
declare -gA LAB_FOLDER=() LAB_FACT=() LAB_PROGRAM=() LAB_INSTALLED=()
LAB_JOBS=0

# lab_up: as in local.sh; LAB_HOST_ROLE is the machine's name. Nothing is shaped and nothing there is changed.
lab_up() {
	local role word a b deadline NOW_MS

	[ "$BASHPID" = "$$" ] || die "lab_up in a subshell; call it from the main shell of the driver"
	[ -z "${LAB_HOLDER-}" ] || die "the lab is up already; lab_down first"
	[ -n "${LAB_RUN-}" ] || die "-$EXIT_USAGE" "LAB_RUN is not set; name the run folder"
	LAB_HOST_server=${LAB_ON%%,*} LAB_HOST_client=${LAB_ON#*,}
	LAB_AT_server=" on $LAB_HOST_server" LAB_AT_client=" on $LAB_HOST_client"	# ends what is said of them
	[[ $LAB_ON =~ ^[^,-][^,]*,[^,-][^,]*$ ]] ||
		die "-$EXIT_USAGE" "ssh:$LAB_ON: want ssh:SERVER,CLIENT, each HOST, USER@HOST or a name of ssh's config"
	need ssh openssh-client
	need setpriv util-linux
	need jq jq
	mkdir -p -- "$LAB_RUN" || die "cannot make the run folder $LAB_RUN"
	LAB_RUN_NAMED=$LAB_RUN
	LAB_RUN=$(cd -- "$LAB_RUN" && pwd -P)
	: "${LAB_LOG:=$LAB_RUN/log}"
	mkdir -p -- "$LAB_LOG" || die "cannot make $LAB_LOG"
	LAB_LOG=$(cd -- "$LAB_LOG" && pwd -P)
	LAB_TIMES=$LAB_LOG
	rm -f -- "$LAB_TIMES/lost"
	printf -v LAB_ID '%04x%02x' "$(($$ & 0xffff))" "$((RANDOM & 0xff))"
	LAB_WISH_SHARED=${LAB_SHARED_CPUS:-0} LAB_WISH_server=${LAB_CPUS_server-} LAB_WISH_client=${LAB_CPUS_client-} \
		LAB_WISH_addr=${LAB_ADDR_server-}

	open_pipe LAB_TALK
	LAB_DRIVER=$$ LAB_LOST=$LAB_TIMES/lost LAB_HOST_server=$LAB_HOST_server LAB_HOST_client=$LAB_HOST_client \
		setpriv --pdeathsig TERM setsid "$BASH" -p "$LAB_HERE/ssh/hold.sh" 3>&"$LAB_TALK" {LAB_TALK}>&- \
		</dev/null >>"$LAB_LOG/lab.log" 2>&1 &
	LAB_HOLDER=$!
	LAB_PIDS=() LAB_PID_OF=()
	on_exit lab_down
	now_ms
	deadline=$((NOW_MS + 630 * 1000))
	while :; do
		lab_hear "$deadline" "the connections did not come up"
		IFS=' ' read -r role word a b <<<"$LINE"
		case $role:$word in
		control:*) LAB_CONTROL=$word ;;
		fail:*)
			lab_down
			die "-$word" "$a $b"
			;;
		note:*) warn "$word $a $b" ;;
		up:*) break ;;
		*:fact) LAB_FACT[$role.$a]=$b ;;
		*:program) LAB_PROGRAM[$role.$a]=$b ;;
		*:installed) LAB_INSTALLED[$role.$a]=$b ;;
		*:up) LAB_FOLDER[$role]=$a ;;
		esac
	done
	LAB_ROOTLESS=1
	[ "${LAB_FACT[server.uid]}${LAB_FACT[client.uid]}" != 00 ] || LAB_ROOTLESS=0
	ssh_cpus
	ssh_addresses
	LAB_RATE=none LAB_DELAY='' LAB_QUEUE='' LAB_PRIVATE=0
	ssh_tap
	lab_memory_up
	export LAB_ID LAB_ROOTLESS LAB_SHARED_CPUS LAB_CPUS_server LAB_CPUS_client LAB_ADDR_server LAB_ADDR_client \
		LAB_IF_server LAB_IF_client LAB_RATE LAB_DELAY LAB_QUEUE
}

ssh_cpus() {
	local allowed cpu apart='' role cpus
	allowed=${LAB_FACT[server.cpus]##*[,-]}
	: "${LAB_CPUS_server:=$allowed}"
	LAB_SHARED_CPUS=$LAB_WISH_SHARED
	if [ "${LAB_FACT[server.boot]}" = "${LAB_FACT[client.boot]}" ]; then	# one machine
		for cpu in $(machine_cpu_list "${LAB_CPUS_client:-${LAB_FACT[client.cpus]}}"); do
			[[ " $(machine_cpu_list "$LAB_CPUS_server") " == *" $cpu "* ]] || apart+=,$cpu
		done
		: "${LAB_CPUS_client:=${apart#,}}"
		[ -n "$apart" ] || LAB_SHARED_CPUS=1
	fi
	: "${LAB_CPUS_client:=${LAB_FACT[client.cpus]}}"
	for role in server client; do
		cpus=LAB_CPUS_$role
		lab_query "$role" taskset -c "${!cpus}" true >/dev/null 2>&1 ||
			ssh_fail "$EXIT_USAGE" "$role" "LAB_CPUS_$role=${!cpus}: not CPUs that the login may use (it may use ${LAB_FACT[$role.cpus]})"
		[ "$LAB_SHARED_CPUS" = 1 ] || ssh_say "$role" "lock ${LAB_LOCKS:-/tmp/thinprobe-locks} $(machine_cpu_list "${!cpus}")"
	done
	[ "$LAB_SHARED_CPUS" = 0 ] || return 0
	: "${LAB_CPU_WAIT:=300}"
	for role in server client; do
		cpus=LAB_HOST_$role
		wait_until 3 lab_query "$role" test -e ../locked && continue
		warn "another lab holds the CPUs of ${!cpus}: waiting up to $LAB_CPU_WAIT s (LAB_SHARED_CPUS=1 would share them)"
		wait_until "$LAB_CPU_WAIT" lab_query "$role" test -e ../locked && continue
		warn "they are still taken: sharing them, figures will be marked"
		LAB_SHARED_CPUS=1
	done
}

# ssh_say ROLE LINE: to the guard. (A pipe opened for both directions never blocks.)
ssh_say() {
	local fd
	[ -p "$LAB_CONTROL/$1.in" ] && exec {fd}<>"$LAB_CONTROL/$1.in" && printf '%s\n' "$2" >&"$fd" && exec {fd}>&-
}

# How client and server reach each other. An address counts when the client gets through to the
# server's sshd there: to the wish, to where we got through ourselves, to any other of the server.
ssh_addresses() {
	local from port address tried=''
	read -r from _ address port <<<"${LAB_FACT[server.ssh]}"
	for address in ${LAB_WISH_addr:-$address ${LAB_FACT[server.addresses]}}; do
		[[ " $tried " != *" $address "* ]] || continue
		tried+=" $address"
		read -r LAB_IF_client LAB_ADDR_client <<<"$(lab_query client route_to "$address")"
		[ -n "$LAB_ADDR_client" ] || continue
		# (A wish is taken at its word: sshd may not listen there.)
		[ -n "$LAB_WISH_addr" ] || lab_query client reaches "$address" "$port" || continue
		LAB_ADDR_server=$address
		read -r LAB_IF_server _ <<<"$(lab_query server route_to "$LAB_ADDR_client")"
		[ -n "$LAB_IF_server" ] && return
	done
	ssh_fail "$EXIT_RUN" client "it does not reach the server (tried$tried, port ${port:-?});" \
		"set LAB_ADDR_server to an address that it reaches, or open the firewall"
}

# Where to capture: at the client, whose CPUs the load leaves alone; else at the server; else nowhere.
ssh_tap() {
	local role link program
	LAB_TAP=() LAB_TAP_IF=''
	for role in client server; do
		link=LAB_IF_$role
		for program in "${LAB_FOLDER[$role]}/bin/prototap" "${LAB_INSTALLED[$role.prototap]-}"; do
			[ -n "$program" ] && lab_query "$role" can_run "$program" live -i "${!link}" --port 1 -t 100ms || continue
			[[ $program == "${LAB_FOLDER[$role]}"/* ]] || lab_query "$role" ln -sf -- "$program" "${LAB_FOLDER[$role]}/bin/prototap"
			LAB_TAP=("$role") LAB_TAP_IF=${!link}
			return
		done
	done
}

ssh_fail() {	# ssh_fail STATUS ROLE MESSAGE...
	local host=LAB_HOST_$2
	lab_down
	die "-$1" "${!host}: ${*:3}"
}

# lab_down: ends what runs (politely: 1 s), then the connections; the guards remove what is there. May be called twice.
lab_down() {
	[ -n "${LAB_HOLDER-}" ] || return 0
	lab_gone "$LAB_HOLDER" || lab_stop_within 1 ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}
	kill -TERM "$LAB_HOLDER" 2>/dev/null
	wait_until 30 lab_gone "$LAB_HOLDER" || kill -KILL "$LAB_HOLDER" 2>/dev/null
	wait "$LAB_HOLDER" 2>/dev/null
	exec {LAB_TALK}>&-
	[ -s "$LAB_TIMES/lab.log" ] || rm -f -- "$LAB_TIMES/lab.log"
	LAB_HOLDER='' LAB_PIDS=()
	LAB_SHARED_CPUS=$LAB_WISH_SHARED LAB_CPUS_server=$LAB_WISH_server LAB_CPUS_client=$LAB_WISH_client LAB_ADDR_server=$LAB_WISH_addr
}

# lab_lost: prints why the hosts are gone (or going) without lab_down; fails while they are there.
lab_lost() {
	local line=''
	[ -n "${LAB_HOLDER-}" ] || return 1
	{ read -r line <"$LAB_TIMES/lost"; } 2>/dev/null
	[ -n "$line" ] || ! lab_gone "$LAB_HOLDER" || line='the process that holds the connections was ended'
	[ -n "$line" ] && printf '%s\n' "$line"
}

# lab_there ROLE WORD: sets LAB_WORD: a path of ours as it is called there, any other word as it is.
lab_there() {
	local folder=${LAB_FOLDER[$1]} prefix
	LAB_WORD=$2
	for prefix in "$LAB_RUN" "$LAB_RUN_NAMED"; do
		case $2 in
		"$prefix") LAB_WORD=$folder/run; return ;;
		"$prefix"/*) LAB_WORD=$folder/run/${2#"$prefix"/}; return ;;
		esac
	done
	case $2 in
	"$TP_BIN"/*) LAB_WORD=$folder/bin/${2#"$TP_BIN"/} ;;
	"$LAB_HERE"/*) LAB_WORD=$folder/lab/${2#"$LAB_HERE"/} ;;
	"$TP_HOME"/data/*) LAB_WORD=$folder/${2#"$TP_HOME"/} ;;
	esac
}

# lab_command [-S] [-R] [-X] ROLE COMMAND...: sets LAB_COMMAND. Everything runs as the login, so -R
# changes nothing. There is no -C: use LAB_TAP.
lab_command() {
	local OPTIND=1 opt session=same interrupt=no role cpus word words=() folder host
	while getopts CSRXM: opt; do
		case $opt in
		C) die "-$EXIT_USAGE" "over ssh nothing of one host runs on the other's CPUs" ;;
		S) session=new ;;
		R | M) ;;
		X) interrupt=yes ;;
		*) return "$EXIT_USAGE" ;;
		esac
	done
	shift $((OPTIND - 1))
	role=$1
	shift
	case $role in
	server | client) ;;
	*) die "-$EXIT_USAGE" "no role '$role' in this lab; there are: server client" ;;
	esac
	[ -n "${LAB_HOLDER-}" ] || die "the lab is not up; lab_up first"
	if lab_gone "$LAB_HOLDER"; then	# whoever started it finds the reason where the command would have said its own
		LAB_COMMAND=(sh -c 'printf "%s\n" "$1" >&2; exit 255' sh "$(lab_lost)")
		return
	fi
	folder=${LAB_FOLDER[$role]} cpus=LAB_CPUS_$role host=LAB_HOST_$role
	for word in "$@"; do
		lab_there "$role" "$word"
		words+=("$LAB_WORD")
	done
	word=${words[0]#"$folder/bin/"}
	[ "$word" = "${words[0]}" ] || [ "${LAB_PROGRAM[$role.$word]-}" = ok ] ||
		die "-$EXIT_MISSING" "$word cannot run on ${!host}: ${LAB_PROGRAM[$role.$word]:-it is not built here}"
	LAB_COMMAND=(setpriv --pdeathsig KILL "$BASH" -p "$LAB_HERE/ssh/door.sh" "$LAB_CONTROL" "$role"
		"$folder" "$BASHPID-$((LAB_JOBS++))" "$interrupt"
		root "${!cpus}" "$session" "$interrupt" "$folder/ended.times" "$folder/run" "${words[@]}")
}

# lab_via ROLE WORDS...: ask.sh there answers, in a channel of its own. lab_query: the same, without input.
lab_via() {
	local words
	printf -v words '%q ' "${@:2}"
	words=$(base64 -w 0 <<<"$words")
	ssh -F none -T -S "$LAB_CONTROL/$1.ctl" -o ControlMaster=no -o BatchMode=yes -o ProxyCommand=false -o LogLevel=QUIET "$1" \
		"exec bash -p ${LAB_FOLDER[$1]}/lab/ssh/ask.sh ${LAB_FOLDER[$1]} $words"
}
lab_query() { lab_via "$@" </dev/null; }

# The words of a door: sets SSH_ROLE and SSH_JOB.
ssh_job() {
	local words=()
	mapfile -d '' -t words 2>/dev/null <"/proc/$1/cmdline" || return 1
	[[ ${words[2]-} == */door.sh ]] || return 1
	SSH_ROLE=${words[4]} SSH_JOB=${words[6]}
}

# lab_child PID: sets LAB_CHILD: the command behind a LAB_PID, or the first child of what an earlier LAB_CHILD was; a name
# (role:pid) for lab_child and lab_regime, no process here.
lab_child() {
	local SSH_ROLE SSH_JOB pid
	LAB_CHILD=$1
	case $1 in
	*:*) pid=$(lab_query "${1%%:*}" child_of "${1#*:}") && LAB_CHILD=${1%%:*}:$pid ;;
	*) ssh_job "$1" && pid=$(lab_query "$SSH_ROLE" job_pid "$SSH_JOB") && LAB_CHILD=$SSH_ROLE:$pid ;;
	esac
	return 0
}

lab_kill() {
	local SSH_ROLE SSH_JOB
	ssh_job "$1" && ssh_say "$SSH_ROLE" "kill $SSH_JOB KILL"
}

lab_regime() {
	local LAB_CHILD=$1
	[[ $1 == *:* ]] || lab_child "$1"
	[[ $LAB_CHILD == *:* ]] && lab_query "${LAB_CHILD%%:*}" machine_regime "${LAB_CHILD#*:}"
}

lab_listens() { lab_query "$1" machine_listens "$2"; }
lab_display() { lab_query "$1" machine_display; }
lab_has() { lab_query "$1" is_there "$2"; }

# lab_cpu ROLE: as in local.sh; own is what descends from our connection there, sshd's part of it too.
lab_cpu() {
	local cpus=LAB_CPUS_$1
	lab_query "$1" own_cpu "${!cpus}"
}

lab_put() {
	local LAB_WORD
	lab_there "$1" "$3"
	if [ "$2" = - ]; then
		lab_via "$1" receive "$LAB_WORD"
	elif [ -d "$2" ]; then
		tar -cf - -C "$2" . | lab_via "$1" receive_folder "$LAB_WORD"
	else
		lab_via "$1" receive "$LAB_WORD" <"$2"
	fi
}

lab_get() {
	local LAB_WORD
	lab_there "$1" "$2"
	[[ $3 != */* ]] || mkdir -p -- "${3%/*}"
	if lab_query "$1" test -d "$LAB_WORD"; then
		mkdir -p -- "$3" && lab_query "$1" send "$LAB_WORD" | tar -xf - -C "$3"
	else
		lab_query "$1" send "$LAB_WORD" >"$3.part" 2>/dev/null && mv -- "$3.part" "$3" && return
		rm -f -- "$3.part"
		return 1
	fi
}

# A command that failed may have written nothing.
lab_fetch() { lab_get "$1" "$2" "$2" || return 0; }

# lab_clock ROLE: "offset error" in ns: what CLOCK_REALTIME there shows more than here. Of 60 round
# trips the shortest counts: the reading there was taken somewhere within it, so half of it is the
# error (and the microsecond that bash can tell). Not while keys are sent.
lab_clock() {
	local ask answer pid i t0 t1 there best='' offset error
	[ -n "${LAB_HOLDER-}" ] || return 1
	open_pipe ask
	open_pipe answer
	lab_via "$1" echo_clock <&"$ask" >&"$answer" &
	pid=$!
	for ((i = 0; i < 60; i++)); do
		t0=${EPOCHREALTIME/[.,]/}
		printf '\n' >&"$ask"
		IFS= read -r -t 5 -u "$answer" there || break
		t1=${EPOCHREALTIME/[.,]/} there=${there/[.,]/}
		if [ -z "$best" ] || [ $((t1 - t0)) -lt "$best" ]; then
			best=$((t1 - t0))
			offset=$((there * 1000 - (t0 + t1) * 500)) error=$((best * 500 + 1000))
		fi
	done
	kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	exec {ask}>&- {answer}>&-
	[ "$i" = 60 ] && printf '%s %s\n' "$offset" "$error"
}

lab_link() { LAB_WHY="a real link is left as it is"; return 1; }

# lab_can ROLE WHAT: as in local.sh. A real link is not shaped.
lab_can() {
	local cpus=LAB_CPUS_$1 link=LAB_IF_$1
	case $2 in
	pin) [ "$LAB_SHARED_CPUS" = 0 ] && lab_query "$1" can_pin "${!cpus}" ;;
	cgroup | swap | autogroup) lab_query "$1" "machine_can_$2" "$LAB_ID" ;;
	shape | delay) return 1 ;;
	memory | zram | slowswap | evict | memory_low | damon | delayacct)
		LAB_WHY="over ssh the memory of a host is left as it is"
		return 1
		;;
	capture) lab_query "$1" can_run "${LAB_FOLDER[$1]}/bin/prototap" live -i "${!link}" --port 1 -t 100ms ;;
	rt) lab_query "$1" can_run chrt -f 1 true ;;
	*)
		die "-$EXIT_USAGE" "lab_can: no lever '$2'; there are: pin cgroup shape delay autogroup memory swap" \
			"zram slowswap evict memory_low damon delayacct capture rt"
		;;
	esac
}

# The server's memory is its own. Who is going to fill it all the same learns what that pushes out there.
lab_memory_up() {
	LAB_MEMORY_GROUP='' LAB_SWAP_KIND='' LAB_SWAP_DEVICE='' LAB_SWAP_SCRATCH='' LAB_MEMORY_VERSION=''
	case ${LAB_SERVER_MEMORY-} in
	'' | none) ;;
	*)
		warn "the memory of $LAB_HOST_server is not confined to $LAB_SERVER_MEMORY: over ssh it is the machine's own;" \
			"filling it pushes out $(lab_query server machine_pushed_out)"
		;;
	esac
}
lab_memory_kills() { echo 0; }
lab_memory_facts() {
	case ${LAB_SERVER_MEMORY-} in '' | none) echo null; return ;; esac
	lab_query server machine_memory | jq -cRn '{server_memory_bytes: null, confined: false, swap: {kind: "as the server has it"}}
		+ ([inputs | split(" ") | {key: .[0], value: (.[1] // "" | if test("^[0-9]+$") then tonumber elif . == "" then null else . end)}]
		| from_entries)'
}

# lab_facts: the server's machine, and the client's in it as `client`.
lab_facts() {
	jq -n --argjson server "$(facts_json lab_query server facts_raw)" \
		--argjson client "$(facts_json lab_query client facts_raw)" '$server + {client: $client}' 2>/dev/null || echo null
}
