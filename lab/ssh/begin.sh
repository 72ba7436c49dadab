# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# begin.sh - the first thing that runs at the other end: unpacks what comes after it on standard
# input into a fresh private folder, and becomes guard.sh there. Sent as text, so that the login
# needs nothing of ours beforehand.
#
# Standard input, after this text: a line with the number of bytes, so many bytes of tar, then what guard.sh reads.
printf '\nthinprobe: begun\n'	# what stands before it the login has printed
set -u
umask 077
PATH=$PATH:/usr/sbin:/sbin
export LC_ALL=C.UTF-8
fail() {
	printf 'fail %s\n' "$*"
	exit 1
}
[ "$((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1]))" -ge 404 ] || fail 4 "bash there is $BASH_VERSION; 4.4 or newer is needed"
lacking=''
for tool in setpriv:util-linux taskset:util-linux setsid:util-linux tar:tar gzip:gzip awk:mawk \
	ip:iproute2 base64:coreutils mkfifo:coreutils flock:util-linux; do
	command -v "${tool%:*}" >/dev/null 2>&1 || [[ " $lacking " == *" ${tool#*:} "* ]] || lacking+=" ${tool#*:}"
done
[ -z "$lacking" ] || fail 4 "packages are missing; on that host: apt-get install --no-install-recommends$lacking"
[[ $(setpriv --help 2>&1) == *--pdeathsig* ]] ||
	fail 4 "setpriv there is too old (no --pdeathsig); util-linux 2.33 or newer is needed"

# A private folder whose programs may run and whose name needs no quoting.
folder=''
for base in "${TMPDIR:-/tmp}" /tmp /var/tmp "$HOME"; do
	[[ $base =~ ^[A-Za-z0-9/._-]+$ ]] && folder=$(mktemp -d "$base/thinprobe-ssh.XXXXXX" 2>/dev/null) || continue
	printf '#!/bin/sh\n' >"$folder/try" && chmod 700 "$folder/try" && "$folder/try" 2>/dev/null && rm "$folder/try" && break
	rm -rf -- "$folder"
	folder=''
done
[ -n "$folder" ] || fail 1 "every folder there is mounted noexec or read-only (tried ${TMPDIR:-/tmp}, /var/tmp and the home)"
trap 'rm -rf -- "$folder"' EXIT
trap 'exit 1' HUP INT TERM
IFS= read -r -t 20 bytes || exit 1
# So many and no more (some `head` read ahead). Bounded: nobody would tell us that the link was cut.
# shellcheck disable=SC2016 # another shell's
said=$({ timeout 300 sh -c 'dd bs=4096 iflag=fullblock count="$1"; dd bs=1 count="$2"' dd $((bytes / 4096)) $((bytes % 4096)) |
	tar -xzf - -C "$folder" 2>&1; } 2>/dev/null) || fail 1 "cannot unpack into $folder: ${said##*$'\n'}"
trap - EXIT HUP INT TERM
exec bash -p "$folder/lab/ssh/guard.sh" "$folder"
