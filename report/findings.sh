#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# findings.sh RUN - what the terminal shows of a run: see report.sh.
exec "$(dirname -- "$0")/report.sh" --findings "$@"
