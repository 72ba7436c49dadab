#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# try.sh EXPERIMENT [TARGET] - the first minute: how late is a key on this server? A door over keyrepeat, which types a character
# and BackSpace in turns into a text field that it finds, and over the report of an experiment, whose run folder it makes.
#
# Each repeat is one train of keys. The run is one of a server that is not ours, as with --on attach:, at the load that there is.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/lib.sh" || exit 1
COMMAND=try here=$TP_HOME/experiments/commands
. "$here/listening.sh"
. "$TP_HOME/lab/calibration.sh"
. "$TP_HOME/experiments/engine/folder.sh"
RATE=20 WAIT_S=10 OWN_S=2

# shellcheck disable=SC2317 # read_words calls it
usage() {
	cat <<'END'
usage: thinprobe try [TARGET] [options]
How late do keys show on this server? Types "a" and BackSpace in turns into a
text field, for less than a minute. Says how late and how evenly keys show, and
whether server or network takes the time. Changes nothing on the server, and
leaves nothing in the field. First put the caret into a visible editor, terminal
or search field.
  vnc://HOST:1, vnc://HOST:5901   a VNC server, without another viewer
  x11, x11:DISPLAY                a window of an X display here, such as any
                                  remote-desktop client; you choose it
  ssh://[USER@]HOST[:PORT]        a new terminal there (not visible here); ssh
                                  must ask nothing
  rdp://[USER@]HOST[:PORT]        a session of an RDP server: logs in for each
                                  part, and takes over an open session
Without TARGET: lists what listens on this machine.
  --password-file FILE  VNC, RDP: the password, as text or made by vncpasswd
  --no-password         RDP: the server asks for none (xrdp would show a dialog)
  --cert-ignore         RDP: accept any certificate
  --size WxH            RDP: size of the open session (1024x768)
  --window W            x11: number of the window, part of its title, or pick,
                        to click into it (pick)
  --yes                 do not ask before typing
  -t, --time TIME       length of a part, 2s to 60s (8s)
  --repeat N            number of parts (3); fewer than 3 give no interval
  -o, --output-dir DIR  run folder
  --json                print one JSON object instead of text
Exit status: 0 measured, 1 not measured, 2 wrong usage or typing not allowed,
3 measured, but some keys were lost, 4 something is missing, 130 interrupted.
Without gnuplot and cmark-gfm, it prints all, but makes no page.
examples:
    thinprobe try vnc://localhost:1
    thinprobe try ssh://server --yes --json
END
}

experiment=$1
shift
password_file='' window='' size='' ssh_port=() yes=0 cert_ignore=0 no_password=0 time=8s repeat=3 output_dir='' json=0
read_words 'yes json cert-ignore no-password' 'password-file window size t:time repeat o:output-dir' "$@"
[ "${#words[@]}" -le 1 ] || bad "unexpected ${words[1]}"
target=${words[0]-}
plan_item --time s 2..60 "$time" s
seconds=$ITEM
plan_item --repeat int 1..20 "$repeat" ''
repeat=$ITEM
[ -z "$password_file" ] || [ -r "$password_file" ] || bad "--password-file $password_file: cannot be read"
say() { printf '%s\n' "$*" >&2; }
asks() { [ -t 0 ] && [ -t 2 ]; }

# --- what is meant -------------------------------------------------------------------------------------------------

# Without a target: prints what listens; sets `target` where it was chosen.
choose_target() {
	local port try what all=() n=1 answer
	say "Listening on this machine:"
	while read -r port try _ what; do
		case $try in
		vnc | rdp) all+=("$try://localhost:$port"); say "  $n  thinprobe try ${all[-1]}   $what"; n=$((n + 1)) ;;
		*) say "  -  port $port   $what; with a client open: thinprobe try x11" ;;
		esac
	done < <(listening_ports)
	[ "$n" != 1 ] || say "  nothing that can be typed into (data/ports.tsv names what is looked for)"
	[ -z "${DISPLAY-}" ] || say "  any window here: thinprobe try x11"
	if [ "${#all[@]}" = 1 ] && [ "$yes" = 1 ]; then
		target=${all[0]}
	elif [ "${#all[@]}" -gt 0 ] && asks; then
		read -r -p "Which one? (number, or Enter for none) " answer
		[[ $answer =~ ^[1-9][0-9]?$ ]] && [ "$answer" -le "${#all[@]}" ] || exit 2
		target=${all[answer - 1]}
	else
		die -2 "try: name a target, such as: thinprobe try ${all[0]:-vnc://HOST:1}"
	fi
}

