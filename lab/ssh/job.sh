#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# job.sh - the door of one command on a measured host: connects it with its relay, runs it as a command of the local lab is run
# (../local/enter.sh), and leaves its exit status. Child of the keeper.
#
# job.sh FOLDER JOB KEEPER
folder=$1 n=$2
[ "$PPID" = "$3" ] || exit 1
exec {ask}<>"$folder/ask" {end}<>"$folder/job/$n.end"
printf 'started %s\n' "$$" >&"$end"
[ -p "$folder/job/$n.in" ] && in=$folder/job/$n.in || in=/dev/null
exec <"$in" >"$folder/job/$n.out" 2>"$folder/job/$n.err"
# Of enter.sh's variables, status is the command's.
leave() {
	local last=$?
	[ "$BASHPID" = "$$" ] || return	# a signal can end the copy of this shell that is about to become the command
	printf 'status %s\n' "${status:-$last}" >&"$end"
	printf 'gone %s\n' "$n" >&"$ask"
}
trap leave EXIT
stands() { printf 'up %s\n' "$n" >&"$ask"; }
LAB_STANDS=stands
eval "set -- $(<"$folder/job/$n.cmd")"
for word in "$@"; do
	case $word in "$folder/run/"*) mkdir -p -- "${word%/*}" ;; esac
done
. "$folder/lab/local/enter.sh"
