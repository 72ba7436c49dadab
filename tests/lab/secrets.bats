#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Passwords and cookies that are made for a run: where may they be seen? The test knows them, because it gives the driver an `od`
# that prints a known "random" number; strace shows the arguments and the environment of every program that is started.
# bats file_tags=all

load pair

SECRET=5ec2e75ec2e75ec2e75ec2e75ec2e7aa

@test "secrets of a run are in no argument, no environment, no file of the run, no bundle" {
	need strace xauth Xvnc xrdp xfreerdp spicy openssl
	local od
	od=$(command -v od)
	mkdir "$W/bin"
	printf '%s\n' '#!/bin/sh' "case \"\$*\" in *urandom*) echo $SECRET; echo >>'$W/drawn' ;; *) exec $od \"\$@\" ;; esac" >"$W/bin/od"
	chmod 755 "$W/bin/od"
	# (the environment of sshd's children begins anew: only what the driver draws is known)
	PATH=$W/bin:$PATH
	# shellcheck disable=SC2317 # pair_cell calls it
	env() { command env "${@:1:4}" \
		strace -f -qq -v -s 65536 -e trace=execve,execveat -e signal=none -o "$W/programs" "${@:5}"; }
	pair_cell stalls --app heavy --cost 2ms --loads 0 --quick --time 3 --repeat 1 --idle 1 --protocol rdp,rdp:headless,spice,vnc
	# the number was drawn by each protocol, and strace saw its programs
	[ "$(wc -l <"$W/drawn")" -ge 3 ]
	for program in "X[a-z]*vnc" xfreerdp spicy keyrepeat; do
		grep -q "execve([^,]*$program" "$W/programs" || { echo "$program"; return 1; }
	done
	run -1 grep -a "$SECRET" "$W/programs"
	run -1 grep -ra "$SECRET" "$RUN"
	"$TOP/thinprobe" bundle "$RUN" -o "$W/bundle.tar.zst" 3>&-
	zstd -dc "$W/bundle.tar.zst" >"$W/bundle.tar"
	run -1 grep -a "$SECRET" "$W/bundle.tar"
}
