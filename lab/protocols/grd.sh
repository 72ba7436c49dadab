# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# grd.sh - RDP by GNOME Remote Desktop, on mutter without a screen: no GPU, no gnome-shell, no keyring, no session of systemd.
# Contract: README.md.
#
#   grd   refecho is the application, keyrepeat the client
#
# It shows nothing without the graphics pipeline, lets nobody in without a password (network level authentication), and ignores keys
# as long as `view-only` is set, which is its default. There is no screen before the first client: one of the client's size is made
# for it (`extend`), and goes with it. So a client comes and goes before anything is measured: then the window covers the screen.

# (In this order: both have viewer.sh, which gives back the protocol_ended that wayland.sh replaces.)
# shellcheck source=lab/rdp_client.sh
. "$LAB_HERE/rdp_client.sh"
# shellcheck source=lab/wayland.sh
. "$LAB_HERE/wayland.sh"

GRD_DAEMON=/usr/libexec/gnome-remote-desktop-daemon
GRD_PASSWORD=thinprobe	# no secret: it must have one, and nobody else is on the link
# All that a session is, of which each waits for the one before: PORT PASSWORD. They end together, with the daemon or at a signal.
# (One shell, since pipewire looks at the root folder of its clients, which it may not where they are in another user namespace.
# What it and the bus print is in .out.)
# shellcheck disable=SC2016
GRD_SESSION='
	pids=""
	trap exit TERM INT
	trap "kill \$pids 2>/dev/null; wait" EXIT
	begin() { "$@" & pids="$! $pids"; }
	comes() { until "$@" >/dev/null 2>&1; do kill -0 "${pids%% *}" 2>/dev/null || exit 1; sleep 0.1; done; }
	owned() {
		gdbus call --session -d org.freedesktop.DBus -o /org/freedesktop/DBus -m org.freedesktop.DBus.NameHasOwner \
			"org.gnome.Mutter.$1" | grep -q true
	}
	set_to() { gsettings set org.gnome.desktop.remote-desktop.rdp "$@"; }
	begin dbus-daemon --session --nofork --nopidfile "--address=$DBUS_SESSION_BUS_ADDRESS" 2>&1
	comes test -S "$XDG_RUNTIME_DIR/bus"
	begin pipewire 2>&1
	begin wireplumber 2>&1
	set_to enable true && set_to tls-cert "$HOME/cert.pem" && set_to tls-key "$HOME/key.pem" && set_to view-only false &&
		set_to screen-share-mode extend || exit
	begin mutter --headless --wayland --no-x11 --wayland-display wayland-0
	comes owned RemoteDesktop
	comes owned ScreenCast
	export GNOME_REMOTE_DESKTOP_TEST_RDP_USERNAME=root "GNOME_REMOTE_DESKTOP_TEST_RDP_PASSWORD=$2"
	begin gnome-remote-desktop-daemon --rdp-port "$1"
	wait "${pids%% *}"'

protocol_about() { printf 'RDP from GNOME Remote Desktop, mutter without a screen (answers with a readable patch)\n'; }
protocol_properties() { printf 'link own-echo\n'; }
protocol_can() {
	lab_needs "server:$GRD_DAEMON:gnome-remote-desktop" server:mutter:mutter server:pipewire:pipewire \
		server:wireplumber:wireplumber server:dbus-daemon:dbus-daemon server:gsettings:libglib2.0-bin \
		server:gdbus:libglib2.0-bin server:openssl:openssl || return
	wayland_can && rdp_client_can
}

protocol_start() {
	local session=$1 log=$LAB_LOG/wayland-$1 certificate
	wayland_begin "$session" || return
	rdp_port "$((PROTOCOL_PORT - 5900))"
	certificate=$(rdp_certificate "$WAYLAND_FOLDER" key.pem cert.pem 2>"$log.err") ||
		protocol_failed "$session" "cannot make the certificate" "$log.err" || return
	# The bus lets in only users that have a name, as root has one everywhere.
	protocol_run server "wayland-$session" "${PROTOCOL_APART[@]}" env HOME="$WAYLAND_FOLDER" XDG_RUNTIME_DIR="$WAYLAND_FOLDER" \
		XDG_CONFIG_HOME="$WAYLAND_FOLDER/.config" DBUS_SESSION_BUS_ADDRESS="unix:path=$WAYLAND_FOLDER/bus" \
		GSETTINGS_BACKEND=keyfile XDG_SESSION_TYPE=wayland PATH="$PATH:${GRD_DAEMON%/*}" \
		sh -c "$GRD_SESSION" sh "$PROTOCOL_PORT" "$GRD_PASSWORD"
	wayland_comes 40 && wayland_listens ||
		protocol_failed "$session" "GNOME Remote Desktop did not start" "$log".{err,out} || return
	wayland_refecho "$session" || protocol_failed "$session" "refecho did not start" "$log-refecho.err" || return
	RDP_PASSWORD=$GRD_PASSWORD rdp_client "$session" "$certificate" || return
	rdp_meet "$session" --watch patch --patch-wait 20s | grep -q 'graphics pipeline 0x' ||
		protocol_failed "$session" "GNOME Remote Desktop shows no session" "$LAB_LOG/grd-$session.err" "$log.err"
}

protocol_settings() {
	# (What mutter's frame clock does after a rest is not known here: no floor.)
	jq -cn --arg version "$(protocol_version server gnome-remote-desktop)" --arg on "mutter $(protocol_version server mutter)" \
		--arg geometry "$VIEWER_GEOMETRY" '
		{server: "gnome-remote-desktop", version: $version, compositor: $on,
		says: "RDP (GNOME Remote Desktop \($version) on \($on), 60 frames/s; client keyrepeat)",
		client: "keyrepeat on libfreerdp", frame_rate_per_s: 60, geometry: $geometry, depth: 32,
		pointer: "drawn by the client; refecho hides it", encodings: ["graphics pipeline: server chooses"],
		compression: "server chooses", encryption: "TLS", log_in: "password, network level authentication", floor_ms: 0}'
}
