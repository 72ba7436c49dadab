# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# inside - what code in a confined program still has and may do (inside.c): `load inside` after `load helpers`.

# Builds the library, and starts a victim; for programs without sanitizers, whose filter is in force.
prepare_inside() {
	"${CC:-gcc}" -shared -fPIC -o "$BATS_RUN_TMPDIR/inside.so" "$TOP/tests/cli/inside.c" || skip "no compiler"
	truncate -s 64K said
	echo kept >handed
	start victim sleep 600
	inside=(env "INSIDE_OUT=$PWD/said" "INSIDE_HANDED=$PWD/handed" "INSIDE_VICTIM=$pid" INSIDE_TOKEN=s3cret-of-the-caller
		"LD_PRELOAD=$BATS_RUN_TMPDIR/inside.so")
}

# Leaves in the file "found" what is open to each, a line "PROGRAM WHAT" each, but for what this kernel does not close. Fails
# unless each of these programs looked.
found_inside() {	# program...
	local program landlock lacks='none'

	landlock=$(python3 -c 'import ctypes; print(ctypes.CDLL(None).syscall(444, None, 0, 1))')
	[ "$landlock" -ge 6 ] || lacks='netload (tg)?kill'
	[ "$landlock" -ge 1 ] || lacks+='|.* (/etc/shadow|environment of another|a file in /tmp)'
	tail -c +5 said | tr -d '\0' | awk -F '\t' '{ print $1, $3 }' | sort -u >found
	cat found
	for program; do grep -qx "$program looked" found || return; done
	sed -i '/ looked$/d' found
	sed -i -E "\,^($lacks)\$,d" found
}
