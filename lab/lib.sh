# shellcheck shell=bash
# lib.sh - what every driver of thinprobe needs: errors with a cure, waiting for a fact, tidying up.
#
# A driver says:  . lab/lib.sh; lab_use local; lab_up; ... ; lab_down
# Nothing here knows an experiment, a protocol or where the two hosts live. Works under `set -u`.
#
# Exit statuses are those of the programs (src/lib/cli.h).
EXIT_RUN=1 EXIT_USAGE=2 EXIT_MISSING=4
readonly EXIT_RUN EXIT_USAGE EXIT_MISSING

LAB_HERE=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
: "${TP_HOME:=${LAB_HERE%/*}}"
: "${TP_BIN:=$TP_HOME/bin}"
export TP_HOME TP_BIN
# An ordinary user's PATH often lacks the folders where ip, tc and ethtool live.
case :$PATH: in
*:/usr/sbin:*) ;;
*) PATH=$PATH:/usr/sbin:/sbin ;;
esac

# die [-STATUS] MESSAGE...: one line "tool: what; cure", then out.
die() {
	local status=$EXIT_RUN
	case ${1-} in
	-[0-9]*)
		status=${1#-}
		shift
		;;
	esac
	warn "$@"
	exit "$status"
}

warn() { printf '%s: %s\n' "${TP_TOOL:-lab}" "$*" >&2; }

# need COMMAND PACKAGE: the command is there, or the way to get it.
need() {
	command -v -- "$1" >/dev/null 2>&1 ||
		die "-$EXIT_MISSING" "$1 is missing; install it with: apt-get install --no-install-recommends $2"
}

# open_pipe VAR: a nameless pipe, open for both directions, its descriptor in VAR. (Process substitution would do
# it in one line, but bash 5.2 then changes $! and complains of processes it does not know.)
open_pipe() {
	local dir
	dir=$(mktemp -d "${TMPDIR:-/tmp}/thinprobe.XXXXXX") && mkfifo -m 600 "$dir/pipe" ||
		die "cannot make a pipe in ${TMPDIR:-/tmp}; set TMPDIR to a folder that can be written"
	eval "exec {$1}<>\"\$dir/pipe\""
	rm -r -- "$dir"
}

# nap SECONDS: sleeps without starting a process (waiting must not load the CPUs that are measured).
nap() {
	[ -n "${LAB_NAP_FD-}" ] || open_pipe LAB_NAP_FD
	read -r -t "$1" -u "$LAB_NAP_FD" _
	return 0
}

# now_ms: sets NOW_MS, wall clock; for deadlines of seconds only, never for a measurement.
now_ms() {
	local t=${EPOCHREALTIME/[.,]/}
	NOW_MS=${t%???}
}

# seconds_ms 2.5: sets MS=2500.
seconds_ms() {
	local whole=${1%%.*} part=000
	[[ $1 == *.* ]] && part=${1#*.}000
	MS=$((10#${whole:-0} * 1000 + 10#${part:0:3}))
}

# wait_until SECONDS COMMAND...: runs COMMAND until it succeeds; 1 when it never did. The fact decides,
# the seconds only bound the wait.
wait_until() {
	local MS NOW_MS end
	seconds_ms "$1"
	shift
	now_ms
	end=$((NOW_MS + MS))
	until "$@"; do
		now_ms
		[ "$NOW_MS" -lt "$end" ] || return 1
		nap 0.02
	done
}

# on_exit COMMAND...: runs when the shell ends, however it ends short of SIGKILL; the last one said runs first.
on_exit() {
	local quoted
	printf -v quoted '%q ' "$@"
	LAB_ON_EXIT=("$quoted" "${LAB_ON_EXIT[@]}")
	trap run_on_exit EXIT
}
LAB_ON_EXIT=()

run_on_exit() {
	local status=$? c
	# Some subshells inherit the trap (bash 5.2: process substitution); it is the main shell's alone.
	[ "$BASHPID" = "$$" ] || return "$status"
	trap - EXIT
	for c in "${LAB_ON_EXIT[@]}"; do
		eval "$c"
	done
	LAB_ON_EXIT=()
	return "$status"
}

# new_run STEM [FOLDER]: makes results/STEM/<stamp>/ (or FOLDER) and its log/, sets LAB_RUN and LAB_LOG.
new_run() {
	local stamp base=${2-} n=1
	printf -v stamp '%(%Y-%m-%dT%H-%M-%S)T' -1
	if [ -z "$base" ]; then
		base=$PWD/results/$1/$stamp
		while [ -e "$base" ]; do base=$PWD/results/$1/$stamp.$((n++)); done
	fi
	mkdir -p -- "$base/log" || die "cannot make $base; give another folder with -o"
	LAB_RUN=$(cd -- "$base" && pwd -P)
	LAB_LOG=$LAB_RUN/log
	export LAB_RUN LAB_LOG
}

# lab_use BACKEND: local (later ssh, attach).
lab_use() {
	[ -f "$LAB_HERE/$1.sh" ] || die "-$EXIT_USAGE" "no back-end '$1'; there is: local"
	# shellcheck source=lab/local.sh
	. "$LAB_HERE/$1.sh"
}

# protocol_use NAME[:VARIANT] and app_use NAME load a plug-in (contract: protocols/README.md).
protocol_use() {
	local name=${1%%:*}
	# shellcheck disable=SC2034 # the plug-in reads them
	PROTOCOL_NAME=$1 PROTOCOL_VARIANT=''
	# shellcheck disable=SC2034
	[[ $1 == *:* ]] && PROTOCOL_VARIANT=${1#*:}
	[[ $name != */* && -f $LAB_HERE/protocols/$name.sh ]] ||
		die "-$EXIT_USAGE" "no protocol '$1'; there are: $(list_plugins protocols)"
	# shellcheck disable=SC1090
	. "$LAB_HERE/protocols/$name.sh"
}

app_use() {
	[[ $1 != */* && -f $LAB_HERE/apps/$1.sh ]] ||
		die "-$EXIT_USAGE" "no application '$1'; there are: $(list_plugins apps)"
	# shellcheck disable=SC1090
	. "$LAB_HERE/apps/$1.sh"
}

list_plugins() {
	local f names=()
	for f in "$LAB_HERE/$1"/*.sh; do
		f=${f##*/}
		names+=("${f%.sh}")
	done
	printf '%s' "${names[*]}"
}

# shellcheck source=lab/facts.sh
[ -f "$LAB_HERE/facts.sh" ] && . "$LAB_HERE/facts.sh"
