# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# ssh.sh - ssh: a terminal on the client's display with ssh to vim in insert mode at the server;
# with ssh:x11 its forwarding of X11 (-Y), by which applications of the server come to the client's
# display; ssh:x11c the same with compression. Contract: README.md.
#
# The server is an sshd of this run alone: a port of its own, keys made for it, no PAM, no password,
# nobody's home folder. It runs as the ordinary user whom all sessions belong to.
#
# The hosts of the emulated lab know that user by number only, and sshd wants more of him: there
# (LAB_PRIVATE) the lists of users and groups are replaced by copies, in the host's own view of the
# files, that name him and give his terminals to their group.

# shellcheck source=lab/viewer.sh
. "$LAB_HERE/viewer.sh"

declare -gA SSHD_INPUT SSHD_VIEW	# by session; they stay when a driver comes back from another protocol

protocol_variants() { printf 'terminal x11 x11c\n'; }

protocol_about() {
	case $PROTOCOL_VARIANT in
	x11) printf 'ssh -Y: remote X through ssh\n' ;;
	x11c) printf 'ssh -Y with compression: remote X through ssh\n' ;;
	*) printf 'ssh in a terminal: vim at the server, xterm at the client\n' ;;
	esac
}

# In a terminal, what answers the keys is part of it.
protocol_properties() {
	case $PROTOCOL_VARIANT in
	x11*) printf 'display link view\n' ;;
	*) printf 'link text\n' ;;
	esac
}

protocol_can() {
	local wants=(client:ssh:openssh-client client:ssh-keygen:openssh-client server:sshd:openssh-server
		server:ssh-keygen:openssh-client)
	case $PROTOCOL_VARIANT in
	x11*) wants+=(server:xauth:xauth server:xset:x11-xserver-utils) ;;
	*) wants+=(client:xterm:xterm server:vi:vim-tiny) ;;
	esac
	viewer_can && lab_needs "${wants[@]}" || return
	# Root's sshd wants the folder that its package makes when the service starts.
	[ "${LAB_PRIVATE-1}" = 1 ] || lab_exec server sh -c '[ "$(id -u)" != 0 ] || [ -d /run/sshd ]' || {
		printf 'sshd of root wants the folder /run/sshd%s; log in as another user, or: mkdir /run/sshd\n' "${LAB_AT_server-}"
		return 1
	}
}

protocol_start() {
	local session=$1 log=$LAB_LOG/ssh-$1 port=2222 role folder
	protocol_begin "$session" && viewer_display "$session" || return
	while lab_listens server "$port"; do port=$((port + 1)); done
	folder=ssh-$port	# a session's name may be any
	protocol_keep "$folder"
	SSHD_VIEW[$session]=$VIEWER_DISPLAY
	for role in server client; do
		[ "${LAB_PRIVATE-1}" != 1 ] || sshd_user "$role" 2>"$log.err" ||
			protocol_failed "$session" "cannot make a user for ssh on the $role" "$log.err" || return
	done
	PROTOCOL_PORT=$port PROTOCOL_DISPLAY=''
	sshd_keys "$folder" "$port" 2>"$log.err" || protocol_failed "$session" "cannot make the keys for ssh" "$log.err" || return
	sshd_remote "$folder" || protocol_failed "$session" "cannot write to the home folder on the server" "$log.err" || return
	protocol_run server "ssh-$session" sh -c 'exec "$(command -v sshd || echo /usr/sbin/sshd)" -D -e -f "$HOME/$1/sshd_config"' \
		sh "$folder"
	lab_comes 20 "$LAB_PID" lab_listens server "$port" || protocol_failed "$session" "sshd did not start" "$log.err" || return
	case $PROTOCOL_VARIANT in
	x11*) sshd_forward "$session" ;;
	*) sshd_terminal "$session" ;;
	esac
}

# Once in each host: gives it an /etc/passwd with a user for sshd, and an /etc/group in which tty is the group that terminals have
# there. sshd without privileges could not change the group of a terminal.
sshd_user() {	# sshd_user ROLE
	local tty
	! lab_exec -R "$1" test -O /tmp/.users || return 0
	tty=$(lab_exec -R "$1" sh -c "$SSHD_ORDINARY"'exec $ordinary script -qc "stat -c %g \"\$(tty)\"" /dev/null' </dev/null |
		tr -cd 0-9) && [ -n "$tty" ] || return
	lab_exec -R "$1" sh -c '
		umask 022 && mkdir /tmp/.users && cd /tmp/.users || exit
		{
			printf "%s\n" root:x:0:0::/tmp/home:/bin/sh user:x:1000:1000::/tmp/home:/bin/sh &&
				grep -v "^[^:]*:[^:]*:\(0\|1000\):" /etc/passwd
		} >passwd &&
			sed "/^tty:/d; \$a tty:x:$1:" /etc/group >group && mount --bind passwd /etc/passwd && mount --bind group /etc/group' sh "$tty"
}

