#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bundle.sh RUN [-o FILE] - a run as one file: samples, settings, facts and versions, from which `report` makes the same figures.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/command.sh"
COMMAND=bundle
usage='usage: thinprobe bundle RUN [-o FILE]
Packs a run into one file (RUN.tar.zst), to send or to publish: samples,
settings, facts of the machine, versions. Without captures, logs and the page:
thinprobe report FILE makes that again, with the same figures.
Exit status: 0 packed, 1 could not, 2 wrong usage, 4 zstd is missing.'
output=''
read_words '' o:output "$@"
[ "${#words[@]}" -le 1 ] || bad "one run at a time; ${words[1]} is a second"
run=${words[0]-} run=${run%/} out=$output
[ -n "$run" ] || bad "needs a run folder"
is_run "$run"
[ -d "$run/cells" ] || die 1 "$run: its samples are not there, so there is nothing to pack"
need zstd zstd
run=$(cd -- "$run" && pwd) || exit 1
: "${out:=${run##*/}.tar.zst}"
[ ! -e "$out" ] || [ -f "$out" ] || die 2 "-o $out: is no file"
tar --force-local --zstd -cf "$out.new" -C "${run%/*}" --exclude='capture.pcap*' --exclude='*~' --exclude='.cell' \
	--exclude="${run##*/}/log" --exclude="${run##*/}/figures" --exclude="${run##*/}/report.*" \
	--sort=name --owner=0 --group=0 --numeric-owner -- "${run##*/}" 2>/dev/null &&
	mv -- "$out.new" "$out" || { rm -f -- "$out.new"; die 1 "cannot write $out"; }
printf '%s: %s\n' "$out" "$(du -h -- "$out" | cut -f1)"
