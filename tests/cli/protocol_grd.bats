#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The shell in which a session of protocol grd runs, with stand-ins for its programs.

bats_require_minimum_version 1.5.0
load helpers

setup() {
	local name

	begin_test
	need python3
	. "$TOP/lab/lib.sh"
	protocol_use grd
	mkdir made
	for name in dbus-daemon pipewire wireplumber mutter gnome-remote-desktop-daemon; do
		cat >"made/$name" <<-'END'
			#!/bin/sh
			name=${0##*/} as=GNOME_REMOTE_DESKTOP_TEST_RDP
			echo "$(printenv ${as}_USERNAME) $(printenv ${as}_PASSWORD) $*" >"$HOME/$name.words"
			echo "$name $$" >>"$HOME/begun"
			[ ! -e "$HOME/broken" ] || [ "$(cat "$HOME/broken")" != "$name" ] || exit 1
			[ "$name" != dbus-daemon ] || exec python3 -c '
			import os, socket, time
			os.chdir(os.environ["HOME"])
			s = socket.socket(socket.AF_UNIX)
			s.bind("bus")
			time.sleep(600)'
			exec sleep 600
		END
	done
	printf '#!/bin/sh\necho "$*" >>"$HOME/settings"\n' >made/gsettings
	printf '#!/bin/sh\ncase "$*" in *" org.gnome.Mutter."*) ! grep -q "^mutter " "$HOME/begun" || echo "(true,)" ;; esac\n' >made/gdbus
	chmod 755 made/*
}

teardown() {
	[ ! -e begun ] || started+=($(cut -d' ' -f2 begun))	# where the session leaves them
	end_started
}

start_session() {
	start session env PATH="$PWD/made:$PATH" HOME="$PWD" XDG_RUNTIME_DIR="$PWD" DBUS_SESSION_BUS_ADDRESS="unix:path=$PWD/bus" \
		sh -c "$GRD_SESSION" sh 3390 word
	session=$pid
}
begun() { cut -d' ' -f1 begun | paste -sd ' '; }
has_begun() { grep -q "^$1 " begun; }	# program
number_of() { sed -n "s/^$1 //p" begun; }	# program
all_gone() {
	# shellcheck disable=SC2046 # numbers
	until_true gone "$session" $(cut -d' ' -f2 begun)
}

@test "grd: a session begins in order, with the settings that let keys in; a signal ends all of it" {
	start_session
	until_true has_begun gnome-remote-desktop-daemon
	until_true has_begun pipewire	# which, and wireplumber, nothing here waits for
	until_true has_begun wireplumber
	[ "$(begun | sed 's/ pipewire//; s/ wireplumber//')" = "dbus-daemon mutter gnome-remote-desktop-daemon" ]
	[ "$(cat gnome-remote-desktop-daemon.words)" = "root word --rdp-port 3390" ]
	grep -qxF "set org.gnome.desktop.remote-desktop.rdp view-only false" settings
	grep -qxF "set org.gnome.desktop.remote-desktop.rdp screen-share-mode extend" settings
	run -1 grep -q -- --virtual-monitor mutter.words
	kill "$session"
	all_gone
}

@test "grd: two sessions have folders of their own, though the display number of the first is still free; each ends with its own" {
	local HOME=$PWD/home first

	mkdir home
	lab_exec() { shift && "$@"; }
	lab_display() { echo 1; }
	lab_url() { echo 10.0.0.1; }
	protocol_can() { :; }
	wayland_begin one
	first=$WAYLAND_FOLDER
	: >"$first/bus"
	wayland_begin two
	[ "$WAYLAND_FOLDER" != "$first" ]
	[ -e "$first/bus" ]
	protocol_stop two
	[ ! -e "$WAYLAND_FOLDER" ]
	[ -e "$first/bus" ]
}

@test "grd: where the daemon ends, or a program that the next one needs, all of the session ends" {
	local name

	start_session
	until_true has_begun gnome-remote-desktop-daemon
	kill "$(number_of gnome-remote-desktop-daemon)"
	all_gone
	# (asked for a name, the bus says that nobody has it)
	printf '#!/bin/sh\necho "(false,)"\n' >made/gdbus
	for name in mutter dbus-daemon; do
		rm -f begun bus
		echo $name >broken
		start_session
		until_true has_begun $name
		all_gone
		run -1 has_begun gnome-remote-desktop-daemon
	done
}
