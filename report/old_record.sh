#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record.sh RUN - what a calibration found, as the record that later runs carry (schema thinprobe.calibration/1).
set -u -o pipefail
# shellcheck disable=SC1091
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

run_folder "Prints the record of a calibration run." "$@"
doc=$(document) || exit
[ "$(jq -r .run.experiment <<<"$doc")" = calibrate ] || die 1 "$RUN: not a calibration"
filter record <<<"$doc"
