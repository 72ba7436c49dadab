#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# door.sh - stands here for one command at the other end: its streams, its exit status, and the way for signals. The driver's child.
#
# door.sh CONTROL ROLE FOLDER JOB LINE INTERRUPT WORDS...: CONTROL: hold.sh's folder; FOLDER: the role's
# folder there; LINE: one of its connections, ROLE.N (here: none, the role is this machine's); INTERRUPT yes:
# hears the terminal's Ctrl-C (foreground); WORDS: enter.sh's.
# shellcheck disable=SC2317 # pass_on runs in traps
set -u
control=$1 role=$2 folder=$3 n=$4 line=$5 interrupt=$6
shift 6

# Not from a terminal: in the background reading it would stop us.
input=yes
[ ! -t 0 ] && ! [ /dev/stdin -ef /dev/null ] || input=no
printf -v words '%q ' "$@"
words=$(base64 -w 0 <<<"$words")

# Only now: bash 5.2 breaks on a trap that comes in the middle of a command substitution. Before, a
# signal ends this shell, and nothing runs there.
child='' signalled=''
pass_on() {
	local fd
	signalled=$1
	# The keeper waits with it for a command that is not there yet. (A pipe opened for both directions never blocks.)
	[ -p "$control/$role.in" ] && exec {fd}<>"$control/$role.in" && printf 'kill %s %s\n' "$n" "$1" >&"$fd" && exec {fd}>&-
}
for s in TERM INT HUP USR1 USR2; do
	# shellcheck disable=SC2064
	trap "pass_on $s" "$s"
done
relay=(bash -p "$folder/lab/ssh/relay.sh" "$folder" "$n" "$input" "$interrupt" "$words")
# Only through a connection that is there: another one would be a login of its own, with another fate.
speaks=''
[ ! -e "$control/$role.speaks" ] || speaks=mark	# hold.sh
[ "$line" = here ] || relay=(ssh -F none -T -S "$control/$line.ctl" -o ControlMaster=no -o BatchMode=yes
	-o ProxyCommand=false -o LogLevel=QUIET "$role" "exec ${relay[*]} $speaks")
[ -z "$speaks" ] || relay=(bash -p "${0%/*}/after.sh" "${relay[@]}")
# A host's words are no commands for a terminal.
clean=(sed -u 's/[^[:print:]\t]/?/g')
[ ! -t 1 ] || exec > >(exec "${clean[@]}")
[ ! -t 2 ] || exec 2> >(exec "${clean[@]}" >&2)
# In a process group of its own, so that what ends the driver's group does not end it before the command.
set -m
exec {in}<&0
[ "$input" = yes ] || exec {in}</dev/null
"${relay[@]}" <&"$in" {in}<&- &
child=$!
exec {in}<&- </dev/null
while :; do
	signalled=''
	wait "$child" 2>/dev/null	# (bash would say "Killed" of one that was)
	status=$?
	[ -n "$signalled" ] || break
done
if [ "$status" = 255 ] && [ -e "$control/$line.ctl" ]; then
	printf 'the ssh connection was lost, or allows no more commands (MaxSessions in sshd_config; default 10)\n' >&2
fi
if [ "$interrupt" = yes ] && [ "$status" = 130 ]; then
	trap - INT
	kill -INT $$
fi
exit "$status"