# Keys for both ends, and what each must know of the other. The file names of sshd are whole.
sshd_keys() {	# sshd_keys FOLDER PORT
	local key family=inet
	[[ $LAB_ADDR_server != *:* ]] || family=inet6
	lab_exec client \
		sh -c 'umask 077; rm -rf "$HOME/$1" && mkdir -p "$HOME/$1" && ssh-keygen -q -t ed25519 -N "" -C "" -f "$HOME/$1/key"' sh "$1" &&
		key=$(lab_exec client sh -c 'cat "$HOME/$1/key.pub"' sh "$1") &&
		lab_exec server sh -c '
			umask 077
			rm -rf "$HOME/$1" && mkdir -p "$HOME/$1" && cd "$HOME/$1" &&
				ssh-keygen -q -t ed25519 -N "" -C "" -f host && cat >authorized &&
				printf "%s\n" "Port $2" "AddressFamily $4" "ListenAddress $3" "HostKey $PWD/host" \
					"AuthorizedKeysFile $PWD/authorized" "PidFile none" "UsePAM no" "StrictModes no" \
					"PermitRootLogin prohibit-password" "PasswordAuthentication no" \
					"KbdInteractiveAuthentication no" "X11Forwarding yes" "X11UseLocalhost yes" \
					"Compression yes" "UseDNS no" "PrintMotd no" "PrintLastLog no" "PermitUserRC no" \
					"SetEnv HOME=$HOME" >sshd_config' sh "$1" "$2" "$LAB_ADDR_server" "$family" <<<"$key" &&
		key=$(lab_exec server sh -c 'cat "$HOME/$1/host.pub"' sh "$1") &&
		lab_exec client sh -c 'umask 077; cat >"$HOME/$1/known"' sh "$1" <<<"[$LAB_ADDR_server]:$2 $key"
}

# What ssh runs at the other end: it says who it is; what forwards only lives for as long as its connection.
sshd_remote() {	# sshd_remote FOLDER
	lab_exec server sh -c 'cat >"$HOME/$1/run"; chmod 700 "$HOME/$1/run"' sh "$1" <<'END'
#!/bin/sh
echo $$ >"${0%/*}/pid"
case $1 in
display) echo "$DISPLAY"; exec cat ;;
esac
for vi in vim.tiny vi; do ! command -v "$vi" >/dev/null || break; done
exec "$vi" -N -u NONE -i NONE -n --cmd "set shortmess+=I noruler noshowcmd" \
	--cmd "imap <silent> <F2> <Esc>:silent %d<CR>i" -c startinsert
END
}

# sshd_command FOLDER: sets SSHD_COMMAND, the words of ssh but for what stands in the client's folder. (What the server says is no
# option: --.)
sshd_command() {
	local user home
	user=$(lab_exec server id -un) && home=$(lab_exec server sh -c 'echo "$HOME"') || return
	SSHD_COMMAND=(-F none -p "$PROTOCOL_PORT" -o BatchMode=yes -o IdentitiesOnly=yes
		-o StrictHostKeyChecking=yes -o GlobalKnownHostsFile=/dev/null -o LogLevel=ERROR
		-o ConnectTimeout=20 -o ServerAliveInterval=0 -o IgnoreUnknown=ObscureKeystrokeTiming -o ObscureKeystrokeTiming=no)
	case $PROTOCOL_VARIANT in
	x11) SSHD_COMMAND+=(-Y -T -o Compression=no -- "$user@$LAB_ADDR_server" "$home/$1/run display") ;;
	x11c) SSHD_COMMAND+=(-Y -T -o Compression=yes -- "$user@$LAB_ADDR_server" "$home/$1/run display") ;;
	*) SSHD_COMMAND+=(-tt -o Compression=no -- "$user@$LAB_ADDR_server" "$home/$1/run") ;;
	esac
}

# xterm refuses to start as root without capabilities: programs of a person run as an ordinary user, as at the server; as the host's
# own, or, where it has none (LAB_OWN_UID=0, no root), from its root.
SSHD_ORDINARY='
	ordinary="unshare --user --map-user=1000 --map-group=1000"
	[ "$(id -u)" = 0 ] && $ordinary true 2>/dev/null || ordinary=
'
sshd_client() {	# sshd_client SESSION terminal|ssh [FD]: starts it, with SSHD_COMMAND
	local flags=() ordinary='ordinary='
	[ "${LAB_PRIVATE-1}${LAB_UID_client-}" != 1 ] || flags=(-R) ordinary=$SSHD_ORDINARY
	[ -z "${3-}" ] || flags+=(-i "$3")
	protocol_run ${flags[@]+"${flags[@]}"} client "ssh-$1-client" sh -c "$ordinary"'
		folder=$HOME/$1 program=$2
		export DISPLAY="$3"
		shift 3
		set -- ssh -i "$folder/key" -o UserKnownHostsFile="$folder/known" "$@"
		[ "$program" = ssh ] || set -- xterm -xrm "XTerm*pointerMode: 0" -fn fixed -geometry 80x24+0+0 +sb -title "ssh" -e "$@"
		exec $ordinary "$@"' sh "${PROTOCOL_KEPT[$PROTOCOL_KEY]}" "$2" "$VIEWER_DISPLAY" "${SSHD_COMMAND[@]}"
}

