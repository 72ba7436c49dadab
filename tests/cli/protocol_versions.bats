#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Versions that plug-ins of display protocols ask of packages, also those of a root file system of another release.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir -p root/var/lib/dpkg root/usr/share/novnc
	LAB_SERVER_ROOT=$PWD/root
	. "$BATS_TEST_DIRNAME/../../lab/lib.sh"
}

# has PACKAGE VERSION: what dpkg-query says in the root
has() {
	printf 'Package: %s\nStatus: install ok installed\nArchitecture: all\nVersion: %s\nMaintainer: x\nDescription: x\n\n' "$@" \
		>root/var/lib/dpkg/status
}

@test "novnc: the version is that of the server's package, of a page that of its package.json, or of the root where it lies" {
	has novnc 1:1.6.0-1
	protocol_use novnc
	[ "$(novnc_version)" = 1.6.0 ]
	unset LAB_SERVER_ROOT
	protocol_use novnc:page
	[ "$(novnc_version)" = "of an unknown version" ]
	THINPROBE_NOVNC_PAGE=$PWD/root/usr/share/novnc
	[ "$(novnc_version)" = 1.6.0 ]
	echo '{"version": "1.7.0-beta"}' >root/usr/share/novnc/package.json
	[ "$(novnc_version)" = 1.7.0-beta ]
}

@test "rdp:gfx: only an xrdp that has a graphics pipeline will do" {
	protocol_use rdp:gfx
	for version in 0.9.21.1-1 0.9.24-2; do
		has xrdp "$version"
		run -1 rdp_pipeline_can
		[[ $output == "xrdp ${version%-*} has no graphics pipeline; "* ]]
	done
	for version in 0.10.1-3 1.0-1; do
		has xrdp "$version"
		run -0 rdp_pipeline_can
	done
	has xrdp 0.9.21.1-1
	protocol_use rdp:headless
	run -0 rdp_pipeline_can
}

@test "rdp:gfx: a session in which no picture came through the pipeline is not called so" {
	protocol_use rdp:gfx
	protocol_failed() { return 1; }
	rdp_meet() { echo "{\"server\": \"RDP h:3389, certificate known, FreeRDP 2.11.7, 32 bits, TLS, $said\"}"; }
	LAB_LOG=$PWD
	for said in "no graphics pipeline, bitmaps" "graphics pipeline 0x80105,"; do run -1 rdp_pipeline a; done
	said="graphics pipeline 0x80105, ClearCodec planar"
	run -0 rdp_pipeline a
}

@test "weston: each release gets the options that it knows; one that lacks the back-end is refused with the cure" {
	local version over words

	mkdir -p root/usr/bin && : >root/usr/bin/weston
	while read -r version over words; do
		has weston "$version"
		protocol_use "weston:$over"
		[ "$(weston_words | paste -sd ' ')" = "$words" ] || { echo "$version $over"; return 1; }
	done <<-END
		10.0.1-1 rdp --backend=rdp-backend.so --shell=kiosk-shell.so --no-clients-resize
		13.0.0-4build3 rdp --backend=rdp --shell=kiosk --renderer=pixman --no-clients-resize
		14.0.2-1 rdp --backend=rdp --shell=kiosk --renderer=pixman --no-resizeable
		14.0.2-1 vnc --backend=vnc --shell=kiosk --renderer=pixman
	END
	has weston 10.0.1-1
	protocol_use weston
	run -1 protocol_can
	[[ $output == "weston 10.0.1 has no VNC server; "*"thinprobe root make trixie --protocol weston" ]]
}

@test "weston: the password of RDP does not take the place of that of VNC" {
	local LAB_RUN=$PWD LAB_LOG=$PWD PROTOCOL_PORT=5901 file

	lab_url() { echo 10.0.0.1; }
	lab_put() { cat >"$3"; }
	protocol_use weston
	weston_client 1 ''
	[ "${PROTOCOL_OPTIONS[0]}" = --password-file ]
	file=${PROTOCOL_OPTIONS[1]}
	protocol_use weston:rdp
	weston_client 2 aa
	[[ $(cat "$file") =~ ^[0-9a-f]{32}$ ]]
	# it goes with the last session
	lab_exec() { "${@:2}"; }
	PROTOCOL_RUNS=([weston-1]='')
	protocol_stop 2
	[ -e "$file" ]
	protocol_stop 1
	[ ! -e "$file" ]
}
