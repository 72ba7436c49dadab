#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# doctor, for experiments whose protocol is a setting of their family, not an option.

bats_require_minimum_version 1.5.0
load ../../../../tests/cli/helpers

@test "doctor: an experiment that replays over VNC cannot run without Xvnc" {
	local name
	without Xvnc
	for name in cpuspeed iosched; do
		PATH=$PWD/without run -4 "$TOP/thinprobe" doctor "$name"
		[[ $output == *"protocol vnc"*Xvnc* && $output != *"It can run here"* ]]
	done
}
