# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What the tests in front of a client's window share: their folder, what they need, and a driver on a lab of its own.

bats_require_minimum_version 1.5.0
# shellcheck source=tests/busy.bash
. "${BASH_SOURCE[0]%/*}/../busy.bash"

setup() {
	TESTS=$(cd -- "$BATS_TEST_DIRNAME" && pwd -P)
	TOP=${TESTS%/tests/lab}
	W=$(mktemp -d /tmp/lab-bats.XXXXXX)
	chmod 755 "$W"
	for tool in setpriv unshare nsenter ip tc ethtool jq xdotool xwininfo Xvfb xterm; do
		PATH=$PATH:/usr/sbin:/sbin command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
	unshare --user --map-root-user --net true 2>/dev/null || [ "$(id -u)" = 0 ] || skip "this system forbids user namespaces"
}

teardown() {
	rm -rf -- "$W"
}

# A driver from standard input, on a lab of its own, with the helpers of client.sh.
drive() {
	{
		printf 'set -u\nW=%q TOP=%q\n' "$W" "$TOP"
		printf 'export TMPDIR=$W/tmp LAB_LOCKS=$W/locks LAB_RATE=none; mkdir -p "$TMPDIR"\n'
		printf 'LAB_RUN=$W/lab\n. "$TOP/lab/lib.sh"\n. "$TOP/tests/lab/client.sh"\nlab_use local\n'
		cat
	} >"$W/main.sh"
	cd /
	run timeout -k 10 "$((600 * ${TEST_PATIENCE:-1}))" bash "$W/main.sh"
	echo "$output" >"$W/main.out"
	echo "$output"
}
