# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# xpra.sh - xpra: windows of an X display at the server, each sent as pictures to a window of its
# own on the client's display, where it stands at the same place. Contract: README.md.
#
# xpra is the window manager of the display at the server, an Xvfb, and says itself which picture
# encoding is best at a moment (auto). It draws together what changes within a few milliseconds,
# more when the client or the link is slow. Both ends read one file of settings, made for this run,
# that switches off all but windows, keys and pointer. (Sound is off, and so is what waits for it:
# av-sync would hold back by 150 ms whatever changes often. So is mmap: both ends on one machine
# would share memory for the pictures, which then are not on the wire.)

# shellcheck source=lab/viewer.sh
. "$LAB_HERE/viewer.sh"

XPRA_MODULES='gi._gi_cairo:python3-gi-cairo PIL:python3-pil lz4:python3-lz4'

protocol_about() { printf 'xpra: the windows of a display at the server as pictures, one by one\n'; }
protocol_properties() { printf 'display link view\n'; }

protocol_can() {
	local role at missing
	viewer_can &&
		lab_needs server:xpra:xpra client:xpra:xpra server:Xvfb:xvfb server:xauth:xauth \
			server:xset:x11-xserver-utils || return
	# Without these it starts, and shows nothing.
	for role in server client; do
		at=LAB_AT_$role
		missing=$(xpra_modules "$role")
		[ -z "$missing" ] || {
			printf 'xpra lacks %s%s; apt-get install --no-install-recommends %s\n' "$missing" "${!at-}" "$missing"
			return 1
		}
	done
}

# The packages of those modules that Debian's python does not have in that role.
xpra_modules() {
	# shellcheck disable=SC2086 # words
	protocol_asks "$1" /usr/bin/python3 -c '
import importlib.util, sys
def there(name):
	try:
		return importlib.util.find_spec(name)
	except ImportError:
		return None
print(" ".join(word.split(":")[1] for word in sys.argv[1:] if not there(word.split(":")[0])))' $XPRA_MODULES 2>/dev/null
}

protocol_start() {
	local session=$1 name=xpra-$1 log=$LAB_LOG/xpra-$1 folder
	protocol_begin "$session" && viewer_display "$session" && protocol_display || return
	folder=${PROTOCOL_FOLDER##*/} PROTOCOL_PORT=$((10000 + ${PROTOCOL_DISPLAY#:}))
	while lab_listens server "$PROTOCOL_PORT"; do PROTOCOL_PORT=$((PROTOCOL_PORT + 1)); done
	xpra_prepare "$folder" 2>"$log.err" || protocol_failed "$session" "cannot write the settings of xpra" "$log.err" || return
	protocol_run server "$name-display" \
		sh -c 'exec Xvfb ":$1" -screen 0 "$2x24" +extension Composite -nolisten tcp -noreset -auth "$HOME/.Xauthority"' \
		sh "${PROTOCOL_DISPLAY#:}" "$VIEWER_GEOMETRY"
	lab_comes 20 "$LAB_PID" display_answers server "$PROTOCOL_DISPLAY" ||
		protocol_failed "$session" "the X display for xpra did not start" "$log-display.err" || return
	xpra_run server "$folder" "$name" start "$PROTOCOL_DISPLAY" \
		--use-display --daemon=no "--bind-tcp=$(lab_url server):$PROTOCOL_PORT" --tcp-auth=file:filename=HOME/password
	PROTOCOL_PIDS="$LAB_PID ${PROTOCOL_PIDS% *}"	# the server first
	lab_comes 30 "$LAB_PID" grep -qs 'xpra is ready' "$log.err" "$log.out" && lab_listens server "$PROTOCOL_PORT" ||
		protocol_failed "$session" "xpra did not start" "$log.err" "$log.out" || return
	xpra_run client "$folder" "$name-client" attach "tcp://$(lab_url server):$PROTOCOL_PORT" --password-file=HOME/password
	lab_comes 30 "$LAB_PID" grep -qs 'Attached to' "$log-client.err" "$log-client.out" ||
		protocol_failed "$session" "the xpra client did not connect to the session" "$log-client".{err,out} || return
	# There is no window yet that could have the focus; the one under the pointer will.
	lab_exec client env DISPLAY="$VIEWER_DISPLAY" xdotool mousemove 310 230 || :
}

# Writes the settings and the password, the same ones for the server and the client. The settings switch off what those of the
# packages would start on a desktop.
xpra_prepare() {	# xpra_prepare FOLDER
	local role password
	viewer_guarded "$PROTOCOL_DISPLAY" && password=$(protocol_secret) || return
	for role in server client; do
		lab_exec "$role" sh -c '
			umask 077
			rm -rf "$HOME/$1" && mkdir -p "$HOME/$1/xpra" && cd "$HOME/$1" &&
				read -r password && printf %s "$password" >password && cat >xpra/xpra.conf' sh "$1" <<-END || return
			$password
			$(printf '%s = no\n' mdns pulseaudio notifications webcam printing file-transfer clipboard \
				systemd-run dbus-proxy dbus-control start-new-commands start-via-proxy resize-display bell \
				system-tray tray xsettings remote-logging opengl av-sync mmap)
			$(printf '%s = disabled\n' speaker microphone)
			html = off
			desktop-scaling = off
			input-method = none
			dbus-launch =
			start =
			title = @title@
		END
	done
}

# xpra_run ROLE FOLDER NAME WORD...: HOME in a word is the session's folder there. What it would
# look for elsewhere is in that folder, too.
xpra_run() {
	protocol_run "$1" "$3" sh -c '
		folder=$HOME/$1 display=$2
		shift 2
		export XAUTHORITY="$HOME/.Xauthority" DISPLAY="$display" NO_AT_BRIDGE=1
		export XDG_CONFIG_DIRS="$folder" XDG_CONFIG_HOME="$folder/own" XDG_RUNTIME_DIR="$folder"
		for word; do
			shift
			case $word in *HOME/*) word="${word%%HOME/*}$folder/${word#*HOME/}" ;; esac
			set -- "$@" "$word"
		done
		exec xpra "$@" --socket-dir="$folder" --socket-dirs="$folder" --log-dir="$folder"' sh "$2" \
		"$([ "$1" = server ] && echo "$PROTOCOL_DISPLAY" || echo "$VIEWER_DISPLAY")" "${@:4}"
}

protocol_settings() {
	local version log encodings=''
	version=$(lab_exec server xpra --version 2>/dev/null | sed -n 's/^xpra v//p' | head -n 1)
	# What both ends know, where a session has met already.
	for log in "${LAB_TIMES:-$LAB_LOG}"/xpra-*.err "${LAB_TIMES:-$LAB_LOG}"/xpra-*.out; do
		[ -n "$encodings" ] || encodings=$(sed -n '/automatic picture encoding enabled/{n; s/^[-0-9 :,]*//; p; q}' "$log" 2>/dev/null)
	done
	jq -cn --arg version "$version" --arg encodings "$encodings" --arg geometry "$VIEWER_GEOMETRY" \
		'{server: "xpra", says: "xpra \($version) (Xvfb at the server, client attached)", version: $version,
		client: "xpra", frame_rate_per_s: null, geometry: $geometry, depth: 24, encodings: (["auto"] + ($encodings | split(", "))),
		compression: "lz4", encryption: "none", authorization: "password, hmac", av_sync: false, floor_ms: 0}'
}
