#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# elsewhere.sh SUITE[:ARCHITECTURE] [PATTERN...] - clones this checkout into a new root of another release or architecture and runs
# `./thinprobe check` there, as a newcomer would: bookworm, trixie, noble; i386, arm64 (by qemu-user-static). As root, with
# mmdebstrap; needs 4 GiB of memory, and 6 GiB of the disk in TMPDIR (of another architecture, of memory).
#
# Root and mounts are in namespaces of this run and end with it. WERROR=1 is passed on; MIRROR=URL names the archive.
#	tests/elsewhere.sh trixie
#	tests/elsewhere.sh bookworm:arm64 unit/ cli/
set -eu -o pipefail
top=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd) || exit
[ $# -gt 0 ] || { sed -n '3,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ "$EUID" = 0 ] || { echo "elsewhere.sh: needs root" >&2; exit 4; }
native=$(dpkg --print-architecture)
suite=${1%:*} architecture=$native
[[ $1 != *:* ]] || architecture=${1#*:}
if [ -z "${ELSEWHERE_IN-}" ]; then
	export ELSEWHERE_IN=1
	case $native:$architecture in
	"$native:$native" | amd64:i386) exec unshare --mount --propagation private -- "$0" "$@" ;;
	esac
	# binfmt_misc is a user namespace's own (from Linux 6.7 on)
	exec {told}<> <(:)
	(
		until [ "$(readlink "/proc/$$/ns/user")" != "$(readlink /proc/self/ns/user)" ]; do sleep 0.1; done
		for map in uid_map gid_map; do echo "0 0 65536" >"/proc/$$/$map"; done
		echo go >&"$told"
	) &
	exec unshare --user --mount --propagation private -- bash -c 'read -r _ <&"$1"; exec setpriv --reuid 0 --regid 0 \
		--clear-groups -- "${@:2}"' bash "$told" "$0" "$@"
fi
shift
mount -t tmpfs elsewhere /mnt
root=/mnt/root
mkdir "$root" /mnt/tmp
# / is a mount, as programs that make their mounts private need it, and on a disk, as swap files do. The file has no name, so it
# ends with the mount; a user namespace may not mount one.
if [ "$architecture" = "$native" ] || [ "$architecture" = i386 ]; then
	disk=$(mktemp "${TMPDIR:-/tmp}/elsewhere.XXXXXX")
	truncate -s 12G "$disk"
	mkfs.ext4 -q -O ^has_journal "$disk"
	mount -o loop,noatime "$disk" "$root"
	rm "$disk"
else
	mount -t tmpfs -o size=8g elsewhere "$root"
fi
export TMPDIR=/mnt/tmp
if [ "$architecture" = arm64 ] && [ "$native" != arm64 ]; then
	mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
	magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
	mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
	printf '%s' ":aarch64:M::$magic:$mask:$(type -P qemu-aarch64-static):F" >/proc/sys/fs/binfmt_misc/register
fi
mapfile -t options < <(apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-|Retries)' | sed 's/^/--aptopt=/')
mmdebstrap --mode=root --variant=minbase --format=directory --architectures="$architecture" \
	--include=apt,ca-certificates,git --aptopt='APT::Install-Recommends "false"' "${options[@]}" \
	--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt=force-unsafe-io "$suite" "$root" ${MIRROR:+"$MIRROR"} </dev/null
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
for kernels in proc sys dev; do mount --rbind "/$kernels" "$root/$kernels"; done
git clone -q "$top" "$root/opt/thinprobe"
cd "$root"
pivot_root . .	# (out of a chroot a process comes when it enters a namespace, and no user namespace can be made there)
umount -l .
cd /opt/thinprobe
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root USER=root LANG=C.UTF-8 ${WERROR:+WERROR="$WERROR"} \
	TEST_PATIENCE="${TEST_PATIENCE-1}" TEST_SKIPS="${TEST_SKIPS-1000}" ./thinprobe check "$@"
