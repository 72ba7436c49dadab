#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bundle.sh RUN [-o FILE] - a run as one file: samples, settings, facts and versions, from which `report` makes the same figures.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/die.sh"
COMMAND=bundle
usage='usage: thinprobe bundle RUN [-o FILE]
Packs a run into one file (RUN.tar.zst), to send or to publish: samples,
settings, facts of the machine, versions. Without captures, logs and the page:
thinprobe report FILE makes that again, with the same figures.
Exit status: 0 packed, 1 could not, 2 wrong usage, 4 zstd is missing.'
run='' out=''
while [ $# -gt 0 ]; do
	case $1 in --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;; esac
	case $1 in
	-h | --help) printf '%s\n' "$usage"; exit 0 ;;
	-o | --output) [ -n "${2-}" ] || die 2 "$1 needs a file (see thinprobe bundle --help)"; out=$2; shift ;;
	-*) die 2 "unknown option $1 (see thinprobe bundle --help)" ;;
	*) [ -z "$run" ] || die 2 "one run at a time; $1 is a second"; run=${1%/} ;;
	esac
	shift
done
[ -n "$run" ] || die 2 "needs a run folder (see thinprobe bundle --help)"
[ -f "$run/run.json" ] || die 1 "$run: not a run folder (it has no run.json)"
[ -d "$run/cells" ] || die 1 "$run: its samples are not there, so there is nothing to pack"
command -v zstd >/dev/null || die 4 "zstd is missing; install it with: apt-get install --no-install-recommends zstd"
run=$(cd -- "$run" && pwd) || exit 1
: "${out:=${run##*/}.tar.zst}"
[ ! -e "$out" ] || [ -f "$out" ] || die 2 "-o $out: is no file"
tar --zstd -cf "$out.new" -C "${run%/*}" --exclude='capture.pcap*' --exclude='*~' --exclude='.cell' \
	--exclude="${run##*/}/log" --exclude="${run##*/}/figures" --exclude="${run##*/}/report.*" \
	--sort=name --owner=0 --group=0 --numeric-owner -- "${run##*/}" 2>/dev/null &&
	mv -- "$out.new" "$out" || { rm -f -- "$out.new"; die 1 "cannot write $out"; }
printf '%s: %s\n' "$out" "$(du -h -- "$out" | cut -f1)"
