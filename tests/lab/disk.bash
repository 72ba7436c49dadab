# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# disk.bash - set-up of tests of the lab's own disk: `load disk`.

# shellcheck source=tests/lab/world.bash
. "${BASH_SOURCE[0]%/*}/world.bash"

setup() {
	WORLD="a disk" world setpriv unshare nsenter ip tc ethtool losetup mke2fs
	mkdir "$W/locks"
	export LAB_LOCKS=$W/locks THINPROBE_STATE=$W/state W TOP
	[ "$(id -u)" = 0 ] || skip "a disk of its own is root's"
	[ -e /dev/fuse ] || skip "this kernel has no FUSE"
}

# A driver with a disk of 48M at /tmp/disk; it runs $1, and waits.
begin() {
	cat >"$W/driver.sh" <<'END'
set -u
export LAB_SHARED_CPUS=1 LAB_CPU_WAIT=60 LAB_RUN=$W/run LAB_RATE=none
. "$TOP/lab/lib.sh"
lab_use local
lab_up
echo "$LAB_ID" >"$W/id"
lab_disk slow 48M /tmp/disk || { echo "$LAB_WHY" >"$W/why"; exit 4; }
echo "$LAB_DISK_DEVICE" >"$W/device"
END
	printf '%s\nnap 0\ntouch "$W/up"\nwhile :; do nap 1; done\n' "$1" >>"$W/driver.sh"
	bash "$W/driver.sh" >"$W/out" 2>&1 3>&- &
	pid=$!
	for _ in {1..6000}; do [ ! -e "$W/up" ] && kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
	cat "$W/out"
	[ ! -e "$W/why" ] || skip "$(cat "$W/why")"
	[ -e "$W/up" ]
	read -r id <"$W/id"
	read -r device <"$W/device"
}

gone() {	# checks that no loop device, folder, slowdisk process or record of the disk is left
	local i
	for ((i = 0; i < 300; i++)); do
		if [ -z "$(losetup -a | grep -F "thinprobe-disk-$id")$(grep -lszF "thinprobe-disk-$id" /proc/[0-9]*/cmdline)" ] &&
			[ ! -e "$W/locks/undo-$id" ] && [ ! -e "/var/tmp/thinprobe-disk-$id" ]; then
			return 0
		fi
		sleep 0.05
	done
	losetup -a
	grep -lszF "thinprobe-disk-$id" /proc/[0-9]*/cmdline
	cat "$W/locks/undo-$id"
	return 1
}

# in_device DISK: prints the largest number of requests in the device, in fifty readings.
in_device() {
	for _ in {1..50}; do cat "/sys/block/${1##*/}/inflight"; sleep 0.01; done |
		awk '$1 + $2 > n { n = $1 + $2 } END { print n + 0 }'
}
export -f in_device
