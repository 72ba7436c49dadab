# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# ssh.sh - the lab on real machines, server, client and maybe a listener, each reached by ssh. The same verbs as local.sh.
#
#   here                                        there, once per role, in a fresh private folder that goes with the connection
#   driver (main shell)
#    +- hold.sh  the connections, a beat a      sshd
#    |   +- ssh (server)  - - - - - - - - - - -  +- guard.sh    ends all and removes the folder when the beat stops, the connection
#    |   +- ssh (client)        second           |   |          ends, or the keeper dies
#    |                                           |   +- keeper.sh   starts all commands of the role: one session, one autogroup
#    |                                           |       +- job.sh (enter.sh)   one per command, as local/enter.sh is in the lab
#    |                                           |           +- COMMAND, on the role's CPUs
#    +- door.sh   one per command, as in the lab |
#        +- ssh (a channel)  - - - - - - - - - - +- relay.sh    one per command: its streams and its exit status
#
# Whole words of a command that are paths below TP_BIN, TP_HOME/lab, the data of TP_HOME and its kits, or LAB_RUN mean
# the same there: the programs that were shipped, the lab's files, key scripts, and the role's own
# part of the run folder. What a command writes in the latter comes home with lab_start -o, or by
# lab_get. Commands run as the login, in that part of the run folder, with a home, a runtime and a
# temporary folder of their own.
#
# What is changed on the server (groups, swap, switches; only where it is asked for, and mostly for
# root alone) is done there by local/undo.sh, which lives in no folder and no session of ours and
# takes it back when its connection ends.
#
# LAB_ON says which machines: SERVER,CLIENT[,LISTENER[%INTERFACE]], as ssh knows them; . is this
# machine, which needs no ssh. A listener is at the mirror port of a switch, and captures there.
# THINPROBE_SSH_OPTIONS: words for ssh (-F FILE, -p PORT ...). THINPROBE_SSH_SESSIONS: commands that
# one connection carries at most (6: sshd lets 10 in, see MaxSessions); for more, another is opened.
# LAB_CLIENTS: further clients (HOST,...), the roles client2, client3 ..., for programs that generate load.
# Wishes: LAB_CPUS_server (one CPU of those the login may use, the last: the load then means the
# same as in the emulated lab), LAB_CPUS_client (all of them), LAB_ADDR_server (the address by which
# the client reaches the server).

# shellcheck disable=SC1090 # each of these
for file in machine jobs groups memory disk; do . "$LAB_HERE/$file.sh"; done
declare -gA LAB_FOLDER=() LAB_FACT=() LAB_PROGRAM=() LAB_INSTALLED=()
LAB_JOBS=0 SSH_HEAD=0 SSH_BEFORE=0
# What an answer may cost: seconds, bytes (the list of all files in memory has 8 MB); a file that comes or goes.
SSH_ANSWER_S=300 SSH_ANSWER_BYTES=$((64 << 20)) SSH_FILE_S=1800 SSH_FILE_BYTES=$((2 << 30))

