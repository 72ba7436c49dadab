# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What the tests in front of a client's window share: their folder, what they need, and a driver on a lab of its own.

# shellcheck source=tests/lab/world.bash
. "${BASH_SOURCE[0]%/*}/world.bash"

setup() {
	world setpriv unshare nsenter ip tc ethtool jq xdotool xwininfo Xvfb xterm
	may_have_hosts
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
