#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# table.sh RUN - the main figures of a run as a table for a terminal.
set -u -o pipefail
# shellcheck disable=SC1091
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

run_folder "Prints the main figures of a run as a table." "$@"
doc=$(document) || exit
filter table <<<"$doc"
