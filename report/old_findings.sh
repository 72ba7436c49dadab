#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# findings.sh RUN - what a run found, in plain words, numbered.
set -u -o pipefail
# shellcheck disable=SC1091
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

run_folder "Prints what a run found, in plain words." "$@"
doc=$(document) || exit
filter findings <<<"$doc"
