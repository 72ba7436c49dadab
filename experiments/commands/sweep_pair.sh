#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sweep_pair.sh N -- COMMAND... - stands in for ssh in GNU parallel: runs the command here, for the Nth pair of hosts of the sweep.
SWEEP_ON=$(sed -n "$1p" "$SWEEP_PAIRS") || exit
export SWEEP_ON
shift 2
exec sh -c "$*"