# Sets `kind`, `where` (of keyrepeat), `what` (for people).
read_target() {
	# (an address is shown, and kept)
	[[ $target != *://*@* || ( $target != vnc://* && ${target%%@*} != *:*:* ) ]] ||
		bad "a VNC address has no user, and no address a password: --password-file FILE names a file with it"
	case $target in
	vnc://?*)
		kind=vnc where=${target#vnc://} where=vnc:${where%/}
		[[ $where == vnc:*:* ]] || where+=:0
		what="the window with the focus on the VNC server ${where#vnc:}"
		;;
	x11 | x11:*)
		kind=x11 where=${target#x11} where=${where#:} where=${where:-${DISPLAY-}}
		[[ ! $where =~ ^[0-9]+$ ]] || where=:$where
		[ -n "$where" ] || die -4 "try: no X display here; log in to an X11 session, or name it: thinprobe try x11::1"
		[[ $window != *,* ]] || bad "--window $window: name a part of the title without a comma, or the window's number"
		[ -n "$window" ] || ! asks || window=pick
		;;
	ssh://?*)
		kind=ssh where=${target#ssh://} where=${where%/}
		[[ $where =~ ^[A-Za-z0-9._@:%-]+$ && $where != -* ]] || bad "$target: want ssh://[USER@]HOST[:PORT]"
		what="cat in a terminal of its own on $where, by ssh"
		[[ ! $where =~ ^([^:]+):([0-9]+)$ ]] || where=${BASH_REMATCH[1]} ssh_port=(-p "${BASH_REMATCH[2]}")
		;;
	rdp://?*)
		kind=rdp where=${target#rdp://} where=rdp:${where%/}
		what="the window with the focus in the RDP session of ${where#rdp:}, which it opens or takes over"
		;;
	*) bad "$target is no target: vnc://HOST:DISPLAY, rdp://[USER@]HOST, x11[:DISPLAY] or ssh://[USER@]HOST[:PORT]" ;;
	esac
	[ "$kind" = vnc ] || [ "$kind" = rdp ] || [ -z "$password_file" ] || bad "--password-file is for vnc:// and rdp://"
	[ "$kind" = rdp ] || [ "$cert_ignore$no_password$size" = 00 ] || bad "--cert-ignore, --no-password and --size are for rdp://"
	[ "$kind" = x11 ] || [ -z "$window" ] || bad "--window is for x11"
}

# Says what will be typed and where, and asks.
ask_leave() {
	local answer
	say "try: types \"a\" and BackSpace in turns into $what: $repeat x $seconds s," \
		"up to $RATE keys a second." \
		"$([ "$kind" = ssh ] || echo "Looks for the field first, by two of each; without one, or when it goes, it stops.")"
	[ "$yes" = 0 ] || return 0
	asks || die -2 "try: nobody was there to agree: --yes types without asking"
	read -r -p "Type there? [y/N] " answer
	[[ $answer == [yY]* ]] || die -2 "try: nothing was typed"
}

# --- the terminal of ssh, on a display that only it has -------------------------------------------------------------

start_display() {
	local number cookie told
	export XAUTHORITY=$RUN/log/xauthority
	cookie=$(od -An -N 16 -tx1 /dev/urandom | tr -d ' \n')
	(umask 077 && : >"$XAUTHORITY") && xauth -q source - <<<"add :0 . $cookie" 2>/dev/null
	open_pipe told
	setpriv --pdeathsig TERM Xvfb -displayfd 9 -screen 0 800x600x24 -noreset -nolisten tcp -auth "$XAUTHORITY" 9>&"$told" \
		>"$RUN/log/display.err" 2>&1 &
	helpers+=("$!")
	read -r -t "$WAIT_S" -u "$told" number && [[ $number =~ ^[0-9]+$ ]] ||
		die "try: the X display did not start: $(tail -n 1 "$RUN/log/display.err")"
	export DISPLAY=:$number
	xauth -q source - <<<"add $DISPLAY . $cookie" 2>/dev/null
}
# start_terminal COMMAND...: in an xterm on that display, whose text is what is watched. (pointerMode 0: a pointer that vanishes
# when keys are typed would look like an echo.)
start_terminal() {
	setpriv --pdeathsig TERM xterm -xrm 'XTerm*pointerMode: 0' -fn fixed -geometry 80x24+0+0 +sb -e "$@" 2>"$RUN/log/terminal.err" &
	terminal=$!
	helpers+=("$terminal")
	wait_until $WAIT_S terminal_shown "$1" || die "try: the terminal with $1 did not appear"
	how=(--region auto --window "$window")
}
# shellcheck disable=SC2317 # wait_until calls it
terminal_shown() {	# with ssh: from when the terminal's own echo is off
	local tty
	kill -0 "$terminal" 2>/dev/null || die "try: the terminal with $1 ended"
	window=$(xdotool search --onlyvisible --pid "$terminal" --class xterm 2>/dev/null | head -n 1) && [ -n "$window" ] &&
		xdotool mousemove --window "$window" 300 200 && typed_at=$(pgrep -P "$terminal" -x "$1") &&
		{ [ "$1" != ssh ] || { tty=$(ps -o tty= -p "$typed_at") && stty -F "/dev/$tty" -a 2>/dev/null | grep -q -e -icanon; }; }
}

# What this machine's own terminal takes, and then the one with ssh.
start_ssh() {
	local words more said
	words=(ssh -a -x -o ClearAllForwardings=yes -o BatchMode=yes -o "ConnectTimeout=$WAIT_S" ${ssh_port[@]+"${ssh_port[@]}"})
	read -ra more <<<"${THINPROBE_SSH_OPTIONS-}"
	words+=(${more[@]+"${more[@]}"})
	said=$(set -o pipefail
		timeout --foreground $((3 * WAIT_S)) "${words[@]}" -tt -- "$where" true 2>&1 </dev/null | head -c 65536) ||
		die "try: ssh to $where needs a question or fails:" \
			"$(tr -d '\r' <<<"$said" | grep -vx -e '' -e 'Connection to .* closed[.]' | tail -n 1); this line must work:" \
			"${words[*]} -tt -- $where true"
	start_display
	local server=$where
	where=x11:$DISPLAY
	start_terminal cat
	typed_at='' seconds=$OWN_S type_train "$RUN/log" 0
	trap 'exit 130' INT TERM HUP
	[ -z "$interrupted" ] || exit 130
	own_ms=$(jq -r '.result.latency_from_due_ms | .p50 // .range.p50.to // ""' "$RUN/log/keyrepeat.json" 2>/dev/null)
	kill "$terminal"
	wait "$terminal"
	unset 'helpers[-1]'
	start_terminal "${words[@]}" -tt -- "$server" 'exec cat'
}

# --- the round trip, by what TCP has seen ----------------------------------------------------------------------------

# see_rtt: sets `rtt`, in ms, to the least on the only connection of the program in the window. (keyrepeat tells its own.)
see_rtt() {
	local least all
	[ -n "$typed_at" ] || return 0
	if [ -z "$peer" ]; then
		mapfile -t all < <(ss -Htnp state established 2>/dev/null | grep -F "pid=$typed_at," | awk '{ print $4 }' | sort -u)
		[ "${#all[@]}" = 1 ] || return 0
		peer=${all[0]}
	fi
	least=$(ss -Htin state established dst "$peer" 2>/dev/null | sed -n 's/.* minrtt:\([0-9.]*\).*/\1/p' | sort -n | head -n 1)
	rtt=${least:-$rtt}
}

# --- typing -----------------------------------------------------------------------------------------------------------

# type_train FOLDER SEED: sets `status`. From then on a signal only sets `interrupted`.
type_train() {
	local probe
	mkdir -p "$1"
	setpriv --pdeathsig TERM "$TP_BIN/keyrepeat" "$where" "${how[@]}" ${server_options[@]+"${server_options[@]}"} \
		--erase --rate $RATE -t "${seconds}s" --seed "$2" --watch update --priority $priority --timeout ${WAIT_S}s \
		--ready-fd 9 9>/dev/null --log "$1/samples.tsv" --json -o "$1/keyrepeat.json" &
	probe=$!
	# (a signal for all of a terminal's programs reaches it, too: it then takes its last key back, and ends)
	trap 'interrupted=1; kill "$probe" 2>/dev/null' INT TERM HUP
	while kill -0 "$probe" 2>/dev/null; do
		see_rtt
		nap 0.2
	done
	status=0
	wait "$probe" || status=$?
	trap 'interrupted=1' INT TERM HUP
}

# part_counts N: whether its figures are of use; else its folder goes.
part_counts() {
	local cell=$RUN/cells/$cell_name/$1
	"$TP_BIN/tried" part "$cell" "$kind" "$1" "$repeat" || { rm -rf "$cell"; return 1; }
}

# Sets `whole`, the parts that did not end early, and `early`: why the run did, with `state`.
type_all() {
	local n ended worst=0 cells=$RUN/cells/$cell_name
	for ((n = 1; n <= repeat; n++)); do
		[ -z "$interrupted" ] || break
		type_train "$cells/$((parts + 1))" $((1000 + n))
		if part_counts $((parts + 1)); then
			parts=$((parts + 1))
			ended=$(jq -r .result.ended "$cells/$parts/keyrepeat.json")
			[ "$ended" = complete ] && whole=$((whole + 1)) || early="$ended in part $n of $repeat" state=failed
			[[ " ${how[*]} " != *" auto "* ]] ||
				how=("${how[@]/auto/$(jq -r .settings.region "$cells/$parts/keyrepeat.json")}")
		fi
		[ "$status" = 0 ] || worst=$status
		[ "$status" = 0 ] || [ "$status" = 3 ] || { early=${early:-"part $n of $repeat was not measured"} state=failed; break; }
	done
	trap 'exit 130' INT TERM HUP
	[ -z "$interrupted" ] || worst=130
	[ -z "$interrupted" ] || [ "$whole" = "$repeat" ] || early="after $whole of $repeat parts" state=interrupted
	[ "$parts" -gt 0 ] || [[ $worst != [03] ]] || worst=1
	[ "$parts" = 0 ] || [ "$worst" != 1 ] || worst=3	# some is known
	status=$worst
}

# --- the run folder ----------------------------------------------------------------------------------------------------

write_run() {
	local server='' early_of=$parts
	[ "$kind" != ssh ] || server="reached by ssh, version not known; the client is $(ssh -V 2>&1)"
	[ -z "$early" ] || early_of=$repeat
	"$TP_BIN/tried" run "$RUN" experiment="$experiment" command="$command" version="${TP_VERSION:-unknown}" started="$started" \
		kind="$kind" title="$what" target="$target" server="$server" seconds="$seconds" total="$early_of" whole="$whole" \
		took=$((EPOCHSECONDS - begun)) state="$state" early="$early" rtt="$rtt" own="$own_ms" host="$facts" \
		calibration="$(calibration_record)" || exit
}

# --- run ------------------------------------------------------------------------------------------------------------

[ -n "$target" ] || choose_target
read_target
server_options=(${password_file:+--password-file "$password_file"} ${size:+--size "$size"})
[ "$cert_ignore" = 0 ] || server_options+=(--cert-ignore)
[ "$no_password" = 0 ] || server_options+=(--no-password)
command="thinprobe try$(printf ' %q' "$target" ${window:+--window "$window"} ${server_options[@]+"${server_options[@]}"} \
	-t "${seconds}s" --repeat "$repeat")"
wants=(jq jq setpriv util-linux)
case $kind in
x11) wants+=(xdotool xdotool xwininfo x11-utils) ;;
ssh) wants+=(ssh openssh-client Xvfb xvfb xauth xauth xterm xterm xdotool xdotool pgrep procps ss iproute2) ;;	# for the terminal
esac
lacking=''
[[ $kind != @(x11|ssh) ]] || lacking=$("$TP_BIN/keyrepeat" x11: --rate 0 --watch none 2>&1)
[[ $lacking != *--no-install-recommends* ]] || wants+=("libraries of X" "${lacking##*--no-install-recommends }")
need "${wants[@]}"
priority=0
! chrt -f 1 true 2>/dev/null || priority=20
helpers=() peer='' rtt='' own_ms='' typed_at='' how=(--region auto) started=$(date -u +%Y-%m-%dT%H:%M:%SZ) begun=$EPOCHSECONDS
cell_name=$kind-own-0
if [ "$kind" = x11 ]; then
	. "$TP_HOME/lab/attach.sh"
	LAB_RUN=$(mktemp -d "${TMPDIR:-/tmp}/thinprobe-try.XXXXXX") && echo $$ >"$LAB_RUN/pid" ||
		die "cannot make a folder in ${TMPDIR:-/tmp}"
	on_exit rm -rf "$LAB_RUN"
	export DISPLAY=$where
	attach_display
	[ -n "$window" ] || bad "name the window on $where: --window NUMBER, or a part of its title"
	LAB_ON=$where,$window
	lab_up
	what="window \"$ATTACH_TITLE\" of display $where" where=x11:$where how+=(--window "$ATTACH_WINDOW")
	typed_at=$(xdotool getwindowpid "$ATTACH_WINDOW" 2>/dev/null)
fi
ask_leave
RUN=${output_dir:-$(results_new try)} && folder_made RUN "$RUN" || die "$(folder_refused "$RUN")"
[ -z "$(ls -A -- "$RUN")" ] || bad "-o $RUN: is not empty; name a new folder"
mkdir -p "$RUN/cells" "$RUN/log" || die "cannot write to $RUN"
parts=0 whole=0 early='' state=complete interrupted=''
# shellcheck disable=SC2317 # on_exit calls them
drop_unmeasured() {	# where nothing was measured, nothing stays
	[ "$parts" = 0 ] || return 0
	rm -rf "$RUN/cells" "$RUN/log"
	rmdir "$RUN" 2>/dev/null
}
on_exit drop_unmeasured
# shellcheck disable=SC2317
end_helpers() { [ "${#helpers[@]}" = 0 ] || kill "${helpers[@]}" 2>/dev/null; wait; }
on_exit end_helpers
trap 'exit 130' INT TERM HUP
LAB_RUN=$RUN LAB_LOG=$RUN/log
[ "$kind" != ssh ] || start_ssh
facts=$(facts_json)
type_all
if [ "$parts" = 0 ]; then
	[ "$status" != 1 ] || die "try: nothing was measured (above)"
	exit "$status"
fi
write_run
no_page='' page_status=0
"$TP_BIN/report" "$RUN" >/dev/null 2>"$RUN/log/page.err" || page_status=$?
case $page_status in
0) ;;
4) no_page="there is no page without gnuplot and cmark-gfm: apt-get install --no-install-recommends gnuplot-nox cmark-gfm" ;;
*)	why=$(name_full_disk "$RUN" "${TMPDIR:-/tmp}") || why=$(tail -n 1 "$RUN/log/page.err" 2>/dev/null)
	die "the samples are kept in $RUN, but the report failed: $why" ;;
esac
json_word=()
[ "$json" = 0 ] || json_word=(--json)
"$TP_BIN/tried" say "$RUN" "$status" "$no_page" ${json_word[@]+"${json_word[@]}"} || exit
exit "$status"
