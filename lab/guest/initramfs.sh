#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# initramfs.sh - first process of a guest (busybox): loads modules, mounts the root file system and
# the host's folders, and hands over to init.sh. /modules: what to load, in this order.
fail() {
	echo "guest: $*" >/dev/console
	/busybox poweroff -f
}
/busybox mount -t devtmpfs dev /dev
/busybox mount -t proc proc /proc
while read -r module; do
	/busybox insmod "/$module" || fail "cannot load $module"
done </modules
/busybox mount -t ext4 -o noatime /dev/vda /root || fail "no root file system"
/busybox mount -t tmpfs -o mode=755 run /root/run
/busybox mkdir /root/run/guest
options=trans=virtio,version=9p2000.L,msize=262144
/busybox mount -t 9p -o $options guest /root/run/guest || fail "cannot mount the folder that the host shares (9p)"
# A folder that the guest cannot write to does not change while it runs, so that it may be cached.
while IFS='	' read -r tag mode folder; do
	/busybox mkdir -p "/root$folder"
	case $mode in
	ro) /busybox mount -t 9p -o "ro,cache=loose,$options" "$tag" "/root$folder" ;;
	rw) /busybox mount -t 9p -o "$options" "$tag" "/root$folder" ;;
	esac || fail "cannot mount $folder"
done </root/run/guest/mounts
read -r init </root/run/guest/init
/busybox umount /proc
exec /busybox switch_root -c /dev/console /root /bin/bash "$init"