sshd_forward() {	# sshd_forward SESSION
	local log=$LAB_LOG/ssh-$1-client input SSHD_COMMAND display=''
	sshd_command "${PROTOCOL_KEPT[$PROTOCOL_KEY]}" ||
		protocol_failed "$1" "the server role has no user" "$LAB_LOG/ssh-$1.err" || return
	open_pipe input
	SSHD_INPUT[$1]=$input
	sshd_client "$1" ssh "$input"
	lab_comes 30 "$LAB_PID" grep -q . "$log.out" && read -r display <"$log.out"
	[ -n "$display" ] || protocol_failed "$1" "ssh forwards no display" "$log.err" "$LAB_LOG/ssh-$1.err" || return
	PROTOCOL_DISPLAY=${display%.0}
	display_awaited 20 "$log.ask" ||
		protocol_failed "$1" "the display that ssh forwards does not answer" "$log.ask" "$log.err" || return
	rm -f "$log.ask"
}

sshd_terminal() {	# sshd_terminal SESSION
	local log=$LAB_LOG/ssh-$1-client SSHD_COMMAND
	sshd_command "${PROTOCOL_KEPT[$PROTOCOL_KEY]}" ||
		protocol_failed "$1" "the server role has no user" "$LAB_LOG/ssh-$1.err" || return
	PROTOCOL_WATCH=update
	sshd_client "$1" terminal
	lab_comes 30 "$LAB_PID" sshd_vim_reads "${PROTOCOL_KEPT[$PROTOCOL_KEY]}" ||
		protocol_failed "$1" "vim did not come at the other end of ssh" "$log.err" "$LAB_LOG/ssh-$1.err" || return
	viewer_window "$VIEWER_DISPLAY" class '^xterm$' 20 ||
		protocol_failed "$1" "the terminal of ssh did not appear" "$log.err" || return
}

# vim reads keys from the moment it has switched its terminal to single characters.
sshd_vim_reads() {	# FOLDER
	lab_exec server sh -c '[ -s "$HOME/$1/pid" ] && tty=$(ps -o tty= -p "$(cat "$HOME/$1/pid")") && [ "$tty" != "?" ] &&
		stty -F "/dev/$tty" -a 2>/dev/null | grep -q -e -icanon' sh "$1" 2>/dev/null
}

# As the terminal was when new.
protocol_reset() {	# protocol_reset SESSION
	case $PROTOCOL_VARIANT in
	x11*) ;;
	*) lab_exec client env DISPLAY="${SSHD_VIEW[$1]}" xdotool key F2 ;;
	esac
}

protocol_settings() {
	local version cipher
	# shellcheck disable=SC2016 # (before 9.3, -V makes it print how it is used)
	version=$(lab_exec server sh -c '"$(command -v sshd || echo /usr/sbin/sshd)" -V' 2>&1 |
		sed -n 's/.*OpenSSH_\([^ ,]*\).*/\1/p' | head -n 1)
	# The client's first wish, of those that the server has as well.
	cipher=$(lab_exec client ssh -F none -G "$LAB_ADDR_server" 2>/dev/null | sed -n 's/^ciphers \([^,]*\).*/\1/p')
	jq -cn --arg version "$version" --arg cipher "$cipher" --arg variant "$PROTOCOL_VARIANT" --arg geometry "$VIEWER_GEOMETRY" '
		($variant | startswith("x11")) as $x
		| {server: "sshd (OpenSSH)", says: ("ssh (OpenSSH \($version)" + (if $x | not then ", vim in a terminal"
		elif $variant == "x11c" then ", X11 forwarded, compressed" else ", X11 forwarded" end) + ")"),
		version: $version, display_at: "client", frame_rate_per_s: null, geometry: $geometry, depth: 24,
		encodings: [if $x then "X11 requests" else "terminal control sequences" end],
		compression: (if $variant == "x11c" then "zlib@openssh.com" else "none" end), encryption: $cipher,
		keystroke_obfuscation: false, floor_ms: 0}'
}

protocol_ended() {	# SESSION
	local folder=${PROTOCOL_KEPT[$PROTOCOL_KEY]-} fd=${SSHD_INPUT[$1]-}
	[ -n "$folder" ] || return 0
	# What ran at the other end ends with its connection.
	lab_exec server sh -c '
		read -r pid <"$HOME/$1/pid" || exit
		for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" || exit 0; sleep 0.1; done
		kill -9 "$pid"' sh "$folder" 2>/dev/null
	[ -z "$fd" ] || exec {fd}>&-
	protocol_forget "$folder"
	unset "SSHD_INPUT[$1]" "SSHD_VIEW[$1]"
}
