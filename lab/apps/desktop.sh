# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# desktop.sh - a light desktop session as Debian packages it: xfce4 (session, window manager, panel,
# desktop) with a message bus of its own. Contract: protocols/README.md; app_can besides: 0, or why
# it cannot run here and the cure.
#
# Nothing of it is a service: the session, its bus and its settings end with app_stop. Each session
# is new: no settings of an earlier one. The agents for keys that it would start as well are left
# out: they make daemons of themselves, which nobody would end.

app_can() {
	local of
	for of in xfce4-session:xfce4-session xfwm4:xfwm4 xfce4-panel:xfce4-panel xfdesktop:xfdesktop4 dbus-run-session:dbus-daemon; do
		lab_has server "${of%%:*}" || {
			printf '%s is missing%s; thinprobe setup --app desktop\n' "${of%%:*}" "${LAB_AT_server-}"
			return 1
		}
	done
}

app_start() {
	local why name=app-desktop${1//[!0-9]/-}
	[ -n "$1" ] || cannot "-$EXIT_USAGE" "a desktop needs a display, and protocol $PROTOCOL_NAME has none" || return
	why=$(app_can) || cannot "-$EXIT_MISSING" "$why" || return
	lab_need server xdotool xdotool || return
	# Settings in a folder of this session or in memory; no bus for screen readers, no mounted volumes.
	# shellcheck disable=SC2016
	lab_start server "$name" sh -c '
		export XAUTHORITY=$HOME/.Xauthority	# where a protocol leaves its cookie: stays with the old home
		home=$HOME/desktop$2
		channels=$home/.config/xfce4/xfconf/xfce-perchannel-xml
		rm -rf "$home" && mkdir -p "$home/runtime" "$channels" && chmod 700 "$home/runtime" || exit
		{
			printf "<channel name=\"xfce4-session\" version=\"1.0\"><property name=\"startup\" type=\"empty\">"
			printf "<property name=\"%s-agent\" type=\"empty\"><property name=\"enabled\" type=\"bool\" value=\"false\"/></property>" \
				ssh gpg
			printf "</property></channel>\n"
		} >"$channels/xfce4-session.xml"
		export HOME="$home" XDG_RUNTIME_DIR="$home/runtime" DISPLAY="$1" GSETTINGS_BACKEND=memory NO_AT_BRIDGE=1 GIO_USE_VFS=local
		unset XDG_CONFIG_HOME XDG_CACHE_HOME SSH_AUTH_SOCK
		exec dbus-run-session -- xfce4-session' sh "$1" "${1//[!0-9]/-}"
	APP_PID=$LAB_PID APP_DISPLAY=$1
	# All three are there: the manager has said so on the root window, panel and desktop have windows.
	# shellcheck disable=SC2016
	lab_exec server timeout 40 sh -c '
		export DISPLAY="$1"
		until xdotool search --onlyvisible --class "^xfce4-panel$" && xdotool search --onlyvisible --class "^xfdesktop$" &&
			xdotool get_desktop; do sleep 0.1; done' sh "$1" >/dev/null 2>"$LAB_LOG/$name.wait" || {
		lab_stop "$APP_PID"
		cannot "the desktop did not appear on display $1: $(grep -h . -- "$LAB_LOG/$name.err" | tail -n 1)"
		return
	}
	rm -f -- "$LAB_LOG/$name.wait"
}