# lab_up: as in local.sh; LAB_ROLES are those that there are, LAB_HOST_ROLE is the machine's name. Nothing is shaped.
lab_up() {
	local role word a b deadline NOW_MS listener

	[[ $LAB_ON =~ ^[^,-][^,]*,[^,-][^,]*(,[^,-][^,]*)?$ ]] ||
		die "-$EXIT_USAGE" "ssh:$LAB_ON: want ssh:SERVER,CLIENT[,LISTENER], each HOST, USER@HOST, a name of ssh's config or . (here)"
	IFS=, read -r LAB_HOST_server LAB_HOST_client listener <<<"$LAB_ON"
	LAB_HOST_listener=${listener%\%*} LAB_WISH_tap=''
	[[ $listener != *%* ]] || LAB_WISH_tap=${listener##*%}
	LAB_ROLES="server client${listener:+ listener}" LAB_CLIENT_ROLES=(client)
	: "${LAB_CLIENTS:=}"
	for word in ${LAB_CLIENTS//,/ }; do
		role=client$((${#LAB_CLIENT_ROLES[@]} + 1))
		LAB_CLIENT_ROLES+=("$role") LAB_ROLES+=" $role"
		export "LAB_HOST_$role=$word"
	done
	for role in $LAB_ROLES; do	# ends what is said of them
		word=LAB_HOST_$role
		[ "${!word}" = . ] && word=' here' || word=" on ${!word}"
		printf -v "LAB_AT_$role" %s "$word"
	done
	need ssh openssh-client setpriv util-linux jq jq
	LAB_RUN_NAMED=${LAB_RUN-}
	lab_begin
	rm -f -- "$LAB_TIMES/lost"
	LAB_WISH_SHARED=${LAB_SHARED_CPUS:-0} LAB_WISH_server=${LAB_CPUS_server-} LAB_WISH_client=${LAB_CPUS_client-} \
		LAB_WISH_addr=${LAB_ADDR_server-}

	open_pipe LAB_TALK
	LAB_DRIVER=$$ LAB_LOST=$LAB_TIMES/lost LAB_ROLES=$LAB_ROLES LAB_HOST_server=$LAB_HOST_server \
		LAB_HOST_client=$LAB_HOST_client LAB_HOST_listener=$LAB_HOST_listener \
		setpriv --pdeathsig TERM setsid "$BASH" -p "$LAB_HERE/ssh/hold.sh" 3>&"$LAB_TALK" {LAB_TALK}>&- \
		</dev/null >>"$LAB_LOG/lab.log" 2>&1 &
	LAB_HOLDER=$!
	LAB_PIDS=() LAB_PID_OF=()
	on_exit lab_down
	now_ms
	deadline=$((NOW_MS + (30 + 300 * $(wc -w <<<"$LAB_ROLES")) * 1000))
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
		*) [[ "$word $a $b" =~ $SSH_SAYS ]] ||
			ssh_fail "$EXIT_RUN" "$role" "what it says of itself is not understood: $word $a $b" ;;&
		*:fact) LAB_FACT[$role.$a]=$b ;;
		*:program) LAB_PROGRAM[$role.$a]=$b ;;
		*:installed) LAB_INSTALLED[$role.$a]=$b ;;
		*:up) LAB_FOLDER[$role]=$a ;;
		esac
	done
	for role in server client; do
		for word in cpus boot uid; do
			[ -n "${LAB_FACT[$role.$word]-}" ] || ssh_fail "$EXIT_RUN" "$role" "it does not say its $word"
		done
	done
	LAB_ROOTLESS=1
	[ "${LAB_FACT[server.uid]}${LAB_FACT[client.uid]}" != 00 ] || LAB_ROOTLESS=0
	ssh_cpus
	ssh_addresses
	LAB_RATE=none LAB_DELAY='' LAB_QUEUE='' LAB_LINK=real LAB_PRIVATE=0 LAB_TMP=${LAB_FOLDER[server]}
	if [ -n "$listener" ]; then ssh_tap_listener; else ssh_tap; fi
	ssh_memory_up
	export LAB_ID LAB_ROOTLESS LAB_SHARED_CPUS LAB_CPUS_server LAB_CPUS_client LAB_ADDR_server LAB_ADDR_client \
		LAB_IF_server LAB_IF_client LAB_RATE LAB_DELAY LAB_QUEUE
}

# What a guard may say: words of it become numbers, addresses and names of files here.
SSH_ADDRESS='[0-9A-Fa-f:][0-9A-Za-z.:%_-]*'
SSH_SAYS="^(fact (cpus [0-9]{1,4}([,-][0-9]{1,4})*|boot [0-9a-f-]+|uid [0-9]{1,10}|(ssh|addresses)( $SSH_ADDRESS)*)"
SSH_SAYS+='|program [a-z0-9_-]+ .*|installed [a-z0-9_-]+ /.*|up /[A-Za-z0-9/._-]+) ?$'

