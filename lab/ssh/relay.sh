#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# relay.sh - one channel of the connection: asks the keeper to start a command and passes its streams and its exit status.
#
# relay.sh FOLDER JOB INPUT INTERRUPT WORDS [MARK]: INPUT yes: standard input is handed on; WORDS: enter.sh's, quoted, in base 64;
# MARK: as for ask.sh.
[ -z "${6-}" ] || printf '\nthinprobe: begun\n'
folder=$1 n=$2 input=$3 interrupt=$4
trap '' HUP
umask 077
cd -- "$folder/job" || exit 125
base64 -d <<<"$5" >"$n.cmd" || exit 125
pipes=("$n.out" "$n.err" "$n.end")
[ "$input" = no ] || pipes+=("$n.in")
mkfifo "${pipes[@]}" || exit 125
exec {end}<>"$n.end" {ask}<>../ask {stdin}<&0
cat "$n.out" {end}<&- {ask}<&- &
cats=($!)
cat "$n.err" >&2 {end}<&- {ask}<&- &
cats+=($!)
writer=''
if [ "$input" = yes ]; then
	cat <&"$stdin" >"$n.in" {end}<&- {ask}<&- &
	writer=$!
fi
status=125
printf 'start %s %s\n' "$n" "$interrupt" >&"$ask"
if read -r -t 20 -u "$end" _ job; then
	# The door tells of the end; if it was killed, its absence does.
	until read -r -t 10 -u "$end" _ status; do
		[ -d "/proc/$job" ] || { status=137; break; }
	done
	# What the command has written is in the pipes; who it left behind may hold them open.
	for ((i = 0; i < 25; i++)); do
		kill -0 "${cats[0]}" 2>/dev/null || kill -0 "${cats[1]}" 2>/dev/null || break
		read -r -t 0.02 -u "$end"
	done
fi
kill "${cats[@]}" $writer 2>/dev/null
rm -f -- "${pipes[@]}" "$n.cmd" "$n.pid"
exit "$status"
