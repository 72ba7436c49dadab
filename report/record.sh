#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# record.sh RUN - what a calibration found, as the record that later runs carry: see report.sh.
exec "$(dirname -- "$0")/report.sh" --record "$@"
