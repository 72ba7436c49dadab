# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# guests.bash - what tests with guests begin with: `load guests; setup_file() { guests_here || return 0; ... }`.

load "$(dirname "${BASH_SOURCE[0]}")/../not_here"

# guests_here [ROOT [RELEASE...]]: TOP, W (the tests' own world), the functions of guests, that root file system ("small"), the
# kernels of these releases (this system's). 1: guests cannot run here.
guests_here() {
	local why release
	export TOP W=$BATS_FILE_TMPDIR/w
	TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
	mkdir "$W"
	. "$TOP/lab/lib.sh"
	. "$TOP/lab/guest.sh"
	for release in "${2-}" "${@:3}"; do
		if why=$(guest_missing) || ! why=$(GUEST_KERNEL_OF=$release "$TOP/lab/guest.sh" root "${1-small}" 2>&1); then
			not_here "${why##*$'\n'}"	# (the line before says what is made)
			return 1
		fi
	done
}

# In setup(): the functions of guests, in the test's own folder.
guests_use() {
	skip_not_here
	. "$TOP/lab/lib.sh"
	. "$TOP/lab/guest.sh"
	cd "$BATS_TEST_TMPDIR" || return
}

# begin NAME ROOT OPTION...: a guest of a driver of its own (`driver`), which a process holds as a run would.
begin() {
	[ -e "$W/driver.sh" ] || cat >"$W/driver.sh" <<'END'
set -u
. "$TOP/lab/lib.sh"
. "$TOP/lab/guest.sh"
name=$1
shift
guest_up "$name" "$@"
declare -p GUEST_DIR GUEST_KEEPER | sed 's/declare -A/declare -gA/' >"$W/$name.new"
mv "$W/$name.new" "$W/$name.up"
while :; do nap 1; done
END
	bash "$W/driver.sh" "$@" >"$W/$1.log" 2>&1 3>&- &
	driver=$!
	while [ ! -e "$W/$1.up" ] && kill -0 "$driver" 2>/dev/null; do sleep 0.1; done
	[ -e "$W/$1.up" ] || { cat "$W/$1.log"; return 1; }
}

# kernels_here: a guest with the root "lab" for the kernels of Debian 12 and 13 each, called bookworm and trixie; kernels_end.
kernels_here() {
	local kernel
	guests_here lab bookworm trixie || return 0
	for kernel in bookworm trixie; do
		mkdir "$W/$kernel"
		GUEST_KERNEL_OF=$kernel begin "$kernel" lab -m 2G -s "$W/$kernel"
		echo "$driver" >>"$W/drivers"
	done
}
kernels_end() { [ ! -e "$W/drivers" ] || xargs kill <"$W/drivers"; }

# on KERNEL COMMAND: of bash, in the tree, with the modules and rights that udev would see to.
on() {
	. "$W/$1.up"
	guest_exec "$1" bash -c "cd $(printf %q "$TOP") && modprobe -a fuse loop tun zram &&
		chmod 666 /dev/net/tun /dev/fuse && $2" </dev/null
}
