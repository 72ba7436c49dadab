#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# hold.sh - holds the lab of real machines: a connection to each, more where one does not carry all
# commands, a sign of life once a second. Child of the driver, and ends with it (setpriv --pdeathsig
# TERM: it has something to remove). Where one connection is lost, it ends all.
#
# Talks to the driver on fd 3: control FOLDER, then lines of the guards with the role in front, fail
# STATUS MESSAGE. Reads lines from CONTROL/ask: more ROLE LINE, for a further connection. Environment:
# LAB_DRIVER LAB_ROLES LAB_HOST_ROLE (. is this machine: without ssh) LAB_LOST (file: the reason, when
# a connection is lost) THINPROBE_SSH_OPTIONS TP_HOME TP_BIN
# shellcheck disable=SC2317 # close runs in a trap
set -u
[ "$PPID" = "$LAB_DRIVER" ] || exit 1	# the driver died before the death signal was set
trap '' INT HUP
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P) || exit 1
# shellcheck source=lab/line.sh
. "$here/../line.sh"
. "$here/../trees.sh"
umask 077
say() { printf '%s\n' "$*" >&3; }
fail() {
	trap '' TERM	# who hears of it sends one at once: between here and the end it would end this without close
	say "fail $1 ${*:2}"
	exit 1
}
# ssh appends to the name of its socket, and a socket's path has 107 characters; it takes % and $ for words of its own.
base=${TMPDIR:-/tmp}
[[ ${#base} -le 50 && $base != *[%\$]* ]] || base=/tmp
control=$(mktemp -d "$base/thinprobe-ssh.XXXXXX") || fail 1 "cannot make a folder in $base of this machine;" \
	"set TMPDIR to one that you own (at most 50 characters, without % and $)"
printf '%s\n' $$ >"$control/pid"
declare -A pid=() in=() from=() sender=() more=() up=() begun=()
read -ra roles <<<"$LAB_ROLES"
mkfifo "$control/ask" && exec {idle}<>"$control/ask" || fail 1 "cannot write to $control"

# (A shell in a trap does not bury its children: a zombie is dead.)
alive() {
	local stat
	[ -n "${pid[$1]-}" ] && { read -r stat <"/proc/${pid[$1]}/stat"; } 2>/dev/null && [[ ${stat##*) } != Z* ]]
}
ours() {	# ours PID: it is still a child of this shell (another process may have its number by now)
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null && [[ ${stat##*) } == [!Z]" $$ "* ]]
}
sends() { ours "${sender[$1]}"; }	# the programs, still, to that role
any_alive() {
	local role
	for role in "${!pid[@]}"; do ! alive "$role" || return 0; done
	return 1
}

close() {
	local role host fd n
	trap '' TERM
	trap - EXIT
	IFS=$' \t\n'	# a signal may have come within an `IFS= read`
	for n in "${sender[@]}"; do ! ours "$n" || kill "$n" 2>/dev/null; done
	# Who is not up yet is told by the end of its input: its pipe may be full of the archive. A login that did not come
	# (ssh has no socket yet) has nothing there.
	for role in "${!pid[@]}"; do
		host=LAB_HOST_$role
		if [ -n "${up[$role]-}" ]; then
			! alive "$role" || printf 'end\n' >&"${in[$role]}"
			continue
		fi
		fd=${in[$role]}
		exec {fd}>&-
		[ "${!host}" = . ] || [ -S "$control/$role.1.ctl" ] || ! alive "$role" || kill "${pid[$role]}"
	done
	for ((n = 0; n < 80; n++)); do
		any_alive || break
		read -r -t 0.1 -u "$idle"
	done
	for n in "${more[@]}"; do ! ours "$n" || kill "$n" 2>/dev/null; done
	for role in "${!pid[@]}"; do ! alive "$role" || kill -KILL "${pid[$role]}"; done
	rm -rf -- "$control"
}
trap 'exit 0' TERM
trap close EXIT

read -ra options <<<"${THINPROBE_SSH_OPTIONS-}"
options=(-T -a -x -M -S "$control/@.ctl" -o ControlPersist=no -o BatchMode=yes
	-o ServerAliveInterval=2 -o ServerAliveCountMax=4
	-o ClearAllForwardings=yes -o PermitLocalCommand=no -o RemoteCommand=none -o Compression=no
	-o LogLevel=ERROR ${options[@]+"${options[@]}"} -o ConnectTimeout=10)

# What is needed there: the programs but for those of the desk (of those in Python only sessmem is not), the lab's own files, key
# scripts.
mkdir "$control/ship" "$control/ship/bin" "$control/ship/analysis" && ln -s -- "$TP_HOME/lab" "$control/ship/lab" &&
	ln -s -- "$TP_HOME"/analysis/*.py "$control/ship/analysis/" || fail 1 "cannot write to $control"
while IFS= read -r data; do
	data=${data#"$TP_HOME"/}
	mkdir -p "$(dirname "$control/ship/$data")" && ln -s -- "$TP_HOME/$data" "$control/ship/$data"
done < <(in_trees data)
for program in "$TP_BIN"/*; do
	[[ $program != *.so ]] || ln -s -- "$program" "$control/ship/bin/"	# a program loads it
	[ -f "$program" ] && [ -x "$program" ] && [[ $program != *.so ]] || continue
	IFS= read -r -N 18 start <"$program"
	[[ $start != '#!/usr/bin/python3' || ${program##*/} = sessmem ]] || continue
	ln -s -- "$program" "$control/ship/bin/"
	printf '%s\t%s\n' "${program##*/}" "$("$program" --version 2>/dev/null)" >>"$control/ship/bin/versions"
done
[ -s "$control/ship/bin/versions" ] || fail 4 "$TP_BIN has no programs; build them with: thinprobe setup"
size=$(stat -c %s "$here/begin.sh")
tar -I "gzip -1" -chf "$control/tar" -C "$control/ship" . && {
	cat "$here/begin.sh" && stat -c %s "$control/tar" && cat "$control/tar"
} >"$control/all" ||
	fail 1 "cannot pack the programs for the other host; is $base full?"
say "control $control"

# What a program there prints is written by the ssh that holds the connection: its files have an end (as SSH_FILE_BYTES).
bound() { ulimit -S -c 0 -f $((2 << 20)) 2>/dev/null || :; }

# A further connection carries commands and nothing else: who ends what is there is the first.
line_open() {	# line_open ROLE LINE
	local host=LAB_HOST_$1
	[ "${!host}" != . ] && ! ours "${more[$1.$2]-}" || return 0
	(bound && exec setpriv --pdeathsig KILL ssh -N "${options[@]/@.ctl/$1.$2.ctl}" -- "${!host}") \
		</dev/null >/dev/null 2>>"$control/$1.err" 3>&- &
	more[$1.$2]=$!
}

for role in "${roles[@]}"; do
	host=LAB_HOST_$role
	mkfifo "$control/$role.in" "$control/$role.from" || fail 1 "cannot write to $control"
	exec {fd}<>"$control/$role.in"
	in[$role]=$fd
	exec {fd}<>"$control/$role.from"
	from[$role]=$fd
	# shellcheck disable=SC2016 # another shell's
	begin=(env -u SSH_CONNECTION setsid bash -p -c 'LC_ALL=C; IFS= read -r -N "$1" t && eval "$t"' begin "$size")
	[ "${!host}" = . ] || begin=(setpriv --pdeathsig KILL ssh "${options[@]/@.ctl/$role.1.ctl}" -- "${!host}"
		"exec bash -p -c 'LC_ALL=C; IFS= read -r -N $size t && eval \"\$t\"'")
	(	# (Who had our ends of its pipes would not hear of our end.)
		for fd in "${in[@]}" "${from[@]}" "$idle" 3; do exec {fd}>&-; done
		[ "${!host}" = . ] || bound
		exec "${begin[@]}"
	) <"$control/$role.in" >"$control/$role.from" 2>"$control/$role.err" &
	pid[$role]=$!
	setpriv --pdeathsig KILL cat "$control/all" >&"${in[$role]}" 3>&- &
	sender[$role]=$!
done

ended() {	# has the guard given up? then why (who never stops speaking does not keep us)
	local n
	for ((n = 0; n < 100; n++)); do
		read -r -t 0 -u "${from[$1]}" && read_line 0.1 "${from[$1]}" || break
		[[ $LINE != ended\ * ]] || why=${LINE#ended }
	done
	[ -n "$why" ]
}
lost() {	# the connection ended by itself
	local host=LAB_HOST_$1
	ended "$1" || why=$(grep -v '^$' "$control/$1.err" | tail -n 1)
	why=${why%$'\r'}
	alive "$1" || wait "${pid[$1]}" || [ $? != 153 ] || why='a program printed over 2 GiB there'
	printf 'connection to %s (%s) lost%s\n' "$1" "${!host}" "${why:+: ${why//[![:print:]]/?}}" >"$LAB_LOST"
	exit 0
}

# Who is up already wants to hear of us, also while the programs are on their way to another.
beat() {
	local role
	for role in "${!up[@]}"; do printf 'beat\n' >&"${in[$role]}"; done
}
await_up() {	# await_up ROLE: hands on the next line of its guard; 1: none came within 0.2 s
	local role=$1 host=LAB_HOST_$1 status line n
	if ! read_line 0.2 "${from[$role]}"; then
		! alive "$role" || return 1
		line=$(grep -v '^$' "$control/$role.err" | tail -n 1)
		[ "${!host}" != . ] || fail 1 "cannot use this machine as the $role: $line"
		fail 1 "cannot use ${!host} as the $role: ${line:-the login ended at once}; make this work first:" \
			"ssh -o BatchMode=yes${THINPROBE_SSH_OPTIONS:+ $THINPROBE_SSH_OPTIONS} ${!host} true"
	fi
	if [ -z "${begun[$role]-}" ] && [[ $LINE != fail\ [14]\ * ]]; then
		case $LINE in
		'thinprobe: begun') begun[$role]=1 ;;
		?*) : >"$control/$role.speaks" ;;	# the login itself, before each command
		esac
		return 0
	fi
	case $LINE in
	fail\ *)
		read -r _ status line <<<"$LINE"
		[[ $status == [14] ]] || status=1
		fail "$status" "${!host}: $line"
		;;
	up\ *)
		# What we write to a pipe that is full of the programs would wait for the host, and no signal would end that.
		for ((n = 0; n < 50; n++)); do sends "$role" || break; read -r -t 0.1 -u "$idle"; done
		! sends "$role" || fail 1 "${!host}: it says that it is up, and has not read what it is to run"
		up[$role]=1
		[ ! -s "$control/$role.err" ] || say note "${!host}: $(tail -n 1 "$control/$role.err")"
		;;
	esac
	say "$role $LINE"
}
now_ms
end=$((NOW_MS + 300000 * ${#roles[@]})) last=0	# (the programs may go to all of them over one slow line)
while [ "${#up[@]}" -lt "${#roles[@]}" ]; do
	for role in "${roles[@]}"; do
		host=LAB_HOST_$role
		for ((n = 0; n < 20; n++)); do
			now_ms
			[ "$NOW_MS" -lt $((last + 1000)) ] || { beat; last=$NOW_MS; }
			[ -z "${up[$role]-}" ] || break
			[ "$NOW_MS" -le "$end" ] || fail 1 "${!host} was not ready in time; check its load, its disk and the link to it"
			await_up "$role" || break
		done
	done
done
say up
exec 3>&-
why=''
rm -rf -- "$control/ship" "$control/tar" "$control/all"
while :; do
	for role in "${roles[@]}"; do alive "$role" && ! ended "$role" || lost "$role"; done
	beat
	while read -r -t 1 -u "$idle" word role line; do [ "$word" != more ] || line_open "$role" "$line"; done
done