ssh_cpus() {
	local allowed cpu apart='' role cpus
	# the last ones
	allowed=$(machine_cpu_list "${LAB_FACT[server.cpus]}" | tr ' ' '\n' | tail -n "${LAB_SERVER_CPUS:-1}" | paste -sd,)
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
			ssh_fail "$EXIT_USAGE" "$role" "LAB_CPUS_$role=${!cpus}: the login may use only ${LAB_FACT[$role.cpus]}"
		[ "$LAB_SHARED_CPUS" = 1 ] || ssh_say "$role" "lock ${LAB_LOCKS:-/tmp/thinprobe-locks} $(machine_cpu_list \
			"${!cpus}")"
	done
	for role in listener "${LAB_CLIENT_ROLES[@]:1}"; do printf -v "LAB_CPUS_$role" %s "${LAB_FACT[$role.cpus]-}"; done
	LAB_CPUS_beside=''
	for cpu in $(machine_cpu_list "${LAB_FACT[server.cpus]}"); do
		[[ " $(machine_cpu_list "$LAB_CPUS_server") " == *" $cpu "* ]] || LAB_CPUS_beside+=${LAB_CPUS_beside:+,}$cpu
	done
	[ "$LAB_SHARED_CPUS" = 0 ] || return 0
	: "${LAB_CPU_WAIT:=300}"
	for role in server client; do
		cpus=LAB_HOST_$role
		wait_until 3 lab_query "$role" test -e ../locked && continue
		warn "another lab uses the CPUs of ${!cpus}: waiting up to $LAB_CPU_WAIT s (LAB_SHARED_CPUS=1: share them)"
		wait_until "$LAB_CPU_WAIT" lab_query "$role" test -e ../locked && continue
		warn "another lab still uses the CPUs of ${!cpus}: sharing them; results will be flagged"
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
	local address port tried=''
	read -r _ _ address port <<<"${LAB_FACT[server.ssh]}"
	[ "$LAB_HOST_server" != . ] || read -r address _ <<<"${LAB_FACT[client.ssh]}"	# as who reached the client from here
	for address in ${LAB_WISH_addr:-$address ${LAB_FACT[server.addresses]}}; do
		[[ " $tried " != *" $address "* ]] || continue
		tried+=" $address"
		read -r LAB_IF_client LAB_ADDR_client <<<"$(ssh_route client "$address")"
		[ -n "$LAB_ADDR_client" ] || continue
		# (A wish is taken at its word: sshd may not listen there. On this machine it need not at all.)
		[ -n "$LAB_WISH_addr" ] || [ "$LAB_HOST_server" = . ] || lab_query client reaches "$address" "$port" || continue
		LAB_ADDR_server=$address
		read -r LAB_IF_server _ <<<"$(ssh_route server "$LAB_ADDR_client")"
		[ -n "$LAB_IF_server" ] && return 0
	done
	ssh_fail "$EXIT_RUN" client "it does not reach the server (tried$tried, port ${port:-?});" \
		"set LAB_ADDR_server to an address that it reaches, or open the firewall"
}

ssh_route() { lab_query "$1" route_to "$2" | grep -xE "[A-Za-z0-9_.@-]+ ($SSH_ADDRESS)?"; }	# ssh_route ROLE ADDRESS

# Where to capture: at the client, whose CPUs the load leaves alone; else at the server; else nowhere.
ssh_tap() {
	local role link
	LAB_TAP=() LAB_TAP_IF=''
	for role in client server; do
		link=LAB_IF_$role
		ssh_captures "$role" "${!link}" || continue
		LAB_TAP=("$role") LAB_TAP_IF=${!link}
		return
	done
}

