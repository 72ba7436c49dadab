# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# lib.sh - used by every driver of thinprobe: errors with a cure, waiting for a fact, tidying up.
#
# A driver says:  . lab/lib.sh; lab_use local; lab_up; ... ; lab_down
# Nothing here knows an experiment, a protocol or where the two hosts live. Works under `set -u`.
LAB_HERE=$(cd -- "${BASH_SOURCE[0]%/*}" && pwd -P)
# shellcheck source=lab/home.sh
. "$LAB_HERE/home.sh"
# Exit statuses are those of the programs (src/lib/cli.h).
EXIT_RUN=1 EXIT_USAGE=2 EXIT_MISSING=4
readonly EXIT_RUN EXIT_USAGE EXIT_MISSING
# shellcheck source=lab/line.sh
. "$LAB_HERE/line.sh"
. "$LAB_HERE/room.sh"
. "$LAB_HERE/words.sh"

# die [-STATUS] MESSAGE...: prints one line "tool: what; cure" and exits. on_exit commands have the message in DIED.
DIED=''
die() {
	local status=$EXIT_RUN
	case ${1-} in
	-[0-9]*)
		status=${1#-}
		shift
		;;
	esac
	DIED=$*
	warn "$DIED"
	exit "$status"
}

# shown VARIABLE: takes from its text, which a host or a window may have said, what is a command for a terminal or a CI service,
# and what hides or turns the words beside it.
shown() {
	local -n shown_text=$1
	local seen
	shown_text=${shown_text//[![:print:]$'\t\n']/?} shown_text=${shown_text//\#\#/?#}
	! seen=$(visible <<<"$shown_text") || shown_text=$seen
}
warn() {
	local words="$*"
	words=${words:0:4000} words=${words//$'\r'}	# (a host's line may have no end)
	while [[ $words == *$'\n' ]]; do words=${words%$'\n'}; done
	words=${words//$'\n'/; }	# one line: what a host says begins none, in which a CI service would see a command
	shown words
	[ ! -t 2 ] || printf '\r\033[K' >&2	# a progress line may stand there
	printf '%s: %s\n' "${TP_TOOL:-lab}" "$words" >&2
}

# (bash evaluates text in arithmetic.)
[[ ${LAB_CPU_WAIT:-0} =~ ^(0|[1-9][0-9]{0,5})$ ]] || die "-$EXIT_USAGE" "LAB_CPU_WAIT=$LAB_CPU_WAIT: want whole seconds"
[[ ${THINPROBE_SSH_SESSIONS:-1} =~ ^[1-9][0-9]{0,3}$ ]] ||
	die "-$EXIT_USAGE" "THINPROBE_SSH_SESSIONS=$THINPROBE_SSH_SESSIONS: want a whole number from 1"

# cannot [-STATUS] MESSAGE...: the last command of a plug-in's function that fails: returns 1, sets LAB_WHY and LAB_STATUS.
# must COMMAND...: runs such a function; if it fails, the driver dies with its reason and status.
LAB_WHY='' LAB_STATUS=$EXIT_RUN
cannot() {
	LAB_STATUS=$EXIT_RUN
	case ${1-} in -[0-9]*) LAB_STATUS=${1#-} && shift ;; esac
	LAB_WHY=$*
	return 1
}
must() { "$@" || die "-$LAB_STATUS" "$LAB_WHY"; }

# need COMMAND PACKAGE...: checks that the commands are installed; else dies with how to install those that are not.
need() {
	local missing=() packages=() are='is missing; install it'
	while [ $# -gt 0 ]; do
		command -v -- "$1" >/dev/null 2>&1 || {
			missing+=("$1")
			[[ " ${packages[*]-} " == *" $2 "* ]] || packages+=("$2")
		}
		shift 2
	done
	[ "${#missing[@]}" -gt 0 ] || return 0
	[ "${#missing[@]}" = 1 ] || are='are missing; install them'
	die "-$EXIT_MISSING" "${missing[*]} $are with: apt-get install --no-install-recommends ${packages[*]}"
}

# open_pipe VAR: a nameless pipe, open for both directions, its descriptor in VAR. bash 5.1 makes a pipe for a short here-string;
# opened again it can be written, and no folder is left by kill -9. (After a process substitution bash 5.2 changes $! and complains
# of processes it does not know.)
open_pipe() {
	local first
	local -n pipe=$1
	exec {first}<<<''
	[ -p "/dev/fd/$first" ] || die "bash $BASH_VERSION is too old; 5.1 or later is needed"
	exec {pipe}<>"/dev/fd/$first" {first}<&-
	read -r -u "$pipe" _
}

# nap SECONDS: sleeps without starting a process (waiting must not load the CPUs that are measured), and wakes when told to stop.
nap() {
	local fd=${LAB_STOP_FD-}
	if [ -z "$fd" ] || [ -n "$LAB_STOPPED" ]; then
		[ -n "${LAB_NAP_FD-}" ] || open_pipe LAB_NAP_FD
		fd=$LAB_NAP_FD
	fi
	read -r -t "$1" -u "$fd" _
	stop_here
}

# stopped: whether the parent has asked us to stop (LAB_STOP_FD is at its end; nothing is ever written to it).
# stop_here: if so, ends the shell with status 130, unless LAB_STOP_ENDS is empty (then the driver checks `stopped` itself).
LAB_STOPPED='' LAB_STOP_ENDS=1
stopped() {
	[ -n "$LAB_STOPPED" ] || { [ -n "${LAB_STOP_FD-}" ] && read -r -t 0 -u "$LAB_STOP_FD" && LAB_STOPPED=1; }
}

stop_here() {
	! stopped || [ -z "$LAB_STOP_ENDS" ] || exit 130
}

# seconds_ms 2.5: sets MS=2500.
seconds_ms() {
	local whole=${1%%.*} part=000
	[[ $1 == *.* ]] && part=${1#*.}000
	MS=$((10#${whole:-0} * 1000 + 10#${part:0:3}))
}

# lab_size 1.5G: sets SIZE, bytes (1024 each step); 1 when it is no size, or more than the shell counts.
lab_size() {
	[[ $1 =~ ^[0-9]+(\.[0-9]+)?([KMGT](i?B)?|B)?$ ]] || return 1
	SIZE=$(LC_ALL=C awk -v t="$1" 'BEGIN { n = index("KMGT", substr(t, match(t, /[KMGT]/), 1)); t *= t ~ /[KMGT]/ ? 1024 ^ n : 1
		printf "%.0f", t; exit t >= 2 ^ 62 }')
}

# What starts a command that may outlive us without our descriptors: locks and pipes among them.
# shellcheck disable=SC2016 # another shell's
LAB_CLOSED=(bash -c 'for fd in /proc/$$/fd/*; do fd=${fd##*/}; [ "$fd" -le 2 ] || exec {fd}>&-; done; exec "$@"' closed)

# whole_numbers [N]: passes on the first line of standard input that is N (1) whole numbers with a space between; 1: there is none.
# bash evaluates text in arithmetic, so what another machine says stands in it only after this.
whole_numbers() {
	local n='(0|-?[1-9][0-9]{0,18})'
	grep -m 1 -xE -- "$n( $n){$((${1:-1} - 1))}"
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

# on_exit COMMAND...: runs COMMAND when the shell ends, except by SIGKILL; the last one registered runs first.
on_exit() {
	LAB_ON_EXIT=("$#" "$@" "${LAB_ON_EXIT[@]}")
	trap run_on_exit EXIT
}
LAB_ON_EXIT=()

run_on_exit() {
	local status=$?
	# Some subshells inherit the trap (bash 5.2: process substitution); it is the main shell's alone.
	[ "$BASHPID" = "$$" ] || return "$status"
	trap - EXIT
	IFS=$' \t\n'	# a signal may have come within an `IFS= read`
	LAB_STOP_ENDS=''
	# Tidying up is bounded, and a second signal must not cut it short.
	trap '' INT TERM HUP
	set -- "${LAB_ON_EXIT[@]}"
	while [ $# -gt 0 ]; do
		"${@:2:$1}"
		shift $(($1 + 1))
	done
	LAB_ON_EXIT=()
	exit "$status"
}

# unjoin ARRAY TEXT: sets it to the words of TEXT, each of which ends with \037 (and may have several lines).
unjoin() {
	local -n unjoined=$1
	mapfile -td $'\037' unjoined <<<"$2"
	unjoined=("${unjoined[@]::${#unjoined[@]}-1}")	# without the end of the line
}

# lab_url ROLE: prints its address as it stands before ":PORT".
lab_url() {
	local address=LAB_ADDR_$1
	if [[ ${!address} == *:* ]]; then printf '[%s]' "${!address}"; else printf '%s' "${!address}"; fi
}

# The server's folder for the lab's temporary files; a back-end may have another.
LAB_TMP=/tmp

# lab_use BACKEND [WHERE]: local, ssh with SERVER,CLIENT[,LISTENER], or attach with DISPLAY,WINDOW.
lab_use() {
	local file	# of the back-end
	LAB_ON=${2-}
	[ -f "$LAB_HERE/$1.sh" ] || die "-$EXIT_USAGE" "no back-end '$1'; there are: local ssh attach"
	[ -z "${LAB_SERVER_ROOT-}" ] || [ "$1" = local ] ||
		die "-$EXIT_USAGE" "a root file system is for an emulated server (--on lab); unset LAB_SERVER_ROOT"
	# shellcheck source=lab/local.sh
	. "$LAB_HERE/$1.sh"
}

# lab_has ROLE COMMAND: that command is installed there. lab_need ROLE COMMAND PACKAGE: it is, or 1 (cannot) and
# the way to get it. (Without a back-end, and in the emulated lab, that is this machine, or LAB_SERVER_ROOT, where a link leads
# elsewhere from here than from within.)
lab_has() {
	local file path=LAB_PATH_$1
	[ "$1" = server ] && [ -n "${LAB_SERVER_ROOT-}" ] ||
		{ PATH=${!path-}${!path:+:}$PATH command -v -- "$2" >/dev/null 2>&1; return; }
	[[ $2 != /* ]] || { [ -e "$LAB_SERVER_ROOT$2" ]; return; }
	for file in "$LAB_SERVER_ROOT"/usr/{local/bin,bin,sbin}/"$2"; do [ ! -e "$file" ] && [ ! -L "$file" ] || return 0; done
	return 1
}
lab_need() {
	local at=LAB_AT_$1
	lab_has "$1" "$2" || cannot "-$EXIT_MISSING" "$2 is missing${!at-}; $(lab_cure "$1" "$3${!at-}")"
}
lab_cure() {	# lab_cure ROLE PACKAGE: prints how it comes there
	if [ "$1" = server ] && [ -n "${LAB_SERVER_ROOT-}" ]; then
		printf 'make a root that has it: thinprobe root make SUITE --protocol %s' "${PROTOCOL_NAME:-NAME}"
	else
		printf 'apt-get install --no-install-recommends %s' "$2"
	fi
}
[ -z "${LAB_SERVER_ROOT-}" ] || LAB_AT_server=" in $LAB_SERVER_ROOT"
root_system() { sed -n 's/^PRETTY_NAME="\{0,1\}\([^"]*\).*/\1/p' "$1/etc/os-release"; }	# root_system ROOT: prints its name

lab_no_lever() {	# of lab_can
	die "-$EXIT_USAGE" "lab_can: no lever '$1'; there are: pin shape delay autogroup memory swap" \
		"zram slowswap evict memory_low disk capture rt"
}

# lab_needs ROLE:COMMAND:PACKAGE...: 0, or prints which is missing there, with the cure, and fails.
lab_needs() {
	local role command package at
	for command; do
		IFS=: read -r role command package <<<"$command"
		at=LAB_AT_$role
		lab_has "$role" "$command" || {
			printf '%s is missing%s; %s\n' "$command" "${!at-}" "$(lab_cure "$role" "$package")"
			return 1
		}
	done
}

LAB_USER=${USER-}
# protocol_use NAME[:VARIANT] and app_use NAME load a plug-in (contract: protocols/README.md).
protocol_use() {
	local file
	PROTOCOL_NAME=$1 PROTOCOL_VARIANT=''
	[[ $1 == *:* ]] && PROTOCOL_VARIANT=${1#*:}
	[ -z "$LAB_USER" ] || USER=$LAB_USER	# (a plug-in may need another)
	file=$(plugin_file protocols "${1%%:*}") || die "-$EXIT_USAGE" "no protocol '$1'; there are: $(plugins protocols | paste -sd ' ')"
	protocol_variants() { :; }
	# shellcheck disable=SC2317 # drivers call it
	protocol_reset() { :; }
	# shellcheck disable=SC1090
	. "$file"
	[[ -z $PROTOCOL_VARIANT || " $(protocol_variants) " == *" $PROTOCOL_VARIANT "* ]] ||
		die "-$EXIT_USAGE" "no variant '$PROTOCOL_VARIANT' of ${1%%:*}; there $(
			v=$(protocol_variants) && echo "${v:+are: }${v:-is none}")"
}

# display: applications run in its sessions; application: it answers keys itself.
protocol_kind() { case " $(protocol_properties) " in *' display '*) echo display ;; *) echo application ;; esac; }

app_use() {
	local file
	# shellcheck disable=SC2317 # drivers call them
	{
		app_watch() { printf 'update\n'; }
		app_reset() { :; }
		app_stop() { [ -z "$APP_PID" ] || lab_stop "$APP_PID"; }
	}
	file=$(plugin_file apps "$1") || die "-$EXIT_USAGE" "no application '$1'; there are: $(plugins apps | paste -sd ' ')"
	# shellcheck disable=SC1090
	. "$file"
}

# shellcheck source=lab/facts.sh
[ -f "$LAB_HERE/facts.sh" ] && . "$LAB_HERE/facts.sh"
