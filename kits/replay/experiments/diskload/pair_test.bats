#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Machines that are not emulated.

load ../../../../tests/lab/pair

@test "diskload: over ssh it is refused with the reason, before anything is done" {
	pair_refused "emulated disk" diskload
}