# 0: there prototap may capture on that interface. (An installed one may have a right that the one that came along has not.)
ssh_captures() {	# ssh_captures ROLE INTERFACE
	local program
	for program in "${LAB_FOLDER[$1]}/bin/prototap" "${LAB_INSTALLED[$1.prototap]-}"; do
		[ -n "$program" ] && lab_query "$1" can_run "$program" live -i "$2" --port 1 -t 100ms || continue
		[[ $program == "${LAB_FOLDER[$1]}"/* ]] || lab_query "$1" ln -sf -- "$program" "${LAB_FOLDER[$1]}/bin/prototap"
		return
	done
	return 1
}

# The listener's interface: the one that was named, or the first that sees the client knock at the server. (At a port where
# nobody answers: what is on the wire is what counts.)
ssh_tap_listener() {
	local link links
	links=${LAB_WISH_tap:-$(lab_query listener links_up)}
	for link in $links; do
		ssh_captures listener "$link" || continue
		lab_query listener hears "$link" "$LAB_ADDR_server" >"$LAB_LOG/listener.json" 2>/dev/null &
		for _ in 1 2 3 4; do
			nap 0.4
			lab_query client reaches "$LAB_ADDR_server" 9
		done
		wait "$!"
		jq -e '.result.capture.packets > 0' "$LAB_LOG/listener.json" >/dev/null 2>&1 || continue
		rm -f "$LAB_LOG/listener.json"
		LAB_TAP=(listener) LAB_TAP_IF=$link
		return
	done
	ssh_fail "$EXIT_MISSING" listener "it does not see what passes between client and server (tried ${links:-no interface}):" \
		"mirror the port of one of them to its own, name the interface (HOST%INTERFACE), and let prototap capture there" \
		"(root, or an installed one with cap_net_raw)"
}

ssh_fail() {	# ssh_fail STATUS ROLE MESSAGE...
	local host=LAB_HOST_$2 why
	why=$(lab_lost) || why="${!host}: ${*:3}"
	lab_down
	die "-$1" "$why"
}

# lab_down: ends what runs (politely: 1 s), then the connections; the guards remove what is there. May be called twice.
lab_down() {
	[ -n "${LAB_HOLDER-}" ] || return 0
	lab_gone "$LAB_HOLDER" || lab_stop_within 1 ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}
	lab_disk_none
	lab_undo_end
	kill -TERM "$LAB_HOLDER" 2>/dev/null
	wait_until 30 lab_gone "$LAB_HOLDER" || kill -KILL "$LAB_HOLDER" 2>/dev/null
	wait "$LAB_HOLDER" 2>/dev/null
	exec {LAB_TALK}>&-
	[ -s "$LAB_TIMES/lab.log" ] || rm -f -- "$LAB_TIMES/lab.log"
	LAB_HOLDER='' LAB_PIDS=()
	LAB_SHARED_CPUS=$LAB_WISH_SHARED LAB_CPUS_server=$LAB_WISH_server LAB_CPUS_client=$LAB_WISH_client \
		LAB_ADDR_server=$LAB_WISH_addr
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
	"$TP_HOME"/data/* | "$TP_HOME"/kits/*/data/*) LAB_WORD=$folder/${2#"$TP_HOME"/} ;;
	esac
}

# lab_command [-S] [-R] [-X] ROLE COMMAND...: sets LAB_COMMAND. Everything runs as the login; -R is for what belongs to the
# server's mounts (lab_disk_space), though it is outside of its memory (-M -). There is no -C: use LAB_TAP.
lab_command() {
	local OPTIND=1 opt session=same interrupt=no role cpus word words=() folder host memory=${LAB_MEMORY-} into root=''
	while getopts CSRXM: opt; do
		case $opt in
		C) die "-$EXIT_USAGE" "over ssh nothing of one host runs on the other's CPUs" ;;
		S) session=new ;;
		M) memory=$OPTARG ;;
		R) root=1 ;;
		X) interrupt=yes ;;
		*) return "$EXIT_USAGE" ;;
		esac
	done
	shift $((OPTIND - 1))
	role=$1
	shift
	[[ " $LAB_ROLES " == *" $role "* ]] || die "-$EXIT_USAGE" "no role '$role' in this lab; there are: $LAB_ROLES"
	[ -n "${LAB_HOLDER-}" ] || die "the lab is not up; call lab_up first"
	if lab_gone "$LAB_HOLDER"; then	# whoever started it finds the reason where the command would have said its own
		LAB_COMMAND=(sh -c 'printf "%s\n" "$1" >&2; exit 255' sh "$(lab_lost)")
		return
	fi
	ssh_line "$role" || {
		LAB_COMMAND=(sh -c 'printf "%s\n" "$1" >&2; exit 255' sh \
			"cannot open another connection to the $role${LAB_WHY:+: $LAB_WHY}")
		return
	}
	lab_memory_of "$role" "$memory"
	folder=${LAB_FOLDER[$role]} cpus=LAB_CPUS_$role host=LAB_HOST_$role
	for word in "$@"; do
		lab_there "$role" "$word"
		words+=("$LAB_WORD")
	done
	word=${words[0]#"$folder/bin/"}
	[ "$word" = "${words[0]}" ] || [ "${LAB_PROGRAM[$role.$word]-}" = ok ] ||
		die "-$EXIT_MISSING" "$word cannot run on ${!host}: ${LAB_PROGRAM[$role.$word]:-it is not built here}"
	LAB_COMMAND=(setpriv --pdeathsig KILL "$BASH" -p "$LAB_HERE/ssh/door.sh" "$LAB_CONTROL" "$role"
		"$folder" "$BASHPID-$((LAB_JOBS++))" "$LAB_LINE" "$interrupt"
		root "${!cpus}" "$session" "$interrupt" "$folder/ended.times" "$folder/run")
	SSH_HEAD=${#LAB_COMMAND[@]}
	[ -z "$LAB_DISK_SPACE" ] || [ "$role" != server ] || [ "$memory$root" = - ] ||
		LAB_COMMAND+=(nsenter "--mount=$LAB_DISK_SPACE" "--wd=$folder/run" --)
	[ -z "$into" ] || LAB_COMMAND+=(sh -c "$SSH_JOIN" "$into")
	SSH_BEFORE=${#LAB_COMMAND[@]}	# the words that stand before the command
	LAB_COMMAND+=("${words[@]}")
}
# shellcheck disable=SC2016 # another shell's
SSH_JOIN='[ ! -d "$0/rest" ] || { echo 0 >"$0/rest/cgroup.procs" && exec "$@"; exit; }; echo 0 >"$0/cgroup.procs" && exec "$@"'

lab_inside() { lab_command "$@" && LAB_COMMAND=("${LAB_COMMAND[@]:SSH_HEAD}") && SSH_BEFORE=$((SSH_BEFORE - SSH_HEAD)); }

# As in local.sh; the command joins the group there, behind the door. In cgroup v2 a cpu group is within that of the memory.
lab_grouped() {
	local group=$1
	shift
	if [ -n "$group" ]; then
		[ -n "${LAB_GROUPS[$group]-}" ] || die "the lab has no group '$group'; create it with lab_group"
		set -- sh -c "$SSH_JOIN" "${LAB_GROUPS[$group]}" "$@"
	fi
	LAB_COMMAND=("${LAB_COMMAND[@]:0:SSH_BEFORE}" "$@" "${LAB_COMMAND[@]:SSH_BEFORE}")
}

# Sets LAB_LINE: a connection of that role that carries another command; where none does, a further one is opened. 1: it did not
# come. (Some stay free on each for what runs for a moment.)
ssh_line() {	# ssh_line ROLE
	local pid n host=LAB_HOST_$1 used=()
	LAB_LINE=here
	[ "${!host}" != . ] || return 0
	for pid in ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}; do
		n=${LAB_LINE_OF[$pid]-}
		[[ $n != "$1".* ]] || lab_gone "$pid" || used[${n#*.}]=$((${used[${n#*.}]:-0} + 1))
	done
	for ((n = 1; ${used[n]:-0} >= ${THINPROBE_SSH_SESSIONS:-6}; n++)); do :; done
	[ -S "$LAB_CONTROL/$1.$n.ctl" ] || ssh_more "$1" "$n" || return
	LAB_LINE=$1.$n
}
ssh_more() {	# ssh_more ROLE LINE
	local fd
	for _ in 1 2; do	# a login may take longer than ssh waits for it
		exec {fd}<>"$LAB_CONTROL/ask" && printf 'more %s %s\n' "$1" "$2" >&"$fd" && exec {fd}>&-
		! wait_until 20 test -S "$LAB_CONTROL/$1.$2.ctl" || return 0
	done
	LAB_WHY=$(tail -n 1 "$LAB_CONTROL/$1.err" 2>/dev/null)
	return 1
}

# lab_via ROLE WORDS...: ask.sh there answers, in a channel of its own. lab_query: the same, without input. Who wants no answer gets
# none on a terminal, where a host's words could be commands. A host that does not answer in time is lost.
lab_via() {
	local words host=LAB_HOST_$1 after=() mark='' out err status NOW_MS end
	printf -v words '%q ' "${@:2}"
	words=$(base64 -w 0 <<<"$words")
	if [ "${!host}" = . ]; then
		bash -p "${LAB_FOLDER[$1]}/lab/ssh/ask.sh" "${LAB_FOLDER[$1]}" "$words"
		return
	fi
	[ ! -e "$LAB_CONTROL/$1.speaks" ] || after=(bash -p "$LAB_HERE/ssh/after.sh") mark=mark
	if [ -t 1 ]; then exec {out}>/dev/null; else exec {out}>&1; fi
	if [ -t 2 ]; then exec {err}>>"$LAB_TIMES/lab.log"; else exec {err}>&2; fi
	now_ms
	end=$((NOW_MS + SSH_ANSWER_S * 1000))
	${after[@]+"${after[@]}"} timeout --foreground "$SSH_ANSWER_S" ssh -F none -T -S "$LAB_CONTROL/$1.1.ctl" -o ControlMaster=no \
		-o BatchMode=yes -o ProxyCommand=false -o LogLevel=QUIET "$1" \
		"exec bash -p ${LAB_FOLDER[$1]}/lab/ssh/ask.sh ${LAB_FOLDER[$1]} $words $mark" \
		2>&"$err" {out}>&- {err}>&- |
		dd bs=64K count="$SSH_ANSWER_BYTES" iflag=count_bytes status=none >&"$out" 2>/dev/null {out}>&- {err}>&-
	status=${PIPESTATUS[0]}
	exec {out}>&- {err}>&-
	now_ms
	if [ "$status" = 124 ] && [ "$NOW_MS" -ge "$end" ]; then
		[ -s "$LAB_TIMES/lost" ] || printf 'connection to %s (%s) lost: no answer within %s s; check its load and its disk\n' \
			"$1" "${!host}" "$SSH_ANSWER_S" >"$LAB_TIMES/lost"
		kill -TERM "$LAB_HOLDER"
	fi
	return "$status"
}
lab_query() { lab_via "$@" </dev/null; }

# ssh_job PID: sets SSH_ROLE and SSH_JOB, the role and the number of the command behind this door (door.sh, the process here that
# stands for a command there). 1: it is no door.
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
	*:*) pid=$(lab_query "${1%%:*}" child_of "${1#*:}" | whole_numbers) && LAB_CHILD=${1%%:*}:$pid ;;
	*) ssh_job "$1" && pid=$(lab_query "$SSH_ROLE" job_pid "$SSH_JOB" | whole_numbers) && LAB_CHILD=$SSH_ROLE:$pid ;;
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
	[[ $LAB_CHILD == *:* ]] && lab_query "${LAB_CHILD%%:*}" machine_regime "${LAB_CHILD#*:}" | grep -m 1 -xE '[[:print:]]{1,2000}'
}

# lab_children ROLE LAB_PID...: as in local.sh.
lab_children() {
	local pid LAB_CHILD
	CHILDREN=''
	for pid in "${@:2}"; do
		lab_child "$pid"
		[[ $LAB_CHILD != "$1":* ]] || CHILDREN+=${CHILDREN:+,}${LAB_CHILD#*:}
	done
}

# The machine goes on seeing its own files: the server's commands have mounts of their own, as long as one of them runs.
lab_disk_space() {
	lab_start server disk-space unshare --mount sh -c 'echo ready >&2; exec sleep infinity' && LAB_DISK_KEEPER=$LAB_PID &&
		lab_ready disk-space 20 2>/dev/null && lab_child "$LAB_PID" && [[ $LAB_CHILD == server:* ]] || {
		LAB_WHY="no mounts of its own for the server"
		return 1
	}
	LAB_DISK_SPACE=/proc/${LAB_CHILD#*:}/ns/mnt
}

lab_undo_command() {
	local LAB_LINE locks=${LAB_LOCKS:-/tmp/thinprobe-locks} words
	words=(env -u LAB_REMOTE -C / "LAB_ID=$LAB_ID" "LAB_LOCKS=$locks" "LAB_SWAP_FOLDER=${LAB_SWAP_FOLDER-}"
		"TP_BIN=${LAB_FOLDER[server]}/bin" setsid bash -p "$LAB_HERE/local/undo.sh" serve)
	# Not of our session, our folder or our mark there, so that it is not ended with these: it has something to take back.
	# shellcheck disable=SC2016 # another shell's
	lab_command -M - server bash -c 'trap "" TERM INT HUP PIPE
		exec {in}<&0
		"$@" <&"$in" {in}<&- &
		exec {in}<&-
		wait' undo "${words[@]}"
}
lab_undo_again() {
	SSH_ANSWER_S=$SSH_FILE_S lab_query server env "LAB_LOCKS=${1%/*}" bash -p "${LAB_FOLDER[server]}/lab/local/undo.sh" back "$1"
}

lab_listens() { lab_query "$1" machine_listens "$2"; }
lab_display() { lab_query "$1" machine_display | whole_numbers; }
lab_has() { lab_query "$1" is_there "$2"; }

# lab_cpu ROLE: as in local.sh; own is what descends from our connection there, sshd's part of it too.
lab_cpu() {
	local cpus=LAB_CPUS_$1
	lab_query "$1" own_cpu "${!cpus}" "$([ "${LAB_SERVED-}$1" != 1server ] || echo served)" | whole_numbers 4
}

lab_put() {
	local LAB_WORD SSH_ANSWER_S=$SSH_FILE_S
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
	local LAB_WORD SSH_ANSWER_S=$SSH_FILE_S SSH_ANSWER_BYTES=$((SSH_FILE_BYTES + 1)) host=LAB_HOST_$1 status size
	lab_there "$1" "$2"
	[[ $3 != */* ]] || mkdir -p -- "${3%/*}"
	lab_query "$1" send "$LAB_WORD" >"$3.part" 2>/dev/null
	status=$? size=$(stat -c %s -- "$3.part" 2>/dev/null)
	if [ "${size:-0}" -gt "$SSH_FILE_BYTES" ]; then
		warn "${!host-$1}: $2 is over $SSH_FILE_BYTES bytes and stays there; measure a shorter time"
	elif [ "$status" = 0 ] && ! lab_query "$1" test -d "$LAB_WORD"; then
		mv -T -- "$3.part" "$3" && return 0
	elif [ "$status" = 0 ] && tar --numeric-owner -tvf - <"$3.part" | awk -v most="$SSH_FILE_BYTES" '
		!/^[-d]/ || (bytes += $3) > most || NR > 200000 { wrong = 1; exit } END { exit wrong }'; then	# without owners and modes
		mkdir -p -- "$3" && tar -xf - -C "$3" --no-same-owner --no-same-permissions <"$3.part" && rm -f -- "$3.part" && return 0
	fi
	rm -f -- "$3.part"
	return 1
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
		[[ $there =~ ^[1-9][0-9]{1,15}$ ]] || break
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

# lab_ahead ROLE: as in local.sh. Both clocks of a machine are known at one instant (machine_clocks), and CLOCK_REALTIME of both
# machines by lab_clock.
lab_ahead() {
	local clock there here
	clock=$(lab_clock "$1") && read -ra there < <(lab_query "$1" machine_clocks | whole_numbers 3) &&
		read -ra here < <(machine_clocks) || return 1
	# less what lies between the two readings, by their clocks
	printf '%s %s\n' $((10#${there[1]} - 10#${here[1]} - (there[0] - here[0]) + ${clock% *})) $((${clock#* } + there[2] + here[2]))
}

lab_link() { LAB_WHY="a real link is left as it is"; return 1; }

# lab_can ROLE WHAT: as in local.sh. A real link is not shaped.
lab_can() {
	local cpus=LAB_CPUS_$1 link=LAB_IF_$1
	LAB_WHY=''
	case $2 in
	pin) [ "$LAB_SHARED_CPUS" = 0 ] && lab_query "$1" can_pin "${!cpus}" ;;
	autogroup) lab_query "$1" machine_can_autogroup ;;
	shape | delay) lab_link ;;
	memory | swap | zram | slowswap | evict | memory_low) [ "$1" = server ] && lab_memory_can "$2" ;;
	disk)
		LAB_WHY="a disk that stands in front of the server's own files is for the emulated server only"
		return 1
		;;
	capture) lab_query "$1" can_run "${LAB_FOLDER[$1]}/bin/prototap" live -i "${!link}" --port 1 -t 100ms ;;
	rt) lab_query "$1" can_run chrt -f 1 true ;;
	*) lab_no_lever "$2" ;;
	esac
}

# The server's memory is its own where the login may not confine it. Who is going to fill it all the same learns what that pushes
# out there.
ssh_memory_up() {
	local why
	lab_memory_none
	case ${LAB_SERVER_MEMORY-} in '' | none) return 0 ;; esac
	if [ "${LAB_FACT[server.uid]}" = 0 ] || [ "${LAB_SWAP:-file}" = none ]; then
		if lab_memory_can memory; then
			lab_memory_ask
			lab_memory_up
			return
		fi
		why=" ($LAB_WHY)"
	fi
	warn "the memory of $LAB_HOST_server is not limited to $LAB_SERVER_MEMORY${why- (only root can do that)};" \
		"filling it pushes out $(lab_query server machine_pushed_out)"
}

# lab_facts: the server's machine, and the client's in it as `client`.
lab_facts() {
	jq -n --argjson server "$(facts_json lab_query server)" \
		--argjson client "$(facts_json lab_query client)" '$server + {client: $client}' 2>/dev/null || echo null
}
